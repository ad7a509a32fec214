"""
Whatever comes in, what comes out is an answer or a sentence of ours.

A little of it runs with all tests, always the same; ``make fuzz`` looks for
something new for some minutes. What once failed is an ``@example``, or a test.
"""

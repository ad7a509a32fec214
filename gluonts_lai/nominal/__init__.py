"""
p⁺: WHO explains the other points?

The wrapped forecaster, asked through a framework that may not be there.
"""

"""
Collect no tests of a backend that is not installed.
"""

from importlib.util import find_spec

collect_ignore = [
    f"{folder}/{package}"
    for folder in ("gluonts_lai", "tests")
    for package, framework in (("mx", "mxnet"), ("torch", "torch"))
    if find_spec(framework) is None
]

"""
Collect no doctests from a backend that is not installed.
"""

from importlib.util import find_spec

collect_ignore = [
    f"gluonts_lai/{package}"
    for package, framework in (("mx", "mxnet"), ("torch", "torch"))
    if find_spec(framework) is None
]

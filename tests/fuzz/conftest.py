"""
No hypothesis, no fuzz: as with a framework that is missing.
"""

from importlib.util import find_spec

if find_spec("hypothesis") is None:
    collect_ignore_glob = ["test_*.py"]

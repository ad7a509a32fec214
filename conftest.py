"""
Collect no tests of a backend that is not installed.
"""

import os
import signal
from importlib.util import find_spec

# Networks of a few weights: threads would wait for each other, and no more.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# What a shell runs in the background does not hear Ctrl-C, nor do the
# processes that tests start there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore = [
    f"{folder}/{package}"
    for folder in ("gluonts_lai", "tests")
    for package, framework in (("mx", "mxnet"), ("torch", "torch"))
    if find_spec(framework) is None
]

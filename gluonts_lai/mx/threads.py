"""
How many threads MXNet computes with.
"""

from ctypes import c_int

from mxnet.base import _LIB, check_call


def one_thread_for_good() -> None:
    """
    Compute with one thread from now on.

    The number can be set but not read, so there is no way back: this is for
    processes that are there for nothing else.
    """
    check_call(_LIB.MXSetNumOMPThreads(c_int(1)))

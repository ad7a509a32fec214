"""
The process that shares work out, and what others do before they work for it.
"""

import os
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import Iterator


class Home:
    """
    This process, in its own eyes and in those of its workers.

    It travels ahead of the models, as the first argument of each task: MXNet
    decides as it is loaded whether to compute in threads of its own beside
    Python. A worker has a core, and no use for them.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.has_mxnet = "mxnet" in sys.modules

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        if self.has_mxnet and "mxnet" not in sys.modules:
            load_mxnet_without_threads()

    def is_elsewhere(self) -> bool:
        """Whether the process that asks is a worker."""
        return os.getpid() != self.pid


def load_mxnet_without_threads() -> None:
    """What the caller's environment says comes first, as always."""
    os.environ.setdefault("MXNET_ENGINE_TYPE", "NaiveEngine")
    with no_errors_shown():
        import_module("mxnet").nd.waitall()


@contextmanager
def no_errors_shown() -> Iterator[None]:
    """MXNet says on standard error, in C++, that it was told which engine."""
    shown = os.dup(2)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(shown, 2)
        os.close(shown)

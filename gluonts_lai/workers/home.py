"""
The process that shares work out, and what others do before they work for it.
"""

import os
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Iterator

from gluonts_lai.backends import backend_of


class Home:
    """
    This process, in its own eyes and in those of its workers.

    It travels ahead of a model, as the first argument of each task: MXNet
    decides as it is loaded whether to compute in threads of its own beside
    Python. A worker has a core, and no use for them.

    Parameters
    ----------
    model
        The model of the task; it may be packed.
    """

    def __init__(self, model: Any) -> None:
        self.pid = os.getpid()
        self.wants_mxnet = is_of_mxnet(model)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        if self.wants_mxnet and "mxnet" not in sys.modules:
            load_mxnet_without_threads()

    def is_elsewhere(self) -> bool:
        """Whether the process that asks is a worker."""
        return os.getpid() != self.pid


def is_of_mxnet(model: Any) -> bool:
    """Whether MXNet is what a model is made of, or what it wraps."""
    if isinstance(model, dict):  # packed
        return any(
            name.endswith(".json") and b"gluonts.mx." in content
            for name, content in model.items()
        )
    backend = backend_of(getattr(model, "estimator", model))
    return backend is not None and backend.__name__ == "gluonts_lai.mx"


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

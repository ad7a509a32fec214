"""
Work on many models, shared among workers by joblib.

The user chooses the engine: processes of this machine (loky, the default), or
a cluster, by ``joblib.parallel_config(backend=...)``.

What comes out does not depend on the number of workers. Each uses one thread,
and in each process one task runs at a time: chance has one state a process,
and so have the settings of frameworks. Backends that run several tasks in one
process (threads, or a Dask worker with more than one) gain nothing by it.
"""

import logging
import sys
import threading
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator, Optional, Union

from gluonts.env import env
from gluonts.model.estimator import Estimator
from gluonts.model.predictor import Predictor
from joblib import Parallel, delayed, parallel_config
from joblib.parallel import get_active_backend

from gluonts_lai.backends import one_thread
from gluonts_lai.hush import hushed
from gluonts_lai.trust import allow

from .home import Home
from .packing import Packed, own_parts, unpacked

Model = Union[Estimator, Predictor, Packed]

TURN = threading.RLock()
# Many tasks in a row may come with one model.
LAST: dict[str, Any] = {}


def share_out(
    task: Callable,
    jobs: Iterable[tuple],
    n_jobs: Optional[int],
    **kwargs: Any,
) -> Iterator[Any]:
    """
    The results of a task, in the order of the jobs, to be read to the end.

    Parameters
    ----------
    task
        A function of a module: it is sent to workers by its name.
    jobs
        Arguments of the task: a model, which may be packed, and others.
    n_jobs
        How many workers, as joblib counts them.
    kwargs
        For the ``deserialize`` of models that are packed.
    """
    check_no_fork()
    backend, _ = get_active_backend()
    # Ray's, like that of multiprocessing, hands on nothing until all is done.
    as_they_come = backend.supports_return_generator
    parallel = Parallel(
        n_jobs=n_jobs, return_as="generator" if as_they_come else "list"
    )
    return iter(
        parallel(
            delayed(alone)(
                Home(model), task, own_of(model), kwargs, model, *arguments
            )
            for model, *arguments in jobs
        )
    )


def own_of(model: Model) -> list[Any]:
    """What a worker needs to know of the user's own to unpack a model."""
    return own_parts(model) if isinstance(model, dict) else []


def alone(
    home: Home,
    task: Callable,
    known: list,
    kwargs: dict,
    model: Model,
    *arguments: Any,
) -> Any:
    """Do a task with one thread, while no other runs in this process."""
    # A task has one worker: it shares nothing out in its turn.
    with TURN, quiet(), parallel_config("sequential", n_jobs=1):
        allow(*known)
        model = opened(model, kwargs)
        # Now that the framework of the model is loaded.
        with one_thread(is_worker=home.is_elsewhere()):
            return task(model, *arguments)


def opened(model: Model, kwargs: dict) -> Union[Estimator, Predictor]:
    """The model of a task; that of the last task, if it is the same."""
    if not isinstance(model, dict):
        return model
    if LAST.get("packed") != (model, kwargs):
        LAST.update(packed=(model, kwargs), model=unpacked(model, **kwargs))
    return LAST["model"]


@contextmanager
def quiet() -> Iterator[None]:
    """What a framework says of each training is too much for many."""
    with hushed(logging.INFO), env._let(use_tqdm=False):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="lightning")
            yield


def check_n_jobs(n_jobs: Optional[int]) -> None:
    if n_jobs == 0:
        raise ValueError(
            "n_jobs must be a number of workers, -1 for one on each core, or "
            "None, got 0."
        )


def check_no_fork() -> None:
    """Refuse to fork where the children would hang."""
    backend, _ = get_active_backend()
    forks = type(backend).__name__ == "MultiprocessingBackend"
    if forks and "mxnet" in sys.modules:
        raise ValueError(
            "joblib's backend must not fork a process that has loaded MXNet, "
            "whose threads do not follow, got 'multiprocessing'; use 'loky', "
            "which is the default."
        )

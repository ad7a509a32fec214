"""
What if a worker is killed?

The system does that to processes for which there is no memory left. joblib
ends all work then, and cannot tell which task it was. Training takes hours
where there are many series, so here it costs one series at most: the first of
which there is no result is tried by itself, and the others are begun anew.
"""

import logging
from typing import Any, Callable, Iterable, Iterator, Optional

from joblib.externals.loky.process_executor import TerminatedWorkerError

from gluonts_lai.workers import share_out

logger = logging.getLogger(__name__)

KILLED = (
    "its worker was killed, most often because memory ran out; train it with "
    "fewer workers"
)


def outlived(
    task: Callable,
    jobs: Iterable[tuple],
    n_jobs: Optional[int],
    lost: Callable[[str], Any],
) -> Iterator[Any]:
    """
    The results of a task, in the order of the jobs, whoever is killed.

    Parameters
    ----------
    task, jobs, n_jobs
        As in :func:`gluonts_lai.workers.share_out`.
    lost
        What stands for the result of a job that kills its worker, by what is
        to be said of it.

    Examples
    --------
    >>> jobs = [(None, 3), (None, 5)]
    >>> list(outlived(lambda model, x: 2 * x, jobs, None, lost=print))
    [6, 10]
    """
    jobs, num_done = list(jobs), 0
    while num_done < len(jobs):
        try:
            for result in share_out(task, jobs[num_done:], n_jobs):
                yield result
                num_done += 1
        except TerminatedWorkerError:
            logger.warning("A worker was killed; others take its place.")
            yield tried(task, jobs[num_done], n_jobs, lost)
            num_done += 1


def tried(
    task: Callable,
    job: tuple,
    n_jobs: Optional[int],
    lost: Callable[[str], Any],
) -> Any:
    """The result of a single job, by a worker that has no other."""
    try:
        (result,) = share_out(task, [job], n_jobs)
        return result
    except TerminatedWorkerError:
        return lost(KILLED)

"""
A data set, a few series at a time: in this process, or shared among workers.

Chunks are cut without regard to the number of workers, and each draws from a
seed of its own, so that what comes out is the same.
"""

from itertools import islice
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional

from gluonts.model.predictor import Predictor
from joblib import effective_n_jobs

from gluonts_lai.panel import parts
from gluonts_lai.panel.entries import size_of

from .packing import packed
from .sharing import share_out

# Chunks for each worker that are under way at once.
NUM_AHEAD = 4


class Chunk(NamedTuple):
    """Some entries of a data set."""

    entries: list[dict]
    number: int  # of the chunk
    first: int  # position of its first entry


def chunks_of(dataset: Iterable[dict]) -> Iterator[Chunk]:
    """Entries in lists of no more than a few, read when they are wanted."""
    first = 0
    for number, entries in enumerate(parts(dataset, size_of)):
        yield Chunk(entries, number, first)
        first += len(entries)


def each_chunk(
    task: Callable,
    predictor: Predictor,
    dataset: Iterable[dict],
    n_jobs: Optional[int],
    *settings: Any,
) -> Iterator[Any]:
    """
    What a task makes of each entry, in the order of the data set.

    Parameters
    ----------
    task
        A function of a module or class: of the predictor, a chunk, and
        settings; with a result for each entry.
    predictor
        It is sent to the workers, if there are any.
    dataset
        The series.
    n_jobs
        How many workers, as joblib counts them.
    settings
        The same for all chunks.
    """
    chunks = chunks_of(dataset)
    num_workers = effective_n_jobs(n_jobs)
    if num_workers == 1:
        for chunk in chunks:
            yield from task(predictor, chunk, *settings)
        return
    files = None
    # Each wave is complete before any of it is handed on: the caller may
    # begin another run before this one ends.
    while wave := list(islice(chunks, NUM_AHEAD * num_workers)):
        if len(wave) == 1:
            results = [task(predictor, wave[0], *settings)]
        else:
            files = files or packed(predictor)
            jobs = ((files, chunk, *settings) for chunk in wave)
            results = list(share_out(task, jobs, n_jobs))
        for result in results:
            yield from result

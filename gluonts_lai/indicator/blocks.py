"""
Many series at once: in blocks that fit into a processor's cache, on threads.

The threads live for one call only. A pool that outlives it (OpenMP's, or
numba's own) would break processes that fork later, as GluonTS's do.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Iterable

import numba
import numpy as np

NUM_POINTS = 131_072


def for_each_block(
    work: Callable[..., None], shape: tuple[int, ...], num_arrays: int
) -> None:
    """
    Call ``work(rows, *arrays)`` with slices that together cover all series.

    ``arrays`` are working memory, one number a point, used again for the next
    block: fresh pages would cost more than the arithmetic. The blocks depend
    on the shape alone, never on the number of threads, which is numba's:
    ``NUMBA_NUM_THREADS``, or one for each processor.
    """
    num_series, num_times = shape
    size = max(1, NUM_POINTS // max(1, num_times))
    begins = range(0, num_series, size)
    num_threads = max(1, min(numba.config.NUMBA_NUM_THREADS, len(begins)))

    def work_through(begins: Iterable[int]) -> None:
        arrays = np.empty((num_arrays, min(size, num_series), num_times))
        for begin in begins:
            rows = slice(begin, min(begin + size, num_series))
            work(rows, *arrays[:, : rows.stop - rows.start])

    if num_threads == 1:
        work_through(begins)
    else:
        with ThreadPoolExecutor(num_threads) as pool:
            # Neighbours stay together: the first error is the first in order.
            for _ in pool.map(
                work_through, np.array_split(begins, num_threads)
            ):
                pass

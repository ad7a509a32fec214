"""
Quiet for a while, whoever else is at work.

How much Python logs is one setting for all threads. Those that want quiet at
the same time may begin and end in any order: it is what it was before when the
last of them has gone.
"""

import logging
import threading
from contextlib import contextmanager
from typing import Iterator

LOCK = threading.Lock()
# What is wanted at the moment; the first is what it was before.
LEVELS: list[int] = []


@contextmanager
def hushed(level: int) -> Iterator[None]:
    """
    Log nothing up to this level, for a while.

    Examples
    --------
    >>> with hushed(logging.WARNING):
    ...     logging.getLogger().isEnabledFor(logging.WARNING)
    False
    >>> logging.getLogger().isEnabledFor(logging.WARNING)
    True
    """
    with LOCK:
        if not LEVELS:
            LEVELS.append(logging.root.manager.disable)
        LEVELS.append(level)
        logging.disable(max(LEVELS))
    try:
        yield
    finally:
        with LOCK:
            # From the end: the first may be equal to it.
            del LEVELS[len(LEVELS) - 1 - LEVELS[::-1].index(level)]
            logging.disable(max(LEVELS))
            if len(LEVELS) == 1:
                LEVELS.clear()

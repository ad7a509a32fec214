"""
Seeds from seeds.
"""

import random
from contextlib import contextmanager
from typing import Iterator

import numpy as np


def derived(seed: int, *path: int) -> int:
    """A seed of its own for each step on the way of a run."""
    state = np.random.SeedSequence([seed, *path]).generate_state(1)
    return int(state[0] % 2**31)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Let Python and numpy draw from ``seed`` for a while."""
    python, numpy = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)

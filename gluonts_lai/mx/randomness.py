"""
Chance, made to repeat itself.
"""

import random
from contextlib import contextmanager
from typing import Iterator

import mxnet as mx
import numpy as np


def seed_everything(seed: int) -> None:
    """Start all generators that GluonTS on MXNet draws from."""
    random.seed(seed)
    np.random.seed(seed)
    mx.random.seed(seed)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """
    Draw from ``seed`` for a while, and leave the caller's generators alone.

    MXNet's cannot be read, only started anew: it goes on from a number that
    it drew itself.
    """
    python, numpy = random.getstate(), np.random.get_state()
    later = int(mx.nd.random.randint(0, 2**31 - 1).asscalar())
    seed_everything(seed)
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        mx.random.seed(later)

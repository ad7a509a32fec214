"""
Chance, made to repeat itself.
"""

import random
from contextlib import contextmanager
from typing import Iterator, Optional

import mxnet as mx
import numpy as np


def seed_everything(seed: int) -> None:
    """Start all generators that GluonTS on MXNet draws from."""
    random.seed(seed)
    np.random.seed(seed)
    mx.random.seed(seed)


@contextmanager
def seeded(seed: Optional[int]) -> Iterator[None]:
    """
    Let MXNet draw from ``seed`` for a while; from where it is, if None.

    Its generator cannot be read, only started anew: afterwards it goes on
    from a number that it drew itself.
    """
    # Forecasts of an ensemble enter and leave contexts out of turn, and would
    # leave one behind, which holds on to all those before it.
    with mx.Context(mx.current_context()):
        if seed is None:
            yield
            return
        later = int(mx.nd.random.randint(0, 2**31 - 1).asscalar())
        mx.random.seed(seed)
        try:
            yield
        finally:
            mx.random.seed(later)

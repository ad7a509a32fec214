"""
Chance, made to repeat itself.
"""

import random
from contextlib import contextmanager
from typing import Iterator, Optional

import numpy as np
import torch


def seed_everything(seed: int) -> None:
    """Start all generators that GluonTS on PyTorch draws from."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


@contextmanager
def seeded(seed: Optional[int]) -> Iterator[None]:
    """
    Let PyTorch draw from ``seed`` for a while, on every device; from where it
    is, if None.
    """
    if seed is None:
        yield
        return
    devices = range(torch.cuda.device_count())
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        yield

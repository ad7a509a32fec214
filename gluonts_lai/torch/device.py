"""
Where a network is, and the way there and back.

The only place that knows of devices and of the precision of weights: inputs
are moved to the network, and what it says comes back as numpy.
"""

from contextlib import contextmanager
from typing import Any, Iterator

import numpy as np
import torch
from torch import nn


def where(network: nn.Module) -> torch.Tensor:
    """A tensor that is where a network is, and as precise."""
    return next(network.parameters())


def as_tensor(array: Any, like: torch.Tensor) -> torch.Tensor:
    """An array where a tensor is; real numbers as precise as that."""
    if isinstance(array, np.ndarray):
        array = torch.from_numpy(np.ascontiguousarray(array))
    if array.is_floating_point():
        return array.to(device=like.device, dtype=like.dtype)
    return array.to(device=like.device)


def as_precise(number: Any, like: torch.Tensor) -> torch.Tensor:
    """
    A number where a tensor is, in double precision: series may move beyond
    the seventh digit. Apple's devices know single precision only.
    """
    is_single = like.device.type == "mps"
    dtype = torch.float32 if is_single else torch.float64
    return torch.as_tensor(number, dtype=dtype, device=like.device)


def as_array(tensor: torch.Tensor) -> np.ndarray:
    """A tensor as an array of numpy, wherever it is."""
    return tensor.detach().to(device="cpu", dtype=torch.float64).numpy()


@contextmanager
def at_rest(network: nn.Module) -> Iterator[None]:
    """
    Look at a network that may be in training.

    Without gradients and dropout; afterwards each of its parts is in the mode
    in which it was.
    """
    if not network.training:
        with torch.no_grad():
            yield
        return
    modes = [(part, part.training) for part in network.modules()]
    network.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for part, mode in modes:
            part.training = mode

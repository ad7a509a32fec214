"""
Batches of training windows, without a detour.

GluonTS cuts each window on its own into a dictionary, and stacks dictionaries
into a batch. For the estimators that do nothing else to their windows, the
same windows are cut straight into the batch, in the same order.
"""

from typing import Any, Callable, Iterator, Optional, Sequence

import numpy as np
from gluonts.exceptions import GluonTSDataError
from gluonts.itertools import Cyclic
from gluonts.transform import InstanceSplitter

from .scaling import scale_batch


class WindowLoader:
    """
    An endless stream of batches.

    Parameters
    ----------
    splitter
        Knows how to sample and to cut windows.
    names
        Inputs of the network, in its order.
    batch_size
        Windows in a batch.
    data
        Transformed entries.
    context_length
        Points to scale each window by; None to leave windows as they are.
    as_tensor
        Makes an array one of the framework, where the network is.
    """

    def __init__(
        self,
        splitter: InstanceSplitter,
        names: Sequence[str],
        batch_size: int,
        data: Sequence[dict],
        context_length: Optional[int],
        as_tensor: Callable[[np.ndarray], Any],
    ) -> None:
        self.splitter = splitter
        self.names = names
        self.batch_size = batch_size
        self.data = data
        self.context_length = context_length
        self.as_tensor = as_tensor

    def __iter__(self) -> Iterator[dict]:
        batch: list[tuple[dict, int]] = []
        for entry, t in self.windows():
            batch.append((entry, t))
            if len(batch) == self.batch_size:
                yield self.stacked(batch)
                batch = []

    def windows(self) -> Iterator[tuple[dict, int]]:
        """Entries with the starts of windows in them, again and again."""
        num_idle, most_idle = 0, max(100, 10 * len(self.data))
        sample = self.splitter.instance_sampler
        for entry in Cyclic(self.data):
            starts = sample(entry[self.splitter.target_field])
            num_idle = 0 if len(starts) else num_idle + 1
            if num_idle > most_idle:
                raise GluonTSDataError(
                    "training data must be long enough for a window, got "
                    f"none in {num_idle} draws; give longer series, shorten "
                    "horizon or context, or lower the sampler's min_past."
                )
            for t in starts:
                yield entry, int(t)

    def stacked(self, windows: list[tuple[dict, int]]) -> dict:
        """Windows as a batch, inputs in the order of the network."""
        batch = {
            name: np.stack([piece(self.splitter, name, *w) for w in windows])
            for name in self.names
        }
        if self.context_length is not None:
            batch, _ = scale_batch(batch, self.context_length)
        return {name: self.as_tensor(array) for name, array in batch.items()}


def piece(
    splitter: InstanceSplitter, name: str, entry: dict, t: int
) -> np.ndarray:
    """One input of one window."""
    when, _, field = name.partition("_")
    if when not in ("past", "future"):
        return np.asarray(entry[name])
    past = splitter.past_length
    if name == f"past_{splitter.is_pad_field}":
        return (np.arange(past) < past - t).astype(np.float32)
    array = entry[field]
    if when == "future":
        begin = t + splitter.lead_time
        window = array[..., begin : begin + splitter.future_length]
    elif t >= past:
        window = array[..., t - past : t]
    else:
        padding = [(0, 0)] * (array.ndim - 1) + [(past - t, 0)]
        window = np.pad(
            array[..., :t], padding, constant_values=splitter.dummy_value
        )
    return window.T if splitter.output_NTC else window

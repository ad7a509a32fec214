"""
All windows of a series at once.

GluonTS's ``InstanceSplitter`` cuts one window at a time into a past and a
future. Thousands of windows of one series are cut here in one go, with the
same result.
"""

import numpy as np
from gluonts.transform import InstanceSplitter
from numpy.lib.stride_tricks import as_strided


def split(
    splitter: InstanceSplitter, entry: dict, starts: np.ndarray
) -> dict[str, np.ndarray]:
    """
    What ``splitter`` makes of an entry at each start, stacked.

    Parameters
    ----------
    splitter
        Knows the fields, their lengths and their layout.
    entry
        A transformed entry, whose series are long enough for every future.
    starts
        First index after the past of each window.
    """
    past, future = splitter.past_length, splitter.future_length
    series = [splitter.target_field, *splitter.ts_fields]
    windows = {}
    for field in series:
        array = np.asarray(entry[field])
        shape = (*array.shape[:-1], past + array.shape[-1])
        padded = np.full(shape, splitter.dummy_value, array.dtype)
        padded[..., past:] = array
        begin = starts + past + splitter.lead_time
        windows[f"past_{field}"] = cut(splitter, padded, starts, past)
        windows[f"future_{field}"] = cut(splitter, padded, begin, future)
    windows[f"past_{splitter.is_pad_field}"] = (
        np.arange(past) < past - starts[:, None]
    ).astype(np.float32)
    for field, value in entry.items():
        if field.startswith("feat_static"):
            value = np.asarray(value)
            shape = (len(starts),) + value.shape
            windows[field] = np.broadcast_to(value, shape)
    return windows


def cut(
    splitter: InstanceSplitter,
    array: np.ndarray,
    begin: np.ndarray,
    length: int,
) -> np.ndarray:
    """Pieces of equal length from the last axis: window first."""
    # All of them at once, without the checks that numpy has for any view.
    shape = (*array.shape[:-1], array.shape[-1] - length + 1, length)
    strides = (*array.strides, array.strides[-1])
    pieces = as_strided(array, shape, strides, writeable=False)[..., begin, :]
    if array.ndim == 1:
        return pieces
    # (feature, window, time) to the layout that the network was built for.
    order = (1, 2, 0) if splitter.output_NTC else (1, 0, 2)
    return pieces.transpose(order)

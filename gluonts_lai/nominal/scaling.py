"""
HOW LARGE is a window?

A network that sees absolute levels does not survive a trend. With window
scaling it sees each window centred and scaled by its own context, and what it
says is brought back: values by ``centre + width * value``, log densities by
``- log width``. A flat context has no width of its own: a share of the width
that is usual in its series stands in for it.
"""

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from gluonts_lai.indicator.recursion import compiled
from gluonts_lai.panel.table import Table, as_rows

# Least width of a window, as a share of the usual width in its series.
LEAST_WIDTH = 0.1


class Scale(NamedTuple):
    """A centre and a width; arrays of any shape that broadcast."""

    centre: np.ndarray
    width: np.ndarray

    def apply(self, values: np.ndarray) -> np.ndarray:
        return (values - self.centre) / self.width

    def undo(self, values: np.ndarray) -> np.ndarray:
        return self.centre + self.width * values


def window_scale(contexts: np.ndarray) -> Scale:
    """
    Median and mean absolute deviation of each context, time last, in units
    of the usual width of its series.
    """
    shape = contexts.shape[:-1] + (1,)
    rows = np.ascontiguousarray(contexts).reshape(-1, contexts.shape[-1])
    centre, width = np.empty((2, len(rows)), rows.dtype)
    measure(rows, centre, width)
    width = np.maximum(width, LEAST_WIDTH)
    return Scale(centre.reshape(shape), width.reshape(shape))


@compiled
def measure(rows, centre, width):
    """Median and mean absolute deviation of each row."""
    length = rows.shape[1]
    row = np.empty(length, rows.dtype)
    for i in range(rows.shape[0]):
        if length > 64:
            row[:] = np.sort(rows[i])
        else:  # a short row is sorted while it is read
            for j in range(length):
                value, k = rows[i, j], j
                while k > 0 and row[k - 1] > value:
                    row[k] = row[k - 1]
                    k -= 1
                row[k] = value
        middle = (row[(length - 1) // 2] + row[length // 2]) / 2
        total = 0.0
        for value in row:
            total += abs(value - middle)
        centre[i], width[i] = middle, total / length


def series_scale(values: np.ndarray, context_length: int) -> Scale:
    """
    Median of a series, and the usual width of its windows, time last.

    NaN is missing. The usual width is the median over windows side by side,
    of those that have any.
    """
    rows = as_rows(values).astype(float)
    scales = [row_scale(row[~np.isnan(row)], context_length) for row in rows]
    shape = values.shape[:-1] + (1,)
    centre, width = np.array(scales).reshape(-1, 2).T
    return Scale(centre.reshape(shape), width.reshape(shape))


def series_scales(values: Table, context_length: int) -> list[Scale]:
    """The scale of each entry."""
    return [series_scale(entry, context_length) for entry in values.entries]


def row_scale(row: np.ndarray, context_length: int) -> tuple[float, float]:
    """Centre and usual width of a row without missing values."""
    if not row.size:
        return 0.0, 1.0
    length = min(context_length, row.size)
    windows = row[row.size % length :].reshape(-1, length)
    centres = np.median(windows, axis=-1, keepdims=True)
    widths = np.abs(windows - centres).mean(-1)
    widths = widths[widths > 0]
    centre = float(np.median(row))
    usual = float(np.median(widths)) if widths.size else abs(centre)
    return centre, usual if usual > 1e-30 else 1.0


def scale_batch(batch: dict, context_length: int) -> tuple[dict, Scale]:
    """
    A batch with each window scaled by its context, and the scales.

    Its arrays may be numpy's or a framework's, and stay what they are.
    """
    past = as_numpy(batch["past_target"])
    scale = window_scale(past[:, -context_length:])
    scaled = scale.apply(past)
    if "past_observed_values" in batch:
        # What pads a short past stays what it was.
        padding = (past == 0) & (as_numpy(batch["past_observed_values"]) == 0)
        scaled[padding] = 0.0
    batch = {**batch, "past_target": like(batch["past_target"], scaled)}
    if "future_target" in batch:
        future = batch["future_target"]
        batch["future_target"] = like(future, scale.apply(as_numpy(future)))
    return batch, scale


@singledispatch
def as_numpy(array: Any) -> np.ndarray:
    """A framework's array as one of numpy."""
    return array


@singledispatch
def like(template: Any, array: np.ndarray) -> Any:
    """An array of numpy where and what a template is."""
    return array

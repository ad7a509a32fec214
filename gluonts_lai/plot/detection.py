"""
A picture of what was found in one series.

Each dimension has a panel with what was observed and what the forecaster
expected, and under it a strip with the probability of an anomaly.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gluonts_lai.choices import check_share

from .dates import borders, show_time, times_of
from .figure import (
    BAND,
    EXPECTED,
    FLAGGED,
    MOST_PANELS,
    OBSERVED,
    headline,
    remark,
    stacked,
)
from .marks import draw_band, draw_flagged, draw_line
from .thinning import telling

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Row(NamedTuple):
    """One dimension of a detection, arrays ``(time,)``."""

    period: np.timedelta64  # from a point to the next
    times: np.ndarray
    value: np.ndarray
    expected: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    probability: np.ndarray
    flagged: np.ndarray


def plot_detection(detection: Any, threshold: float = 0.5) -> "Figure":
    """
    A series with what was expected of it, and which points are anomalous.

    Parameters
    ----------
    detection
        What was found in the series. A flagged point that is missing has no
        value to be marked at; the strip shows it. Of many dimensions, the 12
        with most flagged points are drawn.
    threshold
        Probability above which a point is flagged.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from gluonts_lai import Detection
    >>> level = np.zeros(4)
    >>> detection = Detection(
    ...     item_id="pump",
    ...     start=pd.Period("2024-01-01", "D"),
    ...     value=np.array([0.1, -0.2, 9.0, 0.0]),
    ...     probability=np.array([0.01, 0.02, 0.99, 0.01]),
    ...     score=np.array([-4.6, -3.9, 4.6, -4.6]),
    ...     log_density=np.array([-1.0, -1.0, -40.0, -1.0]),
    ...     expected=level,
    ...     lower=level - 1,
    ...     upper=level + 1,
    ...     cleaned=np.array([0.1, -0.2, 0.0, 0.0]),
    ... )
    >>> figure = plot_detection(detection)
    >>> panel, strip = figure.axes
    >>> [text.get_text() for text in panel.get_legend().get_texts()]
    ['band', 'expected', 'observed', '1 flagged']
    """
    check_share("threshold", threshold)
    dims = telling_dims(np.atleast_2d(detection.probability), threshold)
    figure, panels = panels_and_strips(len(dims))
    num_periods = max(detection.value.shape[-1], 1)  # no points: an empty one
    edges = times_of(detection.start, num_periods + 1)
    for dim, (panel, strip) in zip(dims, panels):
        row = row_of(detection, dim, edges, threshold)
        draw_series(panel, row)
        name = dim if detection.value.ndim == 2 else None
        headline(panel, detection.item_id, name)
        draw_strip(strip, row, threshold)
        figure.align_ylabels([panel, strip])
    show_time(panels[-1][-1], edges)
    return figure


def telling_dims(probability: np.ndarray, threshold: float) -> list[int]:
    """The dimensions to draw: of many, those with most flagged points."""
    num_flagged = (probability > threshold).sum(axis=-1)
    ranked = np.argsort(-num_flagged, kind="stable")
    return sorted(ranked[:MOST_PANELS].tolist())


def panels_and_strips(num_dims: int) -> "tuple[Figure, Any]":
    """A panel for each dimension, and a shallow strip under each."""
    figure, axes = stacked(
        2 * num_dims,
        height=0.7 + 3.0 * num_dims,
        sharex=True,
        height_ratios=[4, 1] * num_dims,
    )
    return figure, axes.reshape(num_dims, 2)


def row_of(
    detection: Any, dim: int, edges: np.ndarray, threshold: float
) -> Row:
    names = ("value", "expected", "lower", "upper", "probability")
    arrays = {
        name: np.atleast_2d(getattr(detection, name))[dim] for name in names
    }
    return Row(
        period=edges[1] - edges[0],
        times=edges[: detection.value.shape[-1]],
        flagged=arrays["probability"] > threshold,
        **arrays,
    )


def draw_series(axes: "Axes", row: Row) -> None:
    """What was observed, what was expected, and what is anomalous."""
    draw_band(axes, row.times, row.lower, row.upper, color=BAND, label="band")
    if np.isfinite(row.expected).any():
        draw_line(
            axes,
            row.times,
            row.expected,
            color=EXPECTED,
            linewidth=1.1,
            label="expected",
        )
    draw_line(
        axes,
        row.times,
        row.value,
        row.flagged,
        color=OBSERVED,
        linewidth=0.9,
        label="observed",
    )
    draw_flagged(axes, row.times, row.value, row.flagged)
    axes.set_ylabel("value")
    if not np.isfinite([row.value, row.expected]).any():
        remark(
            axes, "every value is missing" if row.value.size else "no points"
        )


def draw_strip(axes: "Axes", row: Row, threshold: float) -> None:
    """The probability of an anomaly, and from where on it is called one."""
    if row.times.size:
        draw_probability(axes, row)
    axes.axhline(threshold, color="black", linewidth=0.8, linestyle="--")
    axes.annotate(
        f"{threshold:g}",
        (1, threshold),
        xycoords=("axes fraction", "data"),
        xytext=(3, 0),
        textcoords="offset points",
        verticalalignment="center",
        fontsize="small",
    )
    axes.set(ylabel="P(z = 1)", ylim=(0, 1.05), yticks=(0, 1))


def draw_probability(axes: "Axes", row: Row) -> None:
    kept = telling(row.probability, flagged=row.flagged)
    heights = row.probability[kept]
    # Not stairs(), which takes seconds for a hundred thousand of them.
    axes.fill_between(
        borders(row.times[kept], row.period),
        np.append(heights, heights[-1]),
        step="post",
        color=FLAGGED,
        linewidth=1,  # a bar narrower than a dot would fade
    )

"""
A picture of what was found in one series.

Each dimension has a panel with what was observed and what the forecaster
expected, and under it a strip with the probability of an anomaly. A picture
has about a thousand columns of dots: of a series far longer than that, the
least and the greatest point of each bin are drawn, and every flagged one.
"""

from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np
import pandas as pd

from gluonts_lai.choices import check_share
from gluonts_lai.plot import BAND, FLAGGED, caption, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EXPECTED = "#2f6f9f"
MOST_POINTS = 4_000  # two for each bin
LONGEST_TITLE = 40  # characters that fit beside the legend


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
        value to be marked at; the strip shows it.
    threshold
        Probability above which a point is flagged.
    """
    check_share("threshold", threshold)
    num_dims = len(np.atleast_2d(detection.value))
    figure, panels = panels_and_strips(num_dims)
    num_periods = max(detection.value.shape[-1], 1)  # no points: an empty one
    edges = times_of(detection.start, num_periods + 1)
    for dim, (panel, strip) in enumerate(panels):
        row = row_of(detection, dim, edges, threshold)
        draw_series(panel, row)
        caption(panel, title_of(detection, dim))
        draw_strip(strip, row, threshold)
        figure.align_ylabels([panel, strip])
    show_time(panels[-1][-1], edges)
    return figure


def panels_and_strips(num_dims: int) -> "tuple[Figure, Any]":
    """A panel for each dimension, and a shallow strip under each."""
    figure = new_figure(
        figsize=(10, 0.7 + 3.0 * num_dims), dpi=120, layout="constrained"
    )
    axes = figure.subplots(
        2 * num_dims, sharex=True, height_ratios=[4, 1] * num_dims
    )
    return figure, axes.reshape(num_dims, 2)


def times_of(start: pd.Period, num_periods: int) -> np.ndarray:
    """When each period begins."""
    periods = pd.period_range(start, periods=num_periods)
    # Not in nanoseconds, which end in 2262.
    return periods.asfreq("us", how="start").asi8.view("datetime64[us]")


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


def title_of(detection: Any, dim: int) -> str:
    """The name of a series, and which dimension of it, if it has several."""
    name = "" if detection.item_id is None else str(detection.item_id)
    dimension = f"dimension {dim}" if detection.value.ndim == 2 else ""
    room = LONGEST_TITLE - len(dimension)
    if len(name) > room:
        name = name[: room - 1] + "…"
    title = ", ".join(filter(None, [name, dimension]))
    return title.replace("$", r"\$")  # which would begin a formula


def draw_series(axes: "Axes", row: Row) -> None:
    """What was observed, what was expected, and what is anomalous."""
    draw_band(axes, row)
    draw_expected(axes, row)
    draw_observed(axes, row)
    draw_flagged(axes, row)
    axes.set_ylabel("value")


def draw_band(axes: "Axes", row: Row) -> None:
    if not np.isfinite(row.lower + row.upper).any():
        return
    kept = telling(row.lower, row.upper)
    axes.fill_between(
        row.times[kept],
        row.lower[kept],
        row.upper[kept],
        color=BAND,
        linewidth=2,  # a band around a single point has no other width
        label="band",
    )


def draw_expected(axes: "Axes", row: Row) -> None:
    if not np.isfinite(row.expected).any():
        return
    kept = telling(row.expected)
    axes.plot(
        row.times[kept],
        row.expected[kept],
        color=EXPECTED,
        linewidth=0.7,
        label="expected",
        **dots(row.expected[kept]),
    )


def draw_observed(axes: "Axes", row: Row) -> None:
    kept = telling(row.value, flagged=row.flagged)
    axes.plot(
        row.times[kept],
        row.value[kept],
        color="black",
        linewidth=0.9,
        label="observed",
        **dots(row.value[kept]),
    )


def dots(values: np.ndarray) -> dict[str, Any]:
    """A dot for each value without a neighbour that a line could lead to."""
    known = np.pad(np.isfinite(values), 1)
    alone = known[1:-1] & ~known[:-2] & ~known[2:]
    return {
        "marker": ".",
        "markersize": 4,
        "markevery": np.flatnonzero(alone),
    }


def draw_flagged(axes: "Axes", row: Row) -> None:
    """White discs, which stand out from a line even in grey."""
    marked = row.flagged & np.isfinite(row.value)
    num_missing = row.flagged.sum() - marked.sum()
    label = f"{row.flagged.sum():,} flagged"
    axes.plot(
        row.times[marked],
        row.value[marked],
        "o",
        color=FLAGGED,
        markerfacecolor="white",
        markersize=7,
        markeredgewidth=1.4,
        label=f"{label} ({num_missing:,} missing)" if num_missing else label,
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
    axes.stairs(
        row.probability[kept],
        borders(row.times[kept], row.period),
        fill=True,
        color=FLAGGED,
        edgecolor=FLAGGED,
        linewidth=1,  # a bar narrower than a dot would fade
    )


def show_time(axes: "Axes", edges: np.ndarray) -> None:
    """Dates under the axis, which is a little longer than the series."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    first, last, end = edges[[0, -2, -1]]
    margin = max(end - last, (last - first) // 100)
    locator = AutoDateLocator()
    axes.set_xlim(first - margin, last + margin)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))


def borders(times: np.ndarray, period: np.timedelta64) -> np.ndarray:
    """Halfway between times, and half a period before and after them."""
    around = np.concatenate([times[:1] - period, times, times[-1:] + period])
    return around[:-1] + np.diff(around) // 2


def telling(
    *arrays: np.ndarray, flagged: Optional[np.ndarray] = None
) -> np.ndarray:
    """
    Indices of the points to draw: all of a short series.

    Of a long one, the least and the greatest of each array in each bin, and
    every flagged point. A bin without values keeps a NaN, so that lines break.
    """
    num_points = len(arrays[0])
    if num_points <= MOST_POINTS:
        return np.arange(num_points)
    width = -(-2 * num_points // MOST_POINTS)
    kept = [least(sign * array, width) for array in arrays for sign in (1, -1)]
    if flagged is not None:
        kept.append(np.flatnonzero(flagged))
    return np.unique(np.concatenate(kept))


def least(array: np.ndarray, width: int) -> np.ndarray:
    """Indices of the least value in each bin of some width."""
    array = np.where(np.isnan(array), np.inf, array)
    begin = np.arange(0, len(array), width)
    padding = begin.size * width - len(array)
    bins = np.pad(array, (0, padding), constant_values=np.inf)
    return begin + bins.reshape(-1, width).argmin(axis=1)

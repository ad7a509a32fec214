"""
How a series is drawn: its line, a band, the points that are flagged.

In grey they still differ: a band is light, a line is dark, and a flagged
point is a ring with white in it, whatever lies under it.
"""

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .figure import EXPECTED, FLAGGED
from .thinning import telling

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_line(
    axes: "Axes",
    times: np.ndarray,
    values: np.ndarray,
    flagged: Optional[np.ndarray] = None,
    **style: Any,
) -> None:
    """A line, broken where values are missing."""
    kept = telling(values, flagged=flagged)
    axes.plot(times[kept], values[kept], **dots(values[kept]), **style)


def dots(values: np.ndarray) -> dict[str, Any]:
    """A dot for each value without a neighbour that a line could lead to."""
    known = np.pad(np.isfinite(values), 1)
    alone = known[1:-1] & ~known[:-2] & ~known[2:]
    return {
        "marker": "." if alone.any() else "",
        "markersize": 4,
        "markevery": np.flatnonzero(alone),
    }


def draw_band(
    axes: "Axes",
    times: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    **style: Any,
) -> None:
    """What lies between two lines; nothing, if it is not known anywhere."""
    known = np.isfinite(lower + upper)
    if not known.any():
        return
    kept = telling(lower, upper)
    axes.fill_between(
        times[kept],
        lower[kept],
        upper[kept],
        # A band around a single point has no width but that of its edge.
        linewidth=8 if known.sum() == 1 else 1,
        **style,
    )


def draw_flagged(
    axes: "Axes", times: np.ndarray, values: np.ndarray, flagged: np.ndarray
) -> None:
    """A ring around each flagged point; the legend counts them."""
    marked = flagged & np.isfinite(values)
    num_missing = flagged.sum() - marked.sum()
    label = f"{flagged.sum():,} flagged"
    axes.plot(
        times[marked],
        values[marked],
        "o",
        color=FLAGGED,
        markerfacecolor="white",
        markersize=7 * crowding(marked.sum()),
        markeredgewidth=1.4 * crowding(marked.sum()),
        zorder=3,  # over all that follows, too
        label=f"{label} ({num_missing:,} missing)" if num_missing else label,
    )


def draw_replacements(
    axes: "Axes", times: np.ndarray, values: np.ndarray, flagged: np.ndarray
) -> None:
    """A cross where a flagged point is taken to have been."""
    marked = flagged & np.isfinite(values)
    if not marked.any():
        return
    axes.plot(
        times[marked],
        values[marked],
        "x",
        color=EXPECTED,
        markersize=5 * crowding(marked.sum()),
        markeredgewidth=1.3 * crowding(marked.sum()),
        label="taken instead",
    )


def crowding(num_marks: int) -> float:
    """By how much marks shrink where full ones would hide each other."""
    return float(np.clip((100 / max(num_marks, 1)) ** 0.25, 0.4, 1.0))

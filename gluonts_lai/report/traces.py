"""
What is drawn in a chart: lines, a band, and marks that stand out in grey.

A trace without times takes those that the whole chart shares.
"""

from typing import Any

import numpy as np

from gluonts_lai.plot.figure import BAND, EXPECTED, FLAGGED

from .numbers import compact, num_digits
from .panels import INK
from .series import Series

CROWDED = 300  # marks, of which smaller ones show more


def band(go: Any, series: Series) -> list:
    if not np.isfinite(series.lower + series.upper).any():
        return []
    edge = {
        "mode": "lines",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "legendgroup": "band",
    }
    return [
        go.Scatter(y=compact(series.lower), showlegend=False, **edge),
        go.Scatter(
            y=compact(series.upper),
            name="95 % band",
            fill="tonexty",
            fillcolor=BAND,
            **edge,
        ),
    ]


def expected(go: Any, series: Series) -> Any:
    return go.Scatter(
        y=compact(series.expected),
        name="expected",
        mode=mode_for(series.expected),
        line={"color": EXPECTED, "width": 1.2, "dash": "dot"},
        marker={"size": 3},
        hovertemplate=f"%{{y:.{num_digits(series.value)}~g}}",
    )


def observed(go: Any, series: Series) -> Any:
    return go.Scatter(
        y=compact(series.value),
        name="observed",
        mode=mode_for(series.value),
        line={"color": INK, "width": 1.1},
        marker={"size": 3},
        hovertemplate=f"%{{y:.{num_digits(series.value)}~g}}",
    )


def mode_for(values: np.ndarray) -> str:
    """Dots as well, where a value has no neighbour to draw a line to."""
    known = np.pad(np.isfinite(values), 1)
    alone = known[1:-1] & ~known[:-2] & ~known[2:]
    return "lines+markers" if alone.any() else "lines"


def flagged(go: Any, series: Series, times: np.ndarray) -> Any:
    marked = series.flagged & np.isfinite(series.value)
    return go.Scatter(
        x=times[marked],
        y=compact(series.value[marked]),
        name="flagged",
        mode="markers",
        marker={
            "size": 8 if marked.sum() <= CROWDED else 5,
            "color": "white",
            "line": {"color": FLAGGED, "width": 1.8},
        },
        hoverinfo="skip",  # the line below says it all
    )


def probability(go: Any, series: Series) -> Any:
    return go.Scatter(
        y=compact(series.probability),
        yaxis="y2",
        name="probability",
        mode="lines",
        line={"color": FLAGGED, "width": 1, "shape": "hvh"},
        fill="tozeroy",
        fillcolor=FLAGGED,
        showlegend=False,
        hovertemplate="%{y:.3f}",
    )

"""
Where a chart is drawn: two panels on one axis of time.
"""

from typing import Any

import numpy as np

INK = "#1b1f23"
FAINT = "#e3e6e8"


def layout(
    go: Any, moments: np.ndarray, is_dated: bool, threshold: float
) -> Any:
    """Two panels on one axis, which is a little longer than the series."""
    first, last, end = moments[[0, -2, -1]]
    margin = max(end - last, (last - first) / 100)
    axis = {"gridcolor": FAINT, "zeroline": False, "automargin": True}
    return go.Layout(
        template=go.layout.Template(),  # whatever the default of the user
        xaxis={
            **axis,
            "type": "date" if is_dated else "linear",
            "range": [first - margin, last + margin],
            "anchor": "y2",
            "ticks": "outside",
            "tickcolor": FAINT,
            "title": {"text": "" if is_dated else "point"},
        },
        yaxis={**axis, "domain": [0.27, 1], "title": {"text": "value"}},
        yaxis2={
            **axis,
            "domain": [0, 0.2],
            "title": {"text": "P(z = 1)"},
            "range": [0, 1.05],
            "tickvals": [0, 1],
            "fixedrange": True,
        },
        shapes=[threshold_line(threshold)],
        hovermode="x unified",
        hoversubplots="axis",
        hoverlabel={"bgcolor": "white", "bordercolor": "#9aa1a7"},
        dragmode="zoom",
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        margin={"l": 60, "r": 16, "t": 36, "b": 36},
        font={"family": "system-ui, sans-serif", "size": 12, "color": INK},
        paper_bgcolor="white",
        plot_bgcolor="white",
    )


def threshold_line(threshold: float) -> dict:
    """From where on a point is called anomalous."""
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "yref": "y2",
        "y0": threshold,
        "y1": threshold,
        "line": {"color": INK, "width": 1, "dash": "dash"},
    }

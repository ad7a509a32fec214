"""
The chart of one series, as Plotly draws it.

Above, what was observed, what was expected, and the band that holds 95 % of
nominal points; flagged points are white discs, which stand out even in grey.
Below, on the same axis of time, the probability of an anomaly.

Numbers travel as typed arrays, in single precision where that cannot be seen.
Most traces share their times: these are written once, as steps of one unit,
and the page hands them to every trace that has none.
"""

import json
from typing import NamedTuple

from .extras import require
from .numbers import in_steps
from .panels import layout
from .series import Series
from .traces import band, expected, flagged, observed, probability
from .views import drawn_points


class Chart(NamedTuple):
    """What the page needs to draw a series, and to say what it draws."""

    num_drawn: int  # points
    num_marked: int  # flagged points among them
    figure: dict  # data, layout, and the shared times x, ready for JSON


def chart_of(series: Series, threshold: float) -> Chart:
    """The chart of a series, thinned where it is long."""
    go = require("plotly.graph_objects")
    moments = series.moments(max(series.value.size, 1) + 1)
    kept = drawn_points(series)
    times, shown = moments[kept], series.part(kept)
    figure = go.Figure(
        [  # the last of them is named first when one hovers over it
            probability(go, shown),
            *band(go, shown),
            expected(go, shown),
            observed(go, shown),
            flagged(go, shown, times),
        ],
        layout(go, moments, series.start is not None, threshold),
    )
    return Chart(
        num_drawn=kept.size,
        num_marked=int(shown.flagged.sum()),
        figure={"x": in_steps(times), **json.loads(figure.to_json())},
    )

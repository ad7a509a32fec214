"""
A picture of a forecast: what came before it, and what came of it.
"""

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from gluonts_lai.choices import check_at_least, check_share

from .dates import show_time
from .figure import (
    EXPECTED,
    MOST_PANELS,
    NARROW_BAND,
    OBSERVED,
    WIDE_BAND,
    headline,
    stacked,
)
from .marks import (
    crowding,
    draw_band,
    draw_flagged,
    draw_line,
    draw_replacements,
)
from .scene import Scene, scene_of
from .thinning import telling

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_forecast(
    series: Any,
    forecast: Any,
    truth: Any = None,
    detection: Any = None,
    num_past: Optional[int] = None,
    threshold: float = 0.5,
) -> "Figure":
    """
    The end of a series, its forecast with bands, and what really came.

    Parameters
    ----------
    series
        A GluonTS entry, or a pandas Series or DataFrame (a column for each
        dimension) over time. What it holds after the beginning of the
        forecast is taken for the truth.
    forecast
        Any GluonTS forecast. Bands hold 50 % and 90 % of the probability; a
        few quantiles may reach less far, a single value has none. Of many
        dimensions, the first 12 are drawn.
    truth
        What came: like ``series``, or an array from the beginning of the
        forecast on, ``(time,)`` or ``(dim, time)``.
    detection
        What was found in the series: flagged points are marked, and what the
        forecaster took instead of them.
    num_past
        Points of the series to draw before the forecast; None for five times
        as many as are forecast, and no fewer than 50.
    threshold
        Probability above which a point is flagged.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from gluonts.model.forecast import SampleForecast
    >>> start = pd.Period("2024-01-01", "D")
    >>> entry = {"start": start, "target": np.arange(60.0)}
    >>> samples = 60 + np.random.default_rng(0).normal(size=(100, 7))
    >>> figure = plot_forecast(entry, SampleForecast(samples, start + 60))
    >>> panel = figure.axes[0]
    >>> [text.get_text() for text in panel.get_legend().get_texts()]
    ['observed', '90 %', '50 %', 'median']
    """
    check_at_least("num_past", num_past, 0)
    check_share("threshold", threshold)
    scene = scene_of(series, forecast, truth, detection, num_past, threshold)
    num_dims = len(scene.outlook.middle)
    num_panels = min(num_dims, MOST_PANELS)
    figure, panels = stacked(
        num_panels, height=0.7 + 2.6 * num_panels, sharex=True
    )
    for dim, panel in enumerate(panels):
        draw_past(panel, scene, dim)
        draw_outlook(panel, scene, dim)
        mark_beginning(panel, scene)
        name = dim if num_dims > 1 else None
        headline(panel, name_of(series, forecast), name)
        panel.set_ylabel("value")
    show_time(panels[-1], scene.edges)
    return figure


def name_of(series: Any, forecast: Any) -> Any:
    """What a forecast is of, if it says so, or else what a series is."""
    if forecast.item_id is None and isinstance(series, dict):
        return series.get("item_id")
    return forecast.item_id


def draw_past(axes: "Axes", scene: Scene, dim: int) -> None:
    """The end of a series; what was flagged in it, what was taken instead."""
    times, past = scene.edges[:-1], scene.past[dim]
    none = np.zeros(times.shape, dtype=bool)
    flagged = none if scene.flagged is None else scene.flagged[dim]
    if np.isfinite(past).any():
        draw_line(
            axes,
            times,
            past,
            flagged,
            color=OBSERVED,
            linewidth=0.9,
            label="observed",
        )
    if scene.flagged is not None:
        value = np.where(np.isnan(past), scene.truth[dim], past)
        draw_replacements(axes, times, scene.cleaned[dim], flagged)
        draw_flagged(axes, times, value, flagged)


def draw_outlook(axes: "Axes", scene: Scene, dim: int) -> None:
    """A forecast with its bands, and the truth over it where it is known."""
    times, outlook = scene.edges[:-1], scene.outlook
    for colour, band in zip((WIDE_BAND, NARROW_BAND), outlook.bands):
        draw_band(
            axes,
            times,
            band.lower[dim],
            band.upper[dim],
            color=colour,
            label=f"{100 * band.share:g} %",
        )
    draw_line(
        axes,
        times,
        outlook.middle[dim],
        color=EXPECTED,
        linewidth=2.0,
        label=outlook.name,
    )
    if np.isfinite(scene.truth[dim]).any():
        draw_truth(axes, times, scene.truth[dim])


def mark_beginning(axes: "Axes", scene: Scene) -> None:
    """A dotted line where what is known ends, half a period before."""
    first, second = scene.edges[scene.num_past : scene.num_past + 2]
    axes.axvline(
        first - (second - first) // 2,
        color="#555555",
        linewidth=0.8,
        linestyle=":",
    )


def draw_truth(axes: "Axes", times: np.ndarray, truth: np.ndarray) -> None:
    """Dots, which a forecast's line does not hide, joined by a thin line."""
    kept = telling(truth)
    axes.plot(
        times[kept],
        truth[kept],
        color=OBSERVED,
        linewidth=0.9,
        marker="o",
        markersize=3.2 * crowding(times.size),
        label="truth",
    )

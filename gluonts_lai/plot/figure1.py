"""
The paper's Figure 1: one network with LAI and without, and the indicator.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gluonts_lai.dataset import Demonstration

from .figure import BAND, FLAGGED, OBSERVED, caption, stacked

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Fit(NamedTuple):
    """What a network expects of each point, given the points before it."""

    expected: np.ndarray
    sd: np.ndarray


def plot_figure1(
    series: Demonstration,
    plain: Fit,
    lai: Fit,
    probability: np.ndarray,
) -> "Figure":
    """The fit of a plain network, the fit with LAI, and the indicator."""
    figure, panels = stacked(3, height=7.5)
    draw_fit(panels[0], series, plain, "(a) plain MLP")
    draw_fit(panels[1], series, lai, "(b) MLP with LAI")
    draw_probability(panels[2], probability, series.labels)
    for panel in panels[:2]:
        panel.sharex(panels[2])
        panel.tick_params(labelbottom=False)
    return figure


def draw_fit(
    axes: "Axes", series: Demonstration, fit: Fit, title: str
) -> None:
    """A series, and what a network expected of it, two sds wide."""
    t = np.arange(len(series.values))
    axes.fill_between(
        t,
        fit.expected - 2 * fit.sd,
        fit.expected + 2 * fit.sd,
        color=BAND,
        linewidth=0,
        label="expected, ±2 sd",
    )
    axes.plot(
        t, series.values, ".", color=OBSERVED, markersize=2, label="observed"
    )
    axes.plot(
        t,
        series.clean,
        color=FLAGGED,
        linewidth=1.2,
        label="the sine itself",
    )
    axes.set(ylabel="x", ylim=(-3, 3))
    caption(axes, title)


def draw_probability(
    axes: "Axes", probability: np.ndarray, labels: np.ndarray
) -> None:
    """The probability of an anomaly, over marks where there is one."""
    axes.fill_between(
        np.arange(len(probability)),
        probability,
        step="mid",
        color=FLAGGED,
        linewidth=1,  # a bar narrower than a dot would fade
        label="P(z[t] = 1 | x)",
    )
    true = np.flatnonzero(labels)
    axes.plot(
        true,
        np.full(true.size, 1.06),
        "|",
        color="black",
        markersize=5,
        label="anomalous in truth",
    )
    axes.set(xlabel="t", ylabel="probability", ylim=(0, 1.12))
    axes.margins(x=0.01)
    caption(axes, "(c) the inferred indicator")

"""
Pictures of series and of what was found in them.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from gluonts_lai.dataset import Demonstration
from gluonts_lai.indicator import Filtered, IndicatorChain, Smoothed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FLAGGED = "#c1272d"
BAND = "#a6c8e0"


def plot_demonstration(
    series: Demonstration,
    sd: float,
    filtered: Filtered,
    smoothed: Smoothed,
    chains: list[IndicatorChain],
    truth: IndicatorChain,
) -> "Figure":
    """The series, its indicator and how the chain was learned."""
    figure, panels = stacked(3, height=7.5)
    draw_series(panels[0], series, sd, smoothed.smoothed > 0.5)
    draw_probability(panels[1], filtered.filtered, smoothed.smoothed)
    panels[0].sharex(panels[1])
    draw_learning(panels[2], chains, truth)
    return figure


def draw_series(
    axes: "Axes", series: Demonstration, sd: float, flagged: np.ndarray
) -> None:
    """A series over the band of its nominal model, flagged points marked."""
    t = np.arange(len(series.values))
    axes.fill_between(
        t,
        series.clean - 3 * sd,
        series.clean + 3 * sd,
        color=BAND,
        label="nominal, ±3 sd",
    )
    axes.plot(t, series.values, color="black", linewidth=0.6)
    axes.plot(
        t[flagged],
        series.values[flagged],
        "o",
        markersize=4,
        color=FLAGGED,
        label=f"P(z = 1) > 0.5: {flagged.sum()} points",
    )
    missed = series.labels.astype(bool) != flagged
    axes.plot(
        t[missed],
        series.values[missed],
        "o",
        markersize=9,
        markerfacecolor="none",
        markeredgecolor="black",
        label=f"mistaken: {missed.sum()}",
    )
    axes.set(ylabel="x")
    caption(axes, "A contaminated sine")


def draw_probability(
    axes: "Axes", filtered: np.ndarray, smoothed: np.ndarray
) -> None:
    """The probability of an anomaly, as points arrive and in hindsight."""
    axes.fill_between(
        np.arange(len(smoothed)),
        smoothed,
        step="mid",
        color=FLAGGED,
        alpha=0.5,
        label="smoothed: P(z[t] = 1 | x)",
    )
    axes.plot(
        filtered,
        color="black",
        linewidth=0.6,
        drawstyle="steps-mid",
        label="filtered: P(z[t] = 1 | x[:t+1])",
    )
    axes.set(xlabel="t", ylabel="probability", ylim=(0, 1.02))
    axes.margins(x=0.01)
    caption(axes, "The indicator")


def draw_learning(
    axes: "Axes", chains: list[IndicatorChain], truth: IndicatorChain
) -> None:
    """The chain, round by round, on its way to the one that was drawn."""
    for name, style in (("p_stay", "-"), ("p_enter", "--")):
        axes.plot(
            [getattr(chain, name) for chain in chains],
            style + "o",
            color="black",
            markersize=3,
            label=f"{name}, learned",
        )
        axes.axhline(
            getattr(truth, name),
            linestyle=style,
            color=FLAGGED,
            label=f"{name}, in the labels",
        )
    axes.set(xlabel="round", ylabel="probability", ylim=(0, None))
    axes.set_xticks(range(0, len(chains), 5))
    caption(axes, "Re-estimating the chain")


def caption(axes: "Axes", title: str) -> None:
    """A title on the left and the legend beside it, off the data."""
    axes.set_title(title, loc="left")
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.2,
        frameon=False,
        ncols=4,
        fontsize="small",
    )


def stacked(num_panels: int, height: float) -> "tuple[Figure, Any]":
    """Panels one above the other, for a file rather than a screen."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib; install it with "
            "pip install 'gluonts-lai[plot]'."
        ) from error
    figure = Figure(figsize=(10, height), dpi=120, layout="constrained")
    return figure, figure.subplots(num_panels)

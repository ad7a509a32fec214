"""
Pictures of series and of what was found in them.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gluonts_lai.dataset import Demonstration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FLAGGED = "#c1272d"
BAND = "#a6c8e0"


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
    axes.plot(t, series.values, ".", color="black", markersize=2)
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
        alpha=0.6,
        linewidth=0,
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
    figure = new_figure(figsize=(10, height), dpi=120, layout="constrained")
    return figure, figure.subplots(num_panels)


def check_picture(path: str) -> None:
    """Whether a picture can be written there; raises an error if not."""
    folder, kind = Path(path).parent, Path(path).suffix[1:]
    kinds = new_figure().canvas.get_supported_filetypes()
    if kind not in kinds:
        raise ValueError(
            f"a picture must end in one of {', '.join(sorted(kinds))}, got "
            f"{path}."
        )
    if not folder.is_dir():
        raise OSError(f"{folder} must be a folder to write {path} to.")


def new_figure(**options: Any) -> "Figure":
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib; install it with "
            "pip install 'gluonts-lai[plot]'."
        ) from error
    return Figure(**options)

"""
A picture of a training run: what EM found, round by round.

Over the epochs that were trained before each round: how many points it
flagged, the chain it learned from them, and how likely that made the data.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from gluonts_lai.rounds import History

from .figure import EXPECTED, FLAGGED, OBSERVED, caption, remark, stacked

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Course(NamedTuple):
    """What a column of the history is called, and how it is drawn."""

    column: str
    label: str
    color: str
    marker: str
    line: str


# Shapes and dashes differ, for whoever has no colours.
FLAGS = [Course("share_flagged", "flagged points", FLAGGED, "o", "-")]
CHAIN = [
    Course("p_stay", "P(1→1), an anomaly goes on", OBSERVED, "s", "--"),
    Course("p_enter", "P(0→1), an anomaly begins", FLAGGED, "^", "-"),
]
LIKELIHOOD = [
    Course("log_likelihood", "log p(x), a point", EXPECTED, "o", "-")
]


def plot_history(history: Any) -> "Figure":
    """
    EM by round: the share of points flagged, the chain, the log-likelihood.

    Parameters
    ----------
    history
        The ``history`` of a training output, or the table of it.

    Examples
    --------
    >>> from gluonts_lai.rounds import History, Round
    >>> history = History(
    ...     [
    ...         Round(2, -1.4, 0.08, 0.020, 0.52, 0.1, 1.0),
    ...         Round(5, -0.9, 0.03, 0.011, 0.61, 0.1, 1.0),
    ...     ]
    ... )
    >>> figure = plot_history(history)
    >>> [panel.get_title(loc="left") for panel in figure.axes]
    ['(a) flagged', '(b) the chain', '(c) log-likelihood']
    """
    frame = history_frame(history)
    figure, panels = stacked(3, height=6.5, sharex=True)
    flags, chain, likelihood = panels
    for panel, title, courses in (
        (flags, "(a) flagged", FLAGS),
        (chain, "(b) the chain", CHAIN),
        (likelihood, "(c) log-likelihood", LIKELIHOOD),
    ):
        draw_courses(panel, frame, courses)
        caption(panel, title)
    show_scales(flags, chain, likelihood, frame)
    figure.align_ylabels(panels)
    return figure


def history_frame(history: Any) -> "pd.DataFrame":
    """The table of a history, if it is none yet."""
    if isinstance(history, (list, tuple)):
        return History(history).to_frame()
    missing = [
        course.column
        for course in (*FLAGS, *CHAIN, *LIKELIHOOD)
        if course.column not in history
    ]
    if missing:
        raise ValueError(
            f"a history must have a column {missing[0]!r}, got "
            f"{', '.join(map(str, history))}; give the history of a training "
            "output."
        )
    return history


def draw_courses(
    axes: "Axes", frame: "pd.DataFrame", courses: list[Course]
) -> None:
    for course in courses:
        axes.plot(
            frame["epoch"].to_numpy(),
            frame[course.column].to_numpy(),
            color=course.color,
            marker=course.marker,
            markersize=4,
            linestyle=course.line,
            linewidth=1.2,
            label=course.label,
        )


def show_scales(
    flags: "Axes", chain: "Axes", likelihood: "Axes", frame: "pd.DataFrame"
) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    flags.set_ylabel("share")
    flags.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    chain.set_ylabel("probability")
    likelihood.set(xlabel="epochs trained before the round", ylabel="nats")
    likelihood.xaxis.set_major_locator(MaxNLocator(integer=True))
    if frame.empty:
        for axes in (flags, chain, likelihood):
            remark(axes, "no rounds: training went without EM")
            axes.tick_params(bottom=False, labelbottom=False)
        return
    first, last = frame["epoch"].min(), frame["epoch"].max()
    if first == last:
        likelihood.set_xlim(first - 1, last + 1)
    top = max(1.1 * frame["share_flagged"].max(), 0.01)
    flags.set_ylim(-0.05 * top, top)  # a dot at zero is whole
    # One is rare and the other is not: only a log axis shows both move.
    chain.set(yscale="log", ylim=(frame["p_enter"].min() / 2, 1.3))

"""
A picture of a training run shows each of its rounds.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("matplotlib")

from gluonts_lai.plot import plot_history  # noqa: E402
from gluonts_lai.rounds import History, Round  # noqa: E402

from .reading import line  # noqa: E402

HISTORY = History(
    Round(2 + 3 * i, -1.4 + i / 10, 0.08 / (1 + i), 0.01, 0.5, 0.1, 1.0)
    for i in range(5)
)
LABELS = {
    "share_flagged": (0, "flagged points"),
    "p_stay": (1, "goes on"),
    "p_enter": (1, "begins"),
    "log_likelihood": (2, "a point"),
}


@pytest.mark.parametrize("column", LABELS)
@pytest.mark.parametrize("as_table", [False, True])
def test_each_round_is_drawn_over_its_epoch(column, as_table):
    frame = HISTORY.to_frame()
    panel, label = LABELS[column]

    figure = plot_history(frame if as_table else HISTORY)

    x, y = line(figure.axes[panel], label).get_data()
    assert_array_equal(x, frame["epoch"])
    assert_array_equal(y, frame[column])


def test_probabilities_of_the_chain_differ_in_shape_and_dashes():
    chain = plot_history(HISTORY).axes[1]

    assert len({course.get_marker() for course in chain.lines}) == 2
    assert len({course.get_linestyle() for course in chain.lines}) == 2


@pytest.mark.parametrize("share", [0.0, 1e-4, 0.5, 1.0])
def test_what_is_drawn_lies_inside_the_panels(share):
    rounds = [
        one._replace(share_flagged=share, p_enter=1e-5) for one in HISTORY
    ]

    figure = plot_history(rounds)

    for panel in figure.axes:
        (left, right), (low, high) = panel.get_xlim(), panel.get_ylim()
        for course in panel.lines:
            x, y = course.get_data()
            assert left < x.min() <= x.max() < right
            assert low < y.min() <= y.max() < high


def test_one_round_is_one_dot_over_a_whole_epoch():
    figure = plot_history(HISTORY[:1])

    figure.draw_without_rendering()
    *_, panel = figure.axes
    ticks = [text.get_text() for text in panel.get_xticklabels()]
    assert ticks == ["1", "2", "3"]


def test_a_training_without_rounds_says_so():
    figure = plot_history(History())

    for panel in figure.axes:
        (text,) = panel.texts
        assert text.get_text().startswith("no rounds")
    figure.draw_without_rendering()


def test_a_table_of_something_else_is_refused():
    frame = HISTORY.to_frame().drop(columns="p_stay")

    with pytest.raises(ValueError, match="must have a column 'p_stay', got"):
        plot_history(frame)


def test_a_round_without_a_likelihood_leaves_a_gap():
    rounds = [*HISTORY]
    rounds[2] = rounds[2]._replace(log_likelihood=np.nan)

    figure = plot_history(rounds)

    y = line(figure.axes[2], "a point").get_ydata()
    assert_array_equal(np.isnan(y), [False, False, True, False, False])
    figure.draw_without_rendering()

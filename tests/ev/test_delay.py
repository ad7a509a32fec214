import numpy as np
import pytest

from gluonts_lai.ev import mean_delay
from tests import naive
from tests.ev.cases import draw


def test_a_case_worked_by_hand():
    labels = [1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1]
    flags = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1]
    # Found at once, not at all, and after 3 points.
    assert mean_delay(labels, flags) == 1.5


@pytest.mark.parametrize("seed", range(20))
def test_it_agrees_with_waiting_in_each_segment(seed):
    labels, scores = draw(seed)
    flags = scores > 0.8
    delays = [
        min(i for i, t in enumerate(segment) if flags[t])
        for segment in naive.runs(labels)
        if flags[segment].any()
    ]

    assert mean_delay(labels, flags) == pytest.approx(np.mean(delays))


@pytest.mark.parametrize("flags", [[0, 0, 0, 0], [1, 0, 0, 1]])
def test_there_is_no_delay_where_nothing_is_found(flags):
    assert np.isnan(mean_delay([0, 1, 1, 0], flags))
    assert np.isnan(mean_delay([0, 0, 0, 0], flags))

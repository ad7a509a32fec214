"""
Each part of a series is scored by the forecaster that it belongs to.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.model.trivial.constant import ConstantValuePredictor
from numpy.testing import assert_array_equal

from gluonts_lai.nominal.crossed import Crossed
from gluonts_lai.nominal.protocol import Update
from gluonts_lai.nominal.rolling import Rolling
from gluonts_lai.nominal.scaling import series_scales
from gluonts_lai.panel import Panel

LENGTHS = [40, 21]


@pytest.fixture
def panel():
    rng = np.random.default_rng(0)
    start = pd.Period("2024-01-01", "h")
    return Panel.of(
        [{"start": start, "target": rng.normal(size=n)} for n in LENGTHS]
    )


def nominal_of(value):
    predictor = ConstantValuePredictor(1, value=value)
    return Rolling(predictor, 5, residual_scale=1.0, past_length=5)


def known(panel):
    scales = series_scales(panel.values, 5)
    return nominal_of(0.0).prepare(panel, scales)


def test_each_half_is_expected_by_its_own_forecaster(panel):
    crossed = Crossed([nominal_of(1.0), nominal_of(2.0)])

    scores = crossed.score(known(panel), panel.values)

    for length, expected in zip(LENGTHS, scores.bells.expected.entries):
        middle = (length + 1) // 2
        assert np.isnan(expected[:5]).all()
        assert_array_equal(expected[5:middle], 1.0)
        assert_array_equal(expected[middle:], 2.0)
    for value, half in ((1.0, slice(5, 20)), (2.0, slice(20, 40))):
        alone = nominal_of(value).score(known(panel), panel.values)
        assert_array_equal(
            scores.bells.log_height.entries[0][half],
            alone.bells.log_height.entries[0][half],
        )


def test_only_what_is_stale_is_scored_again(panel):
    crossed = Crossed([nominal_of(1.0), nominal_of(2.0)])
    scores = crossed.score(known(panel), panel.values)
    stale = panel.values.like(False, bool)
    stale.entries[0][[10, 30]] = True
    later = Crossed([nominal_of(5.0), nominal_of(6.0)])

    again = later.score(known(panel), panel.values, Update(scores, stale))

    expected = again.bells.expected.entries[0]
    assert expected[10] == 5.0 and expected[30] == 6.0
    assert set(np.delete(expected[5:], [5, 25])) == {1.0, 2.0}


def test_one_forecaster_is_as_it_would_be_alone(panel):
    crossed = Crossed([nominal_of(1.0)])

    scores = crossed.score(known(panel), panel.values)

    alone = nominal_of(1.0).score(known(panel), panel.values)
    for ours, theirs in zip(
        scores.bells.log_height.entries, alone.bells.log_height.entries
    ):
        assert_array_equal(ours, theirs)
    assert crossed.context_length == 5 and crossed.prediction_length == 1

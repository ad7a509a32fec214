"""
Any predictor is asked about each point from the window before it.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.model.forecast import QuantileForecast, SampleForecast
from gluonts.model.predictor import RepresentablePredictor
from gluonts.model.seasonal_naive import SeasonalNaivePredictor
from gluonts.model.trivial.mean import MeanPredictor
from numpy.testing import assert_allclose, assert_array_equal

from gluonts_lai.nominal.densities import StudentT, from_quantiles
from gluonts_lai.nominal.rolling import Rolling
from gluonts_lai.nominal.scaling import series_scales
from gluonts_lai.nominal.scoring import Piece
from gluonts_lai.panel import Panel

START = pd.Period("2024-01-01", "h")
LENGTHS = [30, 9, 41, 30]
# Scores are kept in single precision, and so are the windows.
SINGLE = 1e-5


class Slope(RepresentablePredictor):
    """Quantiles around a line through the first and the last point."""

    def __init__(self, prediction_length, lead_time=0):
        super().__init__(prediction_length, lead_time)
        self.seen = []

    def predict_item(self, item):
        self.seen.append(item)
        x = np.asarray(item["target"], float)
        slope = (x[..., -1:] - x[..., :1]) / (x.shape[-1] - 1)
        ahead = 1 + self.lead_time + np.arange(self.prediction_length)
        line = x[..., -1:] + slope * ahead
        spread = x.std(-1, keepdims=True)
        levels = np.array([0.1, 0.5, 0.9])
        return QuantileForecast(
            np.stack([line + spread * z for z in (-1.3, 0, 1.3)]),
            start_date=item["start"] + x.shape[-1] + self.lead_time,
            forecast_keys=[str(level) for level in levels],
            item_id=item.get("item_id"),
        )


class Vectors(RepresentablePredictor):
    """Samples around the last vector, not by chance."""

    def predict_item(self, item):
        last = item["target"][:, -1]
        around = np.array([-1.0, 0.0, 0.0, 1.0])[:, None, None] + last
        samples = np.repeat(around, self.prediction_length, axis=1)
        return SampleForecast(samples, item["start"] + item["target"].shape[1])


def panel_of(shape=()):
    rng = np.random.default_rng(0)
    return Panel.of(
        [
            {
                "start": START + i,
                "item_id": f"{i}",
                "target": rng.normal(5, 2, shape + (n,)),
                "feat_dynamic_real": np.arange(2.0 * n + 10).reshape(2, -1),
                "past_feat_dynamic_real": np.arange(1.0 * n)[None],
                "feat_static_real": np.array([0.5]),
            }
            for i, n in enumerate(LENGTHS)
        ]
    )


def one_by_one(predictor, panel, contexts, context_length):
    """The forecast of each point: entry, time, window's forecast, lead."""
    horizon, lead_time = predictor.prediction_length, predictor.lead_time
    for i, context in enumerate(contexts.entries):
        length = context.shape[-1]
        for start in range(context_length, length - lead_time, horizon):
            begin = start - context_length
            entry = {
                **panel.entries[i],
                "start": panel.entries[i]["start"] + begin,
                "target": context[..., begin:start],
            }
            (forecast,) = predictor.predict([entry])
            for lead in range(horizon):
                if start + lead_time + lead < length:
                    yield i, start + lead_time + lead, forecast, lead


def scores_of(predictor, panel, contexts):
    rolling = Rolling(predictor, 10, past_length=10)
    scales = series_scales(panel.values, 10)
    return rolling.score(rolling.prepare(panel, scales), contexts)


def log_normal(scores):
    """Log densities of what was observed."""
    bells = scores.bells
    return bells.df.map(
        lambda df, top, distance: top
        - (df + 1) / 2 * np.log1p(distance**2 / df),
        bells.log_height,
        bells.distance,
    )


def clean(panel, shift=1.0):
    """Contexts that differ from what was observed."""
    return panel.values.map(lambda block: block + shift)


@pytest.mark.parametrize("horizon", [1, 4])
def test_a_point_forecast_comes_from_the_right_window(horizon):
    panel = panel_of()
    contexts = clean(panel)
    predictor = SeasonalNaivePredictor(horizon, season_length=6)

    scores = scores_of(predictor, panel, contexts)

    expected = panel.values.like(np.nan, float)
    for i, time, forecast, lead in one_by_one(predictor, panel, contexts, 10):
        expected.entries[i][time] = forecast.samples[0, lead]
        if lead == 0:
            assert forecast.samples[0, 0] == pytest.approx(
                contexts.entries[i][time - 6], rel=SINGLE
            )
    for i, mean in enumerate(expected.entries):
        assert_allclose(scores.bells.expected.entries[i], mean, rtol=SINGLE)
        assert_array_equal(
            np.isnan(log_normal(scores).entries[i]), np.isnan(mean)
        )
    assert scores.residual_scale > 0


@pytest.mark.parametrize("horizon, lead_time", [(1, 0), (3, 0), (2, 3)])
def test_a_density_comes_from_the_right_window(horizon, lead_time):
    panel = panel_of()
    contexts = clean(panel)
    predictor = Slope(horizon, lead_time)

    scores = scores_of(predictor, panel, contexts)

    told = panel.values.like(np.nan, float)
    for i, time, forecast, lead in one_by_one(predictor, panel, contexts, 10):
        rows = [forecast.quantile(q)[lead] for q in (0.1, 0.5, 0.9)]
        density = from_quantiles([0.1, 0.5, 0.9], np.array(rows))
        told.entries[i][time] = density.log_prob(panel.values.entries[i][time])
    for i, log_density in enumerate(told.entries):
        assert_allclose(
            log_normal(scores).entries[i],
            log_density,
            rtol=0,
            atol=SINGLE * 10,
        )
    assert scores.residual_scale is None


def test_samples_become_a_density():
    panel = panel_of()
    num_samples = 2_000
    predictor = MeanPredictor(1, num_samples=num_samples, context_length=10)
    np.random.seed(0)

    scores = scores_of(predictor, panel, panel.values)

    for x, mean in zip(panel.values.entries, scores.bells.expected.entries):
        for t in range(10, len(x)):
            window = x[t - 10 : t]
            five_sigma = 5 * window.std() / np.sqrt(num_samples)
            assert abs(mean[t] - window.mean()) < five_sigma


def test_each_dimension_has_its_density():
    panel = panel_of(shape=(3,))
    predictor = Vectors(2)

    scores = scores_of(predictor, panel, panel.values)

    around = np.array([-1.0, 0.0, 0.0, 1.0])
    for i, x in enumerate(panel.values.entries):
        for t in range(x.shape[1]):
            start = 10 + (t - 10) // 2 * 2
            for dim in range(3):
                told = log_normal(scores).entries[i][dim, t]
                if t < 10:
                    assert np.isnan(told)
                    continue
                density = StudentT.from_samples(
                    around + x[dim, start - 1], axis=0
                )
                expected = density.log_prob(x[dim, t])
                assert told == pytest.approx(float(expected), abs=1e-4)


def test_a_window_brings_the_features_of_its_time():
    panel = panel_of()
    predictor = Slope(2)

    scores_of(predictor, panel, panel.values)

    seen = [item for item in predictor.seen if item["item_id"] == "2"]
    assert len(seen) == len(range(10, 41, 2))
    entry = panel.entries[2]
    for n, item in enumerate(seen):
        begin, end = 2 * n, 2 * n + 10
        assert item["start"] == entry["start"] + begin
        assert_allclose(
            item["target"], entry["target"][begin:end], rtol=SINGLE
        )
        assert_array_equal(
            item["past_feat_dynamic_real"],
            entry["past_feat_dynamic_real"][:, begin:end],
        )
        future = entry["feat_dynamic_real"][:, begin : end + 2]
        assert_array_equal(item["feat_dynamic_real"], future)
        assert_array_equal(item["feat_static_real"], [0.5])


@pytest.mark.parametrize("num_ahead", [0, 2, 9])
def test_features_reach_to_the_end_of_each_forecast(num_ahead):
    """However far they are known; beyond that they stay as they were."""
    feature = np.arange(16.0 + num_ahead)
    entry = {
        "start": START,
        "target": np.zeros(16),
        "feat_dynamic_real": feature[None],
    }
    panel = Panel.of([entry])
    predictor = Slope(3, lead_time=2)

    scores_of(predictor, panel, panel.values)

    assert len(predictor.seen) == 2
    for item, begin in zip(predictor.seen, (0, 3)):
        times = begin + np.arange(10 + 2 + 3)
        known = feature[np.minimum(times, len(feature) - 1)]
        assert_array_equal(item["feat_dynamic_real"], known[None])


def test_a_forecaster_that_draws_still_does_where_a_series_idles():
    values = np.random.default_rng(0).normal(5, 2, 40)
    values[20:] = 5.0
    panel = Panel.of([{"start": START, "target": values}])
    rolling = Rolling(MeanPredictor(1, context_length=10), 10, past_length=10)
    scales = series_scales(panel.values, 10)
    known = rolling.prepare(panel, scales)

    rolling.answer(known, panel.values, [Piece(0, np.array([15, 16]))], 1)
    assert rolling.is_random
    rolling.answer(known, panel.values, [Piece(0, np.array([35, 36]))], 1)

    assert rolling.is_random


class Refusing(Slope):
    """One that wants more than there is."""

    def predict_item(self, item):
        raise AssertionError("got only a few")


def test_why_a_predictor_refuses_a_window_is_told():
    panel = panel_of()

    with pytest.raises(ValueError, match="go on from, got 'got only a few';"):
        scores_of(Refusing(1), panel, panel.values)


def test_static_features_are_never_cut():
    static = np.arange(20.0)
    entry = {
        "start": START,
        "target": np.arange(15.0),
        "feat_static_real": static,
    }
    panel = Panel.of([entry])
    predictor = Slope(1)

    scores_of(predictor, panel, panel.values)

    assert_array_equal(predictor.seen[-1]["feat_static_real"], static)

"""
How sure of itself a forecaster may be.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.model.forecast import SampleForecast
from gluonts.model.predictor import RepresentablePredictor

from gluonts_lai import IndicatorChain, Uniform
from gluonts_lai.calibration import WIDENINGS, calibrated
from gluonts_lai.nominal.rolling import Rolling
from gluonts_lai.panel import Panel
from gluonts_lai.recipe import Recipe


class White(RepresentablePredictor):
    """Knows that there is nothing but noise, if not how much."""

    def __init__(self, sd):
        super().__init__(prediction_length=1)
        self.sd = sd

    def predict_item(self, item):
        # Quantiles of a Gaussian in the place of samples: not by chance.
        z = np.array([-1.8, -1.0, -0.5, -0.1, 0.1, 0.5, 1.0, 1.8])
        start = item["start"] + len(item["target"])
        return SampleForecast(self.sd * z[:, None], start)


def recipe_of(widening=1.0):
    return Recipe(
        IndicatorChain.from_prior(0.02),
        Uniform(),
        "impute",
        num_paths=1,
        num_warmup_epochs=1,
        transitions="sampled",
        chain_scope="dataset",
        max_anomaly_share=0.2,
        widening=widening,
    )


def panel_of(spikes):
    rng = np.random.default_rng(0)
    target = rng.normal(size=600)
    if spikes:
        target[rng.choice(600, size=20, replace=False)] += 15.0
    return Panel.of(
        [{"start": pd.Period("2024-01-01", "h"), "target": target}]
    )


@pytest.mark.parametrize("spikes", [False, True])
@pytest.mark.parametrize("factor", [1.0, 2.0, 5.0])
def test_a_spread_that_is_too_small_is_found_out(factor, spikes):
    """Also where anomalies would have it many times as wide."""
    nominal = Rolling(White(1 / factor), 20, past_length=20)

    widening = calibrated(recipe_of(), nominal, panel_of(spikes)).widening

    # The nearest of those that are tried, or one beside it.
    nearest = int(np.argmin(np.abs(np.log(np.array(WIDENINGS) / factor))))
    assert widening in WIDENINGS[max(0, nearest - 1) : nearest + 2]


def test_the_users_own_widening_is_the_least():
    nominal = Rolling(White(10.0), 20, past_length=20)

    assert calibrated(recipe_of(1.2), nominal, panel_of(False)).widening == 1.2

"""
Where the first points of a series are left out, the others are as old as ever.
"""

import numpy as np
import pandas as pd
import pytest
from gluonts.env import env
from gluonts.transform import (
    AddAgeFeature,
    AddObservedValuesIndicator,
    Chain,
    Identity,
)
from numpy.testing import assert_array_equal

from gluonts_lai import LAIEstimator
from gluonts_lai.backends import seeded
from gluonts_lai.nominal.ages import (
    AGE,
    flattened,
    of_age,
    predictor_of_age,
)
from gluonts_lai.nominal.network import parts
from gluonts_lai.nominal.prepared import Prepared
from gluonts_lai.nominal.scaling import Scale
from gluonts_lai.panel import Panel
from tests.backends import BACKENDS
from tests.contract import assert_same_forecasts
from tests.series import CONTEXT, dataset

HORIZON = 3
START = pd.Period("2024-01-01", "h")


@pytest.fixture(scope="module", params=BACKENDS.values(), ids=BACKENDS)
def backend(request):
    return request.param


@pytest.fixture(scope="module")
def deepar(backend):
    """DeepAR, that sees hours, ages, lags, and what it is told besides."""
    estimator = LAIEstimator(
        backend.zoo.FEATURES(epochs=1, prediction_length=HORIZON),
        em=False,
        seed=0,
    )
    with env._let(use_tqdm=False):
        return estimator.train(entries(ahead=0))


def entries(ahead=HORIZON):
    data, _ = dataset("univariate", num_series=3, length=120)
    rng = np.random.default_rng(0)
    return [
        {
            **entry,
            "feat_dynamic_real": rng.normal(size=(1, 120 + ahead)),
            "feat_static_cat": np.array([i % 2]),
            "feat_static_real": np.array([float(i)]),
        }
        for i, entry in enumerate(data)
    ]


def prepared_of(predictor, panel):
    """What a network sees of a panel."""
    before, _ = parts(predictor.base)
    scales = [Scale(np.zeros(1), np.ones(1))] * len(panel.entries)
    return Prepared.of(panel, before, scales, HORIZON, scaling=False).entries


@pytest.mark.parametrize("num_points", [CONTEXT, 50, 119])
def test_features_are_the_same_at_the_same_times(deepar, num_points):
    panel = Panel.of(entries())
    end = panel.last(num_points)
    assert end.ages == [120 - num_points] * 3

    whole, cut = (prepared_of(deepar, some) for some in (panel, end))

    for all_of_it, rest in zip(whole, cut):
        assert all_of_it["time_feat"].shape[0] == 3  # hour, age, one more
        assert set(rest) == set(all_of_it)
        for name in ("target", "observed_values", "time_feat"):
            assert rest[name].shape[-1] == num_points + HORIZON
            assert_array_equal(
                rest[name],
                all_of_it[name][..., 120 - num_points :],
                err_msg=name,
            )
        for name in ("feat_static_cat", "feat_static_real"):
            assert_array_equal(rest[name], all_of_it[name])


def test_each_series_has_its_own_age(deepar):
    panel = Panel.of(entries())
    ages = [0, 7, 100]
    ends = [
        panel.part(slice(i, i + 1)).last(120 - age)
        for i, age in enumerate(ages)
    ]
    together = Panel(
        [end.entries[0] for end in ends],
        type(panel.values).of([end.values.entries[0] for end in ends], float),
        None,
        0,
        ages,
    )

    whole, cut = (prepared_of(deepar, some) for some in (panel, together))

    for age, all_of_it, rest in zip(ages, whole, cut):
        assert_array_equal(
            rest["time_feat"], all_of_it["time_feat"][..., age:]
        )


def test_without_ages_features_would_be_others(deepar):
    """Or there would be nothing to do."""
    panel = Panel.of(entries())
    young = panel.last(50)._replace(ages=None)

    whole, cut = (prepared_of(deepar, some) for some in (panel, young))

    differ = cut[0]["time_feat"] != whole[0]["time_feat"][..., 70:]
    assert differ.all(axis=1).sum() == 1  # only the age


def test_forecasts_are_the_same_where_points_are_left_out(deepar):
    whole = entries()
    reach = deepar.nominal().reach
    end = Panel.of(whole).last(reach)
    assert reach < 60
    before = deepar.base.input_transform

    predictor, cut = predictor_of_age(deepar.base, end.entries, end.ages)

    assert deepar.base.input_transform is before
    assert not any(AGE in entry for entry in end.entries)
    with seeded(0):
        expected = list(deepar.base.predict(whole, num_samples=20))
    with seeded(0):
        told = list(predictor.predict(cut, num_samples=20))
    with seeded(0):
        young = list(deepar.base.predict(end.entries, num_samples=20))
    assert_same_forecasts(told, expected)
    assert (young[0].samples != expected[0].samples).any()


OBSERVED = AddObservedValuesIndicator("target", "observed_values")


@pytest.mark.parametrize("is_train", [False, True])
@pytest.mark.parametrize("log_scale", [False, True])
def test_ages_of_any_kind_begin_later(log_scale, is_train):
    age = AddAgeFeature("target", "age", HORIZON, log_scale=log_scale)
    transformation = Chain([OBSERVED, Chain([age])])
    whole = {"start": START, "target": np.arange(30.0)}
    cut = [
        {"start": START + begin, "target": np.arange(float(begin), 30.0)}
        for begin in (0, 11)
    ]

    older, aware = of_age(cut, [0, 11], transformation)

    assert list(flattened(transformation)) == [OBSERVED, age]
    (expected,) = transformation([whole], is_train)
    for begin, told in zip((0, 11), aware(older, is_train)):
        assert AGE not in told
        assert_array_equal(told["age"], expected["age"][:, begin:])
        assert told["age"].dtype == expected["age"].dtype
        assert told["observed_values"].shape == (30 - begin,)


@pytest.mark.parametrize("transformation", [Identity(), Chain([OBSERVED])])
def test_where_nobody_asks_for_ages_nothing_is_done(transformation):
    cut = [{"start": START, "target": np.arange(30.0)}]

    older, aware = of_age(cut, [5], transformation)

    assert older is cut
    assert aware is transformation


def test_predictors_that_transform_nothing_stay_what_they_are():
    from gluonts.model.seasonal_naive import SeasonalNaivePredictor

    naive = SeasonalNaivePredictor(3, season_length=24)
    cut = [{"start": START, "target": np.arange(30.0)}]

    predictor, same = predictor_of_age(naive, cut, [5])

    assert predictor is naive
    assert same is cut

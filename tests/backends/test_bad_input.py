"""
Bad input: one clear error before training starts, or a warning and a sensible
result; never a silent NaN model.
"""

import warnings
from functools import lru_cache, partial

import numpy as np
import pytest
from gluonts.exceptions import GluonTSDataError

from gluonts_lai import IndicatorChain, LAIEstimator, Uniform
from tests import contract
from tests.backends import BACKENDS
from tests.series import dataset

# A network that has hardly learned flags much, and nobody cares.
pytestmark = pytest.mark.filterwarnings("ignore:max_anomaly_share should not")


# A network of each kind: read directly, unrolled, and another: not told of
# gaps, or asked for quantiles.
KINDS = {
    "mx": ["SimpleFeedForward", "DeepAR", "DeepFactor"],
    "torch": ["SimpleFeedForward", "DeepAR", "SimpleFeedForwardQuantiles"],
}
MULTIVARIATE = {"mx": "DeepVAR", "torch": "ITransformer"}


@pytest.fixture(
    params=[
        pytest.param((backend, name), id=f"{backend}-{name}")
        for backend in BACKENDS
        for name in KINDS[backend]
    ]
)
def make(request):
    backend, name = request.param
    return BACKENDS[backend].zoo.CASES[name].make


@pytest.fixture
def feed_forward(backend):
    return backend.zoo.CASES["SimpleFeedForward"].make


@pytest.fixture
def good():
    """Two ordinary series."""
    return contract.read_only(dataset("univariate", num_series=2)[0])


@pytest.fixture
def learned(feed_forward):
    """A SimpleFeedForward that has time to learn something."""
    return partial(
        feed_forward, epochs=10, num_batches_per_epoch=20, learning_rate=0.01
    )


def odd(good, target, **fields):
    """The good series, with an odd one between them."""
    entry = {**good[0], "item_id": "odd", "target": np.asarray(target)}
    return [good[0], {**entry, **fields}, good[1]]


@pytest.fixture
def refuse(backend, feed_forward):
    """Expect an error before training starts."""

    def check(data, error, match, **settings):
        estimator = feed_forward(callbacks=[backend.probes.NoTraining()])
        with pytest.raises(error, match=match):
            LAIEstimator(estimator, seed=0, **settings).train(data)

    return check


def accept(make, data, match=None):
    """A model that is in order, with a warning if there should be one."""
    if match is None:
        trained = contract.train(make, data)
    else:
        with pytest.warns(UserWarning, match=match):
            trained = contract.train(make, data)
    contract.check_posterior(trained)
    contract.check_history(trained)
    contract.check_forecasts(trained, trained.data)
    for mode in ("filter", "smooth"):
        for detection in trained.output.predictor.detect(trained.data, mode):
            assert np.isfinite(detection.probability).all()
            # Beyond all bounds, as evidence may be, but never NaN.
            assert not np.isnan(detection.score).any()
            assert detection.probability.shape == detection.value.shape
    return trained


def assert_prior(trained, position):
    """Where nothing is known, the posterior is the chain's alone."""
    posterior = trained.output.posterior[position]
    rate = trained.output.predictor.chain.anomaly_rate
    p_start = trained.output.predictor.chain.p_start
    np.testing.assert_allclose(posterior[:1], p_start, atol=1e-6)
    assert (posterior <= max(rate, p_start) + 1e-6).all()


# Refused


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_refused(refuse, good, value):
    target = good[0]["target"].copy()
    target[17] = value

    refuse(
        odd(good, target),
        ValueError,
        r"target of entry 1 \('odd'\) must be finite.*inf at time 17",
    )


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("act", ["predict", "detect"])
def test_infinite_values_are_refused_by_a_predictor_too(
    feed_forward, good, value, act
):
    target = good[0]["target"].copy()
    target[17] = value
    predictor = LAIEstimator(feed_forward(), seed=0).train(good)

    with pytest.raises(ValueError, match=r"entry 1 \('odd'\) must be finite"):
        list(getattr(predictor, act)(odd(good, target)))


def test_the_entry_that_a_predictor_names_is_counted_from_the_start(
    feed_forward, good
):
    target = good[0]["target"].copy()
    target[17] = np.inf
    many = [*good * 100, {**good[0], "target": target}]
    predictor = LAIEstimator(feed_forward(), seed=0).train(good)

    with pytest.raises(ValueError, match=r"entry 200 \('a'\) must be finite"):
        list(predictor.predict(many))


def test_an_empty_data_set_is_refused(refuse):
    refuse([], ValueError, "at least one series, got an empty data set")


def test_a_generator_is_refused(refuse, good):
    def endless():
        while True:
            yield from good

    refuse(endless(), TypeError, "with a length.*got generator")


def test_no_values_at_all_are_refused(refuse, good):
    missing = np.full(100, np.nan)

    refuse(
        [{**entry, "target": missing} for entry in good],
        ValueError,
        r"one series with values, got 2 without any: entry 0 \('a'\), entry 1",
    )


def test_an_estimator_that_is_not_one_is_refused(feed_forward):
    for wrong in ("DeepAR", None, 3, feed_forward, object()):
        with pytest.raises(Exception, match="estimator"):  # noqa: B017
            LAIEstimator(wrong)


def test_a_predictor_is_not_an_estimator(feed_forward, good):
    predictor = feed_forward().train(good)

    with pytest.raises(Exception, match="estimator"):  # noqa: B017
        LAIEstimator(predictor)


def test_entries_without_a_target_are_refused(refuse, good):
    refuse(
        [good[0], {"start": good[0]["start"], "item_id": "odd"}],
        ValueError,
        r"mapping with a target, got none in entry 1 \('odd'\)",
    )


def test_targets_that_are_not_numbers_are_refused(refuse, good):
    refuse(odd(good, ["a"] * 50), Exception, r"entry 1 \('odd'\)")
    refuse(odd(good, np.full(50, 1j)), Exception, r"entry 1 \('odd'\)")


def test_targets_of_three_axes_are_refused(refuse, good):
    refuse(
        odd(good, np.zeros((2, 3, 40))),
        ValueError,
        r"entry 1 \('odd'\) must have shape \(time,\) or \(dim, time\)",
    )


def test_entries_without_a_start_are_refused(refuse, good):
    data = odd(good, good[0]["target"])
    del data[1]["start"]

    refuse(data, Exception, r"entry 1 \('odd'\)")


def test_labels_of_the_wrong_length_are_refused(refuse, good):
    data = odd(good, good[0]["target"], known=np.zeros(5))

    refuse(
        data,
        ValueError,
        r"'known' of entry 1 \('odd'\) must have one label for each point, "
        r"got shape \(5,\) for a target of shape \(160,\)",
        label_field="known",
    )


def test_labels_out_of_range_are_refused(refuse, good):
    labels = np.zeros(160)
    labels[3] = 2
    data = odd(good, good[0]["target"], known=labels)

    refuse(
        data,
        ValueError,
        r"'known' of entry 1 \('odd'\).*got 0 to 2",
        label_field="known",
    )


def test_labels_that_are_nowhere_are_refused(refuse, good):
    refuse(
        good,
        ValueError,
        "label_field must name a field of the entries, got 'knwon'",
        label_field="knwon",
    )


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"treatment": "drop"}, "treatment must be one of"),
        ({"transitions": "guessed"}, "transitions must be one of"),
        ({"chain_scope": "world"}, "chain_scope must be one of"),
        ({"window_scaling": "yes please"}, "window_scaling must be one of"),
        ({"calibration": "maybe"}, "calibration must be one of"),
        ({"num_paths": 0}, "num_paths must be at least 1, got 0"),
        ({"num_warmup_epochs": 0}, "num_warmup_epochs must be at least 1"),
        ({"max_anomaly_share": 20}, "max_anomaly_share must lie strictly"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
    ],
    ids=str,
)
def test_settings_are_checked_in_the_constructor(
    feed_forward, settings, message
):
    with pytest.raises(ValueError, match=message):
        LAIEstimator(feed_forward(), **settings)


def test_window_scaling_that_cannot_be_had_is_refused(backend):
    case = backend.zoo.CASES["WaveNet"]
    data, _ = dataset(case.data)

    with pytest.raises(ValueError, match="window_scaling=True needs"):
        LAIEstimator(case.make(), window_scaling=True, seed=0).train(data)


@pytest.mark.parametrize("act", ["predict", "detect"])
def test_nothing_comes_of_nothing(feed_forward, good, act):
    predictor = LAIEstimator(feed_forward(), seed=0).train(good)

    assert list(getattr(predictor, act)([])) == []


def test_a_mode_that_is_none_is_refused(feed_forward, good):
    predictor = LAIEstimator(feed_forward(), seed=0).train(good)

    with pytest.raises(
        ValueError, match="mode must be one of 'filter', 'smooth', got"
    ):
        list(predictor.detect(good, mode="both"))


# Taken with a warning


def test_a_series_shorter_than_the_context_has_the_chains_posterior(
    make, good
):
    trained = accept(
        make,
        odd(good, [9.0, 10.0, 11.0, 10.0]),
        r"1 series shorter than 15 points.*entry 1 \('odd'\)",
    )

    assert_prior(trained, 1)


def test_series_too_short_for_any_window_are_refused(feed_forward, good):
    short = [{**entry, "target": entry["target"][:2]} for entry in good]

    message = "long enough for a window, got none in .* draws; give longer"
    with pytest.warns(UserWarning, match="teach little, or nothing"):
        with pytest.raises(GluonTSDataError, match=message):
            contract.train(feed_forward, short)


def test_series_that_are_all_shorter_than_the_context(feed_forward, good):
    short = [{**entry, "target": entry["target"][:8]} for entry in good]

    with pytest.warns(UserWarning, match="2 series shorter than 15 points"):
        trained = contract.train(feed_forward, short)

    contract.check_posterior(trained)
    contract.check_forecasts(trained, short)


def test_a_constant_series(make, good):
    accept(
        make,
        odd(good, np.full(160, 7.0)),
        r"1 series that never change.*entry 1 \('odd'\)",
    )


def test_a_constant_series_is_not_anomalous(learned, good):
    trained = accept(
        learned, odd(good, np.full(160, 7.0)), "1 series that never change"
    )

    assert (trained.output.posterior[1] < 0.5).all()


@pytest.mark.parametrize("level", [0.0, 7.0, 1e6])
def test_nothing_but_a_constant_series(feed_forward, level):
    (entry,) = dataset("univariate", num_series=1)[0]

    trained = accept(
        feed_forward,
        [{**entry, "target": np.full(160, level)}],
        "never change",
    )

    (forecast,) = trained.output.predictor.predict(trained.data)
    # It has nothing to learn from, but the level is there to be seen.
    assert (abs(forecast.quantile(0.5) - level) <= 0.5 * level + 2).all()


def test_a_series_without_any_value(make, good):
    trained = accept(
        make,
        odd(good, np.full(160, np.nan)),
        r"1 series without any value are left out.*entry 1 \('odd'\)",
    )

    assert_prior(trained, 1)


def test_a_dimension_without_any_value(backend):
    case = backend.zoo.CASES[MULTIVARIATE[backend.name]]
    (entry,) = dataset(case.data, length=72)[0]
    target = entry["target"].copy()
    target[1] = np.nan
    trained = contract.train(case.make, [entry])

    contract.check_forecasts(trained, [{**entry, "target": target}])
    with pytest.raises(ValueError, match=r"without any: entry 0 \('a'\)"):
        LAIEstimator(case.make(), seed=0).train([{**entry, "target": target}])


@pytest.mark.parametrize("method", ["train", "train_model"])
def test_a_warning_points_to_whoever_trains(feed_forward, good, method):
    data = odd(good, np.full(160, 7.0))
    estimator = LAIEstimator(feed_forward(), seed=0)

    with pytest.warns(UserWarning, match="never change") as caught:
        getattr(estimator, method)(data)

    about_data = [w for w in caught if "never change" in str(w.message)]
    assert [w.filename for w in about_data] == [__file__]


def test_a_series_of_zero_length(make, good):
    with pytest.warns(UserWarning, match=r"without any value.*\('odd'\)"):
        trained = contract.train(make, odd(good, []))

    contract.check_posterior(trained)
    contract.check_forecasts(trained, good)


def test_forecasts_of_a_series_of_zero_length(make, good):
    """Nothing can be said of it, but it must not spoil the others."""
    trained = contract.train(make, good)
    alone = list(trained.output.predictor.predict(good))
    data = odd(good, np.zeros(0, np.float32))

    contract.check_forecasts(trained, data)
    first, _, last = trained.output.predictor.predict(data)
    for ours, theirs in zip(*map(contract.numbers_of, (first, alone[0]))):
        assert ours.shape == theirs.shape
    assert last.item_id == alone[1].item_id


ODD = {
    "one point": [1.0],
    "one missing point": [np.nan],
    "a few points": np.arange(5),
    "nothing observed": np.full(200, np.nan),
    "constant": np.full(200, 3.0),
    "zero": np.zeros(200),
    "begins late": np.r_[np.full(100, np.nan), np.arange(100) % 7],
    "ends early": np.r_[np.arange(100) % 7, np.full(100, np.nan)],
    "huge": 1e30 * np.sin(np.arange(200)),
    "tiny": 1e-30 * np.sin(np.arange(200)),
    "flat but for a ripple": 1e6 + np.sin(np.arange(200)),
}


@lru_cache(maxsize=None)
def trained_on_good(make):
    """One model for all odd series."""
    return contract.train(make, dataset("univariate", num_series=2)[0], seed=0)


@pytest.mark.parametrize("target", ODD.values(), ids=ODD)
def test_forecasts_and_detections_of_odd_series(make, good, target):
    trained = trained_on_good(make)
    data = odd(good, np.asarray(target, np.float32))

    contract.check_forecasts(trained, data)
    for mode in ("filter", "smooth"):
        for detection in trained.output.predictor.detect(data, mode):
            assert np.isfinite(detection.probability).all()
            assert np.isfinite(detection.score).all()
            assert np.isfinite(detection.cleaned).all()


def test_repeated_item_ids_are_told_apart_by_position(feed_forward, good):
    """No more is known of them than of series without a name."""
    same = [{**entry, "item_id": "same"} for entry in good]
    nameless = [without_name(entry) for entry in good]

    with pytest.warns(UserWarning, match="item_ids should be unique.*1 repea"):
        trained = contract.train(feed_forward, same)
    apart = contract.train(feed_forward, nameless)

    for ours, theirs in zip(trained.output.posterior, apart.output.posterior):
        np.testing.assert_array_equal(ours, theirs)


def without_name(entry):
    return {name: x for name, x in entry.items() if name != "item_id"}


def test_repeated_item_ids_are_normal_in_use(feed_forward, good):
    predictor = LAIEstimator(feed_forward(), seed=0).train(good)
    rolling = [
        {**good[0], "target": good[0]["target"][:end]} for end in (100, 130)
    ]

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        forecasts = list(predictor.predict(rolling))
        detections = list(predictor.detect(rolling))

    assert [f.start_date - good[0]["start"] for f in forecasts] == [
        forecasts[0].start_date.freq * end for end in (100, 130)
    ]
    # What was known then does not depend on what came later.
    np.testing.assert_allclose(
        detections[1].probability[:100], detections[0].probability, atol=1e-5
    )


# Taken as they are


def test_one_series_is_enough(make, good):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*series", UserWarning)
        accept(make, good[:1])


def test_integer_targets(feed_forward, good):
    whole = [
        {**entry, "target": np.round(entry["target"]).astype(int)}
        for entry in good
    ]
    real = [
        {**entry, "target": entry["target"].astype(float)} for entry in whole
    ]

    trained = accept(feed_forward, whole)

    expected = contract.train(feed_forward, real).output
    for ours, theirs in zip(trained.output.posterior, expected.posterior):
        np.testing.assert_array_equal(ours, theirs)
    assert trained.data[0]["target"].dtype == int


def test_lists_as_targets(feed_forward, good):
    listed = [{**entry, "target": entry["target"].tolist()} for entry in good]

    output = LAIEstimator(feed_forward(), seed=0).train_model(listed)

    assert [p.shape for p in output.posterior] == [(160,)] * 2
    assert isinstance(listed[0]["target"], list)


def test_counts_with_a_count_distribution(backend):
    data, _ = dataset("counts")
    make = partial(backend.zoo.COUNTS, epochs=3, num_batches_per_epoch=10)

    trained = accept(make, data)

    for forecast in trained.output.predictor.predict(data):
        assert (forecast.samples >= 0).all()
        assert (forecast.samples == np.round(forecast.samples)).all()


def test_series_of_different_lengths_and_levels(make):
    rng = np.random.default_rng(0)
    (entry,) = dataset("univariate", num_series=1)[0]
    data = [
        {
            **entry,
            "item_id": f"{level:g}",
            "target": level * (1 + 0.1 * rng.normal(size=length)),
        }
        for level, length in ((1e-4, 60), (1.0, 130), (1e8, 90), (-50.0, 75))
    ]

    accept(make, data)


@pytest.mark.parametrize("spike", [1e6, 1e12, 1e30])
def test_a_point_that_is_far_beyond_belief_is_found(learned, good, spike):
    target = good[0]["target"].copy()
    target[100] = spike
    data = odd(good, target)

    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        trained = accept(learned, data)

    posterior = trained.output.posterior
    assert posterior[1][100] > 0.99
    assert np.mean(np.concatenate(posterior) > 0.5) < 0.05


def test_a_chain_and_p_minus_of_the_users(learned, good):
    trained = contract.train(
        learned,
        good,
        chain=IndicatorChain.from_prior(anomaly_rate=1e-6),
        anomalous=Uniform(width=10.0),
    )

    assert trained.output.predictor.chain.p_enter < 0.01


def test_fewer_epochs_than_the_warm_up(feed_forward, good):
    """Nothing is left for a round, but the last look is taken."""
    output = LAIEstimator(
        feed_forward(epochs=2), num_warmup_epochs=5, seed=0
    ).train_model(good)

    assert [record.epoch for record in output.history] == [2]
    contract.check_posterior(
        contract.Trained(None, good, None, None, None, output, None)
    )

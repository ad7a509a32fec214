"""
What every estimator, wrapped, must do on every framework.

Nothing here knows a framework: a check takes a factory of estimators and data,
or a model that :func:`train` trained with them. As training takes time, most
checks share one model; what must not change is noted before it is trained.

Forecasts and posteriors are compared bit by bit: the same seed, or the same
weights read from disk, leave nothing to chance.
"""

import copy
from pathlib import Path
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
import pytest
from gluonts.core.serde import dump_json
from gluonts.model.estimator import Estimator
from gluonts.model.forecast import Forecast
from gluonts.model.predictor import Predictor
from sklearn.metrics import roc_auc_score

from gluonts_lai import LAIEstimator
from gluonts_lai.estimator import LAITrainOutput
from gluonts_lai.rounds import History, Round

SEED = 7


class Trained(NamedTuple):
    """A wrapped model, and what there was before it was trained."""

    make: Callable[[], Estimator]  # a fresh one, of the kind that is wrapped
    data: list[dict]  # what it was trained on; read-only
    copies: list[dict]  # of the same, from before
    estimator: LAIEstimator
    state: dict  # of the wrapped estimator, from before
    output: LAITrainOutput
    chance: list[tuple]  # numpy's, before and after


def train(
    make: Callable[[], Estimator], data: Sequence[dict], **settings: Any
) -> Trained:
    """Wrap an estimator, and train it on data that cannot be written to."""
    data = read_only(data)
    copies = copy.deepcopy(data)
    estimator = LAIEstimator(make(), **{"seed": SEED, **settings})
    state = state_of(estimator.estimator)

    # Away from where a seed may have left it.
    np.random.random(3)
    before = np.random.get_state()
    output = estimator.train_model(data)
    chance = [before, np.random.get_state()]

    return Trained(make, data, copies, estimator, state, output, chance)


def only(predictor: Predictor) -> Any:
    """A predictor in the place of a whole training run."""
    output = LAITrainOutput(predictor, [], History())
    return Trained(None, [], [], None, {}, output, [])  # type: ignore


# What training leaves behind


def check_posterior(trained: Trained) -> None:
    """One probability for each point of each series."""
    posterior = trained.output.posterior

    assert len(posterior) == len(trained.data)
    for probability, entry in zip(posterior, trained.data):
        assert probability.shape == entry["target"].shape
        assert np.isfinite(probability).all()
        assert (0 <= probability).all() and (probability <= 1).all()


def check_posterior_is_what_detect_says(trained: Trained) -> None:
    """In hindsight, of the training set, with the last weights."""
    detections = list(trained.output.predictor.detect(trained.data, "smooth"))

    for entry, probability, detection in zip(
        trained.data, trained.output.posterior, detections, strict=True
    ):
        assert detection.item_id == entry.get("item_id")
        # One point at a time or all at once: sums in another order.
        np.testing.assert_allclose(
            detection.probability, probability, atol=1e-6
        )


def check_history(trained: Trained) -> None:
    """One record a round, each after more epochs than the one before."""
    history = trained.output.history

    assert history
    assert all(np.isfinite(record).all() for record in history)
    epochs = [record.epoch for record in history]
    assert epochs == sorted(set(epochs)) and epochs[0] >= 1
    assert all(0 <= record.share_flagged <= 1 for record in history)
    frame = history.to_frame()
    assert list(frame.columns) == list(Round._fields)
    assert [tuple(row) for row in frame.to_numpy()] == list(history)


# Forecasts


def check_forecasts(trained: Trained, data: Sequence[dict]) -> None:
    """One for each entry, in order, where it ends; finite in any case."""
    predictor = trained.output.predictor
    forecasts = list(predictor.predict(data))

    assert len(forecasts) == len(data)
    for forecast, entry in zip(forecasts, data):
        length = np.shape(entry["target"])[-1]
        begin = entry["start"] + length + predictor.lead_time
        assert forecast.item_id == entry.get("item_id")
        assert forecast.start_date == begin
        assert forecast.prediction_length == predictor.prediction_length
        for numbers in numbers_of(forecast):
            assert np.isfinite(numbers).all()


def check_forecasts_are_of_the_same_kind(
    trained: Trained, data: Sequence[dict]
) -> None:
    """The wrapped estimator's own predictor would give the like of them."""
    plain = trained.make().train(data)

    ours = trained.output.predictor.predict(data)
    for forecast, like in zip(ours, plain.predict(data), strict=True):
        assert type(forecast) is type(like)
        assert forecast.start_date == like.start_date
        assert forecast.item_id == like.item_id
        for numbers, alike in zip(
            numbers_of(forecast), numbers_of(like), strict=True
        ):
            assert numbers.shape == alike.shape


# On disk and back


def check_serialisation(trained: Trained, folder: Path) -> None:
    """A predictor read from disk forecasts and detects the same."""
    predictor, data = trained.output.predictor, trained.data
    predictor.serialize(folder)

    again = Predictor.deserialize(folder)

    assert type(again) is type(predictor)
    assert again == predictor
    assert_same_forecasts(again.predict(data), predictor.predict(data))
    for mode in ("filter", "smooth"):
        assert_same_detections(
            again.detect(data, mode), predictor.detect(data, mode)
        )


def check_serialisation_fails_alike(
    trained: Trained, data: Sequence[dict], folder: Path
) -> None:
    """What GluonTS cannot serialise fails with its own words."""
    plain = trained.make().train(data)

    assert_fail_alike(
        lambda: trained.output.predictor.serialize(folder),
        lambda: plain.serialize(folder),
    )


# Side effects


def check_data_are_untouched(trained: Trained) -> None:
    """By training, forecasting and detecting alike."""
    predictor = trained.output.predictor
    list(predictor.predict(trained.data))
    list(predictor.detect(trained.data))
    list(predictor.detect(trained.data, "smooth"))

    for entry, before in zip(trained.data, trained.copies, strict=True):
        assert list(entry) == list(before)
        for name, field in entry.items():
            assert type(field) is type(before[name])
            np.testing.assert_array_equal(field, before[name])


def check_estimator_is_untouched(trained: Trained) -> None:
    """It looks the same, and so does everything that it holds."""
    assert state_of(trained.estimator.estimator) == trained.state


def check_callers_chance_is_untouched(trained: Trained) -> None:
    """With a seed of our own, numpy goes on as if nothing had been."""
    predictor, data = trained.output.predictor, trained.data
    np.random.random(3)
    before = np.random.get_state()
    list(predictor.predict(data))
    list(predictor.detect(data))

    assert_same_chance(before, np.random.get_state())
    assert_same_chance(*trained.chance)


def check_training_again_gives_an_equal_model(
    trained: Trained, disturb: Callable[[], None]
) -> None:
    """
    The same object, trained twice: two models, equal and independent.

    ``disturb`` moves every generator that the framework draws from.
    """
    predictor, data = trained.output.predictor, trained.data
    first = list(predictor.predict(data))
    disturb()

    again = trained.estimator.train_model(data)

    for ours, theirs in zip(
        again.posterior, trained.output.posterior, strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert again.predictor is not predictor
    assert again.predictor.base is not predictor.base
    disturb()
    assert_same_forecasts(again.predictor.predict(data), first)
    assert_same_forecasts(predictor.predict(data), first)


def check_another_seed_gives_another_model(trained: Trained) -> None:
    """Or the seed would be there for nothing."""
    other = train(trained.make, trained.data, seed=SEED + 1).output

    assert other.predictor != trained.output.predictor
    assert any(
        not np.array_equal(ours, theirs)
        for ours, theirs in zip(other.posterior, trained.output.posterior)
    )


# What it is all for


def spike_auc(output: LAITrainOutput, labels: Sequence[np.ndarray]) -> float:
    """Probability that a spike ranks above another point."""
    posterior = np.concatenate([p.ravel() for p in output.posterior])
    truth = np.concatenate([z.ravel() for z in labels])
    return roc_auc_score(truth, posterior)


def assert_fail_alike(
    ours: Callable[[], Any], theirs: Callable[[], Any]
) -> None:
    """Whoever fails fails in the same way."""
    with pytest.raises(Exception) as expected:  # noqa: B017
        theirs()
    with pytest.raises(Exception) as got:  # noqa: B017
        ours()
    assert got.type is expected.type
    assert first_line(got.value) == first_line(expected.value)


def first_line(error: BaseException) -> str:
    """What went wrong; stack traces of a C library vary."""
    return str(error).strip().splitlines()[0]


# Looking and comparing


def numbers_of(forecast: Forecast) -> list[np.ndarray]:
    """All there is to a forecast, or enough of it."""
    for name in ("samples", "forecast_array"):
        if hasattr(forecast, name):
            return [getattr(forecast, name)]
    # Forecasts of trees have no mean.
    return [forecast.quantile(level) for level in (0.1, 0.5, 0.9)]


def assert_same_forecasts(ours: Any, theirs: Any) -> None:
    for forecast, like in zip(ours, theirs, strict=True):
        assert type(forecast) is type(like)
        assert forecast.item_id == like.item_id
        assert forecast.start_date == like.start_date
        for numbers, alike in zip(numbers_of(forecast), numbers_of(like)):
            np.testing.assert_array_equal(numbers, alike)


def assert_same_detections(ours: Any, theirs: Any) -> None:
    for detection, like in zip(ours, theirs, strict=True):
        for name in detection._fields:
            np.testing.assert_array_equal(
                getattr(detection, name), getattr(like, name)
            )


def assert_same_chance(before: tuple, after: tuple) -> None:
    """Two states of numpy's generator, which are tuples with an array."""
    for ours, theirs in zip(before, after, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def read_only(data: Sequence[dict]) -> list[dict]:
    """Copies of entries whose arrays cannot be written to."""
    entries = copy.deepcopy(list(data))
    for entry in entries:
        for field in entry.values():
            if isinstance(field, np.ndarray):
                field.setflags(write=False)
    return entries


def with_gaps(data: Sequence[dict], seed: int = 0) -> list[dict]:
    """Copies of entries with missing values, the last ones among them."""
    rng = np.random.default_rng(seed)
    entries = copy.deepcopy(list(data))
    for entry in entries:
        missing = rng.random(entry["target"].shape) < 0.05
        missing[..., -2:] = True
        entry["target"][missing] = np.nan
    return entries


def state_of(thing: Any) -> Any:
    """
    What an object is made of, as text, and which objects it holds.

    Two states are equal if nothing was set, changed or put in the place of
    another thing in between.
    """
    return {"json": dump_json(thing), "parts": parts_of(thing, set())}


def parts_of(thing: Any, seen: set) -> Any:
    """Identity and value of an object, and of all that GluonTS put in it."""
    if isinstance(thing, (int, float, str, type(None))):
        return repr(thing)
    if id(thing) in seen:
        return id(thing)
    seen.add(id(thing))
    inside: Any = None
    if isinstance(thing, np.ndarray):
        inside = thing.tobytes()
    elif isinstance(thing, (list, tuple)):
        inside = [parts_of(part, seen) for part in thing]
    elif isinstance(thing, dict):
        inside = {str(k): parts_of(part, seen) for k, part in thing.items()}
    elif type(thing).__module__.startswith("gluonts."):
        parts = getattr(thing, "__dict__", {})
        inside = {name: parts_of(part, seen) for name, part in parts.items()}
    return type(thing).__name__, id(thing), inside

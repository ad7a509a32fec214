"""
Each series has a model of its own.
"""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from gluonts.core.serde import dump_json, load_json
from gluonts.evaluation import make_evaluation_predictions
from gluonts.model.predictor import Predictor
from numpy.testing import assert_array_equal

from gluonts_lai import PerSeriesEstimator
from gluonts_lai.manifest import seal

from .conftest import ITEM_IDS, START, series

EMPTY = {"item_id": "silent", "start": START, "target": np.full(240, np.nan)}


def scores(predictor, entries, **kwargs):
    return [d.score for d in predictor.detect(entries, **kwargs)]


def test_a_model_does_not_depend_on_other_series(
    estimator, predictor, entries
):
    alone = PerSeriesEstimator(estimator).train(entries[1:2])

    name = entries[1]["item_id"]
    assert alone.models == {name: predictor.models[name]}
    assert predictor.predictor_of(ITEM_IDS[0]).seed != (
        predictor.predictor_of(ITEM_IDS[1]).seed
    )


def test_each_series_has_checkpoints_of_its_own(
    estimator, predictor, entries, tmp_path
):
    arguments = {**estimator.__init_args__, "checkpoint_dir": str(tmp_path)}
    resumable = PerSeriesEstimator(type(estimator)(**arguments))

    for _ in range(2):  # the second time, they go on
        again = resumable.train(entries)

    assert not again.failures
    assert len(list(tmp_path.iterdir())) == len(entries)
    for before, after in zip(
        scores(predictor, entries), scores(again, entries)
    ):
        assert_array_equal(before, after)


def test_each_series_is_judged_by_its_own_model(predictor, entries):
    for mode in ("filter", "smooth"):
        found = list(predictor.detect(entries, mode=mode))

        assert [d.item_id for d in found] == ITEM_IDS
        for detection, entry in zip(found, entries):
            model = predictor.predictor_of(entry["item_id"])
            (expected,) = model.detect([entry], mode=mode)
            assert_array_equal(detection.score, expected.score)
            assert detection.probability[100:102].min() > 0.5


def test_forecasts_come_in_the_order_of_the_data_set(predictor, entries):
    backwards = entries[::-1]

    forecasts = list(predictor.predict(backwards))

    assert [f.item_id for f in forecasts] == ITEM_IDS[::-1]
    for forecast, entry in zip(forecasts, backwards):
        assert forecast.prediction_length == 2
        assert abs(forecast.mean.mean() - np.median(entry["target"])) < 2


def test_it_can_be_evaluated_as_any_predictor_of_gluonts(predictor, entries):
    forecasts, truths = make_evaluation_predictions(
        entries, predictor, num_samples=5
    )

    assert [forecast.item_id for forecast in forecasts] == ITEM_IDS
    assert [len(truth) for truth in truths] == [240] * len(ITEM_IDS)


def test_a_stream_says_what_detect_says(predictor, entries):
    entry = entries[2]
    values = entry["target"]
    stream = predictor.stream({**entry, "target": values[:90]})

    found = [stream.update(x).probability for x in values[90:110]]

    (detection,) = predictor.detect([entry])
    np.testing.assert_allclose(
        found, detection.probability[90:110], rtol=1e-5, atol=1e-12
    )


def test_a_plain_estimator_forecasts_and_does_not_detect(mean, entries):
    predictor = PerSeriesEstimator(mean).train(entries)

    assert len(list(predictor.predict(entries))) == len(entries)
    with pytest.raises(TypeError, match="wrap it in a LAIEstimator"):
        list(predictor.detect(entries))
    with pytest.raises(TypeError, match="wrap it in a LAIEstimator"):
        predictor.stream(entries[0])


def test_validation_data_is_found_by_item_id(estimator, predictor, entries):
    longer = series(ITEM_IDS[1], 20.0, length=300)
    longer["target"][:240] = entries[1]["target"]

    other = PerSeriesEstimator(estimator).train(entries, [longer])

    changed = [
        name
        for name in ITEM_IDS
        if other.models[name] != predictor.models[name]
    ]
    assert changed == [ITEM_IDS[1]]


def test_a_series_that_fails_does_not_stop_the_others(
    estimator, predictor, entries
):
    with pytest.warns(
        UserWarning, match=r"^1 of 2 series have no model.*'silent': ValueErr"
    ):
        trained = PerSeriesEstimator(estimator).train([EMPTY, entries[0]])

    assert trained.item_ids == [ITEM_IDS[0]]
    assert trained.models[ITEM_IDS[0]] == predictor.models[ITEM_IDS[0]]
    assert list(trained.failures) == ["silent"]
    assert "at least one series with values" in trained.failures["silent"]
    with pytest.raises(ValueError, match=r"'silent'\), whose training failed"):
        trained.detect([EMPTY])


def test_if_all_series_fail_the_first_error_is_told(estimator):
    with pytest.raises(ValueError, match="errors in all 1; .*'silent': Value"):
        PerSeriesEstimator(estimator).train([EMPTY])
    with pytest.raises(ValueError, match="got an empty data set"):
        PerSeriesEstimator(estimator).train([])


def test_series_must_have_names_of_their_own(estimator, predictor, entries):
    nameless = {"start": START, "target": np.zeros(9)}
    ours = PerSeriesEstimator(estimator)

    with pytest.raises(ValueError, match="an item_id.*got none in entry 3"):
        ours.train([*entries, nameless])
    with pytest.raises(ValueError, match="'CON' in entries 1 and 3; give"):
        ours.train([*entries, entries[1]])
    for ask in (predictor.predict, predictor.detect):
        with pytest.raises(ValueError, match="got none in entry 1"):
            ask([entries[0], nameless])
        with pytest.raises(
            ValueError, match=r"got entry 1 \('new'\), that was not in the tr"
        ):
            ask([entries[0], series("new", 1.0)])


def test_arguments_are_checked_before_any_work(mean, predictor, entries):
    with pytest.raises(ValueError, match="n_jobs must be .* got 0"):
        PerSeriesEstimator(mean, n_jobs=0)
    with pytest.raises(ValueError, match="mode must be"):
        predictor.detect(entries, mode="both")


def test_an_estimator_goes_through_json(estimator):
    ours = PerSeriesEstimator(estimator, n_jobs=2)

    again = load_json(dump_json(ours))

    assert repr(again) == repr(ours)
    assert again.prediction_length == 2


def test_a_folder_holds_all_models(predictor, entries, tmp_path):
    predictor.serialize(tmp_path)
    again = Predictor.deserialize(tmp_path)

    assert again.models == predictor.models
    assert again.freq == "h" or again.freq == "H"
    assert again.prediction_length == 2
    assert_array_equal(scores(again, entries), scores(predictor, entries))
    assert sorted(p.name for p in (tmp_path / "series").iterdir()) == [
        *map(str, range(len(entries)))
    ]


def test_a_folder_that_lacks_a_model_is_refused(predictor, tmp_path):
    predictor.serialize(tmp_path)
    for path in (tmp_path / "series" / "1").rglob("*"):
        if path.is_file():
            path.unlink()

    with pytest.raises(ValueError, match="must be whole, .*series/1/.* is mi"):
        Predictor.deserialize(tmp_path)
    seal(tmp_path)
    with pytest.raises(ValueError, match="must hold the model of 'CON'"):
        Predictor.deserialize(tmp_path)


def test_what_models_cannot_be_loaded_with_is_refused(predictor, tmp_path):
    predictor.serialize(tmp_path)

    with pytest.raises(
        TypeError,
        match="must be such as all models can be loaded with, .*got device="
        "'cuda:7', nonsense=3 .*unexpected keyword.*; leave them out",
    ):
        Predictor.deserialize(tmp_path, device="cuda:7", nonsense=3)


def test_the_index_of_a_folder_is_json(predictor, tmp_path):
    predictor.serialize(tmp_path)

    text = Path(tmp_path, "per_series.json").read_text("utf-8")

    assert json.loads(text)["item_ids"] == ITEM_IDS


def test_a_frequency_that_is_none_is_refused(predictor, tmp_path):
    predictor.serialize(tmp_path)
    path = tmp_path / "per_series.json"
    index = {**json.loads(path.read_text("utf-8")), "freq": "1" * 300}
    path.write_text(json.dumps(index), "utf-8")
    seal(tmp_path)

    with pytest.raises(ValueError, match="of at most 200 characters, got 300"):
        Predictor.deserialize(tmp_path)


def test_it_can_be_pickled(predictor, entries):
    predictor.predictor_of(ITEM_IDS[0])

    again = pickle.loads(pickle.dumps(predictor))

    assert not again.ready
    assert_array_equal(scores(again, entries), scores(predictor, entries))

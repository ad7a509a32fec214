"""
Data sets as nobody should have them.
"""

from importlib.util import find_spec

import numpy as np
import pandas as pd
from gluonts.env import env
from gluonts.model.trivial.mean import MeanEstimator
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gluonts_lai import LAIEstimator, LAIPredictor

from .models import LABEL, START, model, naive
from .outcome import fair, tries
from .trees import leaves, trees

MODELS = ["naive", "mean"] + ["network"] * (find_spec("torch") is not None)

usual = st.floats(-10, 10, width=32)
odd = st.sampled_from([np.nan, 0.0, 1e30, -1e30, 3.4e38, 1e-40])
worse = st.sampled_from([np.inf, -np.inf, 1e300])
numbers = usual | st.one_of(usual, odd) | st.one_of(usual, odd, worse)


@st.composite
def rows(draw, of=numbers):
    """Values of a series: few of them are drawn, and repeated."""
    few = draw(st.lists(of, max_size=12))
    values = np.array(few * draw(st.integers(1, 4)), dtype=float)
    kind = draw(st.sampled_from(["f8", "f8", "f4", "f4", "list", "i8", "f2"]))
    if kind == "list":
        return values.tolist()
    with np.errstate(all="ignore"):
        values = np.nan_to_num(values) if kind == "i8" else values
        return values.astype(kind)


shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
wild = hnp.arrays(
    st.sampled_from(["f8", "?", "U3", "c16", "M8[s]", "u1"]), shapes
) | hnp.arrays("O", shapes, elements=leaves)
targets = st.one_of(rows(), rows(), rows(), wild, trees)
starts = st.one_of(
    st.just(START),
    st.sampled_from(
        [
            START,
            START + 7,
            pd.Period("2024-01", "M"),
            pd.Period("2024-01-01", "15min"),
            pd.Period("1700-01-01", "h"),
            pd.Timestamp("2024-01-01"),
            pd.NaT,
            "2024-01-01",
            None,
        ]
    ),
)
labels = st.one_of(
    rows(st.sampled_from([0.0, 1.0, np.nan, 0.5])),
    rows(st.sampled_from([0.0, 1.0, 2.0, -1.0, np.inf])),
    wild,
    trees,
)


def is_row(values):
    return isinstance(values, np.ndarray) and values.ndim == 1


@st.composite
def entries(draw):
    """An entry: most often one that may pass."""
    entry = {
        "item_id": draw(st.sampled_from(["pump", "valve", "new", None, 5])),
        "start": draw(starts),
        "target": draw(targets),
    }
    if draw(st.booleans()):
        entry[LABEL] = draw(labels)
        pair = entry["target"], entry[LABEL]
        if draw(st.booleans()) and all(map(is_row, pair)):
            entry[LABEL] = np.resize(entry[LABEL], len(entry["target"]))
    if draw(st.integers(0, 5)) == 0:
        del entry[draw(st.sampled_from(sorted(entry)))]
    if draw(st.integers(0, 5)) == 0:
        entry["feat_dynamic_real"] = draw(wild | trees)
    return entry


datasets = st.lists(entries() | trees, max_size=1) | st.lists(
    entries(), min_size=1, max_size=3
)


def check_detections(detections):
    for detection in detections:
        probability = detection.probability
        assert probability.shape == detection.value.shape
        assert ((probability >= 0) & (probability <= 1)).all()


@given(
    datasets,
    st.sampled_from(MODELS),
    st.fixed_dictionaries(
        {"mode": st.sampled_from(["filter", "filter", "smooth"])},
        optional={
            "threshold": st.sampled_from([0.1, 0.9, 0, 2]),
            "max_run": st.sampled_from([0, 1, 3, np.inf, -1]),
            "recalibrate": st.booleans(),
            "num_particles": st.sampled_from([0, 2]),
        },
    ),
)
@tries(60)
def test_anomalies_are_found_or_data_refused(data, name, manner):
    with fair():
        check_detections(model(name).detect(data, **manner))


@given(datasets, st.sampled_from(MODELS))
@tries(40)
def test_forecasts_are_made_or_data_refused(data, name):
    with fair():
        for forecast in model(name).predict(data):
            assert len(forecast.mean) == model(name).prediction_length


@given(
    st.none() | entries(),
    st.lists(
        st.tuples(
            numbers | trees,
            st.none() | st.sampled_from([START + 9, "2024-01-09", "x", 5]),
            st.none() | st.sampled_from([0, 1, 0.5, 2, "x", np.nan]),
        ),
        max_size=5,
    ),
)
@tries(80)
def test_points_are_taken_or_refused(history, points):
    with fair():
        stream = model().stream(history)
        for value, timestamp, label in points:
            with fair():
                reading = stream.update(value, timestamp, label=label)
                assert 0 <= reading.probability <= 1
        stream.forecast()


@given(datasets, st.sampled_from([None, LABEL, "target", "start"]))
@tries(30)
def test_there_is_something_to_learn_or_data_are_refused(data, label_field):
    with fair(), env._let(use_tqdm=False):
        predictor = LAIPredictor.from_predictor(
            naive(), data, context_length=8, label_field=label_field, seed=0
        )
        check_detections(predictor.detect(data))


@given(datasets)
@tries(15)
def test_an_estimator_is_trained_or_data_are_refused(data):
    mean = MeanEstimator(prediction_length=1, num_samples=8)
    with fair(), env._let(use_tqdm=False):
        output = LAIEstimator(mean, seed=0).train_model(data)
        assert len(output.posterior) == len(data)

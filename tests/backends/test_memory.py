"""
Many series: read once, kept as numbers, and never all at work at a time.
"""

import weakref
from pathlib import Path

import numpy as np
import pytest
from gluonts.dataset.common import FileDataset
from gluonts.model.seasonal_naive import SeasonalNaivePredictor
from numpy.testing import assert_array_equal

from gluonts_lai import LAIEstimator, LAIPredictor
from gluonts_lai.backends import training_of
from gluonts_lai.nominal.training import Epochs, windows_an_epoch
from gluonts_lai.nominal.treated import Treated
from gluonts_lai.panel import Panel, panel, room, table
from gluonts_lai.transform import Clean
from tests.series import CONTEXT, FREQ, dataset

arrow = pytest.importorskip("gluonts.dataset.arrow")

pytestmark = [
    pytest.mark.filterwarnings("ignore:max_anomaly_share should not"),
    pytest.mark.filterwarnings("ignore:the forecaster should explain"),
]

CHUNK = 4


@pytest.fixture
def small_chunks(monkeypatch):
    """A few series at a time, where a thousand would be."""
    monkeypatch.setattr(panel, "MAX_ENTRIES", CHUNK)
    monkeypatch.setattr(table, "MAX_POINTS", 400)


def estimator_of(backend, **settings):
    network = backend.zoo.CASES["SimpleFeedForward"].make(epochs=3, **settings)
    return LAIEstimator(network, num_warmup_epochs=1, num_paths=1, seed=0)


@pytest.fixture(scope="module")
def data():
    return dataset("univariate", num_series=6, length=100, rate=0.03)[0]


@pytest.fixture(scope="module")
def output(backend, data):
    return estimator_of(backend).train_model(data)


def assert_same_training(one, other):
    assert one.predictor.chain == other.predictor.chain
    for p, q in zip(one.posterior, other.posterior, strict=True):
        assert_array_equal(p, q)


@pytest.mark.parametrize("kind", ["ParquetWriter", "ArrowWriter"])
def test_a_data_set_may_be_a_file(backend, data, output, kind, tmp_path):
    getattr(arrow, kind)().write_to_folder(data, tmp_path, "series")

    streamed = FileDataset(Path(tmp_path), freq=FREQ)

    assert_same_training(estimator_of(backend).train_model(streamed), output)


def test_what_was_read_is_not_kept_twice(data):
    read = []

    def entries():
        for entry in data:
            target = entry["target"].copy()
            read.append(weakref.ref(target))
            yield {**entry, "target": target}

    found = Panel.of(entries())

    assert [array() for array in read] == [None] * len(data)
    for entry, old, row in zip(found.entries, data, found.values.entries):
        assert_array_equal(entry["target"], old["target"])
        assert np.shares_memory(entry["target"], row)


def test_the_posterior_is_in_single_precision(output, data):
    assert {p.dtype for p in output.posterior} == {np.dtype(np.float32)}
    assert isinstance(output.posterior, list)
    assert [p.shape for p in output.posterior] == [
        entry["target"].shape for entry in data
    ]


def test_tables_in_files_change_nothing(backend, data, output, monkeypatch):
    monkeypatch.setattr(room, "MAX_BYTES", 0)

    assert_same_training(estimator_of(backend).train_model(data), output)


class Watched:
    """A data set that is read from somewhere, and counts what is alive."""

    def __init__(self, num_series):
        self.num_series = num_series
        self.read, self.most = [], 0

    def __iter__(self):
        for entry in dataset("univariate", num_series=self.num_series)[0]:
            target = entry["target"].copy()
            self.read.append(weakref.ref(target))
            alive = sum(array() is not None for array in self.read)
            self.most = max(self.most, alive)
            yield {**entry, "target": target}


@pytest.mark.parametrize("way", ["detect", "predict"])
def test_no_more_than_two_chunks_are_held(way, small_chunks):
    naive = SeasonalNaivePredictor(2, season_length=24)
    known, _ = dataset("univariate", num_series=2)
    predictor = LAIPredictor.from_predictor(naive, known, seed=0)
    watched = Watched(10 * CHUNK)

    found = sum(1 for _ in getattr(predictor, way)(watched))

    assert found == len(watched.read) == 10 * CHUNK
    # The one at work, until the next has been read.
    assert watched.most <= 2 * CHUNK


def test_with_more_series_than_windows_all_are_learned_from(backend):
    """Each epoch goes on where the one before it ended."""
    num_series, num_epochs = 20, 10
    data = [
        {**entry, "target": np.full(40, float(i), np.float32)}
        for i, entry in enumerate(
            dataset("univariate", num_series=num_series)[0]
        )
    ]
    make = backend.zoo.CASES["SimpleFeedForward"].make
    network = make(num_batches_per_epoch=1)
    assert windows_an_epoch(network) == 8
    found = Panel.of(data)
    training = training_of(network, found, CONTEXT, False, 0)
    clean = Clean.as_observed(found.values)
    epochs = Epochs(training, iter([clean] * num_epochs), None)

    seen = [levels(next(iter(epochs))) for _ in range(num_epochs)]

    assert max(map(len, seen)) <= 8
    assert set.union(*seen) == set(range(num_series))


def levels(batch):
    past = batch["past_target"]
    past = past.asnumpy() if hasattr(past, "asnumpy") else past.numpy()
    return set(past.max(-1).astype(int).tolist())


def test_a_series_is_made_when_it_is_first_asked_for(backend, data):
    found = Panel.of(data)
    make = backend.zoo.CASES["SimpleFeedForward"].make
    training = training_of(make(), found, CONTEXT, False, 0)

    treated = Treated(
        training.prepared, Clean.as_observed(found.values), first=4
    )

    assert len(treated) == len(data) and not treated.made
    assert treated[0] is treated[0]
    assert list(treated.made) == [4]
    assert [entry["item_id"] for entry in treated] == [
        entry["item_id"] for entry in [*data[4:], *data[:4]]
    ]

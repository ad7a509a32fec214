"""
Who does the work does not change what comes out.
"""

import logging
import os
import pickle
import signal
import subprocess
import sys
import types
from importlib.util import find_spec

import numpy as np
import pytest
from gluonts.env import env
from gluonts.model.estimator import Estimator
from gluonts.model.predictor import Predictor
from gluonts.model.trivial.constant import ConstantValuePredictor
from joblib import parallel_config
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_info, threadpool_limits

from gluonts_lai import LAIEstimator, PerSeriesEstimator
from gluonts_lai.workers import share_out
from gluonts_lai.workers.home import Home

from .conftest import ITEM_IDS, START


def network(framework):
    """The smallest of networks."""
    if framework == "torch":
        from gluonts.torch import SimpleFeedForwardEstimator

        return SimpleFeedForwardEstimator(
            prediction_length=2,
            context_length=12,
            hidden_dimensions=[4],
            num_batches_per_epoch=2,
            trainer_kwargs={
                "max_epochs": 2,
                "enable_progress_bar": False,
                "enable_model_summary": False,
            },
        )
    from gluonts.mx import SimpleFeedForwardEstimator, Trainer

    return SimpleFeedForwardEstimator(
        prediction_length=2,
        context_length=12,
        num_hidden_dimensions=[4],
        trainer=Trainer(epochs=2, num_batches_per_epoch=2),
    )


def assert_same(one, other, entries):
    """Two predictors are the same, and say the same wherever they work."""
    assert one.models == other.models
    for a, b in zip(one.detect(entries), other.detect(entries)):
        for name, array in a._asdict().items():
            assert_array_equal(array, getattr(b, name))
    forecasts = zip(one.predict(entries), other.predict(entries))
    for a, b in forecasts:
        assert_array_equal(a.quantile(0.9), b.quantile(0.9))


def test_processes_do_not_matter(estimator, predictor, entries):
    other = PerSeriesEstimator(estimator, n_jobs=2).train(entries)

    assert_same(predictor, other, entries)


def test_threads_take_turns(estimator, predictor, entries):
    with parallel_config(backend="threading", n_jobs=3):
        other = PerSeriesEstimator(estimator).train(entries)
        assert_same(predictor, other, entries)


def test_processes_do_not_matter_to_networks(entries):
    # One of them: each worker has to load it first.
    framework = "mxnet" if find_spec("mxnet") else "torch"
    ours = LAIEstimator(network(framework), seed=0)

    one, two = (
        PerSeriesEstimator(ours, n_jobs=n_jobs).train(entries[:2])
        for n_jobs in (1, 2)
    )

    assert_same(one, two, entries[:2])


class Deadly(Estimator):
    """Whoever trains it on nothing but zeros is killed."""

    prediction_length = 2

    def train(self, training_data, validation_data=None):
        (entry,) = training_data
        if not entry["target"].any():
            os.kill(os.getpid(), signal.SIGKILL)
        return ConstantValuePredictor(2, value=float(entry["target"].mean()))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="it needs signals")
def test_a_worker_that_is_killed_costs_its_series_alone(entries):
    zeros = {"item_id": "zeros", "start": START, "target": np.zeros(9)}
    expected = PerSeriesEstimator(Deadly()).train(entries).models

    with pytest.warns(UserWarning, match="^1 of 4 series .*was killed"):
        trained = PerSeriesEstimator(Deadly(), n_jobs=2).train(
            [entries[0], zeros, *entries[1:]]
        )

    assert trained.models == expected and list(expected) == ITEM_IDS
    assert list(trained.failures) == ["zeros"]


class Guess(Estimator):
    """What it learns is chance alone."""

    prediction_length = 2

    def train(self, training_data, validation_data=None):
        return ConstantValuePredictor(2, value=float(np.random.normal()))


def test_without_a_seed_chance_is_the_callers(entries):
    models = []
    for seed in (0, 0, 1):
        np.random.seed(seed)
        models.append(PerSeriesEstimator(Guess()).train(entries).models)

    assert models[0] == models[1] != models[2]
    first, second, third = models[0].values()
    assert first != second != third


class Placed(ConstantValuePredictor):
    """It forecasts the number of the place that it was loaded to."""

    @classmethod
    def deserialize(cls, path, place=0):
        return cls(2, value=place)


class PlacedEstimator(Estimator):
    prediction_length = 2

    def train(self, training_data, validation_data=None):
        return Placed(2, value=0)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_models_are_loaded_as_the_caller_wants(n_jobs, entries, tmp_path):
    trained = PerSeriesEstimator(PlacedEstimator(), n_jobs).train(entries)
    trained.serialize(tmp_path)

    loaded = [
        Predictor.deserialize(tmp_path),
        Predictor.deserialize(tmp_path, place=7),
        pickle.loads(pickle.dumps(Predictor.deserialize(tmp_path, place=8))),
        Predictor.deserialize(tmp_path),
    ]

    for place, predictor in zip((0, 7, 8, 0), loaded):
        assert {f.mean[0] for f in predictor.predict(entries)} == {place}
    folder = tmp_path / "again"
    folder.mkdir()
    loaded[1].serialize(folder)
    for name in ("per_series.json", "manifest.json"):
        assert (folder / name).read_text() == (tmp_path / name).read_text()


def test_a_device_that_is_not_there_is_refused(entries, tmp_path):
    torch = pytest.importorskip("torch")
    ours = LAIEstimator(network("torch"), seed=0)
    PerSeriesEstimator(ours).train(entries[:1]).serialize(tmp_path)
    device = f"cuda:{torch.cuda.device_count()}"

    here = Predictor.deserialize(tmp_path, device="cpu")

    assert str(here.predictor_of(ITEM_IDS[0]).base.device) == "cpu"
    with pytest.raises(ValueError, match=f"got device='{device}' "):
        Predictor.deserialize(tmp_path, device=device)


def threads(model, name):
    return name, [
        library["num_threads"]
        for library in threadpool_info()
        if library["user_api"] == "blas"
    ]


def test_a_worker_computes_with_one_thread(mean):
    with threadpool_limits(2):
        before = threads(mean, "")
        (done,) = share_out(threads, [(mean, "here")], 1)
        assert threads(mean, "") == before
    there = list(share_out(threads, [(mean, "a"), (mean, "b")], 2))

    assert before[1] and set(before[1]) == {2}
    for _, numbers in (done, *there):
        assert set(numbers) == {1}


def num_threads_of_torch(model):
    return sys.modules["torch"].get_num_threads()


def test_pytorch_has_its_threads_back():
    torch = pytest.importorskip("torch")
    model, before = network("torch"), torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        assert list(share_out(num_threads_of_torch, [(model,)], 1)) == [1]
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def what_is_heard(model):
    return logging.getLogger().isEnabledFor(logging.INFO), env.use_tqdm


def test_one_bar_speaks_for_all_series(mean, monkeypatch):
    monkeypatch.setattr(logging.root, "level", logging.INFO)

    assert list(share_out(what_is_heard, [(mean,)], 1)) == [(False, False)]
    assert what_is_heard(mean) == (True, True)


def test_a_process_with_mxnet_is_not_forked(mean, entries, monkeypatch):
    monkeypatch.setitem(sys.modules, "mxnet", types.ModuleType("mxnet"))

    with parallel_config(backend="multiprocessing", n_jobs=2):
        with pytest.raises(ValueError, match="must not fork.*use 'loky'"):
            PerSeriesEstimator(mean).train(entries)


ARRIVES = """
import os, pickle, sys
assert "mxnet" not in sys.modules
home = pickle.loads(sys.stdin.read().encode())
print("heard", file=sys.stderr)
mx = sys.modules.get("mxnet")
mx and mx.nd.ones(2).asnumpy()
print(home.is_elsewhere(), bool(mx), os.environ.get("MXNET_ENGINE_TYPE"))
"""


def home_of(framework):
    """What goes ahead of a model of a framework, or of none."""
    if framework is None:
        return Home(PlacedEstimator())
    pytest.importorskip(framework)
    return Home(LAIEstimator(network(framework)))


@pytest.mark.parametrize(
    "framework, told, found",
    [
        ("mxnet", None, "True True NaiveEngine"),
        ("mxnet", "ThreadedEngine", "True True ThreadedEngine"),
        ("torch", None, "True False None"),
        (None, None, "True False None"),
    ],
)
def test_a_worker_loads_mxnet_without_threads_of_its_own(
    framework, told, found
):
    """And says nothing of it; if the model is not MXNet's, not at all."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ARRIVES],
        input=pickle.dumps(home_of(framework), 0).decode(),
        capture_output=True,
        env={**os.environ, **({"MXNET_ENGINE_TYPE": told} if told else {})},
        check=True,
        encoding="utf-8",
    )

    assert done.stdout.split() == found.split()
    assert done.stderr == "heard\n"


@pytest.mark.parametrize("framework", ["mxnet", "torch"])
def test_a_packed_model_tells_its_framework(framework, entries):
    pytest.importorskip(framework)
    ours = LAIEstimator(network(framework), seed=0)

    (model,) = PerSeriesEstimator(ours).train(entries[:1]).models.values()

    assert Home(model).wants_mxnet == (framework == "mxnet")

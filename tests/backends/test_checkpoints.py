"""
A training run that was interrupted ends as if it had not been.
"""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gluonts.core.component import equals
from gluonts.core.serde import dump_json, load_json
from gluonts.env import env

import gluonts_lai
from gluonts_lai import Gaussian, LAIEstimator, checkpoint, interruptions
from gluonts_lai.em import MonteCarloEM
from gluonts_lai.manifest import seal
from tests.backends import BACKENDS
from tests.killed import MOMENTS
from tests.series import dataset
from tests.test_no_epochs import DayEstimator

pytestmark = [
    pytest.mark.filterwarnings("ignore:max_anomaly_share should not"),
    pytest.mark.filterwarnings("ignore:the forecaster should explain"),
]
ROOT = Path(gluonts_lai.__file__).parents[1]
SAME = 1e-6


class Interrupted(Exception):
    pass


@pytest.fixture(scope="module")
def data():
    return dataset("univariate", num_series=2, length=72, rate=0.03)[0]


def interrupt(estimator, data, in_round, **kwargs):
    """Train until a round begins with its E-step."""
    calls = []

    def expect(em, nominal):
        calls.append(em.epoch)
        if len(calls) == in_round:
            raise Interrupted
        return at_peace(em, nominal)

    at_peace = MonteCarloEM.expect
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MonteCarloEM, "expect", expect)
        with pytest.raises(Interrupted):
            estimator.train_model(data, **kwargs)


def daily(folder, seed=0, **settings):
    """What is trained again in each round, with checkpoints in a folder."""
    return LAIEstimator(
        DayEstimator(prediction_length=1),  # whose forecasts are samples
        seed=seed,
        checkpoint_dir=str(folder),
        **settings,
    )


def assert_same(output, other):
    for mine, its in zip(output.posterior, other.posterior, strict=True):
        np.testing.assert_allclose(mine, its, rtol=0, atol=SAME)
    mine, its = (
        x.history.to_frame().drop(columns="seconds").astype(float)
        for x in (output, other)
    )
    np.testing.assert_allclose(mine, its, rtol=0, atol=SAME)


@pytest.fixture(scope="module")
def left(data, tmp_path_factory):
    """The checkpoints of a run that was interrupted."""
    folder = tmp_path_factory.mktemp("left")
    with env._let(use_tqdm=False):
        interrupt(daily(folder), data, in_round=3)
    return folder


@pytest.fixture
def copied(left, tmp_path):
    """The same, to be written to."""
    for path in left.rglob("*"):
        if path.is_file():
            copy = tmp_path / "copied" / path.relative_to(left)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    return tmp_path / "copied"


def newest(folder):
    return sorted(folder.glob("epoch-*"))[-1]


# Runs that are killed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes to kill")
@pytest.mark.parametrize("kind", [*BACKENDS, "none"])
def test_a_run_that_is_killed_ends_as_if_it_had_not_been(kind, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.killed", kind, tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    undisturbed, *attempts, last = json.loads(done.stdout.splitlines()[-1])

    assert [name for name, *_ in attempts] == list(MOMENTS)
    assert [ended for _, ended, _ in attempts] == [9] * len(attempts)
    assert undisturbed[1] == last[1] == 0, done.stderr
    # Nothing lies about that was not finished.
    assert all(name.startswith("epoch-") for name in last[2])
    with np.load(tmp_path / "undisturbed.npz") as expected:
        with np.load(tmp_path / "posterior.npz") as found:
            for name in expected.files:
                np.testing.assert_allclose(
                    found[name], expected[name], rtol=0, atol=SAME
                )


def slowing(name):
    """An estimator whose learning rate falls with every epoch."""
    if name == "mx":
        make = BACKENDS[name].zoo.CASES["SimpleFeedForward"].make
        from gluonts.mx.trainer.learning_rate_scheduler import (
            LearningRateReduction,
        )

        reduce = LearningRateReduction("min", patience=0, base_lr=0.05)
        return make(epochs=5, callbacks=[reduce], learning_rate=0.05)
    make = BACKENDS[name].zoo.CASES["DeepAR"].make
    estimator = make(epochs=5, learning_rate=0.05, max_steps=18)
    estimator.patience = 0
    return estimator


def test_the_learning_rate_and_p_minus_go_on_too(backend, data, tmp_path):
    def lai(folder):
        return LAIEstimator(
            slowing(backend.name),
            anomalous=Gaussian(),
            num_paths=1,
            chain_scope="series",
            seed=0,
            checkpoint_dir=folder and str(folder),
        )

    both = {"validation_data": data, "shuffle_buffer_length": 20}
    interrupt(lai(tmp_path), data, in_round=3, **both)

    went_on = lai(tmp_path).train_model(data, **both)

    assert_same(went_on, lai(None).train_model(data, **both))


def test_what_is_recalled_is_what_was_remembered(backend, data, tmp_path):
    lai = LAIEstimator(
        backend.zoo.CASES["SimpleFeedForward"].make(epochs=10),
        anomalous=Gaussian(),
        num_paths=1,
        max_anomaly_share=0.9,
        seed=0,
        checkpoint_dir=str(tmp_path),
    )
    lai.train_model(data)
    kept = interruptions.arrays_of(newest(tmp_path))
    recalled = []

    def recall(em, *args):
        at_peace(em, *args)
        recalled.append(interruptions.remembered(em))

    at_peace = interruptions.recall
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interruptions, "recall", recall)
        interrupt(lai, data, in_round=1)

    assert "shares" in kept and not kept["is_held"]  # in the last fifth
    assert set(recalled[0]) == set(kept)
    for name, array in kept.items():
        np.testing.assert_array_equal(np.array(recalled[0][name]), array, name)


def test_the_folder_may_be_a_path(copied, data, tmp_path):
    lai = LAIEstimator(
        DayEstimator(prediction_length=1), seed=0, checkpoint_dir=copied
    )
    assert equals(load_json(dump_json(lai)), lai)

    output = lai.train_model(data)

    whole = daily(tmp_path / "whole").train_model(data)
    assert_same(output, whole)


def test_a_control_goes_on_though_it_has_no_rounds(backend, data, tmp_path):
    def control(folder):
        make = backend.zoo.CASES["SimpleFeedForward"].make
        return LAIEstimator(
            make(epochs=7), em=False, seed=0, checkpoint_dir=folder
        )

    control(str(tmp_path)).train_model(data)
    assert {path.name for path in tmp_path.glob("epoch-*")} == {
        "epoch-000003",
        "epoch-000006",
    }
    again = control(str(tmp_path)).train_model(data)
    assert_same(again, control(None).train_model(data))


def callback_of(backend):
    """The base of all callbacks of a framework."""
    if backend.name == "mx":
        from gluonts.mx.trainer.callback import Callback
    else:
        from lightning.pytorch import Callback
    return Callback


def test_callbacks_with_a_state_of_their_own_are_named(
    backend, data, tmp_path
):
    class Counter(callback_of(backend)):
        def __init__(self):
            self.count = 0

    make = backend.zoo.CASES["SimpleFeedForward"].make
    lai = LAIEstimator(
        make(callbacks=[Counter()]), seed=0, checkpoint_dir=str(tmp_path)
    )
    with pytest.warns(UserWarning, match="got Counter; after an interrupt"):
        lai.train_model(data)


# What a checkpoint belongs to


def test_a_run_that_has_ended_ends_in_the_same_way_again(copied, data):
    first = daily(copied).train_model(data)

    assert_same(daily(copied).train_model(data), first)


def test_a_checkpoint_may_be_moved(copied, data, tmp_path):
    copied.rename(tmp_path / "elsewhere")

    output = daily(tmp_path / "elsewhere").train_model(data)

    assert_same(output, daily(tmp_path / "new").train_model(data))


def test_a_run_without_a_seed_keeps_the_one_it_drew(data, tmp_path):
    interrupt(daily(tmp_path, seed=None), data, in_round=2)
    seed = json.loads((newest(tmp_path) / "checkpoint.json").read_text())[
        "seed"
    ]

    output = daily(tmp_path, seed=None).train_model(data)

    expected = daily(tmp_path / "new", seed=seed).train_model(data)
    np.testing.assert_allclose(
        output.history[-1][:5], expected.history[-1][:5], atol=SAME
    )


def test_other_data_are_refused(copied, data):
    other = [{**entry, "target": entry["target"] + 1} for entry in data]

    with pytest.raises(ValueError, match="got one of other training data in"):
        daily(copied).train_model(other)


@pytest.mark.parametrize(
    "settings, differs",
    [
        ({"seed": 1}, "seed=0 for 1"),
        ({"num_paths": 5}, "num_paths=3 for 5"),
        ({"anomalous": Gaussian()}, "anomalous.*class=.*Uniform"),
    ],
)
def test_other_settings_are_refused(copied, data, settings, differs):
    with pytest.raises(ValueError, match=differs) as refusal:
        daily(copied, **settings).train_model(data)

    assert "choose another checkpoint_dir, or delete" in str(refusal.value)


def test_another_format_is_refused(copied, data, monkeypatch):
    monkeypatch.setattr(checkpoint, "VERSION", 2)

    with pytest.raises(
        ValueError, match="must be of version 2, got version 1"
    ):
        daily(copied).train_model(data)


def test_a_file_is_no_place_for_checkpoints(data, tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(ValueError, match="must be a folder, got a file"):
        daily(tmp_path / "file").train_model(data)


# Checkpoints that are damaged


def files_of(folder):
    return sorted(path.name for path in newest(folder).iterdir())


def test_the_one_before_serves_where_the_newest_is_damaged(copied, data):
    damaged = newest(copied) / "em.npz"
    damaged.write_bytes(damaged.read_bytes()[:-100])

    with pytest.warns(UserWarning, match="em.npz is not what was written"):
        output = daily(copied).train_model(data)

    assert_same(output, daily(copied).train_model(data))


@pytest.mark.parametrize("cut", ["emptied", "halved", "deleted"])
def test_a_checkpoint_that_is_not_whole_is_refused(copied, data, cut):
    for name in files_of(copied):
        for folder in copied.glob("epoch-*"):
            whole = (folder / name).read_bytes()
            (folder / name).write_bytes(
                whole[: len(whole) // 2] if cut == "halved" else b""
            )
            if cut == "deleted":
                (folder / name).unlink()
    with pytest.raises(
        ValueError, match="must be whole, got one .* Or choose"
    ):
        daily(copied).train_model(data)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        "null",
        "[" * 100_000,
        '{"kind": "gluonts_lai.checkpoint", "version": "1"}',
        '{"kind": "gluonts_lai.StreamingDetector", "version": 1}',
    ],
    ids=lambda content: content[:30],
)
def test_what_says_something_else_of_itself_is_refused(copied, data, content):
    for folder in copied.glob("epoch-*"):
        (folder / "checkpoint.json").write_text(content)
        seal(folder)

    with pytest.raises(ValueError, match="says something else"):
        daily(copied).train_model(data)


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"chains": np.zeros((3, 3))},
        {"chains": np.full((7, 3), 0.1)},
        {"contexts": np.zeros(3)},
        {"history": np.array([["a"] * 7])},
        {"calibration": np.full((3, 2), -1.0)},
        {"shapes": np.full((2, 2), np.nan)},
        {"residual_scale": np.array(0.0)},
        {"rng": np.array("{}")},
        {"epoch": np.array(1)},
        {"chains": np.array([object()])},
    ],
    ids=lambda arrays: " ".join(arrays) or "nothing",
)
def test_numbers_that_do_not_fit_are_refused(copied, data, arrays):
    for folder in copied.glob("epoch-*"):
        with np.load(folder / "em.npz") as saved:
            known = {name: saved[name] for name in saved.files}
        np.savez(folder / "em.npz", **({**known, **arrays} if arrays else {}))
        seal(folder)

    with pytest.raises(ValueError, match="hold what this run wrote, got one"):
        daily(copied).train_model(data)


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_no_code_of_a_checkpoint_runs(backend, data, tmp_path):
    make = backend.zoo.CASES["SimpleFeedForward"].make
    lai = LAIEstimator(make(), seed=0, checkpoint_dir=str(tmp_path / "kept"))
    interrupt(lai, data, in_round=1)
    trap = Trap(tmp_path / "sprung")
    for folder in (tmp_path / "kept").iterdir():
        if backend.name == "mx":
            with np.load(folder / "optimiser.npz") as saved:
                arrays = dict(saved)
            arrays["learning_rate"] = np.array(trap, dtype=object)
            np.savez(folder / "optimiser.npz", **arrays)
        else:
            (folder / "training.pt").write_bytes(
                pickle.dumps(trap, protocol=2)
            )
        seal(folder)

    with pytest.raises(ValueError, match="hold what this run wrote, got one"):
        lai.train_model(data)

    assert not trap.path.exists()

"""
Two processes train one network: each E-step is computed once.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lightning.pytorch.strategies import ModelParallelStrategy

import gluonts_lai
from gluonts_lai import LAIEstimator
from tests.series import dataset

from .probes import NoTraining
from .ranked import EPOCHS
from .zoo import CASES

ROOT = Path(gluonts_lai.__file__).parents[1]
PATIENCE = 300  # seconds; nobody waits for another for ever
NUM_BATCHES = 4
TRAINED = ["plain", "kept", "resumed", "scheduled", "averaging"]
# What must be the same, bit by bit, in each process.
SAME = ["weights", "posterior", "forecasts", "history", "chain"]


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The script, and how it ended."""
    if os.name == "nt":
        pytest.skip("gloo on Windows is not tried")
    folder = tmp_path_factory.mktemp("ranked")
    done = subprocess.run(
        [sys.executable, "-m", "tests.torch.ranked", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done


@pytest.fixture(scope="module")
def told(done):
    """What both processes told, by name and rank."""
    lines = map(json.loads, done.stdout.splitlines())
    told = {(line["name"], line["rank"]): line for line in lines}
    assert ("unable", 0) in told and ("unable", 1) in told, done.stderr
    return told


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("what", SAME)
def test_all_processes_end_with_the_same(told, name, what):
    assert told[name, 0][what] == told[name, 1][what]


def test_an_e_step_is_computed_once(told):
    rounds = told["plain", 0]["history"]
    assert len(rounds) == 3
    assert told["plain", 0]["num_e_steps"] == len(rounds)
    assert told["plain", 1]["num_e_steps"] == 0


def test_only_the_first_process_logs(told):
    records = told["plain", 0]["records"]
    assert sum("EM after epoch" in record for record in records) == 3
    assert told["plain", 1]["records"] == []


@pytest.mark.parametrize("rank", [0, 1])
def test_each_process_has_the_whole_budget_of_batches(told, rank):
    assert told["plain", rank]["num_batches"] == EPOCHS * NUM_BATCHES


def test_processes_draw_windows_of_their_own(told):
    assert told["plain", 0]["windows"] != told["plain", 1]["windows"]


def test_anomalies_are_found(told):
    assert told["plain", 0]["auc"] > 0.9


def test_only_the_first_process_writes_checkpoints(told):
    *rounds, _ = told["kept", 0]["history"]  # no more epochs after the last
    assert told["kept", 0]["num_checkpoints"] == len(rounds) >= 2
    assert told["kept", 1]["num_checkpoints"] == 0
    assert told["plain", 0]["num_checkpoints"] == 0


@pytest.mark.parametrize("rank", [0, 1])
def test_a_run_that_goes_on_ends_the_same(told, rank):
    kept, resumed = told["kept", rank], told["resumed", rank]

    assert resumed["num_batches"] < kept["num_batches"]
    for what in ("weights", "posterior", "forecasts", "chain"):
        assert resumed[what] == kept[what]
    # But for the seconds that an E-step took.
    for ours, theirs in zip(resumed["history"], kept["history"], strict=True):
        assert ours[:5] == theirs[:5] and ours[6:] == theirs[6:]


@pytest.mark.parametrize("rank", [0, 1])
def test_other_data_in_a_process_are_refused_by_all(told, rank):
    error = told["other data", rank]
    assert error["error"] == "ValueError"
    assert error["message"].startswith(
        "all processes must be given the same training data, got other data"
    )


@pytest.mark.parametrize("rank", [0, 1])
def test_checkpoints_that_not_all_can_read_are_refused_by_all(told, rank):
    error = told["elsewhere", rank]
    assert error["error"] == "ValueError"
    *_, (epoch, *_), _ = told["kept", 0]["history"]
    assert error["message"].startswith(
        f"all processes must go on after the same epoch, got epochs {epoch}, "
        "0; let checkpoint_dir be a folder that all of them can read"
    )


def test_an_error_of_the_first_process_ends_all(done, told):
    assert told["unable", 0]["error"] == "OverflowError"
    assert told["unable", 1]["error"] == "RuntimeError"
    assert (
        "the first process must do its part of the training, got "
        "'OverflowError: a round too many' there"
        in told["unable", 1]["message"]
    )
    assert done.returncode != 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process can fork")
@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize(
    "strategy, name",
    [
        ("ddp_spawn", "spawn"),
        ("ddp_fork", "fork"),
        ("ddp_notebook", "fork"),
    ],
)
def test_processes_that_do_not_run_the_script_are_refused(
    strategy, name, devices
):
    """They would take with them what they learned of anomalies."""
    data, _ = dataset("univariate", num_series=1, length=80)
    wrapped = CASES["SimpleFeedForward"].make(
        callbacks=[NoTraining()],
        accelerator="cpu",
        devices=devices,
        strategy=strategy,
    )

    with pytest.raises(
        ValueError,
        match=f"strategy='ddp'.*, got DDPStrategy by '{name}'; train in a",
    ):
        LAIEstimator(wrapped).train(data)


def test_a_network_that_is_parted_among_processes_is_refused():
    data, _ = dataset("univariate", num_series=1, length=80)
    wrapped = CASES["SimpleFeedForward"].make(
        callbacks=[NoTraining()],
        accelerator="cpu",
        devices=2,
        strategy=ModelParallelStrategy(),
    )

    with pytest.raises(ValueError, match="got ModelParallelStrategy; train"):
        LAIEstimator(wrapped).train(data)

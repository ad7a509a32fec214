"""
From a file to a model, by any forecaster.
"""

import json
import logging
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from gluonts_lai import GaussianMixture, LAIPredictor
from gluonts_lai.cli.catalogue import (
    MX,
    NAMES,
    NEITHER,
    TORCH,
    Facts,
    forecaster,
)
from gluonts_lai.cli.train import train

from .conftest import TRAIN, process, run

FACTS = Facts("h", 24, 6, num_series=2, num_dims=3, has_negative=False)
# What no file of series tells, or what nobody has.
TOLD = {"deepvar-hierarchical": {"S": [[1, 1], [1, 0], [0, 1]]}}
ABSENT = {"mqf2", "tree"}

needs = {
    backend: pytest.mark.skipif(
        find_spec(framework) is None, reason=f"{framework} is not installed"
    )
    for backend, framework in (("torch", "torch"), ("mx", "mxnet"))
}

each = [pytest.param(backend, marks=needs[backend]) for backend in needs]


def each_of(names, backend):
    for name in names:
        yield pytest.param(name, backend, marks=needs[backend])


@pytest.mark.parametrize(
    "name, backend", [*each_of(TORCH, "torch"), *each_of(MX, "mx")]
)
def test_every_short_name_is_an_estimator(name, backend):
    try:
        made = forecaster(name, backend, FACTS, 7, TOLD.get(name, {}))
    except ValueError as error:
        if name not in ABSENT:
            raise
        pytest.skip(str(error))

    assert type(made).__module__.startswith(f"gluonts.{backend}.")
    trained_for = getattr(made, "trainer_kwargs", {}).get("max_epochs")
    trained_for = trained_for or getattr(made, "epochs", None)
    assert (trained_for or made.trainer.epochs) == 7


@pytest.mark.parametrize("name", sorted(NEITHER))
def test_short_names_of_no_framework_ask_for_nothing(name):
    if name == "tree":
        pytest.importorskip("lightgbm")

    assert forecaster(name, None, FACTS, 7, {}).prediction_length == 6


def test_the_help_names_them_all():
    text = " ".join(train.help.split())
    for name in NAMES:
        assert f" {name}" in text


@needs["torch"]
def test_hyperparameters_overrule_the_rest():
    made = forecaster(
        "deepar",
        "torch",
        FACTS,
        7,
        {"context_length": 9, "trainer_kwargs": {"max_epochs": 2}},
    )

    assert made.context_length == 9
    assert made.trainer_kwargs["max_epochs"] == 2
    assert made.trainer_kwargs["enable_progress_bar"] is False


def test_what_must_be_told_is_asked_for():
    pytest.importorskip("mxnet")
    with pytest.raises(ValueError, match="must be told S; give --hyper"):
        forecaster("deepvar-hierarchical", "mx", FACTS, 7, {})


def test_a_name_of_the_other_backend_is_refused():
    with pytest.raises(ValueError, match="must be trained with --backend mx"):
        forecaster("nbeats", "torch", FACTS, 7, {})


@pytest.mark.parametrize("backend", each)
def test_a_model_is_trained_and_described(backend, readings):
    done = run(
        *("train", readings, "--out", "model", "--json"),
        *("--history", "rounds.csv", "--backend", backend, *TRAIN),
    )

    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["num_series"] == 2 and told["num_points"] == 480
    assert told["freq"] == "h" and 0 < told["p_stay"] < 1
    assert "Learned from 480 points of 2 series." in done.stderr
    assert "The model is in model." in done.stderr
    assert sorted(os.listdir()) == ["model", "rounds.csv"]
    assert "share_flagged" in pd.read_csv("rounds.csv")


@needs["torch"]
def test_anomalies_may_lie_around_a_few_values(readings):
    done = run(
        *("train", readings, "--out", "model", "--anomalous", "mixture"),
        *TRAIN,
    )

    assert done.exit_code == 0, done.stderr
    learned = LAIPredictor.deserialize(Path("model")).anomalous
    assert learned == GaussianMixture()


def test_a_dotted_name_is_any_forecaster(readings):
    done = run(
        *("train", readings, "--out", "model", "--quiet", "--estimator"),
        "gluonts.model.seasonal_naive.SeasonalNaivePredictor",
        *("--hyperparameters", '{"season_length": 12}'),
    )

    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    base = Path("model/base/predictor.json").read_text()
    assert '"season_length": 12' in base


def test_the_same_seed_gives_the_same_model(readings):
    how = ["--estimator", "seasonal-naive"]
    for name in ("one", "two"):
        run("train", readings, "--out", name, *how)

    one, two = (Path(name, "lai.json").read_text() for name in ("one", "two"))
    assert one == two


def test_a_model_is_replaced_only_if_asked(readings, naive):
    how = ["--estimator", "seasonal-naive", "--prediction-length", 3]
    assert run("train", readings, "--out", "m", *how).exit_code == 0
    before = Path("m/lai.json").stat().st_ino

    assert run("train", readings, "--out", "m", *how).exit_code == 1
    assert Path("m/lai.json").stat().st_ino == before
    done = run("train", readings, "--out", "m", "--overwrite", *how)

    assert done.exit_code == 0 and Path("m/lai.json").stat().st_ino != before


def test_cautions_of_the_library_are_passed_on(readings, naive):
    text = readings.read_text() + "short,2024-01-01 00:00:00,1\n"
    Path("more.csv").write_text(text)

    done = run("train", "more.csv", "--out", "m", "--estimator", "npts")

    assert done.exit_code == 0, done.stderr
    assert "Note: 1 series that never change" in done.stderr


class CtrlC(logging.Handler):
    """Presses Ctrl-C as soon as there is something to press it at."""

    def emit(self, record):
        os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("backend", each)
def test_ctrl_c_leaves_nothing(backend, readings, tmp_path):
    """Trainers of both frameworks would catch a KeyboardInterrupt."""
    em, hand = logging.getLogger("gluonts_lai.em"), CtrlC()
    em.addHandler(hand)
    try:
        done = run(
            *("train", readings, "--out", "model", "--backend", backend),
            *("--history", "rounds.csv", *TRAIN),
        )
    finally:
        em.removeHandler(hand)

    assert done.exit_code == 130 and done.stdout == ""
    assert done.stderr.endswith("\nStopped.\n")
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_talk_is_on_stderr_and_results_on_stdout(readings, naive):
    done = process("detect", readings, "--model", naive, "--segments")
    quiet = process("detect", readings, "--model", naive, "--segments", "-q")

    assert done.stdout.startswith("item_id,start,end,length,peak_prob")
    assert "2 series, 480 points" in done.stderr
    assert done.returncode == 0 and "%" not in done.stderr  # no bars
    assert (quiet.stdout, quiet.stderr) == (done.stdout, "")


def test_help_answers_without_anything_heavy():
    heavy = ["gluonts", "matplotlib", "mxnet", "numpy", "pandas", "torch"]
    script = (
        "import sys\n"
        "from gluonts_lai.cli import main\n"
        "try: main(['train', '--help'])\n"
        "finally: print([m for m in sys.argv[1:] if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *heavy], capture_output=True, text=True
    )

    assert done.stdout.endswith("\n[]\n"), done.stdout[-200:] + done.stderr


@pytest.mark.parametrize(
    "command",
    "demo train detect forecast clean evaluate watch report".split(),
)
def test_every_command_teaches(command):
    text = run(command, "--help").stdout

    assert "Options:" in text and "--debug" in text
    assert command == "demo" or f"gluonts-lai {command}" in text

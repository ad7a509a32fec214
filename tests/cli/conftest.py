"""
Files as users have them, and models trained on one of them by the command.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from gluonts_lai.cli import main

FRAMEWORKS = {"torch": "torch", "mx": "mxnet", "naive": "gluonts"}
TRAIN = ["--context-length", "24", "--prediction-length", "6", "--epochs", "3"]
NAIVE = ["--estimator", "seasonal-naive", "--prediction-length", "6"]
SPIKES = {"a": [100, 200, 201], "b/c": [150]}


def run(*arguments, **options):
    """The command, in this process."""
    try:
        runner = CliRunner(mix_stderr=False)
    except TypeError:  # click 8.2 never mixes them
        runner = CliRunner()
    return runner.invoke(main, [str(a) for a in arguments], **options)


def process(*arguments, **options):
    """The command as it was installed, in a process of its own."""
    command = Path(sys.executable).parent / "gluonts-lai"
    return subprocess.run(
        [command, *map(str, arguments)],
        capture_output=True,
        text=True,
        **options,
    )


def series(name, length=240):
    """A day's rhythm of hours, with outliers."""
    rng = np.random.default_rng(len(name))
    values = 10 + 3 * np.sin(np.arange(length) * 2 * np.pi / 24)
    values += rng.normal(scale=0.2, size=length)
    spikes = [t for t in SPIKES[name] if t < length]
    values[spikes] += 15
    times = pd.date_range("2024-01-01", periods=length, freq="h")
    labels = np.isin(np.arange(length), spikes).astype(int)
    return pd.DataFrame(
        {
            "item_id": name,
            "timestamp": times,
            "value": values.round(3),
            "label": labels,
        }
    )


@pytest.fixture(scope="session")
def readings(tmp_path_factory):
    """A long CSV file of two series."""
    path = tmp_path_factory.mktemp("readings") / "readings.csv"
    both = pd.concat([series("a"), series("b/c")])
    both.drop(columns="label").to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def labelled(tmp_path_factory):
    """The same with a column of labels."""
    path = tmp_path_factory.mktemp("labelled") / "labelled.csv"
    pd.concat([series("a"), series("b/c")]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def models(readings, tmp_path_factory):
    """Models by backend, each trained when it is first asked for."""
    folder, trained = tmp_path_factory.mktemp("models"), {}

    def model(backend):
        if find_spec(FRAMEWORKS[backend]) is None:
            pytest.skip(f"{FRAMEWORKS[backend]} is not installed")
        if backend not in trained:
            how = (
                NAIVE if backend == "naive" else [*TRAIN, "--backend", backend]
            )
            trained[backend] = folder / backend
            done = run("train", readings, "--out", trained[backend], *how)
            assert done.exit_code == 0, done.stderr
        return trained[backend]

    return model


@pytest.fixture(scope="session", params=["torch", "mx", "naive"])
def model(request, models):
    """A model of each kind."""
    return models(request.param)


@pytest.fixture(scope="session")
def naive(models):
    """A model that needs no framework."""
    return models("naive")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """Whatever is written without a place is written there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

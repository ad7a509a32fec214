"""
The page about the command line: its commands run as they are written.
"""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gluonts_lai.cli.train import train

from .conftest import run

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"


def pump(name, level, rng):
    """A month of hours, with a few incidents."""
    hours = np.arange(700)
    pressure = level + 4 * np.sin(hours * 2 * np.pi / 24)
    pressure += rng.normal(scale=0.5, size=700)
    broken = np.isin(hours, [150, 333, 500, 501, 502, 620])
    times = pd.date_range("2024-03-01", periods=700, freq="h")
    return pd.DataFrame(
        {
            "sensor": name,
            "time": times,
            "pressure": pressure + 12 * broken,
            "broken": broken.astype(int),
        }
    )


@pytest.fixture
def files():
    """What the page begins with."""
    rng = np.random.default_rng(0)
    pumps = pd.concat([pump("north", 20, rng), pump("south", 35, rng)])
    pumps.drop(columns="broken").to_csv("pumps.csv", index=False)
    pumps.drop(columns="pressure").to_csv("incidents.csv", index=False)
    times = pd.date_range("2024-03-30 04:00", periods=3, freq="h")
    today = pd.DataFrame({"sensor": "north", "time": times, "pressure": 39.0})
    today.to_csv("today.csv", index=False)


def commands():
    """The commands of the page, each with the file that it reads from."""
    for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL):
        for line in block.splitlines():
            *before, command = line.split(" | ")
            source = before[0].removeprefix("cat ") if before else None
            yield source, shlex.split(command)


def test_its_commands_run_as_they_are_written(files, monkeypatch):
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    pytest.importorskip("plotly")
    (epochs,) = (option for option in train.params if option.name == "epochs")
    monkeypatch.setattr(epochs, "default", 5)
    said = {}
    for source, (program, name, *arguments) in commands():
        assert program == "gluonts-lai"
        text = Path(source).read_text() if source else None

        done = run(name, *arguments, input=text)

        assert done.exit_code == 0, done.stderr
        said[name] = done
    assert list(said) == [
        *("train", "detect", "report", "clean", "forecast"),
        *("evaluate", "watch"),
    ]
    assert "2 series, 1,400 points; long, one" in said["train"].stderr
    assert len(said["detect"].stdout.splitlines()) > 6
    assert '"is_anomaly": true' in said["watch"].stdout
    for name in (
        *("model", "anomalies.csv", "pictures/north.png", "report.html"),
        *("clean.csv", "forecast.csv", "state.json"),
    ):
        assert Path(name).exists()

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from gluonts_lai import __version__
from gluonts_lai.cli import main

needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="matplotlib is not installed"
)


def gluonts_lai(*arguments, **options):
    """The command as it was installed."""
    command = Path(sys.executable).parent / "gluonts-lai"
    return subprocess.run(
        [command, *arguments], capture_output=True, text=True, **options
    )


@needs_matplotlib
@pytest.mark.skipif(
    find_spec("mxnet") is None, reason="mxnet is not installed here"
)
def test_the_demo_prints_a_table_and_draws_a_picture(tmp_path):
    done = gluonts_lai("demo", cwd=tmp_path)

    assert done.returncode == 0 and done.stderr == ""
    assert "P(1→1), it goes on" in done.stdout
    assert "The picture is in demo.png." in done.stdout
    picture = (tmp_path / "demo.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 30_000
    assert os.listdir(tmp_path) == ["demo.png"]


@needs_matplotlib
@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--out", "picture.xyz"], "Error: a picture must end in one of"),
        (["--seed", "-1"], "Error: Invalid value for '--seed': -1"),
    ],
)
def test_a_mistake_gets_no_traceback(arguments, message):
    done = CliRunner().invoke(main, ["demo", *arguments])

    assert done.exit_code > 0 and message in done.output
    assert "Traceback" not in done.output


@needs_matplotlib
def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    done = gluonts_lai("demo", "--out", str(tmp_path / "no" / "demo.png"))

    assert done.returncode == 1
    assert done.stderr.startswith("Error: ") and done.stderr.count("\n") == 1
    assert "no/demo.png" in done.stderr


def test_a_missing_matplotlib_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    done = CliRunner().invoke(main, ["demo"])

    assert done.exit_code == 1
    assert "pip install 'gluonts-lai[plot]'" in done.output


@needs_matplotlib
def test_a_missing_mxnet_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mxnet", None)
    out = str(tmp_path / "demo.png")

    done = CliRunner().invoke(main, ["demo", "--out", out])

    assert done.exit_code == 1
    assert "pip install 'gluonts-lai[mxnet]'" in done.output
    assert os.listdir(tmp_path) == []


def test_the_version_is_that_of_the_package():
    assert __version__ in CliRunner().invoke(main, ["--version"]).output

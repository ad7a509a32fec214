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
@pytest.mark.parametrize(
    "backend, framework", [("mx", "mxnet"), ("torch", "torch")]
)
def test_the_demo_prints_a_table_and_draws_a_picture(
    backend, framework, tmp_path
):
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    done = gluonts_lai("demo", "--backend", backend, cwd=tmp_path)

    assert done.returncode == 0
    assert done.stderr == "The picture is in demo.png.\n"
    assert "P(1→1), it goes on" in done.stdout
    picture = (tmp_path / "demo.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 30_000
    assert os.listdir(tmp_path) == ["demo.png"]


@needs_matplotlib
@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--out", "picture.xyz"], "Error: a picture must end in one of"),
        (["--seed", "-1"], "Error: Invalid value for '--seed': -1"),
        (["--backend", "jax"], "'jax' is not one of 'mx', 'torch'"),
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
@pytest.mark.parametrize(
    "backend, framework", [("mx", "mxnet"), ("torch", "torch")]
)
def test_a_missing_framework_says_how_to_get_it(
    backend, framework, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, framework, None)
    out = str(tmp_path / "demo.png")

    done = CliRunner().invoke(
        main, ["demo", "--backend", backend, "--out", out]
    )

    assert done.exit_code == 1
    assert f"pip install 'gluonts-lai[{framework}]'" in done.output
    assert os.listdir(tmp_path) == []


@needs_matplotlib
def test_without_mxnet_the_demo_is_on_torch(tmp_path, monkeypatch):
    asked = []

    def run(seed, backend):
        asked.append(backend)
        raise ValueError("no need to train")

    pytest.importorskip("torch")
    monkeypatch.setitem(sys.modules, "mxnet", None)
    monkeypatch.setattr("gluonts_lai.demo.run", run)

    done = CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "a.png")])

    assert "no need to train" in done.output
    assert asked == ["torch"]


def test_the_version_is_that_of_the_package():
    assert __version__ in CliRunner().invoke(main, ["--version"]).output

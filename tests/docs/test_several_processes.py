"""
The script of docs/several_processes.md does what the page says.
"""

import os
import subprocess
import sys

import pytest

from gluonts_lai import LAIPredictor

from .pages import ROOT, scripts_of

PAGE = "docs/several_processes.md"
SCRIPTS = scripts_of(PAGE)
PATIENCE = 300  # seconds; a busy machine takes its time to load a framework


def test_two_processes_print_what_the_page_says(tmp_path):
    pytest.importorskip("torch")
    (script,) = SCRIPTS.values()
    (tmp_path / "together.py").write_text(script.source, "utf-8")
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "together.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )

    assert done.returncode == 0, done.stderr
    assert "Starting with 2 processes" in done.stderr
    assert done.stdout == script.printed
    LAIPredictor.deserialize(tmp_path / "model")

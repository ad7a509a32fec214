"""
CONTRIBUTING.md is as right as the code that it shows.
"""

import doctest
import re
from contextlib import redirect_stdout
from io import StringIO

import pytest
from gluonts.env import env

from .pages import ROOT, scripts_of

PAGE = "CONTRIBUTING.md"
TEXT = (ROOT / PAGE).read_text("utf-8")
SCRIPTS = scripts_of(PAGE)


def run(name):
    """The names that a script leaves behind, and what it printed."""
    names, printed = {"__name__": "script"}, StringIO()
    with redirect_stdout(printed), env._let(use_tqdm=False):
        exec(compile(SCRIPTS[name].source, name, "exec"), names)
    return names, printed.getvalue()


def test_it_shows_how_to_add_each_of_three_things():
    assert list(SCRIPTS) == ["estimator.py", "dropout.py", "specificity.py"]
    assert TEXT.count("```python") == len(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_its_python_prints_what_it_says(name):
    assert run(name)[1] == SCRIPTS[name].printed


def test_the_example_in_its_docstring_is_right():
    names, _ = run("specificity.py")
    tests = doctest.DocTestFinder().find(names["specificity"], globs=names)

    failed, tried = doctest.DocTestRunner().run(*tests)

    assert (failed, tried) == (0, 1)


def test_its_density_keeps_to_the_rules_of_densities():
    from tests.anomalous.test_densities import integral

    model = run("dropout.py")[0]["Dropout"]().fit([20.0, 21.0, 19.0, 0.0])

    # What numerical integration is good for.
    assert integral(model, 0.0, 1.0, [0.0]) == pytest.approx(1, abs=1e-6)


def test_the_tree_has_every_part():
    parts = (ROOT / "gluonts_lai").glob("*/__init__.py")
    table = TEXT[: TEXT.index("## Environments")]

    for part in parts:
        assert f"`{part.parent.name}/`" in table


def test_commands_and_files_exist():
    targets = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"`make ([\w-]+)`", TEXT):
        assert re.search(rf"^{target}[ \w-]*:", targets, re.M), target
    for path in re.findall(r"`((?:tests|gluonts_lai)/[\w/]*(?:\.py)?)`", TEXT):
        assert (ROOT / path).exists(), path

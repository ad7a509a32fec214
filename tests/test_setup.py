"""
The house: what it is built with, and what it says where it cannot be built.
"""

import re
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parent.parent
ENDS = ["constraints.txt", "constraints-next.txt"]
PACKAGES = [
    "click",
    "ipykernel",
    "jinja2",
    "joblib",
    "matplotlib",
    "nbclient",
    "nbformat",
    "numba",
    "numpy",
    "plotly",
    "pyarrow",
    "scikit-learn",
    "scipy",
    "selenium",
    "threadpoolctl",
]


def pins(name):
    """Package → version of the lines ``package==version``."""
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


def test_the_versions_that_are_pinned_are_those_that_are_tested():
    here = {"gluonts": version("gluonts"), "numpy": version("numpy")}

    ends = [{name: pins(end)[name] for name in here} for end in ENDS]

    assert here in ends


@pytest.mark.parametrize("package", PACKAGES)
def test_bounds_are_no_wider_than_what_was_tried(package):
    declared = next(
        requirement.specifier
        for requirement in map(Requirement, requires("gluonts-lai"))
        if requirement.name == package and len(requirement.specifier) == 2
    )
    lowest, newest = (Version(pins(end)[package]) for end in ENDS)

    lower = {str(s) for s in declared if s.operator == ">="}
    upper = next(Version(s.version) for s in declared if s.operator == "<")
    assert lower == {f">={lowest}"}
    assert newest in declared
    assert (upper.major, upper.minor) == (newest.major, newest.minor + 1)


def test_no_pytorch_is_installed_that_unpickles_weights():
    # Before 2.6 it does if it is not told otherwise, as by gluonts 0.16.2.
    bounds = [
        requirement.specifier
        for requirement in map(Requirement, requires("gluonts-lai"))
        if requirement.name == "torch"
    ]
    assert bounds and "2.5.1" not in bounds[0] and "2.6.0" in bounds[0]


def make_environment(folder, *arguments, **options):
    return subprocess.run(
        ["sh", ROOT / ".ci" / "venv", folder, *arguments],
        capture_output=True,
        text=True,
        **options,
    )


def test_a_python_that_cannot_work_is_named_in_one_line(tmp_path):
    folder = tmp_path / "env"

    done = make_environment(folder, "2.1 2.0", "MXNet")

    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(
        r"MXNet needs Python 2.1 or 2.0 with pip and venv, but python3 "
        r"(is \d.\d+|does not run); install one \(with its venv package\) or "
        r"call make PYTHON=/path/to/it.\n",
        done.stderr,
    )
    assert not folder.exists()


@pytest.mark.parametrize(
    "python, found",
    [
        ("true", "does not run; install"),
        ("no-such-python", "does not run; install"),
        (sys.executable, "is {}.{}; install".format(*sys.version_info)),
    ],
)
def test_a_python_that_was_chosen_is_named(tmp_path, python, found):
    done = make_environment(tmp_path / "env", "2.0", "MXNet", python)

    assert done.returncode == 1
    assert done.stderr.startswith(
        "MXNet needs Python 2.0 with pip and venv, but "
        f"PYTHON={python} {found}"
    )
    assert done.stderr.count("\n") == 1

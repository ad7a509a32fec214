"""
What an import costs, seen from a fresh process.
"""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

import gluonts_lai
from gluonts_lai.nominal.backend import require

HEAVY = ["matplotlib", "mxnet", "numba", "pandas", "sklearn", "torch"]

REPORT = """
import json, sys, time
import gluonts
begin = time.perf_counter()
{statement}
middle = time.perf_counter()
loaded = [name for name in {heavy} if name in sys.modules]
import pandas
end = time.perf_counter()
print(json.dumps([loaded, middle - begin, end - middle]))
"""


def fresh(script):
    """Run a script in a new Python; return what it printed last."""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_importing_the_package_loads_nothing_heavy():
    script = REPORT.format(statement="import gluonts_lai", heavy=HEAVY)

    loaded, ours, pandas = json.loads(fresh(script))

    assert loaded == []
    # pandas, which every user of GluonTS waits for, takes about 0.3 s.
    assert ours < pandas / 2


@pytest.mark.parametrize("name", sorted(set(gluonts_lai.__all__)))
def test_every_public_name_is_there_and_loads_no_framework(name):
    statement = f"from gluonts_lai import {name}"
    script = REPORT.format(statement=statement, heavy=["mxnet", "torch"])

    assert json.loads(fresh(script))[0] == []


def test_parts_are_there_after_importing_the_whole():
    script = "import gluonts_lai; print(gluonts_lai.indicator.filter_chain)"

    assert fresh(script).startswith("<function filter_chain")


def test_names_that_do_not_exist_are_named():
    with pytest.raises(AttributeError, match="no attribute 'LAIEstimatr'"):
        _ = gluonts_lai.LAIEstimatr
    assert set(gluonts_lai.__all__) <= set(dir(gluonts_lai))


@pytest.mark.parametrize(
    "package, framework, pythons",
    [("mx", "mxnet", "3.10 or 3.11"), ("torch", "torch", "3.10 to 3.13")],
)
def test_a_missing_backend_says_how_to_get_it(package, framework, pythons):
    hide = f"import sys; sys.modules[{framework!r}] = None; "
    hide = hide if find_spec(framework) else ""

    message = fresh(f"{hide}import gluonts_lai.{package}")

    version = "{}.{}".format(*sys.version_info)
    assert message.startswith(f"ImportError: {framework} cannot be imported")
    assert f"pip install 'gluonts-lai[{framework}]' on Python {pythons}" in (
        message
    )
    assert message.endswith(f"(this is Python {version}).")


def test_a_backend_that_breaks_says_how_to_get_it(tmp_path, monkeypatch):
    # As an mxnet beside a numpy that is too new for it.
    (tmp_path / "mxnet.py").write_text("import numpy; numpy.bool_of_old")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mxnet", raising=False)

    with pytest.raises(
        ImportError, match="bool_of_old.*pip install"
    ) as caught:
        require("mxnet")

    assert isinstance(caught.value.__cause__, AttributeError)


@pytest.mark.parametrize(
    "package, framework", [("mx", "mxnet"), ("torch",) * 2]
)
def test_a_backend_that_is_there_loads(package, framework):
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed here")

    loaded = fresh(f"import gluonts_lai.{package}, sys; print(*sys.modules)")

    assert framework in loaded.split()

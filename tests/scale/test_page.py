"""
The scripts of docs/scale.md print what the page says, on every engine.
"""

import runpy
import sys
from contextlib import redirect_stdout
from io import StringIO

import pytest

from tests.docs.pages import ROOT, scripts_of

PAGE = "docs/scale.md"
SCRIPTS = scripts_of(PAGE)
# Where the page connects to a cluster, the tests have one already.
SCHEDULER = '"tcp://scheduler:8786"'
RAY = 'ray.init("auto")'

pytestmark = pytest.mark.filterwarnings("ignore")


def run(name, folder, **replaced):
    """What a script prints, as if it had been started in a folder."""
    source = SCRIPTS[name].source
    for old, new in replaced.items():
        assert old in source
        source = source.replace(old, new)
    (folder / name).write_text(source, "utf-8")
    printed = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        patch.delitem(sys.modules, "many", raising=False)
        try:
            runpy.run_path(name, run_name="__main__")
        finally:
            sys.modules.pop("many", None)
    return printed.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the model has been trained."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("many")
    assert run("many.py", folder) == SCRIPTS["many.py"].printed
    return folder


def test_all_python_of_the_page_is_run():
    text = (ROOT / PAGE).read_text("utf-8")

    assert text.count("```python") == len(SCRIPTS)
    assert {*SCRIPTS} == {
        *("many.py", "cost.py"),
        *("on_loky.py", "on_dask.py", "on_ray.py", "on_spark.py"),
    }


@pytest.mark.parametrize("name", ["on_loky.py", "cost.py"])
def test_what_needs_no_cluster(name, folder):
    assert run(name, folder) == SCRIPTS[name].printed


def test_dask(folder, dask_engine):
    from distributed import default_client

    address = default_client().scheduler.address
    printed = run("on_dask.py", folder, **{SCHEDULER: repr(address)})

    assert printed == SCRIPTS["on_dask.py"].printed


def test_ray(folder, ray_engine):
    printed = run("on_ray.py", folder, **{RAY: "assert ray.is_initialized()"})

    assert printed == SCRIPTS["on_ray.py"].printed


def test_spark(folder, session):
    assert run("on_spark.py", folder) == SCRIPTS["on_spark.py"].printed

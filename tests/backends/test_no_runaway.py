"""
EM finds spikes, and stops there.

Three of the seeds of ``benchmarks/no_runaway.py``, with half its epochs; it
has more of them.
"""

import logging
import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest
from gluonts.env import env

ROOT = Path(__file__).parents[2]
flagged = runpy.run_path(str(ROOT / "benchmarks" / "no_runaway.py"))["flagged"]


@pytest.fixture(
    params=[("mx", "mxnet"), ("torch", "torch")], ids=lambda p: p[0]
)
def backend(request):
    backend, framework = request.param
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    return backend


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rate", [0.0, 0.01, 0.05, 0.15])
def test_no_more_is_flagged_than_is_wrong(backend, rate, seed, caplog):
    caplog.set_level(logging.ERROR)
    with env._let(use_tqdm=False):
        share, true, recall = flagged(
            rate, seed, horizon=1, epochs=10, backend=backend
        )

    assert share <= 3 * true + 0.01
    if rate in (0.01, 0.05):
        assert recall >= 0.8

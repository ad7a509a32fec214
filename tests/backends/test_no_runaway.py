"""
EM finds spikes, and stops there.

Three of the seeds of ``benchmarks/no_runaway.py``, with half its epochs; it
has more of them.
"""

import logging
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
flagged = runpy.run_path(str(ROOT / "benchmarks" / "no_runaway.py"))["flagged"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rate", [0.0, 0.01, 0.05, 0.15])
def test_no_more_is_flagged_than_is_wrong(backend, rate, seed, caplog):
    caplog.set_level(logging.ERROR)
    share, true, recall = flagged(
        rate, seed, horizon=1, epochs=10, backend=backend.name
    )

    assert share <= 3 * true + 0.01
    if rate in (0.01, 0.05):
        assert recall >= 0.8

"""
The compiled loops as part of a process: threads, forks, caches, messages.
"""

import multiprocessing
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gluonts_lai import IndicatorChain
from gluonts_lai.indicator import (
    blocks,
    filter_chain,
    recursion,
    smooth_chain,
)

CHAIN = IndicatorChain(0.1, 0.1, 0.6)


def answers(pair):
    return *filter_chain(CHAIN, *pair), *smooth_chain(CHAIN, *pair)


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(0)
    return rng.normal(scale=3, size=(50, 40)) - 3, np.full((50, 40), -4.0)


@pytest.mark.parametrize("num_points", [1, 100, 450])
@pytest.mark.parametrize("num_threads", [1, 2, 5])
def test_neither_threads_nor_blocks_change_a_bit(
    monkeypatch, pair, num_points, num_threads
):
    expected = answers(pair)
    monkeypatch.setattr(blocks, "NUM_POINTS", num_points)
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", num_threads)

    for ours, reference in zip(answers(pair), expected):
        assert_array_equal(ours, reference)


def test_blocks_run_on_as_many_threads_as_numba_has(monkeypatch):
    import threading

    monkeypatch.setattr(blocks, "NUM_POINTS", 10)
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 3)
    meeting, names = threading.Barrier(3, timeout=30), set()

    def work(rows):
        if threading.current_thread().name not in names:
            names.add(threading.current_thread().name)
            meeting.wait()  # breaks unless all three are there

    blocks.for_each_block(work, (9, 10), num_arrays=0)

    assert len(names) == 3


def test_the_first_error_is_that_of_the_first_series(monkeypatch):
    monkeypatch.setattr(blocks, "NUM_POINTS", 1)
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 2)
    silent = np.zeros((4, 5))
    silent[[1, 2], 3] = -np.inf

    with pytest.raises(ValueError, match="series 1, time 3"):
        smooth_chain(CHAIN, silent, silent)


def put_answers(queue, pair):
    queue.put(filter_chain(CHAIN, *pair).filtered)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_can_go_on(monkeypatch, pair):
    monkeypatch.setattr(blocks, "NUM_POINTS", 100)
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 2)
    expected = filter_chain(CHAIN, *pair).filtered

    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    child = fork.Process(target=put_answers, args=(queue, pair))
    child.start()

    assert_array_equal(queue.get(timeout=60), expected)
    child.join(timeout=60)
    assert child.exitcode == 0


def test_loops_run_where_nothing_can_be_cached():
    namespace = {}
    exec("def first_is_seven(x):\n    x[0] = 7.0", namespace)
    x = np.zeros(2)

    # Code that stands in no file has no place for a cache beside it.
    recursion.compiled(namespace["first_is_seven"])(x)

    assert_array_equal(x, [7.0, 0.0])


QUIET = """
from gluonts_lai import IndicatorChain
from gluonts_lai.indicator import filter_chain
filter_chain(IndicatorChain(), [0.0], [0.0])
"""
LOUD = f"import logging; logging.basicConfig(level=logging.DEBUG)\n{QUIET}"


def run(script, cache):
    return subprocess.run(
        [sys.executable, "-c", script],
        env=dict(os.environ, NUMBA_CACHE_DIR=str(cache)),
        check=True,
        capture_output=True,
        text=True,
    )


def test_compiling_is_told_at_debug_once_and_never_shown(tmp_path):
    first, second = run(LOUD, tmp_path / "a"), run(LOUD, tmp_path / "a")
    quiet = run(QUIET, tmp_path / "b")

    assert "gluonts_lai.indicator.recursion:compiled pass_mes" in first.stderr
    assert "compiled" not in second.stderr
    assert quiet.stdout == quiet.stderr == ""

"""
What benchmarks stand on: cells that are measured once, and a fair rival.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def at_home(monkeypatch):
    """Benchmarks import one another, as scripts in one folder do."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    for name in ("OMP", "MKL", "NUMBA"):
        monkeypatch.setenv(f"{name}_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")


@pytest.fixture
def cells(recwarn):
    import cells

    return cells


def doubled(cell):
    if cell["x"] < 0:
        raise ValueError("x must not be negative")
    return {"y": 2 * cell["x"]}


def test_a_cell_is_measured_once(cells, tmp_path):
    calls = []

    def counted(cell):
        calls.append(cell)
        return doubled(cell)

    ledger = cells.Ledger(tmp_path / "new" / "results.jsonl")
    cells.fill(ledger, [{"x": 1}, {"x": 2}, {"x": 1}], counted)
    assert calls == [{"x": 1}, {"x": 2}]

    again = cells.Ledger(ledger.path)
    cells.fill(again, [{"x": 2}, {"x": 3}], counted)

    assert calls[2:] == [{"x": 3}]
    assert [again.get({"x": x})["y"] for x in (1, 2, 3)] == [2, 4, 6]
    assert again.get({"x": 4}) is None and {"x": 4} not in again


def test_a_line_that_was_cut_off_is_measured_again(cells, tmp_path):
    ledger = cells.Ledger(tmp_path / "results.jsonl")
    cells.fill(ledger, [{"x": 1}, {"x": 2}], doubled)
    text = ledger.path.read_text()
    ledger.path.write_text(text[:-10])

    again = cells.Ledger(ledger.path)
    assert {"x": 1} in again and {"x": 2} not in again
    cells.fill(again, [{"x": 2}], doubled)

    assert cells.Ledger(ledger.path).get({"x": 2})["y"] == 4


def test_a_cell_that_fails_is_named_and_stops_no_other(cells, tmp_path, capfd):
    ledger = cells.Ledger(tmp_path / "results.jsonl")
    cells.fill(ledger, [{"x": -1}, {"x": 5}], doubled)

    assert ledger.get({"x": 5})["y"] == 10
    assert {"x": -1} not in ledger
    said = capfd.readouterr().err
    assert 'failed: {"x": -1}' in said and "must not be negative" in said


def test_figures_may_be_undefined(cells, tmp_path):
    ledger = cells.Ledger(tmp_path / "results.jsonl")
    ledger.add({"x": 1}, {"y": float("nan")})

    assert np.isnan(cells.Ledger(ledger.path).get({"x": 1})["y"])


def test_workers_find_the_same(cells, tmp_path):
    ledger = cells.Ledger(tmp_path / "results.jsonl")
    # A function that workers can import.
    cells.fill(ledger, [{"values": [1, 2]}, {"values": [3]}], json_of, jobs=2)

    assert ledger.get({"values": [3]})["text"] == '{"values": [3]}'


def json_of(cell):
    return {"text": json.dumps(cell)}


def hampel_by_definition(values, window, num_sigmas, centred):
    """Each point on its own, in a window cut short by the ends."""
    ahead = (window - 1) // 2 if centred else 0
    cleaned = values.copy()
    for t in range(len(values)):
        begin = max(0, t - (window - 1 - ahead))
        seen = values[begin : t + ahead + 1]
        seen = seen[~np.isnan(seen)]
        if not len(seen) or np.isnan(values[t]):
            continue
        median = np.median(seen)
        sd = 1.4826 * np.median(np.abs(seen - median))
        if sd > 0 and abs(values[t] - median) > num_sigmas * sd:
            cleaned[t] = median
    return cleaned


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("centred", [False, True])
def test_the_hampel_filter_is_the_one_of_the_books(seed, centred):
    from hampel import hampel

    rng = np.random.default_rng(seed)
    values = rng.standard_t(2, size=80)
    values[rng.random(80) < 0.1] = np.nan
    window = int(rng.integers(1, 20))

    result = hampel(values, window, 2.5, centred=centred)

    expected = hampel_by_definition(values, window, 2.5, centred)
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    assert (result[~np.isnan(values)] != values[~np.isnan(values)]).any() or (
        window < 3
    )


def test_a_causal_filter_does_not_look_ahead():
    from hampel import hampel

    values = np.random.default_rng(0).standard_t(2, size=60)
    whole = hampel(values, 9)
    for t in (1, 20, 59):
        np.testing.assert_array_equal(hampel(values[:t], 9), whole[:t])


def test_the_script_says_what_is_missing_in_one_sentence(tmp_path):
    environment = {**os.environ, "GLUONTS_LAI_DATA": ""}
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "paper.py", "table3"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )

    assert done.returncode == 1 and not list(tmp_path.iterdir())
    assert "the folder of 'electricity' must be known" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("backend", ["mx", "torch"])
def test_the_speed_of_an_e_step_is_measured(backend, tmp_path):
    pytest.importorskip({"mx": "mxnet"}.get(backend, backend))

    done = subprocess.run(
        [sys.executable, BENCHMARKS / "training_cost.py", "--e-step"]
        + ["--backend", backend, "--turns", "1"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )

    name, speed, *unit = done.stdout.split()
    assert name == backend and unit == ["points", "a", "second"]
    assert int(speed.replace(",", "")) > 0

"""
What a user may do wrong: one sentence, and nothing is left behind.
"""

import json
import shutil
import sys
from pathlib import Path

import pytest

from .conftest import run

HEADER = "timestamp,value\n"
HOURS = [f"2024-01-01 {hour:02}:00,{hour}.5\n" for hour in range(24)]


def lines(*replaced):
    """A good file of hours, but for some of its lines (the header is 1)."""
    text = [HEADER, *HOURS]
    for number, line in replaced:
        text[number - 1] = line
    return "".join(text)


BAD = {
    "a missing column": (
        "when,value\nmonday,1\ntuesday,2\n",
        ["timestamp", "'when'", "--timestamp"],
    ),
    "no value column": ("timestamp\n2024-01-01\n2024-01-02\n", ["--value"]),
    "mixed frequencies": (
        "item_id,timestamp,value\n"
        + "".join(f"a,2024-01-01 {h:02}:00,1\n" for h in range(24))
        + "".join(f"b,2024-01-{d:02},1\n" for d in range(1, 25)),
        ["'a'", "'b'", "freq"],
    ),
    "duplicate timestamps": (
        lines((7, HOURS[4])),
        ["line 6", "line 7", "--duplicates"],
    ),
    "text in the value column": (
        lines((12, "2024-01-01 10:00,broken\n")),
        ["'value'", "'broken'", "line 12"],
    ),
    "text in the time column": (
        lines((5, "yesterday,3\n")),
        ["'timestamp'", "'yesterday'", "line 5"],
    ),
    "an empty file": ("", ["empty"]),
    "a header only": (HEADER, ["header"]),
    "one row": (HEADER + HOURS[0], ["--freq"]),
    "a line that stops early": (lines((9, "2024-01-01 07:00\n")), ["line 9"]),
    "an infinite value": (
        lines((4, "2024-01-01 02:00,inf\n")),
        ["'value'", "line 4"],
    ),
    "a year that is a typo": (
        lines((20, "20240-01-01 18:00,1\n")),
        ["'timestamp'", "line 20"],
    ),
    "bytes that are no text": (b"\xff\x00\x01\x02", ["binary"]),
    "text that is not UTF-8": (
        lines().replace("value", "Größe").encode("latin-1"),
        ["UTF-8", "line 1"],
    ),
}


def is_one_sentence(done, *words):
    """Exit code 1, one line on standard error, with all of these words."""
    assert done.exit_code == 1, (done.exit_code, done.stderr, done.exception)
    assert done.stdout == ""
    said = done.stderr.splitlines()
    error = said[-1]
    assert error.startswith("Error: ") and error.endswith(".")
    assert "Traceback" not in done.stderr
    assert not [line for line in said[:-1] if line.startswith("Error")]
    for word in words:
        assert word in error
    return True


@pytest.mark.parametrize("command", ["train", "detect"])
@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_one_sentence(case, command, naive, tmp_path):
    text, words = BAD[case]
    data = text if isinstance(text, bytes) else text.encode()
    (tmp_path / "bad.csv").write_bytes(data)
    outputs = {
        "train": ["--out", "model", "--history", "history.csv"],
        "detect": ["--model", naive, "--out", "found.csv", "--plot", "seen"],
    }

    done = run(command, "bad.csv", *outputs[command])

    assert is_one_sentence(done, "bad.csv", *words)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_a_gap_is_noted_and_missing(naive, tmp_path):
    text = HEADER + "".join(HOURS[:10] + HOURS[13:])
    (tmp_path / "gap.csv").write_text(text)

    done = run("detect", "gap.csv", "--model", naive)

    assert done.exit_code == 0 and "Note: " in done.stderr
    assert "line 11" in done.stderr and "3" in done.stderr
    assert len(done.stdout.splitlines()) == 25
    assert "gap,2024-01-01 11:00:00,," in done.stdout


def test_a_time_zone_is_noted_and_becomes_utc(naive, tmp_path):
    text = HEADER + "".join(
        hour.replace(":00,", ":00+02:00,") for hour in HOURS
    )
    (tmp_path / "zone.csv").write_text(text)

    done = run("detect", "zone.csv", "--model", naive)

    assert done.exit_code == 0
    assert "'timestamp'" in done.stderr and "UTC" in done.stderr
    assert "zone,2023-12-31 22:00:00,0.5" in done.stdout


def test_one_row_is_enough_if_its_frequency_is_said(naive, tmp_path):
    (tmp_path / "one.csv").write_text(HEADER + HOURS[0])

    done = run("detect", "one.csv", "--model", naive, "--freq", "h")

    assert done.exit_code == 0 and len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["detect", "no.csv", "--model", "{model}"], ["no.csv"]),
        (["detect", "{data}", "--model", "nowhere"], ["no nowhere"]),
        (["detect", "{data}", "--model", "."], ["without a model"]),
        (["detect", "{data}", "--model", "{data}"], ["is a file"]),
        (
            ["detect", "{data}", "--model", "{model}", "--freq", "D"],
            ["--duplicates"],
        ),
        (
            ["detect", "{data}", "--model", "{model}", "--out", "a.xls"],
            ["a.xls", ".csv"],
        ),
        (
            ["detect", "{data}", "--model", "{model}", "--out", "no/a.csv"],
            ["no/a.csv", "must exist"],
        ),
        (
            ["detect", "{data}", "--model", "{model}", "--mode", "smooth"]
            + ["--particles", "4"],
            ["mode='filter'"],
        ),
        (["train", "{data}", "--out", "{data}"], ["a file"]),
        (["train", "{data}", "--out", "{model}"], ["--overwrite"]),
        (
            ["train", "{data}", "--out", "m", "--estimator", "deeper"],
            ["'deeper'", "deepar"],
        ),
        (
            ["train", "{data}", "--out", "m", "--estimator", "no.Such"],
            ["'no.Such'"],
        ),
        (
            ["train", "{data}", "--out", "m", "--estimator", "pathlib.Path"],
            ["neither"],
        ),
        (
            ["train", "{data}", "--out", "m", "--hyperparameters", "{"],
            ["--hyperparameters must be JSON"],
        ),
        (
            ["train", "{data}", "--out", "m", "--hyperparameters", "[1]"],
            ["a JSON object"],
        ),
        (
            ["train", "{data}", "--out", "m", "--hyperparameters", "@no.json"],
            ["no.json"],
        ),
        (
            ["train", "{data}", "--out", "m", "--estimator", "seasonal-naive"]
            + ["--hyperparameters", '{"sesaon": 3}'],
            ["'sesaon'", "season_length"],
        ),
        (["evaluate", "{data}"], ["'probability'", "'value'"]),
        (
            ["watch", "--model", "{model}", "--state", "{data}"],
            ["--state", "move it away"],
        ),
    ],
    ids=lambda x: " ".join(x[:1] + x[2:]) if len(x) > 2 else None,
)
def test_a_mistake_is_one_sentence(
    arguments, words, readings, naive, tmp_path
):
    places = {"data": readings, "model": naive}
    arguments = [a.replace("{data}", str(readings)) for a in arguments]
    arguments = [a.replace("{model}", str(places["model"])) for a in arguments]

    assert is_one_sentence(run(*arguments, input=""), *words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["train"],
        ["train", "x.csv"],
        ["detect", "x.csv"],
        ["detect", "x.csv", "--model", "m", "--threshold", "2"],
        ["forecast", "x.csv", "--model", "m", "--quantiles", "0.1,1.5"],
        ["train", "x.csv", "--out", "m", "--backend", "jax"],
        ["nonsense"],
    ],
)
def test_what_is_not_asked_properly_has_code_2(arguments):
    assert run(*arguments).exit_code == 2


def test_another_frequency_is_refused(naive, tmp_path):
    days = "".join(f"2024-01-{day:02},{day}\n" for day in range(1, 29))
    (tmp_path / "days.csv").write_text(HEADER + days)

    done = run("detect", "days.csv", "--model", naive)

    assert is_one_sentence(done, "'h'", "'D'", "resample")


def test_a_damaged_model_is_refused(naive, readings, tmp_path):
    shutil.copytree(naive, "damaged")
    (tmp_path / "damaged" / "lai.json").write_text("{")

    done = run("detect", readings, "--model", "damaged")

    assert is_one_sentence(done, "--model must be whole", "'damaged'")
    assert done.stderr.count("must be whole") == 1


def test_a_model_of_gluonts_alone_is_refused(naive, readings):
    done = run("detect", readings, "--model", naive / "base")

    assert is_one_sentence(done, "SeasonalNaivePredictor", "LAI")


def test_labels_of_other_series_are_refused(labelled, readings, naive):
    run("detect", readings, "--model", naive, "--out", "found.csv")
    text = labelled.read_text().replace("\na,", "\nx,").replace("b/c", "y")
    with open("other.csv", "w") as file:
        file.write(text)

    done = run("evaluate", "found.csv", "other.csv")

    assert is_one_sentence(done, "'x'", "'a'", "names")


def test_other_files_are_never_overwritten(readings, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")

    done = run("train", readings, "--out", "mine", "--overwrite")

    assert is_one_sentence(done, "--overwrite must replace a model")
    assert (tmp_path / "mine" / "thesis.txt").exists()


@pytest.mark.parametrize(
    "module, extra, arguments",
    [
        ("matplotlib.figure", "plot", ["detect", "--plot", "seen"]),
        ("plotly", "report", ["report"]),
        ("pyarrow", "parquet", ["detect", "--out", "found.parquet"]),
    ],
)
def test_what_is_not_installed_is_named(
    module, extra, arguments, readings, naive, monkeypatch, tmp_path
):
    monkeypatch.setitem(sys.modules, module, None)
    command, *options = arguments

    done = run(command, readings, "--model", naive, *options)

    assert is_one_sentence(done, f"pip install 'gluonts-lai[{extra}]'")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("backend", ["torch", "mx"])
def test_a_model_says_which_framework_it_needs(
    backend, naive, readings, monkeypatch
):
    framework = {"torch": "torch", "mx": "mxnet"}[backend]
    shutil.copytree(naive, "model")
    config = {"type": f"gluonts.{backend}.model.predictor.SomePredictor"}
    Path("model/base/gluonts-config.json").write_text(json.dumps(config))
    monkeypatch.setitem(sys.modules, framework, None)

    done = run("detect", readings, "--model", "model")

    assert is_one_sentence(done, f"pip install 'gluonts-lai[{framework}]'")


def test_debug_shows_where_it_went_wrong():
    done = run("detect", "no.csv", "--model", "nowhere", "--debug")

    assert isinstance(done.exception, ValueError)
    assert "nowhere" in str(done.exception)

"""
Tables that somebody has changed.
"""

import gzip
import io
from functools import lru_cache
from importlib.util import find_spec

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from gluonts_lai.cli.arriving import Lines
from gluonts_lai.files import read_series

from .outcome import fair, tries
from .scraps import SCRAPS, changed

TIMES = pd.date_range("2024-01-01", periods=12, freq="h")
LONG = pd.DataFrame(
    {
        "item_id": np.repeat(["pump", "valve"], 6),
        "timestamp": TIMES,
        "value": np.arange(12.0) - 3.5,
        "label": [0, 1, None] * 4,
    }
)
WIDE = pd.DataFrame({"ds": TIMES, "a": 1.5, "b": np.arange(12)})
TEXTS = {
    "long.csv": LONG.to_csv(index=False),
    "wide.csv": WIDE.to_csv(index=False),
    "europe.csv": WIDE.assign(ds=TIMES.strftime("%d.%m.%Y %H:%M")).to_csv(
        index=False, sep=";", decimal=","
    ),
    "unix.tsv": WIDE.assign(ds=TIMES.astype("int64") // 10**9).to_csv(
        index=False, sep="\t"
    ),
    "zone.csv": "time,y\n2024-01-01T00:00+01:00,1\n2024-01-01T01:00Z,2\n",
    "months.csv": "month,y\n202401,1\n202402,2\n202404,3\n",
    "series.jsonl": '{"start": "2024-01-01", "target": [1, null, 3], '
    '"label": [0, 1, 0], "feat_static_cat": [1], '
    '"feat_dynamic_real": [[1, 2, 3]]}\n' * 2,
}
FREQS = [None, "h", "D", "M", "B", "W", "7min", "QE", "0h", "x", "-1h"]


@lru_cache(maxsize=None)
def files():
    """Files as they lie on a disk, by name."""
    found = {name: text.encode() for name, text in TEXTS.items()}
    found["long.csv.gz"] = gzip.compress(found["long.csv"], mtime=0)
    if find_spec("pyarrow") is not None:
        stored = io.BytesIO()
        LONG.to_parquet(stored)
        found["long.parquet"] = stored.getvalue()
    return found


@st.composite
def some_file(draw):
    name = draw(st.sampled_from(sorted(files())))
    return name, draw(changed(files()[name]))


options = st.fixed_dictionaries(
    {},
    optional={
        "freq": st.sampled_from(FREQS),
        "duplicates": st.sampled_from(["mean", "first", "last"]),
        "item_id": st.sampled_from(["item_id", "value", "a", "x"]),
        "timestamp": st.sampled_from(["ds", "timestamp", "value"]),
        "value": st.sampled_from(["a", "value", "label", ["a", "b"]]),
        "label": st.sampled_from(["label", "value", "item_id"]),
    },
)


def read(folder, name, content, **chosen):
    path = folder / name
    path.write_bytes(content)
    with fair():
        file = read_series(path, **chosen)
        for entry in file.entries:
            assert isinstance(entry["start"], pd.Period)
            assert not np.isinf(entry["target"]).any()
        assert file.summary()


@given(some_file(), st.just({}) | options)
@tries(400)
def test_a_file_is_read_or_refused(tmp_path_factory, file, chosen):
    if file[0].endswith("jsonl"):
        chosen = {"freq": "h", **chosen}
    read(tmp_path_factory.getbasetemp(), *file, **chosen)


@given(st.binary(max_size=60), st.sampled_from(sorted(TEXTS)))
@tries(60)
def test_any_bytes_are_read_or_refused(tmp_path_factory, content, name):
    read(tmp_path_factory.getbasetemp(), name, content, freq="h")


words = st.sampled_from([scrap.decode("utf-8", "ignore") for scrap in SCRAPS])
lines = st.lists(words | st.text(max_size=5), max_size=8).map("".join)


@given(st.lists(lines, max_size=4), st.sampled_from([None, "csv", "json"]))
@tries(200)
def test_a_line_that_arrives_is_read_or_refused(arriving, form):
    reader = Lines(form)
    for line in arriving:
        with fair():
            reader.read(line)

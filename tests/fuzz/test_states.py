"""
States of streams that somebody has changed.
"""

import json
import time
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonts_lai import StreamingDetector
from gluonts_lai.cli.streams import Streams

from .models import entry, model
from .outcome import fair, tries
from .scraps import changed as scraped
from .trees import changed, trees


@lru_cache(maxsize=None)
def state(is_single):
    history = entry() if is_single else [entry(), entry("new", 8)]
    stream = model().stream(history)
    return json.loads(json.dumps(stream.to_dict()))


def go_on(changed_state):
    stream = StreamingDetector.from_dict(changed_state, model())
    size = len(stream.tracks.entries)
    readings = stream.update_many([3.0] * size) if size else []
    assert all(0 <= reading.probability <= 1 for reading in readings)
    stream.forecast()


@given(st.booleans().flatmap(lambda single: changed(state(single))))
@tries(150)
def test_a_state_goes_on_or_is_refused(changed_state):
    with fair():
        go_on(changed_state)


@pytest.mark.parametrize("value", [1e300, -1.7e308, float("inf")])
def test_first_points_that_could_not_have_come_are_refused(value):
    changed_state = json.loads(json.dumps(state(False)))
    changed_state["series"][1]["first"][0] = value

    with fair(), pytest.raises(ValueError, match="a state must be whole"):
        StreamingDetector.from_dict(changed_state, model())


def test_times_without_end_are_refused():
    endless, start = "1." * 49_000, time.perf_counter()
    for name in ("period", "freq"):
        changed_state = json.loads(json.dumps(state(True)))
        (series,) = changed_state["series"]
        series["entry"]["start"][name] = endless
        with pytest.raises(ValueError, match="a state must be whole"):
            go_on(changed_state)
    stream = StreamingDetector.from_dict(state(True), model())
    with pytest.raises(ValueError, match="must be a time, got '1.1.1"):
        stream.update(3.0, timestamp=endless)
    assert time.perf_counter() - start < 5


@given(trees)
@tries(50)
def test_what_is_no_state_is_refused(tree):
    with fair():
        go_on(tree)


@lru_cache(maxsize=None)
def kept():
    name = "pump"
    streams = [{"item_id": name, "state": state(True)}]
    kind = {"kind": "gluonts-lai watch", "version": 1}
    return json.dumps({**kind, "streams": streams}).encode()


@given(st.deferred(lambda: scraped(kept()[:1000]) | scraped(kept())))
@tries(50)
def test_a_file_of_states_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "state.json"
    path.write_bytes(content)
    with fair():
        Streams(model()).restore(path)

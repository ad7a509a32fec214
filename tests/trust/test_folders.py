"""
A model folder leads nowhere else, and holds what can have been learned.
"""

import json
import os
import pickle
import shutil

import pandas as pd
import pytest
from gluonts.model.predictor import Predictor

from gluonts_lai import LAIPredictor, PerSeriesPredictor
from gluonts_lai.frames import detect_frame
from gluonts_lai.manifest import NAME, check_sealed, seal
from gluonts_lai.trust import check_base
from gluonts_lai.workers.packing import write_files

from .conftest import Folder, entry

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("name", ["lai.json", "base/predictor.json", "notes"])
def test_a_link_that_leads_out_is_refused(folder, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    if name != "notes":
        (folder.path / name).rename(elsewhere)
    else:
        elsewhere.write_text("mine")
    (folder.path / name).symlink_to(elsewhere)
    seal(folder.path)

    with pytest.raises(ValueError, match="got '.*', a link that leads out of"):
        folder.load()


@pytest.mark.parametrize("outside", [False, True])
def test_a_folder_that_is_a_link_is_refused(folder, tmp_path, outside):
    place = tmp_path if outside else folder.path
    (folder.path / "base").rename(place / "other")
    (folder.path / "base").symlink_to(place / "other")
    seal(folder.path)

    with pytest.raises(ValueError, match="got 'base', a link "):
        folder.load()


def test_a_folder_may_be_reached_by_a_link(folder, tmp_path):
    (tmp_path / "latest").symlink_to(folder.path)

    assert Predictor.deserialize(tmp_path / "latest").freq == "h"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("name", ["lai.json", "base/gluonts-config.json"])
def test_a_pipe_that_nobody_fills_is_refused(folder, name):
    (folder.path / name).unlink()
    os.mkfifo(folder.path / name)
    digests = folder.json(NAME)
    del digests[name]
    (folder.path / NAME).write_text(json.dumps(digests))

    with pytest.raises(ValueError, match="got '.*', which is no file"):
        folder.load()


@pytest.mark.parametrize("name", [".", "base"])
def test_a_folder_that_cannot_be_listed_is_refused(folder, monkeypatch, name):
    # It may be entered: GluonTS would open by its name what is not seen here.
    hidden, scandir = folder.path / name, os.scandir

    def scandir_of_others(path="."):
        if os.path.realpath(path) == os.path.realpath(hidden):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scandir_of_others)
    for load in (check_base, LAIPredictor.deserialize):
        with pytest.raises(ValueError, match="whose files cannot be listed"):
            load(folder.path)


def test_a_name_in_capitals_is_looked_at_too(folder):
    # On some disks it is the same name.
    content = folder.json("base/gluonts-config.json")
    content["type"] = "os.system"
    folder.write("base/Gluonts-Config.JSON", content)

    with pytest.raises(ValueError, match="known classes only, got 'os.system"):
        folder.load()


def test_what_leads_elsewhere_is_refused_without_a_manifest_too(folder):
    base = folder.path / "base"
    plain = folder.path.parent / "plain"
    shutil.copytree(base, plain)
    (plain / "predictor_0").symlink_to(base)
    frame = {"item_id": ["a"], "timestamp": ["2024-01-01"], "value": [1.0]}

    with pytest.raises(ValueError, match="'predictor_0', a link that leads o"):
        detect_frame(pd.DataFrame(frame), plain)


@pytest.mark.parametrize("there", ["nothing", "a file"])
@pytest.mark.parametrize("kind", [LAIPredictor, PerSeriesPredictor])
def test_what_is_no_folder_is_called_so(kind, tmp_path, there):
    if there == "a file":
        (tmp_path / "model").write_text("")

    with pytest.raises(ValueError, match=f"must be a folder, got {there} at"):
        kind.deserialize(tmp_path / "model")


def test_a_link_in_a_circle_is_refused(folder):
    (folder.path / "round").symlink_to(folder.path / "round")

    with pytest.raises(ValueError, match="got 'round', "):
        check_sealed(folder.path, "a model folder")


BAD_NAMES = ["../x", "/tmp/x", "a/../../x", "a//b", "./x", "", ".", "a\\b"]


@pytest.mark.parametrize("name", [*BAD_NAMES, "c:x", "a\0b", "x/", 5, None])
def test_packed_files_stay_in_their_folder(tmp_path, name):
    inside = tmp_path / "inside"
    inside.mkdir()

    with pytest.raises(ValueError, match="must have places inside its folder"):
        write_files(inside, {"good.json": b"", name: b"bad"})

    assert list(tmp_path.rglob("*")) == [inside]  # not even the good one


def test_a_text_that_is_no_json_ends_in_a_sentence(folder):
    for name in ("lai.json", "base/predictor.json"):
        for content in (DEEP, b"\xff", '{"a": 1', "9" * 10_000):
            before = (folder.path / name).read_bytes()
            folder.write(name, content)
            with pytest.raises(ValueError, match=f"{name} must be JSON that"):
                folder.load()
            folder.write(name, before)


def test_a_text_that_is_too_long_ends_in_a_sentence(folder, monkeypatch):
    monkeypatch.setenv("GLUONTS_LAI_MAX_JSON_BYTES", "1000")

    with pytest.raises(
        ValueError, match="bytes of JSON, where 1,000 are allowed; raise GLUON"
    ):
        folder.load()


def test_a_manifest_is_read_within_limits(folder):
    (folder.path / NAME).write_text(DEEP)

    with pytest.raises(
        ValueError, match="manifest.json cannot be read .lists"
    ):
        folder.load()


def profile_of(state):
    return state["profiles"]["kwargs"]["known"]["pump"]["kwargs"]


CHANGES = {
    "context_length": [0, -1, 1.5, True, None, "20", 10**12],
    "chain": [None, {"p_start": 1}, 0.5],
    "anomalous": [None, [], {}],
    "treatment": ["other", None],
    "freq": ["soon", 5, "0h"],
    "seed": [-1, 0.5, "x"],
    "residual_scale": [0.0, -1.0, "x", float("nan")],
    "chains": [[], {"pump": 1}],
    "scaling": ["yes", 1],
    "profiles": [None, []],
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_cannot_have_been_learned_is_refused(folder, name):
    state = folder.json("lai.json")
    for value in CHANGES[name]:
        folder.write("lai.json", {**state, name: value})

        with pytest.raises(ValueError, match="must hold what was learned, go"):
            folder.load()


def check_refused(folder):
    with pytest.raises(
        ValueError, match="must hold what was learned, got som"
    ):
        folder.load()


@pytest.mark.parametrize(
    "change",
    [
        lambda known: known.update(widening=0.0),
        lambda known: known.update(tail="x"),
        lambda known: known.update(bounds=[]),
        lambda known: known.update(bounds=[[1, 0]]),
        lambda known: known.update(bounds=[[0, float("inf")]]),
        lambda known: known.update(anomalous=[]),
        lambda known: known.update(anomalous=[5]),
        lambda known: known.update(scale=[0, 1]),
        lambda known: known.pop("scale"),
        lambda known: known["anomalous"][0]["kwargs"].update(domain=["a", 1]),
        lambda known: known["anomalous"][0]["kwargs"].update(width=-1),
        lambda known: known["scale"]["kwargs"].update(width=1.0),
        lambda known: known["scale"]["kwargs"]["width"]["args"].__setitem__(
            0, [-1.0]
        ),
    ],
)
def test_profiles_that_cannot_have_been_learned_are_refused(folder, change):
    state = folder.json("lai.json")
    change(profile_of(state))
    folder.write("lai.json", state)

    check_refused(folder)


def test_more_or_less_than_was_learned_is_refused(folder):
    state = folder.json("lai.json")
    folder.write("lai.json", {**state, "base": 1})
    check_refused(folder)
    del state["chain"]
    folder.write("lai.json", state)
    check_refused(folder)


def test_a_base_that_gluonts_cannot_read_ends_in_a_sentence(folder):
    content = folder.json("base/predictor.json")
    content["kwargs"]["prediction_length"] = "soon"
    folder.write("base/predictor.json", content)

    with pytest.raises(
        ValueError, match="must hold a predictor of GluonTS, g"
    ):
        folder.load()


def test_a_base_that_looks_ahead_without_end_is_refused(folder):
    content = folder.json("base/predictor.json")
    content["kwargs"]["prediction_length"] = 10**9
    folder.write("base/predictor.json", content)

    with pytest.raises(ValueError, match="cannot be read .*ahead of 1,000,0"):
        folder.load()


class Trap:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_weights_run_no_code(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)  # GluonTS leaves checkpoints there
    from tests.torch.zoo import CASES

    data = [entry(target=entry()["target"].astype("float32"))]
    plain = CASES["SimpleFeedForward"].make(epochs=1).train(data)
    predictor = LAIPredictor.from_predictor(
        plain, data, calibration=False, seed=0
    )
    (tmp_path / "model").mkdir()
    predictor.serialize(tmp_path / "model")
    folder = Folder(tmp_path / "model")
    assert folder.load().fingerprint() == predictor.fingerprint()
    trap = Trap(tmp_path / "sprung")

    folder.write("base/prediction-net-state.pt", pickle.dumps(trap, 2))

    with pytest.raises(ValueError, match="cannot be read .UnpicklingError"):
        folder.load()
    assert not trap.path.exists()

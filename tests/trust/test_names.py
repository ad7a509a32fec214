"""
A model folder that names something is not allowed to call it.
"""

import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from gluonts.core.component import validated
from gluonts.core.serde import decode
from gluonts.model.predictor import Predictor, RepresentablePredictor
from gluonts.model.seasonal_naive import SeasonalNaivePredictor

from gluonts_lai import AnomalousModel, LAIPredictor, Uniform
from gluonts_lai.frames import detect_frame
from gluonts_lai.trust import LAI, allow, check_names, known
from gluonts_lai.trust.names import TIMES
from gluonts_lai.value import Value
from gluonts_lai.workers.packing import own_parts, read_files, unpacked

from .conftest import Folder, entry

HOSTILE = [
    "os.system",
    "posix.system",
    "subprocess.Popen",
    "builtins.eval",
    "builtins.getattr",
    "builtins.open",
    "functools.partial",
    "numpy.load",
    "pandas.read_pickle",
    # by way of what a package that is known has imported
    "gluonts.model.predictor.mp.Process",
    "gluonts_lai.workers.packing.tempfile.os.system",
    "gluonts_lai.predictor.Path",
    # of GluonTS, but reads JSON or files that nobody has looked at
    "gluonts.core.serde.load_json",
    "gluonts.model.predictor.load_json",
    "gluonts.dataset.common.FileDataset",
    "gluonts.shell.util.forecaster_type_by_name",
    # ours, but not made to be written
    "gluonts_lai.checkpoint.Checkpoints",
    "no.such.thing",
    "thing",
    "",
    None,
    7,
    ["os.system"],
]


def named(name, kind="instance", **rest):
    return {"__kind__": kind, "class": name, **rest}


@pytest.mark.parametrize("kind", ["instance", "type", "stateful"])
@pytest.mark.parametrize("name", HOSTILE, ids=str)
def test_what_is_not_known_is_refused_by_its_name(name, kind):
    for node in (named(name, kind), {"a": [{"b": named(name, kind)}]}):
        with pytest.raises(ValueError, match="must name known|as GluonTS wri"):
            check_names(node, "base/predictor.json")


def test_the_sentence_names_the_class_and_the_way_out():
    message = (
        "lai.json must name known classes only, got 'os.system'; if it is "
        "your own, import it first, or name it with gluonts_lai.trust.allow"
    )
    with pytest.raises(ValueError, match=message):
        check_names(named("os.system", args=["ls"]), "lai.json")


def test_an_object_in_the_place_of_arguments_is_refused():
    tuples = named("builtins.tuple", args=named("builtins.tuple"))
    states = named("builtins.tuple", kwargs=named("builtins.tuple"))
    for node in (tuples, states, named("builtins.tuple", kind="other")):
        with pytest.raises(ValueError, match="objects as GluonTS writes them"):
            check_names(node, "lai.json")


def test_what_has_no_state_cannot_be_made_from_one():
    chain = "gluonts_lai.indicator.chain.IndicatorChain"
    check_names(named(chain), "lai.json")
    with pytest.raises(ValueError, match=f"got '{chain}'"):
        check_names(named(chain, "stateful"), "lai.json")


@pytest.mark.parametrize("dtype", ["O", "S999999999", "V8", "<f8, <f8", 7])
def test_arrays_hold_numbers(dtype):
    check_names(named("numpy.dtype", args=["<f8"]), "lai.json")
    with pytest.raises(ValueError, match="must hold arrays of numbers, got d"):
        check_names(named("numpy.dtype", args=[dtype]), "lai.json")


def test_arrays_say_what_they_hold():
    dtype = named("numpy.dtype", args=["<f8"])
    check_names(named("numpy.array", args=[[1.0], dtype]), "lai.json")
    # A text among a million others would make all of them as long.
    for node in (
        named("numpy.array", args=[["x" * 9, "y"]]),
        named("numpy.array", args=[[1.0]], kwargs={"dtype": dtype}),
        named("numpy.array", args=[[1.0], None]),
    ):
        with pytest.raises(ValueError, match="arrays that name their dtype"):
            check_names(node, "lai.json")


@pytest.mark.parametrize("name", sorted(TIMES))
def test_times_and_frequencies_are_brief(name):
    check_names(named(name, args=["2024-01-01"]), "lai.json")
    for node in (
        named(name, args=["1" * 300]),
        named(name, args=[5], kwargs={"freq": "1h" * 150}),
        named("gluonts.ext.rotbaum.TreePredictor", freq="1" * 300),
    ):
        with pytest.raises(ValueError, match="of at most 200 characters, got"):
            check_names(node, "base/predictor.json")


def test_networks_are_for_the_base_only():
    naive = named("gluonts.model.seasonal_naive.SeasonalNaivePredictor")
    check_names(naive, "base/predictor.json")
    with pytest.raises(ValueError, match="got 'gluonts.model.seasonal_naive"):
        check_names(naive, "lai.json", LAI)


@pytest.mark.parametrize("name", ["lai.json", "base/predictor.json"])
def test_a_folder_runs_no_code(folder, tmp_path, name):
    sprung = tmp_path / "sprung"
    trap = named("os.system", args=[f"touch {sprung}"])
    content = folder.json(name)
    content["trap"] = trap
    folder.write(name, content)

    with pytest.raises(ValueError, match=f"{name} must name .* 'os.system'"):
        folder.load()

    assert not sprung.exists()


@pytest.mark.parametrize("kind", ["antigravity.Predictor", "os.system", 5])
def test_a_folder_imports_nothing(folder, kind):
    config = {**folder.json("base/gluonts-config.json"), "type": kind}
    folder.write("base/gluonts-config.json", config)

    with pytest.raises(ValueError, match=f"known classes only, got '?{kind}"):
        folder.load()

    assert "antigravity" not in sys.modules


def test_a_base_is_no_class_that_is_not_a_predictor(folder):
    kind = "gluonts.transform.feature.AddAgeFeature"
    folder.write("base/gluonts-config.json", {"type": kind})

    with pytest.raises(ValueError, match=f"known classes only, got '{kind}"):
        folder.load()


def test_a_base_says_what_it_is(folder):
    (folder.path / "base/gluonts-config.json").unlink()
    folder.write("base/type.txt", "os.system")

    with pytest.raises(ValueError, match="must say in gluonts-config.json"):
        folder.load()


def test_a_base_does_not_filter_itself(folder):
    kind = "gluonts_lai.predictor.LAIPredictor"
    folder.write("base/gluonts-config.json", {"type": kind})

    with pytest.raises(ValueError, match="must hold a predictor of GluonTS"):
        folder.load()


def test_a_folder_of_another_kind_is_looked_at_by_frames_too(folder):
    folder.write("gluonts-config.json", {"type": "os.system"})
    frame = {"item_id": ["a"], "timestamp": ["2024-01-01"], "value": [1.0]}

    with pytest.raises(ValueError, match="known classes only, got 'os.system"):
        detect_frame(pd.DataFrame(frame), folder.path)


# What is one's own


@dataclass(frozen=True)
class Level(Value, AnomalousModel):
    """Anomalies are anywhere, at one density."""

    log_density: float = -3.0

    def fit(self, values, weights=None):
        return self

    def log_prob(self, values):
        return np.where(np.isnan(values), np.nan, self.log_density)


class Last(RepresentablePredictor):
    @validated()
    def __init__(self, prediction_length: int, feature=None) -> None:
        super().__init__(prediction_length)
        self.feature = feature

    def predict_item(self, item):
        naive = SeasonalNaivePredictor(self.prediction_length, 1)
        return naive.predict_item(item)


class Plain(NamedTuple):
    number: int = 1


def feature(index):
    return index.hour


def saved(folder, base, **settings):
    predictor = LAIPredictor.from_predictor(
        base, [entry()], calibration=False, seed=0, **settings
    )
    folder.mkdir()
    predictor.serialize(folder)
    return Folder(folder)


def test_classes_of_ones_own_are_known_once_they_are_imported(tmp_path):
    folder = saved(tmp_path / "own", Last(1), anomalous=Level())

    again = folder.load()

    assert isinstance(again.base, Last) and again.anomalous == Level()
    assert isinstance(Predictor.deserialize(folder.path).base, Last)


@pytest.mark.parametrize("part", [feature, Plain()], ids=["function", "tuple"])
def test_other_things_of_ones_own_are_to_be_named(tmp_path, monkeypatch, part):
    monkeypatch.setattr(known, "ALLOWED", [])
    folder = saved(tmp_path / "own", Last(1, part))
    name = part.__name__ if part is feature else "Plain"
    with pytest.raises(ValueError, match=f"test_names.{name}'; if it is your"):
        folder.load()

    allow(part if part is feature else Plain)

    assert folder.load().base.feature == part


def test_what_is_ones_own_goes_with_a_packed_model(tmp_path, monkeypatch):
    monkeypatch.setattr(known, "ALLOWED", [])
    allow(feature)
    folder = saved(tmp_path / "own", Last(1, feature), anomalous=Level())

    files = read_files(folder.path)

    assert set(own_parts(files)) == {Last, Level, feature}
    assert isinstance(unpacked(files).base, Last)
    assert own_parts(read_files(folder.path / "base")) == [Last, feature]


def test_the_decoder_of_gluonts_makes_what_is_known():
    node = named("builtins.tuple", args=[[1, 2]])
    check_names(node, "lai.json")
    assert decode(node) == (1, 2)
    assert Uniform() == decode(named("gluonts_lai.anomalous.uniform.Uniform"))

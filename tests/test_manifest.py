"""
A model folder that is not whole never loads.
"""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from gluonts.model.predictor import Predictor
from gluonts.model.seasonal_naive import SeasonalNaivePredictor

from gluonts_lai import LAIPredictor
from gluonts_lai.manifest import NAME

FILES = [
    "base/gluonts-config.json",
    "base/predictor.json",
    "gluonts-config.json",
    "lai.json",
]


@pytest.fixture(scope="module")
def predictor():
    values = np.tile([3.0, 5.0, 4.0, 7.0], 15)
    entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
    naive = SeasonalNaivePredictor(prediction_length=1, season_length=4)
    return LAIPredictor.from_predictor(
        naive, [entry], calibration=False, seed=0
    )


@pytest.fixture
def model(predictor, tmp_path):
    (tmp_path / "model").mkdir()
    predictor.serialize(tmp_path / "model")
    return tmp_path / "model"


def test_a_manifest_names_all_other_files(model, predictor):
    assert sorted(json.loads((model / NAME).read_text())) == FILES
    loaded = Predictor.deserialize(model)
    assert loaded.fingerprint() == predictor.fingerprint()


@pytest.mark.parametrize("name", [*FILES, NAME])
@pytest.mark.parametrize("left", [None, 0, 10, -1])
def test_a_folder_that_is_not_whole_is_refused(model, name, left):
    file = model / name
    if left is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:left])

    with pytest.raises(ValueError, match=f"must be whole, .*{name}.* again"):
        LAIPredictor.deserialize(model)


def test_a_folder_that_was_never_finished_does_not_load(model, predictor):
    class Unwritable(SeasonalNaivePredictor):
        def serialize(self, path):
            raise OSError("no space left")

    half = LAIPredictor(
        Unwritable(prediction_length=1, season_length=4),
        predictor.chain,
        predictor.anomalous,
        predictor.context_length,
        predictor.profiles,
    )
    with pytest.raises(OSError, match="no space left"):
        half.serialize(model)  # where a whole one was

    with pytest.raises(ValueError, match="was never finished"):
        Predictor.deserialize(model)


def test_a_model_may_be_written_again_and_have_company(model, predictor):
    (model / "notes.txt").write_text("the one of May")
    predictor.serialize(model)
    (model / "more.txt").write_text("and of June")

    assert Predictor.deserialize(model).freq == predictor.freq


def test_no_file_outside_of_a_folder_counts(model):
    names = json.loads((model / NAME).read_text())
    shutil.move(model / "lai.json", model.parent / "lai.json")
    names["../lai.json"] = names.pop("lai.json")
    (model / NAME).write_text(json.dumps(names))

    with pytest.raises(ValueError, match=r"whose \.\./lai.json is missing"):
        LAIPredictor.deserialize(model)

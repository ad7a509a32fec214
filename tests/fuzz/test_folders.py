"""
Model folders that somebody has changed, and sealed again.
"""

import json
from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from gluonts_lai import LAIPredictor, PerSeriesPredictor
from gluonts_lai.manifest import NAME, seal
from gluonts_lai.workers.packing import packed, write_files

from .models import entry, model
from .outcome import fair, tries
from .scraps import changed as scraped
from .test_datasets import check_detections
from .trees import changed

CONFIG = "gluonts-config.json"


@lru_cache(maxsize=None)
def files(name):
    """The files of a model."""
    if name != "each":
        return packed(model(name))
    each = {"pump": files("naive"), "valve": files("mean")}
    return packed(PerSeriesPredictor(each, prediction_length=1, freq="h"))


KINDS = {
    "naive": LAIPredictor,
    "mean": LAIPredictor,
    "each": PerSeriesPredictor,
}


@st.composite
def folders(draw):
    """A model of which one file was changed, in its meaning or its bytes."""
    name = draw(st.sampled_from(sorted(KINDS)))
    content = dict(files(name))
    place = draw(st.sampled_from(sorted(set(content) - {NAME})))
    if draw(st.integers(0, 3)):
        tree = draw(changed(json.loads(content[place])))
        content[place] = json.dumps(tree).encode("utf-8", "surrogatepass")
    else:
        content[place] = draw(scraped(content[place]))
    return name, content


def load_and_use(folder, name):
    predictor = KINDS[name].deserialize(folder)
    check_detections(predictor.detect([entry()]))
    check_detections(predictor.detect([entry("valve")], mode="smooth"))
    assert len(list(predictor.predict([entry()]))) == 1


@given(folders(), st.booleans())
@tries(150)
def test_a_folder_is_loaded_or_refused(tmp_path_factory, model, is_sealed):
    name, content = model
    folder = tmp_path_factory.mktemp("model")
    write_files(folder, content)
    if is_sealed:
        seal(folder)
    with fair():
        load_and_use(folder, name)


@given(st.sampled_from(["naive", "each"]), st.data())
@tries(30)
def test_a_manifest_is_right_or_refused(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("model")
    write_files(folder, files(name))
    content = data.draw(scraped(files(name)[NAME]))
    (folder / NAME).write_bytes(content)
    with fair():
        load_and_use(folder, name)

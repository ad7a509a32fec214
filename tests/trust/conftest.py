"""
A model folder, to be tampered with by somebody who can seal it again.
"""

import json
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from gluonts.model.seasonal_naive import SeasonalNaivePredictor

from gluonts_lai import LAIPredictor
from gluonts_lai.manifest import seal


class Folder(NamedTuple):
    path: object

    def json(self, name):
        return json.loads((self.path / name).read_text())

    def write(self, name, content):
        """Put something into the folder, as if it had always been there."""
        if not isinstance(content, (bytes, str)):
            content = json.dumps(content)
        if isinstance(content, str):
            content = content.encode()
        (self.path / name).write_bytes(content)
        seal(self.path)

    def load(self):
        return LAIPredictor.deserialize(self.path)


def entry(**fields):
    values = np.tile([3.0, 5.0, 4.0, 7.0], 15)
    values += np.random.default_rng(0).normal(scale=0.1, size=60)
    start = pd.Period("2024-01-01", "h")
    return {"item_id": "pump", "start": start, "target": values, **fields}


@pytest.fixture(scope="session")
def predictor():
    naive = SeasonalNaivePredictor(prediction_length=1, season_length=4)
    return LAIPredictor.from_predictor(
        naive, [entry()], calibration=False, seed=0
    )


@pytest.fixture
def folder(predictor, tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    predictor.serialize(path)
    return Folder(path)

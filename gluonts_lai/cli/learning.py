"""
From series and a wish to a trained model.
"""

from pathlib import Path
from typing import Any, NamedTuple, Optional, Sequence

import numpy as np
from gluonts.core import serde
from gluonts.env import env
from gluonts.model.predictor import Predictor

from gluonts_lai import IndicatorChain, LAIEstimator, LAIPredictor
from gluonts_lai.anomalous import Gaussian, GaussianMixture, Uniform
from gluonts_lai.documents import parse_json
from gluonts_lai.files.sheet import counted
from gluonts_lai.rounds import History
from gluonts_lai.trust import check_names

from .catalogue import Facts, forecaster
from .reading import LABEL
from .talk import Talk

ANOMALOUS = {
    "uniform": Uniform,
    "gaussian": Gaussian,
    "mixture": GaussianMixture,
}


class Wish(NamedTuple):
    """What kind of model is wanted."""

    estimator: str
    backend: Optional[str]
    context_length: int
    prediction_length: int
    anomaly_rate: float
    anomaly_length: float
    anomalous: str
    epochs: int
    hyperparameters: Optional[str]
    seed: int

    def forecaster(self, entries: Sequence[dict], freq: str) -> Any:
        """The GluonTS estimator that is wanted, or the predictor."""
        facts = Facts.of(
            entries, freq, self.context_length, self.prediction_length
        )
        return forecaster(
            self.estimator,
            self.backend,
            facts,
            self.epochs,
            read_hyperparameters(self.hyperparameters),
        )


class Trained(NamedTuple):
    """A model, and what it learned."""

    predictor: LAIPredictor
    history: History  # empty where nothing was trained
    num_series: int
    num_points: int
    num_flagged: int

    def summary(self) -> dict:
        chain = self.predictor.chain
        return {
            "num_series": self.num_series,
            "num_points": self.num_points,
            "num_flagged": self.num_flagged,
            "freq": self.predictor.freq,
            "p_enter": chain.p_enter,
            "p_stay": chain.p_stay,
            "anomaly_rate": chain.anomaly_rate,
            "anomaly_length": chain.anomaly_length,
        }

    def in_words(self) -> str:
        chain, some = self.predictor.chain, self.num_flagged
        return (
            f"Learned from {counted(self.num_points, 'point')} of "
            f"{self.num_series:,} series. {some:,} of them "
            f"({some / self.num_points:.2%}) seem anomalous; anomalies begin "
            f"after {chain.p_enter:.2%} of the points and last "
            f"{chain.anomaly_length:.1f} points on average."
        )


def learn(
    entries: Sequence[dict], freq: str, wish: Wish, talk: Talk
) -> Trained:
    """Train the model that is wanted."""
    model = wish.forecaster(entries, freq)
    settings: dict[str, Any] = {
        "chain": IndicatorChain.from_prior(
            wish.anomaly_rate, wish.anomaly_length
        ),
        "anomalous": ANOMALOUS[wish.anomalous](),
        "label_field": label_field_of(entries, talk),
        "seed": wish.seed,
    }
    history = History()
    with env._let(use_tqdm=False), talk.training(wish.epochs):
        if isinstance(model, Predictor):
            predictor = LAIPredictor.from_predictor(model, entries, **settings)
            found = predictor.detect(entries, mode="smooth")
            posterior = [detection.probability for detection in found]
        else:
            estimator = LAIEstimator(model, **settings)
            predictor, posterior, history = estimator.train_model(entries)
    return Trained(
        predictor,
        history,
        len(posterior),
        sum(probability.size for probability in posterior),
        sum(int((probability > 0.5).sum()) for probability in posterior),
    )


def label_field_of(entries: Sequence[dict], talk: Talk) -> Optional[str]:
    """The field with what is known, if anything is; and say so."""
    known = [np.ravel(e[LABEL]) for e in entries if LABEL in e]
    if not known:
        return None
    labels = np.concatenate(known)
    talk.say(
        f"Known beforehand: {np.nansum(labels == 1):,} points are anomalous, "
        f"{np.nansum(labels == 0):,} are not (--ignore-labels to find out "
        "without them)."
    )
    return LABEL


def read_hyperparameters(text: Optional[str]) -> dict:
    """A JSON object, or the file that holds one; GluonTS's kind of JSON."""
    if text is None:
        return {}
    source = "--hyperparameters"
    if text.startswith("@"):
        source = text[1:]
        text = Path(source).read_text(encoding="utf-8")
    try:
        given = parse_json(text)
    except ValueError as error:
        raise ValueError(
            f"{source} must be JSON, got {text!r:.60} ({error}); write for "
            "example '{\"lr\": 0.01}'."
        ) from error
    if not isinstance(given, dict):
        raise ValueError(
            f"{source} must be a JSON object, got {text!r:.60}; write for "
            "example '{\"lr\": 0.01}'."
        )
    check_names(given, source)
    return serde.decode(given)

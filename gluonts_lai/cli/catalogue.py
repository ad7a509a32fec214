"""
WHICH forecaster? Short names for those of GluonTS, dotted names for any other.

Forecasters are told what their constructor asks for, and no more: frequency
and lengths, and some of them a fact about the data, such as the number of its
dimensions. Those that are trained learn for so many epochs, each as its
framework counts them, and do so without a word.
"""

import inspect
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from gluonts_lai.nominal.backend import require

FRAMEWORKS = {"torch": "torch", "mx": "mxnet"}

TORCH = {
    "simple-feedforward": "simple_feedforward.SimpleFeedForwardEstimator",
    "deepar": "deepar.DeepAREstimator",
    "dlinear": "d_linear.DLinearEstimator",
    "patch-tst": "patch_tst.PatchTSTEstimator",
    "lag-tst": "lag_tst.LagTSTEstimator",
    "tide": "tide.TiDEEstimator",
    "tft": "tft.TemporalFusionTransformerEstimator",
    "itransformer": "i_transformer.ITransformerEstimator",
    "wavenet": "wavenet.WaveNetEstimator",
    "mqf2": "mqf2.MQF2MultiHorizonEstimator",
    "deep-npts": "deep_npts.DeepNPTSEstimator",
}
MX = {
    "simple-feedforward": "simple_feedforward.SimpleFeedForwardEstimator",
    "deepar": "deepar.DeepAREstimator",
    "deepstate": "deepstate.DeepStateEstimator",
    "deepvar": "deepvar.DeepVAREstimator",
    "deepvar-hierarchical": "deepvar_hierarchical."
    "DeepVARHierarchicalEstimator",
    "gpvar": "gpvar.GPVAREstimator",
    "transformer": "transformer.TransformerEstimator",
    "wavenet": "wavenet.WaveNetEstimator",
    "mqcnn": "seq2seq.MQCNNEstimator",
    "mqrnn": "seq2seq.MQRNNEstimator",
    "tft": "tft.TemporalFusionTransformerEstimator",
    "nbeats": "n_beats.NBEATSEstimator",
    "nbeats-ensemble": "n_beats.NBEATSEnsembleEstimator",
    "lstnet": "lstnet.LSTNetEstimator",
    "deepfactor": "deep_factor.DeepFactorEstimator",
    "gaussian-process": "gp_forecaster.GaussianProcessEstimator",
    "canonical-rnn": "canonical._estimator.CanonicalRNNEstimator",
    "mlp-forecaster": "canonical._estimator.MLPForecasterEstimator",
    "deep-renewal-process": "renewal.DeepRenewalProcessEstimator",
}
NEITHER = {
    "seasonal-naive": "gluonts.model.seasonal_naive.SeasonalNaivePredictor",
    "npts": "gluonts.model.npts.NPTSPredictor",
    "mean": "gluonts.model.trivial.mean.MeanEstimator",
    "tree": "gluonts.ext.rotbaum.TreeEstimator",
}
PATHS = {
    "torch": {k: f"gluonts.torch.model.{v}" for k, v in TORCH.items()},
    "mx": {k: f"gluonts.mx.model.{v}" for k, v in MX.items()},
}
NAMES = sorted({*TORCH, *MX, *NEITHER})


class Facts(NamedTuple):
    """What there is to know of the data and of the task."""

    freq: str
    context_length: int
    prediction_length: int
    num_series: int
    num_dims: int
    has_negative: bool

    @classmethod
    def of(
        cls,
        entries: Sequence[dict],
        freq: str,
        context_length: int,
        prediction_length: int,
    ) -> "Facts":
        targets = [np.atleast_2d(entry["target"]) for entry in entries]
        return cls(
            freq,
            context_length,
            prediction_length,
            len(targets),
            max((len(target) for target in targets), default=1),
            any((target < 0).any() for target in targets),
        )

    @property
    def season_length(self) -> int:
        from gluonts.time_feature import get_seasonality

        return int(get_seasonality(self.freq))


# What a forecaster must be told, and a user need not say.
NEEDS: Mapping[str, Callable[[Facts], dict]] = {
    "PatchTSTEstimator": lambda facts: {
        "patch_len": min(16, facts.context_length)
    },
    "WaveNetEstimator": lambda facts: {"negative_data": facts.has_negative},
    "DeepVAREstimator": lambda facts: {"target_dim": facts.num_dims},
    "GPVAREstimator": lambda facts: {"target_dim": facts.num_dims},
    "DeepStateEstimator": lambda facts: {
        "cardinality": [1],
        "use_feat_static_cat": False,
        "past_length": facts.context_length,
    },
    "GaussianProcessEstimator": lambda facts: {
        "cardinality": facts.num_series
    },
    "LSTNetEstimator": lambda facts: {
        "num_series": facts.num_dims,
        "skip_size": min(facts.season_length, facts.context_length // 4),
        "ar_window": min(facts.season_length, facts.context_length),
        "channels": 64,
    },
    "DeepRenewalProcessEstimator": lambda facts: {
        "num_cells": 40,
        "num_layers": 2,
    },
    # Nowhere but here: 100 is what forecasts are asked for.
    "MeanEstimator": lambda facts: {"num_samples": 100},
    "TreeEstimator": lambda facts: {
        "freq": facts.freq,
        "prediction_length": facts.prediction_length,
        "context_length": facts.context_length,
    },
}


def forecaster(
    name: str,
    backend: Optional[str],
    facts: Facts,
    num_epochs: Optional[int],
    hyperparameters: Mapping[str, Any],
) -> Any:
    """
    A GluonTS estimator, or a predictor that needs no training.

    Parameters
    ----------
    name
        One of ``NAMES``, or a dotted name.
    backend
        "torch" or "mx"; None for the first that knows the name and is
        installed.
    facts
        What there is to know of the data.
    num_epochs
        For how long to train; None for as long as the forecaster itself
        thinks best.
    hyperparameters
        What else its constructor is told; they overrule all the rest.
    """
    kind = find(name, backend)
    parameters = inspect.signature(kind).parameters
    takes_all = any(p.kind == p.VAR_KEYWORD for p in parameters.values())
    known = {
        field: getattr(facts, field)
        for field in (
            "freq",
            "context_length",
            "prediction_length",
            "season_length",
        )
        if field in parameters
    }
    needs = NEEDS.get(kind.__name__, lambda facts: {})(facts)
    told = {**known, **needs, **hyperparameters}
    for field, value in told.items():
        # JSON knows no arrays.
        if field in parameters and parameters[field].annotation is np.ndarray:
            told[field] = np.asarray(value)
    if not takes_all:
        check_parameters(kind, parameters, hyperparameters)
    told.update(trainer_of(kind, parameters, num_epochs, hyperparameters))
    missing = [
        parameter.name
        for parameter in parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        and parameter.name not in told
    ]
    if missing:
        raise ValueError(
            f"{kind.__name__} must be told {', '.join(missing)}; give "
            f"--hyperparameters '{{\"{missing[0]}\": …}}'."
        )
    return kind(**told)


def find(name: str, backend: Optional[str]) -> type:
    """The class of this name."""
    if name in NEITHER:
        return load(NEITHER[name], name)
    if "." in name:
        return load(name, name)
    having = [b for b in PATHS if name in PATHS[b]]
    if not having:
        raise ValueError(
            f"--estimator must be one of {', '.join(NAMES)}, or the dotted "
            f"name of a class, got {name!r}."
        )
    if backend is None:
        backend = next(filter(is_installed, having), having[0])
    if backend not in having:
        raise ValueError(
            f"--estimator {name} must be trained with --backend "
            f"{having[0]}, got {backend}; choose another one of "
            f"{', '.join(sorted(PATHS[backend]))}."
        )
    require(FRAMEWORKS[backend])
    return load(PATHS[backend][name], name)


def is_installed(backend: str) -> bool:
    return find_spec(FRAMEWORKS[backend]) is not None


def load(path: str, name: str) -> type:
    """The class with a dotted name."""
    from gluonts.model.estimator import Estimator
    from gluonts.model.predictor import Predictor

    module, _, attribute = path.rpartition(".")
    try:
        kind = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(
            f"--estimator must name a class that can be imported, got "
            f"{name!r} ({error}); check its spelling, or install what it "
            "needs."
        ) from error
    if not (
        inspect.isclass(kind) and issubclass(kind, (Estimator, Predictor))
    ):
        raise ValueError(
            "--estimator must name an estimator or a predictor of GluonTS, "
            f"got {name!r}, which is neither."
        )
    return kind


def check_parameters(
    kind: type, parameters: Mapping[str, Any], given: Mapping[str, Any]
) -> None:
    """A hyperparameter that does not exist is a misspelt one."""
    for name in given:
        if name not in parameters:
            raise ValueError(
                f"--hyperparameters must be those of {kind.__name__}, got "
                f"{name!r}; it takes {', '.join(parameters)}."
            )


def trainer_of(
    kind: type,
    parameters: Mapping[str, Any],
    num_epochs: Optional[int],
    given: Mapping[str, Any],
) -> dict:
    """How a forecaster is told for how long to train, without a word."""
    if "trainer_kwargs" in parameters:
        epochs = {} if num_epochs is None else {"max_epochs": num_epochs}
        quiet = {
            "enable_progress_bar": False,
            "enable_model_summary": False,
            "logger": False,
        }
        theirs = given.get("trainer_kwargs", {})
        return {"trainer_kwargs": {**quiet, **epochs, **theirs}}
    if "trainer" in parameters and kind.__module__.startswith("gluonts.mx"):
        theirs = given.get("trainer", {})
        if not isinstance(theirs, Mapping):  # a Trainer already
            return {}
        epochs = {} if num_epochs is None else {"epochs": num_epochs}
        make = import_module("gluonts.mx.trainer").Trainer
        return {"trainer": make(**{**epochs, **theirs})}
    if "epochs" in parameters:
        epochs = {} if num_epochs is None else {"epochs": num_epochs}
        return {"epochs": given["epochs"]} if "epochs" in given else epochs
    return {}

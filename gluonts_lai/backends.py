"""
Which framework is it?

A backend is recognised from the wrapped model, and only if its framework has
been loaded already: whoever brings an MXNet estimator has imported MXNet.
"""

import sys
from contextlib import ExitStack, contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, Iterator, Optional

from gluonts.model.forecast import (
    Forecast,
    QuantileForecast,
    SampleForecast,
)
from gluonts.model.predictor import Predictor
from threadpoolctl import threadpool_limits

from gluonts_lai import seeds
from gluonts_lai.nominal.retraining import Retraining
from gluonts_lai.nominal.rolling import Rolling
from gluonts_lai.nominal.scaling import Scale
from gluonts_lai.panel import Panel

# Our packages, and the GluonTS classes that they know inside out.
KNOWN = [
    ("gluonts_lai.mx", "gluonts.mx.model.estimator.GluonEstimator"),
    ("gluonts_lai.mx", "gluonts.mx.model.predictor.GluonPredictor"),
    ("gluonts_lai.mx", "gluonts.mx.model.forecast.DistributionForecast"),
    (
        "gluonts_lai.torch",
        "gluonts.torch.model.estimator.PyTorchLightningEstimator",
    ),
    ("gluonts_lai.torch", "gluonts.torch.model.predictor.PyTorchPredictor"),
    ("gluonts_lai.torch", "gluonts.torch.model.forecast.DistributionForecast"),
]


def backend_of(model: Any) -> Optional[ModuleType]:
    """Our package for a thing of GluonTS; None for what belongs to none."""
    for package, path in KNOWN:
        module, name = path.rsplit(".", 1)
        if isinstance(model, getattr(sys.modules.get(module), name, ())):
            return import_module(package)
    return None


def training_of(
    estimator: Any,
    panel: Panel,
    context_length: int,
    window_scaling: Any,
    seed: int,
) -> Any:
    """The training run of an estimator."""
    backend = backend_of(estimator)
    settings = (estimator, panel, context_length, window_scaling, seed)
    if backend is None:
        return Retraining(*settings, nominal_of, seeded)
    return backend.Training(*settings)


def nominal_of(
    predictor: Predictor,
    context_length: int,
    scaling: bool,
    seed: int,
    residual_scale: Optional[float] = None,
) -> Any:
    """A trained predictor, as EM sees it."""
    backend = backend_of(predictor)
    if backend is None:
        return Rolling.of(predictor, context_length, residual_scale)
    return backend.Nominal(
        predictor, context_length, scaling, seed, residual_scale
    )


def make_ready(predictor: Predictor, scaling: bool) -> None:
    """Let a predictor be done with training."""
    backend = backend_of(predictor)
    if backend is not None:
        backend.make_ready(predictor, scaling)


def weights_of(predictor: Predictor) -> bytes:
    """The weights of a network, if there is one that we know."""
    backend = backend_of(predictor)
    return b"" if backend is None else backend.weights_of(predictor)


def rescaled(forecast: Forecast, scale: Scale) -> Forecast:
    """A forecast of scaled values as one of the values themselves."""
    about = {
        "start_date": forecast.start_date,
        "item_id": forecast.item_id,
        "info": forecast.info,
    }
    if isinstance(forecast, SampleForecast):
        return SampleForecast(scale.undo(forecast.samples), **about)
    if isinstance(forecast, QuantileForecast):
        return QuantileForecast(
            scale.undo(forecast.forecast_array),
            forecast_keys=forecast.forecast_keys,
            **about,
        )
    backend = backend_of(forecast)
    assert backend is not None, f"no window scaling for {type(forecast)}"
    return backend.rescaled(forecast, scale)


@contextmanager
def seeded(seed: Optional[int]) -> Iterator[None]:
    """
    Draw from ``seed`` for a while, in every framework that is loaded; from
    where they are, if None.
    """
    with ExitStack() as stack:
        if seed is not None:
            stack.enter_context(seeds.seeded(seed))
        for backend in loaded():
            stack.enter_context(backend.seeded(seed))
        yield


@contextmanager
def one_thread(is_worker: bool) -> Iterator[None]:
    """
    Compute with one thread for a while: BLAS, OpenMP, PyTorch; MXNet, which
    does not say how many it had, only in a process that is a worker.
    """
    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(1))
        for backend in loaded():
            if hasattr(backend, "one_thread"):
                stack.enter_context(backend.one_thread())
            elif is_worker:
                backend.one_thread_for_good()
        yield


def loaded() -> list[ModuleType]:
    """Our packages for the frameworks that are loaded."""
    return [
        import_module(f"gluonts_lai.{name}")
        for name in ("mx", "torch")
        if f"gluonts.{name}" in sys.modules
    ]

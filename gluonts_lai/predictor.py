"""
Forecasts from a context that has been filtered first.
"""

from pathlib import Path
from typing import Any, Iterable, Iterator, Optional, Union

import numpy as np
from gluonts.core.serde import dump_json, load_json
from gluonts.dataset import Dataset
from gluonts.model.forecast import Forecast
from gluonts.model.predictor import Predictor

from gluonts_lai.anomalous import AnomalousModel, Uniform
from gluonts_lai.backends import (
    expect_scaled,
    nominal_of,
    rescaled,
    seeded,
)
from gluonts_lai.choices import (
    SCOPES,
    TREATMENTS,
    check_at_least,
    check_choice,
    check_share,
)
from gluonts_lai.detection import Detection
from gluonts_lai.detector import Found, find
from gluonts_lai.evidence import fit_anomalous
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.learned import learn_around
from gluonts_lai.nominal.pasts import least_past
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.nominal.scaling import Scale, series_scale, window_scale
from gluonts_lai.panel import Panel, parts, training_panel
from gluonts_lai.recipe import Recipe, wide_enough, widening_of
from gluonts_lai.seeds import derived
from gluonts_lai.transform import Clean

# Replacing a point is a stronger act than flagging it.
REPLACE_ABOVE = 0.9


class LAIPredictor(Predictor):
    """
    A forecaster and what it learned of anomalies.

    Made by :class:`gluonts_lai.LAIEstimator`; a drop-in for the predictor
    that it wraps.

    Parameters
    ----------
    base
        The wrapped network's own predictor. Trained on clean data, it is
        *more* fragile than a plain one where its context is not filtered, and
        with window scaling it expects scaled input: ask this predictor, not
        its base.
    chain
        The chain of the indicator.
    anomalous
        p⁻, to be fitted to series that were not in the training set.
    context_length
        Points that a window looks back on.
    scaling
        Whether the base sees scaled windows.
    treatment
        How anomalous points are replaced.
    filters
        Whether to filter contexts before forecasting.
    seed
        Where chance begins in each call; None to leave it to the caller.
    residual_scale
        Usual size of the residuals of a point forecaster.
    chains
        Chains of single series, where each has its own, by ``item_id``; by
        position ("#0", "#1", …) where there is none.
    fitted
        p⁻ of the training series by ``item_id``.
    label_field
        Name of an entry field with what is known of points.
    widening
        By how much densities are wider than the base says.
    """

    def __init__(
        self,
        base: Predictor,
        chain: IndicatorChain,
        anomalous: AnomalousModel,
        context_length: int,
        scaling: bool = False,
        treatment: str = "impute",
        filters: bool = True,
        seed: Optional[int] = None,
        residual_scale: Optional[float] = None,
        chains: Optional[dict] = None,
        fitted: Optional[dict] = None,
        label_field: Optional[str] = None,
        widening: float = 1.0,
    ) -> None:
        super().__init__(base.prediction_length, base.lead_time)
        if scaling:
            expect_scaled(base)
        self.base = base
        self.chain = chain
        self.anomalous = anomalous
        self.context_length = context_length
        self.scaling = scaling
        self.treatment = treatment
        self.filters = filters
        self.seed = seed
        self.residual_scale = residual_scale
        self.chains = chains or {}
        self.fitted = fitted or {}
        self.label_field = label_field
        self.widening = widening

    @classmethod
    def from_predictor(
        cls,
        predictor: Predictor,
        dataset: Dataset,
        chain: IndicatorChain = IndicatorChain.from_prior(),
        anomalous: AnomalousModel = Uniform(),
        treatment: str = "impute",
        context_length: Optional[int] = None,
        chain_scope: str = "dataset",
        max_anomaly_share: float = 0.2,
        calibration: Union[bool, str] = "auto",
        label_field: Optional[str] = None,
        seed: Optional[int] = None,
    ) -> "LAIPredictor":
        """
        Give a predictor that is not trained here what there is to learn of
        anomalies: the chain, p⁻, and the usual size of its residuals.

        For predictors that need no training (seasonal naive, NPTS, Prophet,
        statsforecast) and for networks that were trained elsewhere. The
        predictor itself stays as it is.

        Parameters
        ----------
        predictor
            Any GluonTS predictor. It is asked for many forecasts: one for
            each horizon of each series, a few times over.
        dataset
            The series to learn from.
        context_length
            Points that must lie before the first one that is judged. None:
            all that a network looks back on; for other predictors a season
            or two horizons, at least 20, but no more than they look back on.
        chain, anomalous, treatment, chain_scope, max_anomaly_share,
        calibration, label_field, seed
            As in :class:`gluonts_lai.LAIEstimator`.

        Examples
        --------
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> import pandas as pd
        >>> values = np.tile(np.arange(24.0), 10)
        >>> values[100] = 500.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=24)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> next(predictor.detect([entry])).segments().length.tolist()
        [1]
        """
        check_frozen(predictor)
        check_choice("treatment", treatment, TREATMENTS)
        check_choice("chain_scope", chain_scope, SCOPES)
        check_choice("calibration", calibration, (True, False, "auto"))
        check_at_least("context_length", context_length, 1)
        check_at_least("seed", seed, 0)
        check_share("max_anomaly_share", max_anomaly_share)
        first = context_length or least_past(predictor)
        ahead = predictor.prediction_length + predictor.lead_time
        panel = training_panel(dataset, label_field, first + ahead)
        start = int(np.random.randint(2**31)) if seed is None else seed
        nominal = nominal_of(predictor, first, False, start)
        recipe = Recipe(
            chain,
            wide_enough(anomalous, nominal.looks_ahead),
            treatment,
            num_paths=3,
            num_warmup_epochs=0,
            transitions="sampled",
            chain_scope=chain_scope,
            max_anomaly_share=max_anomaly_share,
            widening=widening_of(calibration),
        )
        with seeded(start):
            learned = learn_around(
                nominal, panel, recipe, calibration is not False, start
            )
        return cls(
            predictor,
            context_length=first,
            treatment=treatment,
            seed=seed,
            label_field=label_field,
            **learned,
        )

    def predict(
        self,
        dataset: Dataset,
        num_samples: Optional[int] = None,
        **kwargs: Any,
    ) -> Iterator[Forecast]:
        """
        Forecasts from filtered contexts, in the order of the data set.

        Parameters
        ----------
        dataset
            The series, each up to where its forecast begins.
        num_samples
            Number of samples, where forecasts are made of them.
        """
        if num_samples is not None:
            kwargs["num_samples"] = num_samples
        for number, panel in enumerate(self.panels(dataset)):
            with seeded(self.seed_of(number)):
                forecasts = self.forecast(panel, kwargs)
            yield from forecasts

    def forecast(self, panel: Panel, kwargs: dict) -> list[Forecast]:
        """Forecasts of a few series."""
        if self.filters:
            found = self.find(panel, "filter", threshold=REPLACE_ABOVE)
            targets = found.cleaned
        else:
            targets = Clean.as_observed(panel.values).targets
        scales = [self.scale_of(target) for target in targets.entries]
        entries = [
            {**entry, "target": as_input(target, scale)}
            for entry, target, scale in zip(
                panel.entries, targets.entries, scales
            )
        ]
        forecasts = list(self.base.predict(entries, **kwargs))
        return [
            forecast if scale is None else rescaled(forecast, scale)
            for forecast, scale in zip(forecasts, scales)
        ]

    def detect(
        self,
        dataset: Iterable[dict],
        mode: str = "filter",
        num_particles: int = 0,
        threshold: float = 0.5,
        max_run: Optional[float] = None,
    ) -> Iterator[Detection]:
        """
        What is anomalous in each series, in the order of the data set.

        Parameters
        ----------
        dataset
            The series, of the training set or new.
        mode
            "filter" for what was known when each point came, "smooth" for
            hindsight.
        num_particles
            Reserved for several cleaned histories side by side; 0 for one.
        threshold
            Probability above which a point is replaced in the context of
            later ones.
        max_run
            Most points in a row to replace: what lasts longer is how the
            series is now. None: a context, or what few anomalies exceed if
            that is more.
        """
        if mode not in ("filter", "smooth"):
            raise ValueError(
                f"mode must be 'filter' or 'smooth', got {mode!r}."
            )
        if num_particles:
            raise NotImplementedError(
                "num_particles must be 0: there is only one history yet."
            )
        for number, panel in enumerate(self.panels(dataset)):
            with seeded(derived(self.seed or 0, number)):
                found = self.find(panel, mode, threshold, max_run)
            yield from Detection.of(panel, found)

    def find(
        self,
        panel: Panel,
        mode: str,
        threshold: float = 0.5,
        max_run: Optional[float] = None,
    ) -> Found:
        """The anomalies of a panel, by what was learned of its series."""
        nominal = self.nominal()
        keys = panel.keys()
        anomalous = fit_anomalous(self.anomalous, panel.values)
        for i, key in enumerate(keys):
            known = self.fitted.get(key)
            if known is not None and len(known) == len(anomalous[i]):
                anomalous[i] = known
        return find(
            nominal,
            panel,
            nominal.prepare(panel),
            [self.chains.get(key, self.chain) for key in keys],
            anomalous,
            mode,
            self.treatment,
            threshold,
            max_run,
            self.widening,
        )

    def panels(self, dataset: Iterable[dict]) -> Iterator[Panel]:
        """A data set, a few entries at a time."""
        first = 0
        for entries in parts(dataset, lambda e: np.size(e.get("target", ()))):
            yield Panel.of(entries, self.label_field, first)
            first += len(entries)

    def seed_of(self, number: int) -> Optional[int]:
        """Where chance begins in a chunk of entries, if that was said."""
        return None if self.seed is None else derived(self.seed, number)

    def nominal(self) -> Nominal:
        """The base, as EM saw it."""
        return nominal_of(
            self.base,
            self.context_length,
            self.scaling,
            self.seed or 0,
            self.residual_scale,
        )

    def scale_of(self, target: np.ndarray) -> Optional[Scale]:
        """The scale of the window that a forecast is made from."""
        if not self.scaling:
            return None
        series = series_scale(target, self.context_length)
        context = series.apply(target)[..., -self.context_length :]
        if not context.size:
            return series
        window = window_scale(context)
        return Scale(series.undo(window.centre), series.width * window.width)

    def serialize(self, path: Path) -> None:
        super().serialize(path)
        state = {
            name: value
            for name, value in vars(self).items()
            if name not in ("base", "prediction_length", "lead_time")
        }
        (path / "lai.json").write_text(dump_json(state), encoding="utf-8")
        (path / "base").mkdir(exist_ok=True)
        self.base.serialize(path / "base")

    @classmethod
    def deserialize(cls, path: Path, **kwargs: Any) -> "LAIPredictor":
        state = load_json((path / "lai.json").read_text(encoding="utf-8"))
        base = Predictor.deserialize(path / "base", **kwargs)
        return cls(base, **state)


def check_frozen(predictor: Any) -> None:
    """A predictor, and one that does not filter by itself."""
    if not isinstance(predictor, Predictor):
        raise TypeError(
            "predictor must be a GluonTS predictor, got "
            f"{type(predictor).__name__}; to train an estimator, wrap it in "
            "a LAIEstimator."
        )
    if isinstance(predictor, LAIPredictor):
        raise TypeError(
            "predictor must not be a LAIPredictor, which filters already; "
            "use it as it is."
        )


def as_input(target: np.ndarray, scale: Optional[Scale]) -> np.ndarray:
    """A clean target in the units that the base expects."""
    return (target if scale is None else scale.apply(target)).astype(
        np.float32
    )

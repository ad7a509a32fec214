"""
Forecasts from a context that has been filtered first.
"""

import hashlib
from pathlib import Path
from typing import Any, Iterable, Iterator, Optional, Union

import numpy as np
from gluonts.core.serde import dump_json
from gluonts.dataset import Dataset
from gluonts.model.forecast import Forecast
from gluonts.model.predictor import Predictor
from joblib import effective_n_jobs

from gluonts_lai.anomalous import AnomalousModel, Uniform
from gluonts_lai.backends import (
    make_ready,
    nominal_of,
    seeded,
    weights_of,
)
from gluonts_lai.chains import ChainsOfSeries
from gluonts_lai.choices import (
    SCOPES,
    TREATMENTS,
    check_at_least,
    check_choice,
    check_share,
)
from gluonts_lai.detection import Detection
from gluonts_lai.detector import Found, Manner, find, replace_above
from gluonts_lai.forecasting import forecasts_of
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.learned import learn_around
from gluonts_lai.manifest import break_seal, check_sealed, seal
from gluonts_lai.nominal.protocol import Nominal
from gluonts_lai.panel import Panel, check_freq, check_shape
from gluonts_lai.panel.table import Table
from gluonts_lai.particles import find_with_particles
from gluonts_lai.profiles import Profile, Profiles
from gluonts_lai.recipe import Recipe, widening_of
from gluonts_lai.saved import check_horizon, what_was_saved
from gluonts_lai.seeds import derived
from gluonts_lai.streaming import StreamingDetector
from gluonts_lai.streaming.several import as_entries
from gluonts_lai.streaming.states import fingerprint
from gluonts_lai.transform import Clean
from gluonts_lai.trust import check_base
from gluonts_lai.workers import check_n_jobs
from gluonts_lai.workers.chunks import Chunk, each_chunk

# Points to filter before those that a forecast looks back on: recalibration
# forgets them slowly.
BURN_IN = 500


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
    profiles
        What was learned of the training series.
    scaling
        Whether the base sees scaled windows.
    treatment
        How anomalous points are replaced.
    filters
        Whether to filter contexts before forecasting.
    seed
        Where chance begins in each call; None to leave it to the caller.
    residual_scale
        Usual size of the residuals, where some forecast was of a point; None
        where all had a density.
    chains
        Chains of single series, where each has its own, by ``item_id``; by
        position (0 or "#0", …) where there is none.
    label_field
        Name of an entry field with what is known of points.
    freq
        Frequency of the training set.

    Examples
    --------
    >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
    >>> import pandas as pd
    >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
    >>> values[100:103] = 20.0
    >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
    >>> naive = SeasonalNaivePredictor(1, season_length=4)
    >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
    >>> predictor.chain.anomaly_rate < 0.02
    True
    >>> predictor.prediction_length, predictor.context_length, predictor.freq
    (1, 20, 'h')
    """

    def __init__(
        self,
        base: Predictor,
        chain: IndicatorChain,
        anomalous: AnomalousModel,
        context_length: int,
        profiles: Profiles,
        scaling: bool = False,
        treatment: str = "impute",
        filters: bool = True,
        seed: Optional[int] = None,
        residual_scale: Optional[float] = None,
        chains: Optional[dict] = None,
        label_field: Optional[str] = None,
        freq: Optional[str] = None,
    ) -> None:
        super().__init__(base.prediction_length, base.lead_time)
        make_ready(base, scaling)
        self.base = base
        self.chain = chain
        self.anomalous = anomalous
        self.context_length = context_length
        self.profiles = profiles
        self.scaling = scaling
        self.treatment = treatment
        self.filters = filters
        self.seed = seed
        self.residual_scale = residual_scale
        self.chains = ChainsOfSeries(chains or {})
        self.label_field = label_field
        self.freq = freq

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
        recipe = Recipe(
            chain,
            anomalous,
            treatment,
            num_paths=3,
            num_warmup_epochs=0,
            transitions="sampled",
            chain_scope=chain_scope,
            max_anomaly_share=max_anomaly_share,
            widening=widening_of(calibration),
        )
        learned = learn_around(
            predictor,
            dataset,
            recipe,
            context_length,
            label_field,
            calibration is not False,
            seed,
        )
        return cls(
            predictor,
            treatment=treatment,
            seed=seed,
            label_field=label_field,
            **learned,
        )

    def predict(
        self,
        dataset: Dataset,
        num_samples: Optional[int] = None,
        threshold: Optional[float] = None,
        recalibrate: Optional[bool] = None,
        whole_history: bool = False,
        n_jobs: Optional[int] = None,
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
        threshold
            Probability above which a point of the context is replaced. None:
            0.9 one step ahead, falling to 0.6 many steps ahead; less where
            one point in fifty and more is anomalous, and 0.5 where one in ten
            is.
        recalibrate
            Whether the spread of densities follows the residuals while
            contexts are filtered; None for the default, which is to do so.
        whole_history
            Whether to filter all of each series, and not just as much of its
            end as a forecast looks back on, and some points before it.
        n_jobs
            As in :meth:`detect`. Forecasts that are made of samples do not
            depend on it where the predictor has a seed.

        Examples
        --------
        A forecaster that repeats what it saw, but for the anomaly:

        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> import pandas as pd
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(4, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> entry["target"] = values[:102]  # the last two are anomalous
        >>> [forecast.mean.tolist() for forecast in naive.predict([entry])]
        [[4.0, 7.0, 20.0, 20.0]]
        >>> [forecast.mean.tolist() for forecast in predictor.predict([entry])]
        [[4.0, 7.0, 3.0, 5.0]]
        """
        if threshold is None:
            threshold = replace_above(self.chain, self.prediction_length)
        manner = Manner.chosen(
            "filter", self.treatment, threshold, None, recalibrate
        )
        check_n_jobs(n_jobs)
        if num_samples is not None:
            kwargs["num_samples"] = num_samples
        seed = self.seed
        if seed is None and effective_n_jobs(n_jobs) > 1:
            seed = int(np.random.randint(2**31))  # workers know no other
        return each_chunk(
            LAIPredictor.predict_chunk,
            self,
            dataset,
            n_jobs,
            manner,
            whole_history,
            kwargs,
            seed,
        )

    def predict_chunk(
        self,
        chunk: Chunk,
        manner: Manner,
        whole_history: bool,
        kwargs: dict,
        seed: Optional[int],
    ) -> list[Forecast]:
        """Forecasts of a few series."""
        panel = self.panel_of(chunk)
        if seed is not None:
            seed = derived(seed, chunk.number)
        with seeded(seed):
            targets = self.clean(panel, manner, whole_history)
            return self.forecast(
                panel, targets, self.profiles_of(panel), kwargs
            )

    def clean(
        self, panel: Panel, manner: Manner, whole_history: bool = True
    ) -> Table:
        """Series without the anomalies that a forecast would look back on."""
        targets = Clean.as_observed(panel.values).targets
        if self.filters:
            end = panel
            if not whole_history:
                end = panel.last(self.nominal().reach + BURN_IN)
            found = self.find(end, manner, panel)
            for target, clean in zip(targets.entries, found.cleaned.entries):
                target[..., target.shape[-1] - clean.shape[-1] :] = clean
        return targets

    def forecast(
        self,
        panel: Panel,
        targets: Table,
        profiles: list[Profile],
        kwargs: dict,
    ) -> list[Forecast]:
        """Forecasts of a few series, from clean contexts."""
        length = self.context_length if self.scaling else None
        return forecasts_of(
            self.base, panel, targets, profiles, length, kwargs
        )

    def detect(
        self,
        dataset: Iterable[dict],
        mode: str = "filter",
        num_particles: int = 0,
        threshold: float = 0.5,
        max_run: Optional[float] = None,
        recalibrate: Optional[bool] = None,
        n_jobs: Optional[int] = None,
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
            Number of cleaned histories to carry side by side, in mode
            "filter"; 0 for one. Where there are several, each replaces what
            it takes for anomalous: ``threshold`` and ``max_run`` say nothing.
        threshold
            Probability above which a point is replaced in the context of
            later ones.
        max_run
            Most points in a row to replace: what lasts longer is how the
            series is now. None: in mode "filter" what one anomaly in five
            outlasts, or one in each five contexts; in hindsight a context.
        recalibrate
            Whether the spread of densities follows the residuals, in mode
            "filter"; None for the default, which is to do so.
        n_jobs
            Number of workers that large data sets are shared among; -1 for
            one on each core, None for as many as
            ``joblib.parallel_config(n_jobs=...)`` says, or else none.

        Examples
        --------
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> import pandas as pd
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> for detection in predictor.detect([entry], mode="smooth"):
        ...     print(np.flatnonzero(detection.probability > 0.5))
        [100 101 102]
        """
        manner = Manner.chosen(
            mode,
            self.treatment,
            threshold,
            max_run,
            recalibrate,
            num_particles,
        )
        check_n_jobs(n_jobs)
        return each_chunk(
            LAIPredictor.detect_chunk, self, dataset, n_jobs, manner
        )

    def detect_chunk(self, chunk: Chunk, manner: Manner) -> list[Detection]:
        """What is anomalous in a few series."""
        panel, number = self.panel_of(chunk), chunk.number
        with seeded(derived(self.seed or 0, number)):
            found = self.find(panel, manner, panel, number)
        return list(Detection.of(panel, found))

    def find(
        self,
        panel: Panel,
        manner: Manner,
        whole: Panel,
        number: int = 0,
    ) -> Found:
        """
        The anomalies of a panel, by what was learned of its series; of new
        ones by how the whole of them begins.
        """
        profiles = self.profiles_of(whole)
        late = self.profiles.late(whole, self.context_length)
        known = self.nominal(), panel, self.chains_of(panel), profiles, manner
        if manner.num_particles:
            rng = np.random.default_rng(derived(self.seed or 0, number))
            return find_with_particles(*known, rng, late)
        return find(*known, late)

    def stream(
        self,
        history: Any = None,
        threshold: float = 0.5,
        max_run: Optional[float] = None,
        recalibrate: Optional[bool] = None,
    ) -> StreamingDetector:
        """
        Watch series point by point.

        Parameters
        ----------
        history
            An entry with the points of one series so far, of which there may
            be none, or an array of nothing but these; a list of entries, or a
            data set, for several series that are fed together. None for one
            series that nothing is known of.
        threshold, max_run, recalibrate
            As in :meth:`detect`.

        Examples
        --------
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> import pandas as pd
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> stream = predictor.stream(entry)
        >>> [stream.update(x).is_anomaly for x in (3.0, 5.0, 30.0, 7.0)]
        [False, False, True, False]
        """
        manner = Manner.chosen(
            "filter", self.treatment, threshold, max_run, recalibrate
        )
        if isinstance(history, np.ndarray):
            history = {"target": history}
        is_single = history is None or isinstance(history, dict)
        entries = [history or {}] if is_single else as_entries(history)
        return StreamingDetector(self, entries, manner, is_single)

    def chains_of(self, panel: Panel) -> list[IndicatorChain]:
        return [self.chains.get(key, self.chain) for key in panel.keys()]

    def profile_of_new(self, first_context: np.ndarray) -> Profile:
        """What is known of a series by its first context, or by less."""
        return self.profiles.typical.profile(
            self.anomalous, first_context, self.context_length
        )

    def profiles_of(self, panel: Panel) -> list[Profile]:
        """What is known of each series, of the training set or new."""
        return self.profiles.of(panel, self.anomalous, self.context_length)

    def panel_of(self, chunk: Chunk) -> Panel:
        """A few entries, checked."""
        panel = Panel.of(chunk.entries, self.label_field, chunk.first)
        check_freq(panel, self.freq)
        check_shape(panel, self.profiles.typical.shape)
        return panel

    def fingerprint(self) -> str:
        """What tells this model from others."""
        return fingerprint(
            self.chain,
            self.chains,
            self.context_length,
            self.prediction_length,
            self.lead_time,
            self.residual_scale,
            self.profiles,
            self.scaling,
            self.treatment,
            hashlib.sha256(weights_of(self.base)).hexdigest(),
        )

    def __eq__(self, that: object) -> bool:
        """
        Whether both learned the same, and their bases are equal: true of a
        predictor and its copy on disk, as everywhere in GluonTS.
        """
        if self is that or not isinstance(that, LAIPredictor):
            return self is that
        return (
            # Some bases of PyTorch are equal whatever their weights.
            self.fingerprint() == that.fingerprint()
            and dump_json(all_but_base(self)) == dump_json(all_but_base(that))
            and bool(self.base == that.base)
        )

    def nominal(self) -> Nominal:
        """The base, as EM saw it."""
        return nominal_of(
            self.base,
            self.context_length,
            self.scaling,
            self.seed or 0,
            # Of what never was a point in training nothing was learned. Found
            # from the series at hand, it would tell of points still to come.
            self.residual_scale or 1.0,
        )

    def serialize(self, path: Path) -> None:
        """
        Write all that there is to a folder: JSON, and the weights of the base
        as GluonTS writes them; last of all ``manifest.json``, without which
        a folder is not loaded.

        Parameters
        ----------
        path
            A folder that exists.

        Examples
        --------
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> import tempfile
        >>> import pandas as pd
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     predictor.serialize(Path(folder))
        ...     again = Predictor.deserialize(Path(folder))
        >>> again == predictor
        True
        """
        break_seal(path)
        super().serialize(path)
        state = dump_json(all_but_base(self))
        (path / "lai.json").write_text(state, encoding="utf-8")
        (path / "base").mkdir(exist_ok=True)
        self.base.serialize(path / "base")
        seal(path)

    @classmethod
    def deserialize(cls, path: Path, **kwargs: Any) -> "LAIPredictor":
        """
        Read what :meth:`serialize` wrote.

        A folder of which anything is missing or damaged is refused, and one
        that names classes which are not known; ``SECURITY.md`` says what is
        promised. A class of your own has to be imported before.

        Parameters
        ----------
        path
            The folder.
        kwargs
            For the base: ``device`` on PyTorch, ``ctx`` on MXNet.

        Examples
        --------
        >>> folder = Path("model")
        >>> predictor = LAIPredictor.deserialize(folder)  # doctest: +SKIP
        """
        check_sealed(path, "a model folder")
        check_base(path / "base")
        state = what_was_saved(path / "lai.json")
        base = load_base(path / "base", kwargs)
        return cls(base, **state)


def all_but_base(predictor: LAIPredictor) -> dict[str, Any]:
    """The arguments of the constructor, but for the base."""
    return {
        name: value
        for name, value in vars(predictor).items()
        if name not in ("base", "prediction_length", "lead_time")
    }


def load_base(folder: Path, kwargs: dict) -> Predictor:
    """A predictor that GluonTS wrote; or say that it is none."""
    try:
        base = Predictor.deserialize(folder, **kwargs)
        check_frozen(base)
        check_horizon(base.prediction_length + base.lead_time)
        return base
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # GluonTS and frameworks have their own
        if kwargs and isinstance(error, TypeError):
            raise  # of what the caller gave
        raise ValueError(
            "a model folder must hold a predictor of GluonTS, got one that "
            f"cannot be read ({type(error).__name__}: {error!s:.200}) in "
            f"{str(folder)!r}; write it again, or take a copy of it."
        ) from error


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

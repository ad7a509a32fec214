"""
Train a model for each series.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any, Iterable, NamedTuple, Optional

import numpy as np
from gluonts.core.component import validated
from gluonts.dataset import Dataset
from gluonts.gluonts_tqdm import tqdm
from gluonts.model.estimator import Estimator

from gluonts_lai.backends import seeded
from gluonts_lai.caution import warn
from gluonts_lai.estimator import LAIEstimator
from gluonts_lai.nominal.pasts import prediction_length_of
from gluonts_lai.workers import check_n_jobs
from gluonts_lai.workers.packing import Packed, packed

from .losses import outlived
from .names import check_unique, key_of, keys_of, seed_of
from .predictor import PerSeriesPredictor


class PerSeriesEstimator(Estimator):
    """
    Train a model for each series, as the paper does on Yahoo's.

    A series that fails does not stop the others, not even if its worker is
    killed (of joblib's own backend, loky): it is warned of at the end, and
    stands in ``failures`` of what is returned. The model of a series
    depends neither on the other series nor on the number of workers.

    Parameters
    ----------
    estimator
        What to train on each series: a :class:`gluonts_lai.LAIEstimator`, or
        any other estimator of GluonTS, whose models can forecast but not
        detect. The seed of a LAIEstimator is that of all models together:
        each draws from it and from its ``item_id``.
    n_jobs
        Number of workers, each of which uses one thread; -1 for one on each
        core. None: one, which is this process, unless
        ``joblib.parallel_config`` says otherwise; that is also where to
        choose another engine than processes of this machine.

    Examples
    --------
    >>> import pandas as pd
    >>> from gluonts.model.trivial.mean import MeanEstimator
    >>> start, values = pd.Period("2024-01-01", "h"), np.tile([3.0, 5.0], 120)
    >>> values[100:103] = 20.0
    >>> entries = [
    ...     {"item_id": "pump", "start": start, "target": values},
    ...     {"item_id": "valve", "start": start, "target": 100 * values},
    ... ]
    >>> mean = MeanEstimator(prediction_length=1, num_samples=100)
    >>> estimator = PerSeriesEstimator(LAIEstimator(mean, seed=0))
    >>> predictor = estimator.train(entries)
    >>> for detection in predictor.detect(entries):
    ...     print(detection.item_id, detection.segments().length.tolist())
    pump [3]
    valve [3]
    """

    @validated()
    def __init__(
        self, estimator: Estimator, n_jobs: Optional[int] = None
    ) -> None:
        super().__init__(lead_time=getattr(estimator, "lead_time", 0))
        check_n_jobs(n_jobs)
        self.estimator = estimator
        self.prediction_length = prediction_length_of(estimator)
        self.n_jobs = n_jobs

    def train(
        self,
        training_data: Dataset,
        validation_data: Optional[Dataset] = None,
        **kwargs: Any,
    ) -> PerSeriesPredictor:
        """
        Train on each series alone.

        Parameters
        ----------
        training_data
            Series of which each has an ``item_id`` of its own.
        validation_data
            For the wrapped estimator's own use of it; found by ``item_id``,
            too. It need not have all series.
        kwargs
            For the wrapped estimator's ``train``.
        """
        entries = list(training_data)
        keys = keys_of(entries)
        check_unique(keys, "training data")
        news = by_key(validation_data)
        seed = getattr(self.estimator, "seed", None)
        begin = np.random.randint(2**31) if seed is None else seed
        jobs = (
            (self.estimator, entry, news.get(key), seed_of(begin, key), kwargs)
            for key, entry in zip(keys, entries)
        )
        fits = list(
            tqdm(
                outlived(fit, jobs, self.n_jobs, Fit.lost), total=len(entries)
            )
        )
        failures = {k: f.error for k, f in zip(keys, fits) if f.error}
        check_failures(failures, len(entries))
        return PerSeriesPredictor(
            {k: f.model for k, f in zip(keys, fits) if f.model},
            self.prediction_length,
            self.lead_time,
            n_jobs=self.n_jobs,
            seed=seed,
            freq=freq_of(entries),
            failures=failures,
        )


class Fit(NamedTuple):
    """What came of a series."""

    model: Optional[Packed]
    error: str = ""

    @classmethod
    def lost(cls, error: str) -> "Fit":
        """Nothing, and why."""
        return cls(None, error)


def fit(
    estimator: Estimator,
    entry: dict,
    news: Optional[dict],
    seed: int,
    kwargs: dict,
) -> Fit:
    """Train on one series."""
    if isinstance(estimator, LAIEstimator):
        estimator = of_one(estimator, key_of(entry, 0), seed)
    validation = None if news is None else [news]
    try:
        with seeded(seed):
            predictor = estimator.train([entry], validation, **kwargs)
            return Fit(packed(predictor))
    except Exception as error:
        return Fit.lost(f"{type(error).__name__}: {error}")


def of_one(estimator: LAIEstimator, key: str, seed: int) -> LAIEstimator:
    """The same with a seed, and a place for checkpoints, of its own."""
    own: dict = {}
    if estimator.seed is not None:
        own["seed"] = seed
    if estimator.checkpoint_dir is not None:
        # Names of series may be no names of files.
        place = sha256(key.encode()).hexdigest()[:16]
        own["checkpoint_dir"] = str(Path(estimator.checkpoint_dir) / place)
    arguments: dict = estimator.__init_args__
    return type(estimator)(**{**arguments, **own})


def by_key(dataset: Optional[Iterable[dict]]) -> dict[str, dict]:
    entries = list(dataset or ())
    keys = keys_of(entries)
    check_unique(keys, "validation data")
    return dict(zip(keys, entries))


def freq_of(entries: list[dict]) -> Optional[str]:
    """The frequency of all series, if they have the same."""
    freqs = {getattr(entry.get("start"), "freqstr", None) for entry in entries}
    return freqs.pop() if len(freqs) == 1 else None


def check_failures(failures: dict[str, str], num_series: int) -> None:
    """Say which series have no model; there must be one that has."""
    if not num_series:
        raise ValueError(
            "training data must hold at least one series, got an empty data "
            "set."
        )
    if not failures:
        return
    key, error = next(iter(failures.items()))
    if len(failures) == num_series:
        raise ValueError(
            "at least one series must be trained on, got errors in all "
            f"{num_series:,}; the first is that of {key!r}: {error}"
        )
    warn(
        f"{len(failures):,} of {num_series:,} series have no model, as their "
        "training failed; see .failures of the predictor. The first is "
        f"{key!r}: {error}"
    )

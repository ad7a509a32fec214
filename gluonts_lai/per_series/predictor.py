"""
A model for each series.
"""

import json
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Optional

import numpy as np
from gluonts.dataset import Dataset
from gluonts.model.forecast import Forecast
from gluonts.model.predictor import Predictor
from joblib import effective_n_jobs

from gluonts_lai.backends import seeded
from gluonts_lai.detection import Detection
from gluonts_lai.detector import Manner
from gluonts_lai.manifest import break_seal, check_sealed, seal
from gluonts_lai.panel.entries import name_of
from gluonts_lai.streaming import StreamingDetector
from gluonts_lai.trust import allow
from gluonts_lai.workers import share_out
from gluonts_lai.workers.packing import (
    Packed,
    own_parts,
    read_files,
    unpacked,
    write_files,
)

from .index import INDEX, index_in
from .names import key_of, keys_of, seed_of

# Models that are kept ready for use; of a network, some 100 kB each.
MAX_READY = 1_000
# Series that are sent to the workers together.
CHUNK = 1_000


class PerSeriesPredictor(Predictor):
    """
    Forecast each series, and find its anomalies, by a model of its own.

    Made by :class:`PerSeriesEstimator`. It can be pickled, with models of
    MXNet, too.

    Parameters
    ----------
    models
        The files of each series' predictor, by ``item_id``.
    prediction_length, lead_time
        Those of all models.
    n_jobs
        Number of workers, as in :class:`PerSeriesEstimator`.
    seed
        Where chance begins in each call; None to leave it to the caller.
    freq
        Frequency of the training set, if all series have the same.
    failures
        Why there is no model of a series, by ``item_id``.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from gluonts.model.trivial.mean import MeanEstimator
    >>> from gluonts_lai import LAIEstimator, PerSeriesEstimator
    >>> start, mean = pd.Period("2024-01-01", "h"), MeanEstimator(2, 24)
    >>> data = []
    >>> for item_id, values in (("pump", [1, 3]), ("valve", [8, 10])):
    ...     target = np.tile(values, 60) * 1.0
    ...     target[100] += 30
    ...     entry = {"item_id": item_id, "start": start, "target": target}
    ...     data.append(entry)
    >>> estimator = PerSeriesEstimator(LAIEstimator(mean, seed=0))
    >>> predictor = estimator.train(data)
    >>> predictor.item_ids
    ['pump', 'valve']
    >>> [(f.item_id, len(f.mean)) for f in predictor.predict(data)]
    [('pump', 2), ('valve', 2)]
    >>> for detection in predictor.detect(data):
    ...     print(detection.item_id, np.flatnonzero(detection.score > 0))
    pump [100]
    valve [100]
    >>> predictor.stream(data[1]).update(70.0).is_anomaly
    True
    >>> predictor.predictor_of("pump").prediction_length
    2
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     predictor.serialize(Path(folder))
    ...     again = PerSeriesPredictor.deserialize(Path(folder))
    >>> again.item_ids == predictor.item_ids
    True
    """

    def __init__(
        self,
        models: dict[str, Packed],
        prediction_length: int,
        lead_time: int = 0,
        n_jobs: Optional[int] = None,
        seed: Optional[int] = None,
        freq: Optional[str] = None,
        failures: Optional[dict[str, str]] = None,
    ) -> None:
        super().__init__(prediction_length, lead_time)
        self.models = models
        self.n_jobs = n_jobs
        self.seed = seed
        self.freq = freq
        self.failures = failures or {}
        self.ready: dict[str, Predictor] = {}
        self.load_kwargs: dict[str, Any] = {}

    @property
    def item_ids(self) -> list[str]:
        """The series that there is a model of."""
        return list(self.models)

    def predictor_of(self, item_id: str) -> Predictor:
        """The model of a series."""
        if item_id in self.ready:
            return self.ready[item_id]
        predictor = unpacked(self.models[item_id], **self.load_kwargs)
        if len(self.ready) < MAX_READY:
            self.ready[item_id] = predictor
        return predictor

    def predict(
        self,
        dataset: Dataset,
        num_samples: Optional[int] = None,
        **kwargs: Any,
    ) -> Iterator[Forecast]:
        """
        Forecasts in the order of the data set.

        Parameters
        ----------
        dataset
            Series that were trained on, each up to where its forecast begins.
        num_samples
            Number of samples, where forecasts are made of them.
        kwargs
            For the ``predict`` of each model.
        """
        if num_samples is not None:
            kwargs["num_samples"] = num_samples
        seed = self.seed
        if seed is None:
            seed = int(np.random.randint(2**31))
        return self.each(forecast, dataset, kwargs, seed)

    def detect(
        self,
        dataset: Iterable[dict],
        mode: str = "filter",
        num_particles: int = 0,
        threshold: float = 0.5,
        max_run: Optional[float] = None,
        recalibrate: Optional[bool] = None,
    ) -> Iterator[Detection]:
        """
        What is anomalous in each series, in the order of the data set.

        The arguments are those of :meth:`gluonts_lai.LAIPredictor.detect`, but
        for ``n_jobs``, which is the predictor's own.
        """
        Manner.chosen(
            mode, "impute", threshold, max_run, recalibrate, num_particles
        )
        kwargs = {
            "mode": mode,
            "num_particles": num_particles,
            "threshold": threshold,
            "max_run": max_run,
            "recalibrate": recalibrate,
        }
        return self.each(detection, dataset, kwargs, 0)

    def stream(self, history: dict, **kwargs: Any) -> StreamingDetector:
        """
        Watch a series point by point.

        Parameters
        ----------
        history
            An entry with its ``item_id``, and with the points so far.
        kwargs
            As in :meth:`gluonts_lai.LAIPredictor.stream`.
        """
        key = key_of(history, 0)
        self.check_trained(key, history, 0)
        predictor: Any = self.predictor_of(key)
        check_detects(predictor)
        return predictor.stream(history, **kwargs)

    def each(
        self, task: Callable, dataset: Iterable[dict], kwargs: dict, seed: int
    ) -> Iterator[Any]:
        """What a task makes of each series, with its model."""
        # All of them are looked at before any work is done.
        entries = list(dataset)
        keys = keys_of(entries)
        for i, (key, entry) in enumerate(zip(keys, entries)):
            self.check_trained(key, entry, i)
        is_here = effective_n_jobs(self.n_jobs) == 1
        jobs = (
            (
                self.predictor_of(key) if is_here else self.models[key],
                entry,
                kwargs,
                seed_of(seed, key, i),
            )
            for i, (key, entry) in enumerate(zip(keys, entries))
        )
        return self.results(task, jobs, 1 if is_here else CHUNK)

    def results(
        self, task: Callable, jobs: Iterator[tuple], num_at_once: int
    ) -> Iterator[Any]:
        while chunk := list(islice(jobs, num_at_once)):
            # Complete before any is handed on: the caller may begin another
            # run before this one ends, and joblib's backends allow for one.
            yield from list(
                share_out(task, chunk, self.n_jobs, **self.load_kwargs)
            )

    def check_trained(self, key: str, entry: dict, position: int) -> None:
        """There is a model of this series."""
        if key in self.models:
            return
        why = "that was not in the training data"
        if key in self.failures:
            why = f"whose training failed ({self.failures[key]})"
        raise ValueError(
            "each series must be one that a model was trained for, got "
            f"{name_of(entry, position)}, {why}; leave it out: those that "
            "have a model are in .item_ids."
        )

    def serialize(self, path: Path) -> None:
        """
        Write all models to a folder: one inside it for each, by its number,
        JSON that says which series it belongs to, and ``manifest.json``,
        without which a folder is not loaded.

        Parameters
        ----------
        path
            A folder that exists.
        """
        break_seal(path)
        super().serialize(path)
        for i, files in enumerate(self.models.values()):
            write_files(folder_of(path, i), files)
        index = {
            "item_ids": self.item_ids,
            "failures": self.failures,
            "prediction_length": self.prediction_length,
            "lead_time": self.lead_time,
            "n_jobs": self.n_jobs,
            "seed": self.seed,
            "freq": self.freq,
        }
        text = json.dumps(index, indent=1)
        (path / INDEX).write_text(text, encoding="utf-8")
        seal(path)

    @classmethod
    def deserialize(cls, path: Path, **kwargs: Any) -> "PerSeriesPredictor":
        """
        Read what :meth:`serialize` wrote; refused as in
        :meth:`gluonts_lai.LAIPredictor.deserialize`, and by that.

        Parameters
        ----------
        path
            The folder.
        kwargs
            For each model: ``device`` on PyTorch, ``ctx`` on MXNet.
        """
        check_sealed(path, "a model folder")
        index = index_in(path / INDEX)
        models = {}
        for i, item_id in enumerate(index.pop("item_ids")):
            models[item_id] = read_files(folder_of(path, i))
            if not models[item_id]:
                raise ValueError(
                    f"{folder_of(path, i)} must hold the model of "
                    f"{item_id!r}, got nothing; copy the whole folder again."
                )
        predictor = cls(models, **index)
        predictor.load_kwargs = kwargs
        check_loads(predictor)
        return predictor

    def __getstate__(self) -> dict:
        # Those that are ready may be such as cannot be pickled.
        known = [part for x in self.models.values() for part in own_parts(x)]
        return {**vars(self), "ready": {}, "known": list(set(known))}

    def __setstate__(self, state: dict) -> None:
        allow(*state.pop("known"))
        self.__dict__.update(state)


def forecast(model: Any, entry: dict, kwargs: dict, seed: int) -> Forecast:
    """The forecast of a series, by its model."""
    with seeded(seed):
        return next(iter(model.predict([entry], **kwargs)))


def detection(model: Any, entry: dict, kwargs: dict, seed: int) -> Detection:
    """What is anomalous in a series, by its model."""
    check_detects(model)
    return next(model.detect([entry], **kwargs))


def check_detects(model: Any) -> None:
    if not hasattr(model, "detect"):
        raise TypeError(
            "models must find anomalies, got those of a plain estimator "
            f"({type(model).__name__}); wrap it in a LAIEstimator and train "
            "again."
        )


def check_loads(predictor: PerSeriesPredictor) -> None:
    """Whether models can be loaded as the caller wants; the first one is."""
    kwargs = predictor.load_kwargs
    if not kwargs:
        return
    try:
        predictor.predictor_of(predictor.item_ids[0])
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # GluonTS and frameworks have their own
        told = ", ".join(f"{k}={v!r:.60}" for k, v in kwargs.items())
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            "kwargs must be such as all models can be loaded with, device on "
            f"PyTorch or ctx on MXNet, got {told} "
            f"({error.__cause__ or error!s:.200}); leave them out for the "
            "device that GluonTS takes."
        ) from error


def folder_of(path: Path, number: int) -> Path:
    # Names of series may be no names of files.
    return path / "series" / str(number)

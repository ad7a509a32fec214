"""
Watching series as their points arrive.

    stream = predictor.stream(history=entry)
    for value in values:
        reading = stream.update(value)

A detector remembers as much of each series as the forecaster looks back on,
and no more. Fed point by point, it says the same as
``predictor.detect(mode="filter")`` of the whole series, wherever a forecast
is no matter of chance.
"""

from typing import Any, Mapping, Optional, Sequence

import numpy as np
from gluonts.model.forecast import Forecast

from gluonts_lai.arrivals import as_label, as_point, as_points
from gluonts_lai.detector import Manner
from gluonts_lai.filtering.tracks import Judged, Tracks
from gluonts_lai.panel import Panel, check_freq, check_shape

from .clocks import Clocks
from .readings import Reading, readings_of
from .several import (
    as_listed,
    as_many,
    as_values,
    places_of,
    with_target,
)
from .states import (
    as_field,
    as_json,
    check_header,
    header,
    undamaged,
)
from .watch import Watch


class StreamingDetector:
    """
    A trained predictor, watching series point by point.

    Made by :meth:`gluonts_lai.LAIPredictor.stream`.

    Parameters
    ----------
    predictor
        A trained :class:`gluonts_lai.LAIPredictor`.
    entries
        The series, each with what is known of it so far.
    manner
        How to look at them.
    is_single
        Whether there is one series and always will be.

    Examples
    --------
    >>> import pandas as pd
    >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
    >>> from gluonts_lai import LAIPredictor
    >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
    >>> values[100:103] = 20.0
    >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
    >>> naive = SeasonalNaivePredictor(1, season_length=4)
    >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
    >>> stream = predictor.stream({"start": entry["start"]})
    >>> readings = stream.update_many(values)
    >>> [t for t, reading in enumerate(readings) if reading.is_anomaly]
    [100, 101, 102]
    """

    def __init__(
        self,
        predictor: Any,
        entries: Sequence[dict],
        manner: Manner,
        is_single: bool = True,
    ) -> None:
        self.predictor = predictor
        self.manner = manner
        self.is_single = is_single
        shape = predictor.profiles.typical.shape
        panel = Panel.of(
            [with_target(entry, shape, predictor.freq) for entry in entries],
            predictor.label_field,
        )
        check_freq(panel, predictor.freq)
        check_shape(panel, shape)
        self.places = places_of(panel)
        self.watch = Watch(predictor, panel, manner, shape)
        self.clocks = Clocks(
            self.watch.tracks,
            [entry.get("start") is not None for entry in entries],
            predictor.freq,
        )

    @property
    def tracks(self) -> Tracks:
        """The series under way."""
        return self.watch.tracks

    # What arrives

    def update(
        self, value: Any, timestamp: Any = None, label: Optional[float] = None
    ) -> Reading:
        """
        Take in the next point of the one series there is.

        Parameters
        ----------
        value
            A number, or one for each dimension; NaN or None where it is
            missing.
        timestamp
            When it came. Points between the last one and this are missing.
            None for the period after the last one. A time with a zone is
            converted to UTC, as in files.
        label
            What is known of it: 1 anomalous, 0 nominal; None for nothing.

        Examples
        --------
        >>> import pandas as pd
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> from gluonts_lai import LAIPredictor
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> stream = predictor.stream(entry)
        >>> stream.update(30.0).is_anomaly
        True
        >>> stream.update(30.0, label=0).is_anomaly  # it is known to be right
        False
        >>> later = entry["start"] + 244  # two points are missing
        >>> stream.update(3.0, timestamp=later).expected
        3.0
        """
        self.check_single("update")
        times = None if timestamp is None else [timestamp]
        labels = None if label is None else [label]
        return self.take([0], [value], times, labels)[0]

    def update_many(
        self, values: Any, timestamps: Any = None, labels: Any = None
    ) -> Any:
        """
        Take in many points at once; all of them, or none if one is wrong.

        Parameters
        ----------
        values
            With several series, one value for each of them in their order, or
            a mapping from ``item_id`` to the value of those that have one;
            with one series, values that follow one another.
        timestamps
            When they came, in the same shape; None for the period after the
            last one.
        labels
            What is known of them, in the same shape; None for nothing.

        Returns
        -------
        Readings in the same shape: a list, or a mapping by ``item_id``.

        Examples
        --------
        >>> import pandas as pd
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> from gluonts_lai import LAIPredictor
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> stream = predictor.stream(
        ...     [{"item_id": "a", **entry}, {"item_id": "b", **entry}]
        ... )
        >>> [reading.is_anomaly for reading in stream.update_many([3.0, 30.0])]
        [False, True]
        >>> readings = stream.update_many({"b": 5.0})  # "a" is late
        >>> readings["b"].expected
        5.0
        """
        if isinstance(values, Mapping):
            which = [self.place(item_id) for item_id in values]
            times = as_listed("timestamps", timestamps, values)
            known = as_listed("labels", labels, values)
            readings = self.take(which, list(values.values()), times, known)
            return dict(zip(values, readings))
        values = as_values(values)
        times = as_many("timestamps", timestamps, len(values))
        known = as_many("labels", labels, len(values))
        if not self.is_single:
            which = list(range(len(self.tracks.entries)))
            return self.take(which, values, times, known)
        points = as_points(values, self.tracks.shape)
        for label in known or []:
            as_label(label)
        nothing = [None] * len(values)
        self.clocks.check_all(0, times or nothing)
        rows = zip(points, times or nothing, known or nothing)
        return [self.update(*row) for row in rows]

    def score(self, value: Any, label: Optional[float] = None) -> Reading:
        """
        What :meth:`update` would say of a value; nothing changes.

        Examples
        --------
        >>> import pandas as pd
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> from gluonts_lai import LAIPredictor
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> stream = predictor.stream(entry)
        >>> [stream.score(x).is_anomaly for x in (30.0, 3.0)]
        [True, False]
        """
        self.check_single("score")
        points = as_point(value, self.tracks.shape)[None]
        self.clocks.check_known(0, 1)
        which = np.zeros(1, int)
        return self.readings(self.watch.judge(which, points, [label]))[0]

    def forecast(self, num_samples: Optional[int] = None) -> Any:
        """
        A forecast from the clean points so far; a list of them, in the order
        of the series, where there are several.

        Examples
        --------
        >>> import pandas as pd
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> from gluonts_lai import LAIPredictor
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(4, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> stream = predictor.stream(entry)
        >>> reading = stream.update(30.0)
        >>> stream.forecast().mean.tolist()
        [5.0, 4.0, 7.0, 3.0]
        """
        kwargs = {} if num_samples is None else {"num_samples": num_samples}
        which = np.arange(len(self.tracks.entries))
        ahead = self.predictor.prediction_length + self.predictor.lead_time
        for i in which:
            self.clocks.check_known(i, ahead)
        panel = self.tracks.panel(which, ahead)
        profiles = self.watch.profiles()
        with self.watch.chance(is_random=True):
            forecasts: list[Forecast] = self.predictor.forecast(
                panel, panel.values, profiles, kwargs
            )
        return forecasts[0] if self.is_single else forecasts

    # How it stops and goes on

    def to_dict(self) -> dict:
        """
        All that is remembered, as JSON knows it.

        Examples
        --------
        >>> import json
        >>> import pandas as pd
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> from gluonts_lai import LAIPredictor
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> state = json.dumps(predictor.stream(entry).to_dict())
        >>> stream = StreamingDetector.from_dict(json.loads(state), predictor)
        >>> stream.update(3.0).expected
        3.0
        """
        return self.remembered(self.predictor.fingerprint())

    def remembered(self, model: str) -> dict:
        """
        The same, by who knows the predictor's fingerprint: that takes longer
        the more series the predictor was trained on.
        """
        series = [
            {
                "entry": entry,
                "has_start": self.clocks.has_start[i],
                **self.watch.state(i),
            }
            for i, entry in enumerate(self.tracks.entries)
        ]
        return {
            **header(model),
            "manner": as_json(
                {
                    **self.manner._asdict(),
                    # JSON knows no infinity.
                    "max_run": self.manner.max_run
                    and str(self.manner.max_run),
                }
            ),
            "is_single": self.is_single,
            "series": as_json(series),
        }

    @classmethod
    def from_dict(cls, state: dict, predictor: Any) -> "StreamingDetector":
        """
        Go on where a stream has stopped.

        Parameters
        ----------
        state
            What :meth:`to_dict` gave.
        predictor
            The predictor that the stream was made with, or the same from
            disk.

        Examples
        --------
        >>> import pandas as pd
        >>> from gluonts.model.seasonal_naive import SeasonalNaivePredictor
        >>> from gluonts_lai import LAIPredictor
        >>> values = np.tile([3.0, 5.0, 4.0, 7.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> naive = SeasonalNaivePredictor(1, season_length=4)
        >>> predictor = LAIPredictor.from_predictor(naive, [entry], seed=0)
        >>> state = predictor.stream(entry).to_dict()
        >>> StreamingDetector.from_dict(state, predictor).update(30.0).expected
        3.0
        """
        return cls.restored(state, predictor, predictor.fingerprint())

    @classmethod
    def restored(
        cls, state: dict, predictor: Any, model: str, **now: Any
    ) -> "StreamingDetector":
        """
        The same, by who knows the predictor's fingerprint, and wants to look
        at points in another manner from ``now`` on.
        """
        check_header(state, model)

        def read() -> "StreamingDetector":
            chosen = {**state["manner"], **now}
            limit = chosen["max_run"]
            chosen["max_run"] = None if limit is None else float(limit)
            manner = Manner.chosen(**chosen)
            entries = [
                {name: as_field(x) for name, x in one["entry"].items()}
                for one in state["series"]
            ]
            if state["is_single"] and len(entries) != 1:
                raise ValueError(f"{len(entries)} series for one")
            stream = cls(predictor, entries, manner, state["is_single"])
            for i, one in enumerate(state["series"]):
                stream.watch.restore(i, one)
                stream.clocks.has_start[i] = bool(one["has_start"])
            stream.watch.get_to_know(range(len(entries)))
            return stream

        return undamaged(read)

    # How it takes points in

    def take(
        self,
        which: Sequence[int],
        values: Sequence,
        timestamps: Optional[Sequence] = None,
        labels: Optional[Sequence] = None,
    ) -> list[Reading]:
        """Take in one point of each of some series, or of none of them."""
        for label in labels or []:
            as_label(label)  # before anything is remembered
        chosen = np.array(which, dtype=int)
        if len(values) != len(chosen):
            raise ValueError(
                f"there must be one value for each of the {len(chosen)} "
                f"series, got {len(values)}; give a mapping by item_id where "
                "some have none."
            )
        points = as_points(values, self.tracks.shape)
        missing, starts = self.clocks.missing_before(which, timestamps)
        if not self.tracks.nominal.is_bare:
            for i, num_missing in zip(which, missing):
                self.clocks.check_known(i, num_missing + 1, i in starts)
        self.clocks.start(starts)
        for step in range(max(missing, default=0)):
            late = chosen[np.array(missing) > step]
            nothing = np.full((len(late), *self.tracks.shape), np.nan)
            self.watch.keep(late, nothing, self.watch.judge(late, nothing))
        judged = self.watch.judge(chosen, points, labels)
        self.watch.keep(chosen, points, judged)
        return self.readings(judged)

    def readings(self, judged: Judged) -> list[Reading]:
        """What was found, for each series."""
        return readings_of(judged, self.tracks.shape, self.manner.threshold)

    # What has to hold

    def check_single(self, method: str) -> None:
        if not self.is_single:
            raise TypeError(
                f"{method} needs a stream of one series, got one of "
                f"{len(self.tracks.entries)}; use update_many."
            )

    def place(self, item_id: Any) -> int:
        """Where a series stands among the others."""
        try:
            return self.places[item_id]
        except KeyError:
            raise KeyError(
                f"item_id must be one of the series of the stream, got "
                f"{item_id!r}; begin a stream with it for a new series."
            ) from None

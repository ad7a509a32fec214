"""
WHEN do the points of a stream come?

A series has one point for each period, from its start on. What comes later
than the next one leaves points out; what comes before it is a mistake. Models
that look at values alone need not know when a series began.
"""

from typing import Optional, Sequence

from gluonts_lai.arrivals import as_period, num_missing
from gluonts_lai.filtering.tracks import Tracks
from gluonts_lai.panel.entries import check_features, name_of


class Clocks:
    """
    The clocks of the series of a stream.

    Parameters
    ----------
    tracks
        The series.
    has_start
        Of which of them it is known when they began.
    freq
        Their frequency, if they have one.
    """

    def __init__(
        self, tracks: Tracks, has_start: Sequence[bool], freq: Optional[str]
    ) -> None:
        self.tracks = tracks
        self.has_start = list(has_start)
        self.freq = freq

    def missing_before(
        self, which: Sequence[int], timestamps: Optional[Sequence]
    ) -> tuple[list[int], dict]:
        """
        Points that are missing before those that came at these times, and the
        starts of series that begin with them.
        """
        missing: list[int] = [0] * len(which)
        starts: dict = {}
        if timestamps is None:
            return missing, starts
        for j, (i, time) in enumerate(zip(which, timestamps)):
            if time is None:
                continue
            period = as_period(time, self.freq, self.name(i))
            if not self.has_start[i]:
                if self.tracks.lengths[i]:
                    raise self.no_start(i)
                starts[i] = period
                continue
            start = self.tracks.entries[i]["start"]
            following = start + int(self.tracks.lengths[i])
            missing[j] = num_missing(period, following, self.name(i))
        return missing, starts

    def check_all(self, i: int, timestamps: Sequence) -> None:
        """Whether points may follow one another at these times."""
        length, num_left_out = int(self.tracks.lengths[i]), 0
        following = None
        if self.has_start[i]:
            following = self.tracks.entries[i]["start"] + length
        for j, time in enumerate(timestamps):
            if time is not None:
                period = as_period(time, self.freq, self.name(i))
                if following is not None:
                    num_left_out += num_missing(
                        period, following, self.name(i)
                    )
                elif length or j:
                    raise self.no_start(i)
                following = period
            following = None if following is None else following + 1
        begins = following is not None
        self.check_known(i, num_left_out + len(timestamps), begins)

    def start(self, starts: dict) -> None:
        """Series that begin now."""
        for i, period in starts.items():
            self.tracks.entries[i]["start"] = period
            self.has_start[i] = True

    def check_known(
        self, i: int, num_ahead: int, begins: bool = False
    ) -> None:
        """A model that looks at more than values must know more."""
        if self.tracks.nominal.is_bare:
            return
        num_points = self.tracks.lengths[i] + num_ahead
        check_features(self.tracks.entries[i], num_points, self.name(i))
        if not self.has_start[i] and not begins:
            raise self.no_start(i)

    def no_start(self, i: int) -> ValueError:
        return ValueError(
            "a stream with timestamps, and a model that looks at the "
            f"calendar, must know when {self.name(i)} begins; give a history "
            "with a start, or a timestamp with its first value."
        )

    def name(self, i: int) -> str:
        return name_of(self.tracks.entries[i], int(i))

"""
A stream for each series that points arrive of, and how they stop and go on.
"""

import json
import signal
from contextlib import contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ContextManager,
    Iterator,
    Optional,
    Sequence,
)

from gluonts_lai.documents import read_json
from gluonts_lai.files import whole_file

from .arriving import Point

if TYPE_CHECKING:
    from gluonts_lai import LAIPredictor, StreamingDetector
    from gluonts_lai.streaming.readings import Reading

KIND, VERSION = "gluonts-lai watch", 1
# Missing points in a row that take a network longer than a moment.
LONG_GAP = 100


class Streams:
    """
    Streams of one model, by the names of their series.

    A series that was not there before begins with its first point. Points
    that name no series belong to the only one that is known, if there is one.

    Parameters
    ----------
    predictor
        The model.
    manner
        How it looks at points, as :meth:`LAIPredictor.stream` takes it. What
        is None is as in the state that is restored, or else as usual.
    """

    def __init__(self, predictor: "LAIPredictor", **manner: Any) -> None:
        self.predictor = predictor
        self.manner = {k: v for k, v in manner.items() if v is not None}
        self.by_name: dict[Optional[str], StreamingDetector] = {}

    @cached_property
    def fingerprint(self) -> str:
        """What tells the model from others; here it stays as it is."""
        return self.predictor.fingerprint()

    def begin(self, history: Sequence[dict]) -> None:
        """Begin with series that have a past, unless they have begun."""
        for entry in history:
            name = entry.get("item_id")
            if name not in self.by_name:
                self.by_name[name] = self.predictor.stream(
                    entry, **self.manner
                )

    def take(self, point: Point) -> "Reading":
        """Take in a point of the series that it names, or not at all."""
        name = point.item_id
        patience: ContextManager = undisturbed()
        stream = self.by_name.get(name)
        if stream is None:
            entry = {} if name is None else {"item_id": name}
            stream = self.predictor.stream(entry, **self.manner)
        (missing,), _ = stream.clocks.missing_before([0], [point.timestamp])
        if missing > LONG_GAP:
            # Each of them is judged: Ctrl-C finds a copy half through it.
            stream, patience = self.copy_of(stream), nullcontext()
        with patience:
            reading = stream.update(point.value, point.timestamp)
            self.by_name[name] = stream  # now that the point was a good one
        return reading

    def copy_of(self, stream: "StreamingDetector") -> "StreamingDetector":
        """A stream that goes on from the same points."""
        state = stream.remembered(self.fingerprint)
        return type(stream).restored(state, self.predictor, self.fingerprint)

    def name_of(self, point: Point) -> Optional[str]:
        """The series of a point, said or understood."""
        if point.item_id is not None:
            return point.item_id
        names = [*self.by_name] or [*self.predictor.profiles.known]
        if len(names) > 1 and None not in names:
            raise ValueError(
                f"a point must say which of {len(names):,} series it belongs "
                "to, got none; write item_id,timestamp,value."
            )
        return names[0] if len(names) == 1 else None

    def save(self, path: Path) -> None:
        """Write down all that is remembered."""
        with undisturbed():
            streams = [
                {
                    "item_id": name,
                    "state": stream.remembered(self.fingerprint),
                }
                for name, stream in self.by_name.items()
            ]
            state = {"kind": KIND, "version": VERSION, "streams": streams}
            with whole_file(path) as unfinished:
                unfinished.write_text(json.dumps(state), encoding="utf-8")

    def restore(self, path: Path) -> None:
        """Go on from what was written down."""
        from gluonts_lai import StreamingDetector

        try:
            state = read_json(path)
        except ValueError as error:
            raise no_state(path, str(error)) from error
        if not isinstance(state, dict) or state.get("kind") != KIND:
            raise no_state(path, "another file")
        try:
            for one in state["streams"]:
                self.by_name[one["item_id"]] = StreamingDetector.restored(
                    one["state"],
                    self.predictor,
                    self.fingerprint,
                    **self.manner,
                )
        except (KeyError, TypeError, ValueError) as error:
            raise no_state(path, str(error)) from error
        if self.by_name:
            *_, last = self.by_name.values()
            # Series that are new are looked at as those that were there.
            self.manner = manner_of(last)


def manner_of(stream: "StreamingDetector") -> dict:
    """How a stream looks at points, as it was chosen."""
    names = ("threshold", "max_run", "recalibrate")
    return {name: getattr(stream.manner, name) for name in names}


def no_state(path: Path, got: str) -> ValueError:
    return ValueError(
        f"--state must be a file that 'gluonts-lai watch' wrote with this "
        f"model, got {path} ({got}); name another file, or move it away to "
        "begin anew."
    )


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C has to wait: what is half remembered is of no use."""
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM}
    )
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

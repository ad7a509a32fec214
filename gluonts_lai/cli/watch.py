"""
``gluonts-lai watch``: is the point that has just come anomalous?
"""

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional

import click

from . import options
from .endings import Command, sentence
from .talk import Talk

if TYPE_CHECKING:
    from .streams import Streams

FIELDS = (
    "item_id",
    "timestamp",
    "value",
    "probability",
    "log_density",
    "expected",
    "lower",
    "upper",
    "is_anomaly",
    "replaced_by",
)


@click.command(cls=Command)
@options.model
@click.option(
    "--history",
    metavar="DATA",
    type=click.Path(path_type=Path),
    help="File with the points so far. Without it, a new series is judged "
    "after as many points as the model looks back on.",
)
@click.option(
    "--state",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Go on from this file if it is there, and keep it up to date.",
)
@click.option(
    "--save-every",
    metavar="N",
    default=1_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="Points after which the state is saved; it always is at the end.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "json"]),
    help="What comes in. By default, each line shows it.",
)
@click.option(
    "--output",
    type=click.Choice(["json", "csv"]),
    default="json",
    show_default=True,
    help="What goes out.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Probability above which a point is anomalous. By default, as in "
    "the state, or else 0.5.",
)
@click.option(
    "--max-run",
    metavar="N",
    type=click.FloatRange(min=0),
    help="Most points in a row to replace. By default, as in the state, or "
    "else what one anomaly in five outlasts, or one in each five contexts.",
)
@options.columns
@options.talk
def watch(
    talk: Talk,
    model: Path,
    history: Optional[Path],
    state: Optional[Path],
    save_every: int,
    form: Optional[str],
    output: str,
    threshold: Optional[float],
    max_run: Optional[float],
    **columns: Any,
) -> None:
    """
    Judge points as they come, one a line on standard input.

    A line is a value, or timestamp,value, or item_id,timestamp,value, or a
    JSON object with these or other usual names; a first line with the names
    of columns is understood. Times are as 2024-01-31 17:00, or Unix time;
    with a zone, they become UTC, as in files. For each point, one line comes
    out at once: probability of being anomalous, what was expected, is_anomaly,
    and what replaces it for later points. A line that cannot be read is named
    on standard error and left out. New series may begin at any time. Options
    for columns are those of the history.

    \b
    Examples:
      sensor | gluonts-lai watch --model model --history sensors.csv
      tail -f log.csv | gluonts-lai watch --model model --state state.json
      echo '{"item_id": "pump", "timestamp": "2024-05-01", "value": 3.2}' |
          gluonts-lai watch --model model
    """
    from gluonts_lai.files import check_writable

    from .models import load_model
    from .reading import blind, read_data
    from .streams import Streams

    if state is not None:
        check_writable(state)
    predictor = load_model(model)
    streams = Streams(predictor, threshold=threshold, max_run=max_run)
    if state is not None and state.exists():
        streams.restore(state)
        talk.say(f"Going on with {len(streams.by_name):,} series.")
    if history is not None:
        streams.begin(blind(read_data(history, talk, **columns).entries))
    if not streams.by_name:
        talk.say(
            f"The first {predictor.context_length:,} points of a series are "
            "not judged; --history has earlier ones."
        )

    def save() -> None:
        if state is not None:
            streams.save(state)

    try:
        counts = follow(streams, form, output, save, save_every)
    finally:
        save()
    talk.say(counts.in_words())
    if state is not None:
        talk.say(f"The state is in {state}.")
    if counts.bad and not counts.good:
        raise ValueError(
            f"lines must be points that go on, got {counts.bad:,} that were "
            "left out and no other; see above why, and --help for how to "
            "write them."
        )


class Counts:
    """What has come so far."""

    def __init__(self) -> None:
        self.good = self.bad = self.anomalous = 0

    def in_words(self) -> str:
        from gluonts_lai.files.sheet import counted

        left_out = f", {counted(self.bad, 'line')} left out" * bool(self.bad)
        return (
            f"{counted(self.good, 'point')}, {self.anomalous:,} anomalous"
            f"{left_out}."
        )


def follow(
    streams: "Streams",
    form: Optional[str],
    output: str,
    save: Callable[[], None],
    save_every: int,
) -> Counts:
    """Read points until there are no more, and tell of each what it is."""
    from .arriving import Lines

    lines, counts, tell = Lines(form), Counts(), teller(output)
    for number, line in enumerate(sys.stdin, 1):
        try:
            point = lines.read(line)
            if point is None:
                continue
            point = point._replace(item_id=streams.name_of(point))
            reading = streams.take(point)
        except (TypeError, ValueError) as error:
            counts.bad += 1
            # A lost point is no talk: it is said even to who wants quiet.
            click.echo(f"Line {number}: {sentence(error)}", err=True)
            continue
        tell({**point._asdict(), **reading._asdict()})
        counts.good += 1
        counts.anomalous += bool(any_of(reading.is_anomaly))
        if counts.good % save_every == 0:
            save()
    return counts


def teller(output: str) -> Callable[[dict], None]:
    """Writes what is known of a point as soon as it is known."""
    from .results import dump, known

    if output == "json":
        return lambda told: click.echo(dump({k: told[k] for k in FIELDS}))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(FIELDS)

    def tell(told: dict) -> None:
        cells = [known(told[name]) for name in FIELDS]
        writer.writerow(
            [int(x) if x is True or x is False else x for x in cells]
        )
        sys.stdout.flush()

    return tell


def any_of(flags: Any) -> bool:
    """A flag, or one for each dimension."""
    return bool(getattr(flags, "any", lambda: flags)())

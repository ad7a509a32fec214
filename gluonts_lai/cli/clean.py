"""
``gluonts-lai clean``: series without their anomalies.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Sequence

import click

from . import options
from .endings import Command
from .talk import Talk

if TYPE_CHECKING:
    from .repairs import Repair


@click.command(cls=Command)
@options.data
@options.model
@options.out("File for the clean series: .csv, .json, .jsonl or .parquet.")
@options.threshold
@options.manner("smooth")
@options.columns
@options.as_json
@options.talk
def clean(
    talk: Talk,
    data: Path,
    model: Path,
    out: Optional[Path],
    threshold: float,
    as_json: bool,
    mode: str,
    particles: int,
    max_run: Optional[float],
    **columns: Any,
) -> None:
    """
    Replace the anomalous points of DATA by what the forecaster expected.

    The series come out as they came in: long stays long, wide stays wide.
    Points are judged in hindsight, by those before and after them, unless you
    choose --mode filter. What labels in DATA say is respected by models that
    were trained with labels.

    \b
    Examples:
      gluonts-lai clean sensors.csv --model model --out clean.csv
      gluonts-lai clean sensors.csv --model model --threshold 0.9 > clean.csv
    """
    from .results import check_results

    check_results(out)

    from .models import load_model
    from .reading import one_or_many, read_data
    from .repairs import Repair

    predictor = load_model(model)
    entries = read_data(data, talk, **columns).entries
    detections = predictor.detect(
        entries,
        mode=mode,
        num_particles=particles,
        threshold=threshold,
        max_run=max_run,
    )
    found = talk.following(detections, len(entries), "cleaning")
    repairs = [Repair.of(detection) for detection in found]
    for name in ("freq", "duplicates"):
        columns.pop(name)
    columns["value"] = one_or_many(columns["value"])
    write(data, repairs, columns, out, as_json)
    num_replaced = sum(int(repair.replaced.sum()) for repair in repairs)
    num_points = sum(repair.value.size for repair in repairs)
    talk.say(f"Replaced {num_replaced:,} of {num_points:,} points.")
    if out is not None:
        talk.say(f"The clean series are in {out}.")


def write(
    data: Path,
    repairs: "Sequence[Repair]",
    columns: dict,
    out: Optional[Path],
    as_json: bool,
) -> None:
    """The series in the layout in which they came."""
    from gluonts_lai.files import whole_file

    from .repairs import is_table, repaired, repaired_lines
    from .results import results
    from .tables import table

    if is_table(data):
        with results(out, as_json) as put:
            put(repaired(data, repairs, columns))
    elif as_json or (out and out.suffix not in (".json", ".jsonl")):
        with results(out, as_json) as put:
            for repair in repairs:
                value = {"value": repair.value}
                put(table(repair.item_id, repair.start, value))
    else:
        lines = repaired_lines(data, repairs)
        text = "".join(f"{line}\n" for line in lines)
        if out is None:
            click.echo(text, nl=False)
        else:
            with whole_file(out) as path:
                path.write_text(text, encoding="utf-8")

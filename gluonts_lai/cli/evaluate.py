"""
``gluonts-lai evaluate``: was it found?
"""

from pathlib import Path
from typing import Any, Optional

import click

from . import options
from .endings import Command
from .talk import Talk


@click.command(cls=Command)
@click.argument("found", type=click.Path(path_type=Path))
@click.argument("labels", required=False, type=click.Path(path_type=Path))
@options.out("File for the table: .csv, .json, .jsonl or .parquet.")
@options.threshold
@click.option("--item-id", metavar="COLUMN", help="Column that names series.")
@click.option("--timestamp", metavar="COLUMN", help="Column with the times.")
@click.option(
    "--label",
    metavar="COLUMN",
    help="Column with the labels: 1 anomalous, 0 nominal, empty unknown.",
)
@click.option("--freq", metavar="FREQ", help="How often points come.")
@options.as_json
@options.talk
def evaluate(
    talk: Talk,
    found: Path,
    labels: Optional[Path],
    out: Optional[Path],
    threshold: float,
    as_json: bool,
    **columns: Any,
) -> None:
    """
    Compare what was found with what is known.

    FOUND is what 'gluonts-lai detect' wrote, or another file with a column
    probability or score for each point. LABELS is a file that says of each
    point, by item_id and timestamp, whether it is anomalous; it may be left
    out if FOUND has a column label, as it has where DATA had one. Points of
    which nothing is known are left out.

    A row for each metric: mean and median over the series, how many of them it
    is defined in, and what the same scores or flags would have got in random
    order. Options for columns are those of the file with the labels.

    \b
    Examples:
      gluonts-lai evaluate anomalies.csv
      gluonts-lai evaluate anomalies.csv labels.csv --label is_anomaly --json
    """
    from .results import check_results, results

    check_results(out)

    from gluonts_lai.ev import evaluate_detections

    from .judgements import read_judgements

    known = read_judgements(found, labels, threshold, columns, talk)
    metrics = evaluate_detections(known.labels, known.scores, known.flags)
    if out is not None or as_json:
        with results(out, as_json) as put:
            put(metrics.reset_index())
    if out is None and not as_json:
        click.echo(metrics.reset_index().to_string(**TABLE))
    if out is not None:
        talk.say(f"The table is in {out}.")


TABLE: dict[str, Any] = {
    "index": False,
    "float_format": "{:.3f}".format,
    "na_rep": "",
}

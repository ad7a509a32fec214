"""
``gluonts-lai report``: what was found, as a page for a browser.
"""

from pathlib import Path
from typing import Any, Optional

import click

from . import options
from .endings import Command
from .talk import Talk


@click.command(cls=Command)
@options.data
@options.model
@click.option(
    "--out",
    metavar="FILE",
    default="report.html",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Page to write.",
)
@click.option(
    "--top",
    metavar="N",
    default=20,
    show_default=True,
    type=click.IntRange(min=0),
    help="Series to draw, those in which most was found first.",
)
@click.option("--title", help="Title of the page.")
@options.threshold
@options.manner("filter")
@options.columns
@options.talk
def report(
    talk: Talk,
    data: Path,
    model: Path,
    out: Path,
    top: int,
    title: Optional[str],
    threshold: float,
    mode: str,
    particles: int,
    max_run: Optional[float],
    **columns: Any,
) -> None:
    """
    Find the anomalies in DATA, and write a page about them.

    One file that opens in any browser, without a network: the series ranked
    by what was found, charts of the first ones to zoom into, a table of their
    strongest anomalies, the model and its settings.

    \b
    Examples:
      gluonts-lai report sensors.csv --model model
      gluonts-lai report sensors.csv --model model --out may.html --mode smooth
          --title "Sensors in May"
    """
    from gluonts_lai.files import check_writable

    from .models import load_model
    from .reading import blind, read_data

    check_writable(out)

    from gluonts_lai.report import write_report

    predictor = load_model(model)
    series = read_data(data, talk, **columns)
    manner: dict[str, Any] = {
        "mode": mode,
        "num_particles": particles,
        "threshold": threshold,
        "max_run": max_run,
    }
    detections = predictor.detect(blind(series.entries), **manner)
    write_report(
        out,
        talk.following(detections, len(series.entries), "detecting"),
        predictor,
        title=title,
        threshold=threshold,
        top=top,
        settings={
            "data": data.name,
            "model": model.name,
            "read as": series.summary(),
            **{name: x for name, x in manner.items() if x is not None},
        },
    )
    talk.say(f"The page is in {out}.")

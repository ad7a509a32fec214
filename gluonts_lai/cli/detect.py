"""
``gluonts-lai detect``: which points of a file are anomalous?
"""

from math import nan
from pathlib import Path
from typing import Any, Optional

import click

from . import options
from .endings import Command
from .talk import Talk


@click.command(cls=Command)
@options.data
@options.model
@options.out("File for what was found: .csv, .json, .jsonl or .parquet.")
@click.option(
    "--segments",
    is_flag=True,
    help="A row for each anomaly, with its beginning and its end, in place of "
    "one for each point.",
)
@options.pictures("Folder for pictures of the series in which most was found.")
@options.threshold
@options.manner("filter")
@options.columns
@options.as_json
@options.talk
def detect(
    talk: Talk,
    data: Path,
    model: Path,
    out: Optional[Path],
    segments: bool,
    folder: Optional[Path],
    max_pictures: int,
    threshold: float,
    as_json: bool,
    mode: str,
    particles: int,
    max_run: Optional[float],
    **columns: Any,
) -> None:
    """
    Find the anomalies in DATA.

    DATA may be what the model was trained on, or go on after it, or be other
    series of the same frequency. A row for each point: value, probability
    (of being anomalous), score (its log-odds), expected, lower and upper (the
    forecaster's 95 %), cleaned (the value, or what replaces it), is_anomaly.

    Each point is judged by those before it, as if it had just come (--mode
    filter), or in hindsight (--mode smooth). Labels in DATA are handed on and
    not looked at.

    \b
    Examples:
      gluonts-lai detect sensors.csv --model model --out anomalies.csv
      gluonts-lai detect sensors.csv --model model --segments
      gluonts-lai detect sensors.csv --model model --out found.parquet
          --plot pictures --mode smooth
    """
    from .pictures import MostAnomalous, check_pictures, drawn
    from .results import check_results, results

    check_results(out)
    check_pictures(folder)

    from gluonts_lai.files.sheet import counted

    from .models import load_model
    from .reading import LABEL, blind, read_data
    from .tables import points_of, segments_of

    predictor = load_model(model)
    entries = read_data(data, talk, **columns).entries
    detections = predictor.detect(
        blind(entries),
        mode=mode,
        num_particles=particles,
        threshold=threshold,
        max_run=max_run,
    )
    kept = MostAnomalous(max_pictures, threshold)
    unknown = nan if any(LABEL in entry for entry in entries) else None
    num_flagged = num_segments = 0
    with results(out, as_json) as put:
        for entry, found in zip(
            entries, talk.following(detections, len(entries), "detecting")
        ):
            anomalies = segments_of(found, threshold)
            if segments:
                put(anomalies)
            else:
                put(points_of(found, entry, threshold, unknown))
            num_segments += len(anomalies)
            num_flagged += int(anomalies.length.sum())
            if folder is not None:
                kept.see(found)
        if folder is not None:
            with drawn(folder) as draw:
                for found in talk.following(kept, len(kept.kept), "drawing"):
                    draw(found.item_id, found.plot(threshold))
    talk.say(
        f"{counted(num_flagged, 'anomalous point')} in "
        f"{counted(num_segments, 'segment')}."
    )
    for what, where in (("They are", out), ("Pictures are", folder)):
        if where is not None:
            talk.say(f"{what} in {where}.")

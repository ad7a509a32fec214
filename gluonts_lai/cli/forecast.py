"""
``gluonts-lai forecast``: what comes next?
"""

from pathlib import Path
from typing import Any, Optional

import click

from . import options
from .endings import Command
from .talk import Talk


class Quantiles(click.ParamType):
    """Numbers between 0 and 1, separated by commas; kept as written."""

    name = "quantiles"

    def convert(self, value: Any, param: Any, context: Any) -> list[str]:
        if isinstance(value, list):
            return value
        texts = [text.strip() for text in value.split(",")]
        for text in texts:
            try:
                is_share = 0 < float(text) < 1
            except ValueError:
                is_share = False
            if not is_share:
                self.fail(
                    f"quantiles must lie between 0 and 1, got {text!r}; write "
                    "for example 0.1,0.5,0.9.",
                    param,
                    context,
                )
        return list(dict.fromkeys(texts))


@click.command(cls=Command)
@options.data
@options.model
@options.out("File for the forecasts: .csv, .json, .jsonl or .parquet.")
@click.option(
    "--quantiles",
    type=Quantiles(),
    default="0.1,0.5,0.9",
    show_default=True,
    metavar="Q,Q,…",
    help="Quantiles to tell beside the mean.",
)
@options.pictures("Folder for pictures, of the first series.")
@options.columns
@options.as_json
@options.talk
def forecast(
    talk: Talk,
    data: Path,
    model: Path,
    out: Optional[Path],
    quantiles: list[str],
    folder: Optional[Path],
    max_pictures: int,
    as_json: bool,
    **columns: Any,
) -> None:
    """
    Forecast how each series in DATA goes on.

    Anomalous points are replaced before the forecaster looks back on them. A
    row for each point to come: its mean and quantiles. How many points there
    are was said when the model was trained (--prediction-length).

    \b
    Examples:
      gluonts-lai forecast sensors.csv --model model --out forecast.csv
      gluonts-lai forecast sensors.csv --model model --quantiles 0.05,0.95
          --plot pictures
    """
    from .pictures import check_pictures, drawn
    from .results import check_results, results

    check_results(out)
    check_pictures(folder)

    from gluonts_lai.files.sheet import counted

    from .models import load_model
    from .reading import read_data
    from .tables import forecast_of

    predictor = load_model(model)
    entries = read_data(data, talk, **columns).entries
    first: list[Any] = []
    forecasts = talk.following(
        predictor.predict(entries), len(entries), "forecasting"
    )
    with results(out, as_json) as put:
        for made in forecasts:
            put(forecast_of(made, quantiles))
            if folder is not None and len(first) < max_pictures:
                first.append(made)
        if folder is not None:
            from gluonts_lai.plot import plot_forecast

            with drawn(folder, "-forecast") as draw:
                for entry, made in zip(
                    entries, talk.following(first, len(first), "drawing")
                ):
                    draw(entry.get("item_id"), plot_forecast(entry, made))
    talk.say(
        f"The next {counted(predictor.prediction_length, 'point')} of "
        f"{len(entries):,} series."
    )
    for what, where in (("They are", out), ("Pictures are", folder)):
        if where is not None:
            talk.say(f"{what} in {where}.")

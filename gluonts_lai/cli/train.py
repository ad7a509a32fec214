"""
``gluonts-lai train``: from a file of series to a model.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

import click

from . import options
from .endings import Command
from .talk import Talk

if TYPE_CHECKING:
    from .learning import Trained

# Enough for the default network, in about a minute.
EPOCHS = 50


@click.command(cls=Command)
@options.data
@click.option(
    "--out",
    required=True,
    metavar="MODEL",
    type=click.Path(path_type=Path),
    help="Folder to write the model to.",
)
@click.option(
    "--overwrite", is_flag=True, help="Replace a model that is there already."
)
@click.option(
    "--estimator",
    default="simple-feedforward",
    show_default=True,
    metavar="NAME",
    help="The forecaster: a short name (see above), or the dotted name of any "
    "estimator or predictor of GluonTS, or of your own.",
)
@click.option(
    "--backend",
    type=click.Choice(["torch", "mx"]),
    help="PyTorch or MXNet; by default PyTorch where it is installed.",
)
@click.option(
    "--context-length",
    metavar="N",
    type=click.IntRange(min=1),
    default=25,
    show_default=True,
    help="Points that it looks back on.",
)
@click.option(
    "--prediction-length",
    metavar="N",
    type=click.IntRange(min=1),
    default=24,
    show_default=True,
    help="Points that it forecasts.",
)
@click.option(
    "--anomaly-rate",
    metavar="P",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    help="Share of the points that is anomalous, by your guess.",
)
@click.option(
    "--anomaly-length",
    metavar="N",
    type=click.FloatRange(min=1),
    default=2.0,
    show_default=True,
    help="Points that an anomaly lasts on average, by your guess.",
)
@click.option(
    "--anomalous",
    type=click.Choice(["uniform", "gaussian", "mixture"]),
    default="uniform",
    show_default=True,
    help="Where anomalies lie: anywhere, around one value, or around a few, "
    "such as the zeros of a sensor that drops out.",
)
@click.option(
    "--epochs",
    default=EPOCHS,
    show_default=True,
    metavar="N",
    type=click.IntRange(min=1),
    help="How long to train; for forecasters that are trained in epochs.",
)
@click.option(
    "--hyperparameters",
    metavar="JSON",
    help="What else the forecaster is told: a JSON object, or @FILE that "
    "holds one.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    metavar="N",
    type=click.IntRange(min=0),
    help="The same seed gives the same model.",
)
@click.option(
    "--history",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="File for a table of the rounds of training.",
)
@options.columns
@click.option(
    "--ignore-labels",
    is_flag=True,
    help="Do not learn from labels, if DATA has any.",
)
@options.as_json
@options.talk
def train(talk: Talk, data: Path, **given: Any) -> None:
    """
    Train a forecaster that finds the anomalies of its own training set.

    DATA is a CSV or Parquet file with the columns item_id, timestamp and value
    (without item_id it holds one series), or with a timestamp and one column
    a series, or a GluonTS file of JSON lines. Columns and frequency are
    guessed and shown; options overrule.

    What you know of anomalies helps: how often they come, how long they last,
    and a column of labels where some of them are known.

    \b
    Examples:
      gluonts-lai train sensors.csv --out model
      gluonts-lai train sensors.csv --out model --estimator deepar --epochs 20
      gluonts-lai train sales.parquet --out model --freq D --context-length 56
          --prediction-length 28 --hyperparameters '{"lr": 0.01}'

    \b
    Short names of forecasters, for PyTorch:
      simple-feedforward deepar dlinear patch-tst lag-tst tide tft
      itransformer wavenet mqf2 deep-npts
    for MXNet:
      simple-feedforward deepar deepstate deepvar deepvar-hierarchical gpvar
      transformer wavenet mqcnn mqrnn tft nbeats nbeats-ensemble lstnet
      deepfactor gaussian-process canonical-rnn mlp-forecaster
      deep-renewal-process
    and for neither: seasonal-naive npts mean tree
    """
    from .learning import Wish, learn
    from .reading import blind, read_data

    wish = Wish(*(given.pop(field) for field in Wish._fields))
    out, history = given.pop("out"), given.pop("history")
    overwrite, as_json = given.pop("overwrite"), given.pop("as_json")
    ignores_labels = given.pop("ignore_labels")
    check_outputs(out, overwrite, history)

    series = read_data(data, talk, **given)
    entries = series.entries
    if ignores_labels:
        entries = blind(entries)
    trained = learn(entries, series.freq, wish, talk)
    write(trained, out, overwrite, history)
    if as_json:
        click.echo(json.dumps({"model": str(out), **trained.summary()}))
    talk.say(trained.in_words())
    talk.say(f"The model is in {out}.")


def check_outputs(out: Path, overwrite: bool, history: Optional[Path]) -> None:
    """Refuse places that cannot be written to before hours are spent."""
    from gluonts_lai.files import check_writable

    from .models import is_model

    check_writable(out, folder=True, overwrite=overwrite)
    if out.is_dir() and any(out.iterdir()) and not is_model(out):
        raise ValueError(
            f"--overwrite must replace a model, got {out}, a folder with "
            "other files; choose another name."
        )
    if history is not None:
        check_writable(history)


def write(
    trained: "Trained", out: Path, overwrite: bool, history: Optional[Path]
) -> None:
    """The model, and the rounds that it was trained in."""
    from gluonts_lai.files import whole_file, whole_folder

    with whole_folder(out, overwrite=overwrite) as folder:
        trained.predictor.serialize(folder)
    if history is not None:
        with whole_file(history) as path:
            trained.history.to_frame().to_csv(path, index=False)

"""
The command ``gluonts-lai``: one module for each thing that it does.

Results go to standard output, talk to standard error. Heavy imports wait until
a command needs them, so that ``--help`` answers at once.
"""

import os

import click

from gluonts_lai import __version__

from .clean import clean
from .demo import demo
from .detect import detect
from .evaluate import evaluate
from .forecast import forecast
from .report import report
from .train import train
from .watch import watch


@click.group()
@click.version_option(__version__, prog_name="gluonts-lai")
def main() -> None:
    """
    Forecasters that find the anomalies in their own training set.

    \b
    gluonts-lai demo                          see it work
    gluonts-lai train data.csv --out model    learn from a file of series
    gluonts-lai detect data.csv --model model --out anomalies.csv
    gluonts-lai report data.csv --model model --out report.html
    """
    # Networks of a few weights: threads would wait for each other, and no
    # more. Whoever has large ones says so.
    os.environ.setdefault("OMP_NUM_THREADS", "1")


for command in (demo, train, detect, forecast, clean, report, watch, evaluate):
    main.add_command(command)

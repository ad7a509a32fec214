"""
Options that several commands share.

Each is a decorator; those that come in groups are one decorator for the group.
"""

from functools import partial
from pathlib import Path
from typing import Any, Callable

import click

from .talk import Talk

pass_talk = click.make_pass_decorator(Talk)

data = click.argument("data", type=click.Path(path_type=Path))

model = click.option(
    "--model",
    required=True,
    metavar="MODEL",
    type=click.Path(path_type=Path),
    help="Folder that 'gluonts-lai train' wrote.",
)

threshold = click.option(
    "--threshold",
    default=0.5,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Probability above which a point is anomalous.",
)

as_json = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON document on standard output, null where nothing is known.",
)


def out(help: str) -> Callable:
    """Where the result goes."""
    return click.option(
        "--out",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help=f"{help} By default, standard output.",
    )


def pictures(help: str) -> Callable:
    """Where pictures go, and how many."""

    def decorate(function: Callable) -> Callable:
        function = click.option(
            "--max-pictures",
            default=20,
            show_default=True,
            type=click.IntRange(min=1),
            help="Most pictures to draw.",
        )(function)
        return click.option(
            "--plot",
            "folder",
            metavar="DIR",
            type=click.Path(file_okay=False, path_type=Path),
            help=help,
        )(function)

    return decorate


def columns(function: Callable) -> Callable:
    """How DATA is read; what is not said is guessed, and shown."""
    options = [
        click.option(
            "--item-id",
            metavar="COLUMN",
            help="Column that names the series of each row.",
        ),
        click.option(
            "--timestamp", metavar="COLUMN", help="Column with the times."
        ),
        click.option(
            "--value",
            metavar="COLUMN",
            multiple=True,
            help="Column with the values; several in a wide file.",
        ),
        click.option(
            "--label",
            metavar="COLUMN",
            help="Column with what is known: 1 anomalous, 0 nominal, empty "
            "unknown.",
        ),
        click.option(
            "--freq",
            metavar="FREQ",
            help="How often points come: min, 30min, h, D, W, M …",
        ),
        click.option(
            "--duplicates",
            type=click.Choice(["mean", "first", "last"]),
            help="What to take where a time comes twice. By default, it is "
            "an error.",
        ),
    ]
    return together(options, function)


def manner(mode: str) -> Callable:
    """How series are looked at, unless the user says otherwise."""
    options = [
        click.option(
            "--mode",
            type=click.Choice(["filter", "smooth"]),
            default=mode,
            show_default=True,
            help="Judge each point by those before it, or in hindsight.",
        ),
        click.option(
            "--particles",
            metavar="N",
            type=click.IntRange(min=0),
            default=0,
            show_default=True,
            help="Cleaned histories to carry side by side; they recover "
            "faster from a change. 0 for one.",
        ),
        click.option(
            "--max-run",
            metavar="N",
            type=click.FloatRange(min=0),
            help="Most points in a row to replace: what lasts longer is how "
            "the series is now. By default, what one anomaly in five "
            "outlasts, or one in each five contexts; in hindsight, a context.",
        ),
    ]
    return partial(together, options)


def talk(function: Callable) -> Callable:
    """How much is said."""
    options = [
        click.option("-q", "--quiet", is_flag=True, help="Say nothing."),
        click.option(
            "--debug", is_flag=True, help="Show where an error came from."
        ),
    ]
    return pass_talk(together(options, function))


def together(options: list[Any], function: Callable) -> Callable:
    """A function with several options, in the order of the list."""
    for option in reversed(options):
        function = option(function)
    return function

"""
``gluonts-lai demo``: does it work here, and what does it do?
"""

from typing import Any, Optional

import click

from . import options
from .endings import Command
from .talk import Talk


@click.command(cls=Command)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Seed of the draw and of the trainings.",
)
@click.option(
    "--out",
    default="demo.png",
    show_default=True,
    type=click.Path(dir_okay=False, writable=True),
    help="Picture to write.",
)
@click.option(
    "--backend",
    type=click.Choice(["mx", "torch"]),
    help="MXNet or PyTorch; by default MXNet where it is installed.",
)
@options.talk
def demo(talk: Talk, seed: int, out: str, backend: Optional[str]) -> None:
    """
    The paper's Figure 1.

    A noisy sine with single outliers and one long anomaly. An MLP learns it
    as it is, and with LAI, which infers which points are anomalous. Takes
    about half a minute.
    """
    with talk.silence():
        result = figure1(seed, out, backend)
    click.echo(result.table())
    talk.say(f"The picture is in {out}.")


def figure1(seed: int, out: str, backend: Optional[str]) -> Any:
    """Run the demo and draw it, if it can be drawn at all."""
    from gluonts_lai.files import whole_file
    from gluonts_lai.nominal.backend import require
    from gluonts_lai.plot import check_picture

    check_picture(out)
    from gluonts.env import env

    from gluonts_lai.demo import BACKENDS, backend_at_hand, run

    backend = backend or backend_at_hand()
    require(BACKENDS[backend])
    with env._let(use_tqdm=False):
        result = run(seed, backend)
    with whole_file(out) as path:
        result.picture().savefig(path)
    return result

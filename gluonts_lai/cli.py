"""
The command ``gluonts-lai``.

Results go to standard output; heavy imports wait until a command needs them,
so that ``--help`` answers at once.
"""

from typing import Any, Optional

import click

from gluonts_lai import __version__


@click.group()
@click.version_option(__version__, prog_name="gluonts-lai")
def main() -> None:
    """Forecasters that find the anomalies in their own training set."""


@main.command()
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
def demo(seed: int, out: str, backend: Optional[str]) -> None:
    """
    The paper's Figure 1.

    A noisy sine with single outliers and one long anomaly. An MLP learns it
    as it is, and with LAI, which infers which points are anomalous. Takes
    about half a minute.
    """
    import logging
    import warnings

    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = figure1(seed, out, backend)
    except (ImportError, OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    finally:
        logging.disable(level)
    click.echo(result.table())
    click.echo(f"\nThe picture is in {out}.")


def figure1(seed: int, out: str, backend: Optional[str]) -> Any:
    """Run the demo and draw it, if it can be drawn at all."""
    from gluonts_lai.nominal.backend import require
    from gluonts_lai.plot import check_picture

    check_picture(out)
    from gluonts.env import env

    from gluonts_lai.demo import BACKENDS, backend_at_hand, run

    backend = backend or backend_at_hand()
    require(BACKENDS[backend])
    with env._let(use_tqdm=False):
        result = run(seed, backend)
    result.picture().savefig(out)
    return result

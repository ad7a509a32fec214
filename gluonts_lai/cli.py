"""
The command ``gluonts-lai``.

Results go to standard output; heavy imports wait until a command needs them,
so that ``--help`` answers at once.
"""

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
    help="Seed of the draw.",
)
@click.option(
    "--out",
    default="demo.png",
    show_default=True,
    type=click.Path(dir_okay=False, writable=True),
    help="Picture to write.",
)
def demo(seed: int, out: str) -> None:
    """
    Find the anomalies of a simulated series.

    A noisy sine with single outliers and one long anomaly. The nominal model
    is known here; which points are anomalous, and how anomalies come and go,
    is inferred.
    """
    import numpy as np

    from gluonts_lai.demo import run

    result = run(np.random.default_rng(seed))
    try:
        result.picture().savefig(out)
    except (ImportError, OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(result.table())
    click.echo(f"\nThe picture is in {out}.")

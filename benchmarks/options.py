"""
What all of the larger benchmarks can be told.
"""

import argparse
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Callable

from cells import Ledger

PACKAGES = (
    "gluonts torch lightning mxnet numpy darts pyod stumpy neuralforecast"
).split()


def common_options(**defaults) -> argparse.ArgumentParser:
    """The options that they share, to be the parent of a script's own."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(
        "--data",
        default=os.environ.get("GLUONTS_LAI_DATA"),
        help="folder with electricity/ and nab/ (or set GLUONTS_LAI_DATA)",
    )
    parser.add_argument(
        "--backend",
        choices=["torch", "mx"],
        default="torch",
        help="framework to train on; the other one's finished cells are shown",
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="cells at a time (default 2)"
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        help="folder where finished cells are kept (default results)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small settings, for a look"
    )
    parser.add_argument(
        "--print-only",
        action="store_true",
        help="print what has been measured, and measure nothing",
    )
    parser.set_defaults(**defaults)
    return parser


def find_data(options: argparse.Namespace, *readers: Callable) -> None:
    """Say at once if there are no data; workers inherit where they are."""
    if options.data:
        os.environ["GLUONTS_LAI_DATA"] = options.data
    try:
        for read in readers:
            read()
    except (OSError, ValueError) as error:
        sys.exit(str(error))


def ledger_of(options: argparse.Namespace, name: str) -> Ledger:
    return Ledger(options.results / f"{name}.jsonl")


def versions() -> str:
    """What all this was measured with."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)

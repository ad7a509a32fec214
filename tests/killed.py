"""
A training run that is killed at one moment after another.

    python -m tests.killed mx folder

Each attempt is a process of its own, which goes on from what the last one has
left. What became of them is printed as JSON; ``posterior.npz`` has what the
last one found, ``undisturbed.npz`` what a run finds that nobody kills.
"""

import json
import logging
import os
import signal
import sys
import warnings
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
from gluonts.env import env

from gluonts_lai import LAIEstimator, checkpoint
from gluonts_lai.em import MonteCarloEM
from gluonts_lai.files import writing
from gluonts_lai.indicator import IndicatorChain, smooth_chain
from gluonts_lai.nominal.loader import WindowLoader
from gluonts_lai.nominal.retraining import Retraining
from tests.series import dataset
from tests.test_no_epochs import DayEstimator

EPOCHS, BATCHES = 8, 4
# Where a run dies: in which call of what, counted from where it went on.
MOMENTS: dict[str, tuple[Any, str, int]] = {
    "in an E-step": (MonteCarloEM, "filter", 2),
    "in an epoch": (WindowLoader, "stacked", BATCHES + 3),
    "while a checkpoint is written": (checkpoint, "seal", 1),
    "before a checkpoint has its name": (writing, "swap", 1),
    "before an older one is deleted": (checkpoint.Checkpoints, "folders", 2),
}
# Halves of series: two of the round that is done again, and one more.
IN_A_FIT = (Retraining, "fit", 3)


def estimator(kind: str) -> Any:
    if kind == "none":
        return DayEstimator(prediction_length=1)
    zoo = import_module(f"tests.{kind}.zoo")
    settings: dict[str, Any] = {"learning_rate": 0.01}
    if kind == "mx":  # there, GluonTS's own callbacks set the learning rate
        settings["hybridize"] = True
    return zoo.CASES["SimpleFeedForward"].make(
        epochs=EPOCHS, num_batches_per_epoch=BATCHES, **settings
    )


def train(kind: str, place: Path, checkpoint_dir: Optional[Path]) -> None:
    lai = LAIEstimator(
        estimator(kind),
        num_paths=2,
        seed=3,
        checkpoint_dir=checkpoint_dir and str(checkpoint_dir),
    )
    data = dataset("univariate", num_series=2, length=80, rate=0.03)[0]
    with env._let(use_tqdm=False):
        np.savez(place, *lai.train_model(data).posterior)


def die_at(owner: Any, name: str, number: int) -> None:
    """Let this process be killed in the ``number``-th call of a function."""
    function = getattr(owner, name)
    calls = []

    def call(*args: Any, **kwargs: Any) -> Any:
        calls.append(name)
        if len(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)

    setattr(owner, name, call)


def train_until(where: tuple, kind: str, folder: Path, kept: Path) -> None:
    die_at(*where)
    train(kind, folder / "posterior.npz", kept)


def attempt(work: Callable[[], None]) -> int:
    """How a process ends that does this: 0, or what killed it."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            logging.exception("an attempt failed")
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def make_ready(kind: str) -> None:
    """Do once what every process would have to do."""
    smooth_chain(IndicatorChain(), np.zeros((1, 9)), np.zeros((1, 9)))
    if kind != "none":
        import_module(f"tests.{kind}.zoo")
        import_module(f"gluonts_lai.{kind}")


def main(kind: str, folder: Path) -> None:
    warnings.simplefilter("ignore")
    make_ready(kind)
    kept, told = folder / "kept", []
    undisturbed = folder / "undisturbed.npz"
    ended = attempt(lambda: train(kind, undisturbed, None))
    told.append(("undisturbed", ended, []))
    for moment, where in MOMENTS.items():
        if kind == "none" and moment == "in an epoch":
            where = IN_A_FIT
        ended = attempt(partial(train_until, where, kind, folder, kept))
        there = [path.name for path in kept.glob("epoch-*")]
        told.append((moment, ended, sorted(there)))
    ended = attempt(lambda: train(kind, folder / "posterior.npz", kept))
    told.append(("at last", ended, sorted(p.name for p in kept.iterdir())))
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

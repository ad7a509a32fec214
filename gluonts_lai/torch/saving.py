"""
What a training run on PyTorch needs to go on.

Read back with ``weights_only``: tensors, numbers and text, no code.
"""

from pathlib import Path
from typing import Any, Iterator

import lightning.pytorch as pl
import torch

STATE = "training.pt"


def save(folder: Path, trainer: pl.Trainer) -> None:
    """Write weights, optimisers and schedules of a run, between epochs."""
    state = {
        "network": trainer.lightning_module.state_dict(),
        "optimisers": [each.state_dict() for each in trainer.optimizers],
        "schedules": [each.state_dict() for each in schedules(trainer)],
        "num_steps": trainer.global_step,
    }
    torch.save(state, folder / STATE)


def load(folder: Path, trainer: pl.Trainer) -> None:
    """Read what :func:`save` wrote."""
    state = torch.load(folder / STATE, map_location="cpu", weights_only=True)
    trainer.lightning_module.load_state_dict(state["network"])
    for optimiser, saved in zip(trainer.optimizers, state["optimisers"]):
        optimiser.load_state_dict(saved)
    for schedule, saved in zip(schedules(trainer), state["schedules"]):
        schedule.load_state_dict(saved)
    count_steps(trainer, state["num_steps"])


def schedules(trainer: pl.Trainer) -> list[Any]:
    return [config.scheduler for config in trainer.lr_scheduler_configs]


def count_steps(trainer: pl.Trainer, num_steps: int) -> None:
    """Let Lightning know how many steps there were."""
    loop = trainer.fit_loop.epoch_loop
    done = loop.automatic_optimization.optim_progress.optimizer.step.total
    done.ready = done.completed = num_steps
    loop._batches_that_stepped = num_steps


def count_epochs(trainer: pl.Trainer, num_epochs: int) -> None:
    """Let Lightning know how many epochs there were."""
    progress: Any = trainer.fit_loop.epoch_progress
    for count in (progress.total, progress.current):
        count.ready = count.started = num_epochs
        count.processed = count.completed = num_epochs


class Resumed:
    """
    Batches of epochs of which the first is not the first of the run.

    Lightning begins to read twice then; only the second time counts.
    """

    def __init__(self, epochs: Any) -> None:
        self.epochs = epochs
        self.has_begun = False

    def __iter__(self) -> Iterator[dict]:
        if self.has_begun:
            yield from self.epochs
        self.has_begun = True

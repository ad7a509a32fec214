"""
A training run that may be interrupted at any moment.
"""

from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from gluonts_lai.caution import warn
from gluonts_lai.checkpoint import Checkpoint, Checkpoints
from gluonts_lai.em import MonteCarloEM
from gluonts_lai.memory import recall, remembered

EM_FILE = "em.npz"


class Interruptible(NamedTuple):
    """A run, and where it was when it was interrupted."""

    checkpoints: Optional[Checkpoints]  # None where nothing is to be kept
    last: Optional[Checkpoint]  # None for a run that begins
    seed: int

    def go_on(self, em: MonteCarloEM, training: Any) -> None:
        """Take up what an interrupted run has left, if there was one."""
        forgetful = training.forgetful()
        if self.checkpoints is not None and forgetful:
            warn(
                "callbacks should have no state of their own where a "
                f"checkpoint is kept, got {', '.join(forgetful)}; after an "
                "interruption they begin anew."
            )
        if self.last is None:
            return
        epoch = self.last.epoch
        self.last.read(lambda folder: recall(em, arrays_of(folder), epoch))
        training.go_on(self.last)

    def keep(self, em: MonteCarloEM, training: Any) -> None:
        """Leave a checkpoint, if something was learned since the last one."""
        known = 0 if self.last is None else self.last.epoch
        if self.checkpoints is None or em.epoch <= known:
            return

        def save(folder: Path) -> None:
            np.savez(folder / EM_FILE, **remembered(em))
            training.save(folder)

        self.checkpoints.write(em.epoch, self.seed, save)


def arrays_of(folder: Path) -> dict[str, np.ndarray]:
    """What was remembered of EM: numbers and text, no objects."""
    with np.load(folder / EM_FILE, allow_pickle=False) as saved:
        return {name: saved[name] for name in saved.files}

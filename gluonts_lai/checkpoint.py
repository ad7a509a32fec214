"""
Training runs that are interrupted, and go on.

Whenever a round ends, all that the next one needs goes into a folder of its
own, which appears whole or not at all:

    checkpoint_dir/
        epoch-000012/
            checkpoint.json   which run it is of, and its seed
            em.npz            what EM knows of the series
            …                 weights, optimiser, schedule: see the backends
            manifest.json     that nothing of it is missing
        epoch-000015/

The last two are kept: should the newest be damaged, the one before it serves.
Nothing in them is a pickle of ours.
"""

import json
import logging
import re
import shutil
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from gluonts_lai.caution import warn
from gluonts_lai.documents import read_json
from gluonts_lai.files import whole_folder
from gluonts_lai.manifest import check_sealed, seal
from gluonts_lai.origin import Origin

logger = logging.getLogger(__name__)

KIND, VERSION = "gluonts_lai.checkpoint", 1
ABOUT = "checkpoint.json"
NUM_KEPT = 2
FOLDER = re.compile(r"epoch-\d{6,12}")
# What a run that was killed while it wrote has left behind.
UNFINISHED = re.compile(r"\.[0-9a-f]{8}-epoch-\d{6,12}")
# What reading a file that is not what it should be may end with.
UNREADABLE = (ValueError, KeyError, TypeError, OSError)
WAY_OUT = "choose another checkpoint_dir, or delete this one to begin anew"


class Checkpoint(NamedTuple):
    """Where a run can go on."""

    folder: Path
    epoch: int  # epochs trained before it
    seed: int  # of the run

    def read(self, function: Callable[[Path], Any]) -> Any:
        """What a function reads from it; or say that it cannot."""
        try:
            return function(self.folder)
        except MemoryError:
            raise
        except Exception as error:  # frameworks have errors of their own
            raise ValueError(
                "a checkpoint must hold what this run wrote, got one that "
                f"cannot be read ({error!r:.200}) in {str(self.folder)!r}; "
                f"{WAY_OUT}."
            ) from error


class Checkpoints:
    """
    The checkpoints of one run.

    Parameters
    ----------
    place
        A folder, made where there is none.
    origin
        Which run it is.
    """

    def __init__(self, place: Path, origin: Origin) -> None:
        self.place = place
        self.origin = origin
        if place.exists() and not place.is_dir():
            raise ValueError(
                f"checkpoint_dir must be a folder, got a file: {str(place)!r};"
                " choose another name."
            )
        place.mkdir(parents=True, exist_ok=True)
        for path in place.iterdir():
            if UNFINISHED.fullmatch(path.name):
                shutil.rmtree(path, ignore_errors=True)

    def folders(self) -> list[Path]:
        """All that there are, the newest first."""
        found = [
            path
            for path in self.place.iterdir()
            if FOLDER.fullmatch(path.name) and path.is_dir()
        ]
        return sorted(found, key=epoch_of, reverse=True)

    def last(self) -> Optional[Checkpoint]:
        """The newest that is whole; None where nothing was written yet."""
        damage: Optional[ValueError] = None
        for folder in self.folders():
            try:
                about = about_of(folder)
            except ValueError as error:
                damage = damage or error
                continue
            self.check_origin(about, folder)
            if damage is not None:
                warn(f"{damage} The one before it is used: {folder.name}.")
            logger.info("Training goes on after epoch %d.", epoch_of(folder))
            return Checkpoint(folder, epoch_of(folder), about["seed"])
        if damage is not None:
            raise ValueError(f"{damage} Or {WAY_OUT}.") from damage
        return None

    def check_origin(self, about: dict, folder: Path) -> None:
        """Refuse a checkpoint of another run."""
        if about["version"] != VERSION:
            raise ValueError(
                f"a checkpoint must be of version {VERSION}, got version "
                f"{about['version']!r:.20} in {str(folder)!r}; {WAY_OUT}."
            )
        found = self.origin.differences(Origin(**about["origin"]))
        if found:
            raise ValueError(
                "a checkpoint must be of the same data and settings, got one "
                f"of {', '.join(found[:3])} in {str(folder)!r}; {WAY_OUT}."
            )

    def write(
        self, epoch: int, seed: int, save: Callable[[Path], None]
    ) -> None:
        """
        Write a checkpoint; older ones go when it is there.

        Parameters
        ----------
        epoch
            Epochs that were trained.
        seed
            Of the run.
        save
            Writes what the run needs to go on, to a folder.
        """
        about = {
            "kind": KIND,
            "version": VERSION,
            "seed": seed,
            "origin": self.origin._asdict(),
        }
        place = self.place / f"epoch-{epoch:06d}"
        with whole_folder(place, overwrite=True) as folder:
            save(folder)
            (folder / ABOUT).write_text(json.dumps(about), encoding="utf-8")
            seal(folder)
        for old in self.folders()[NUM_KEPT:]:
            shutil.rmtree(old, ignore_errors=True)


def epoch_of(folder: Path) -> int:
    return int(folder.name.partition("-")[2])


def about_of(folder: Path) -> dict:
    """Which run a checkpoint is of, if it is whole."""
    check_sealed(folder, "a checkpoint")
    path = folder / ABOUT
    try:
        about = read_json(path)
        check_about(about)
    except UNREADABLE as error:
        raise ValueError(
            f"a checkpoint must begin with what {ABOUT} says of it, got one "
            f"that says something else ({error!r:.80}) in {str(folder)!r}."
        ) from error
    return about


def check_about(about: Any) -> None:
    """Whether this is what :meth:`Checkpoints.write` says of a run."""
    kinds = {
        "kind": about["kind"] == KIND,
        "version": type(about["version"]) is int,
        "seed": type(about["seed"]) is int and about["seed"] >= 0,
        "origin": set(about["origin"]) == set(Origin._fields),
        "settings": isinstance(about["origin"]["settings"], dict),
    }
    wrong = [name for name, is_right in kinds.items() if not is_right]
    if wrong:
        raise ValueError(f"its {wrong[0]} is not one")

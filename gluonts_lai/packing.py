"""
Predictors on their way to another process, as the files that they consist of.

Those of MXNet cannot be pickled; what GluonTS serialises travels anyhow.
"""

import logging
import tempfile
from pathlib import Path
from typing import Any

from gluonts.model.predictor import Predictor

from gluonts_lai.hush import hushed

Packed = dict[str, bytes]


def packed(predictor: Predictor) -> Packed:
    """The files of a predictor, by their places in its folder."""
    with tempfile.TemporaryDirectory() as folder, hushed(logging.WARNING):
        # GluonTS warns of each MXNet network that it serialises.
        predictor.serialize(Path(folder))
        return read_files(Path(folder))


def unpacked(files: Packed, **kwargs: Any) -> Predictor:
    """The predictor that files were made of, which are to be trusted."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), files)
        return Predictor.deserialize(Path(folder), **kwargs)


def read_files(folder: Path) -> Packed:
    """All files of a folder, and of those inside it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write_files(folder: Path, files: Packed) -> None:
    """What :func:`read_files` read, in another folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

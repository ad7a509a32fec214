"""
Predictors on their way to another process, as the files that they consist of.

Those of MXNet cannot be pickled; what GluonTS serialises travels anyhow.
"""

import logging
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

from gluonts.model.predictor import Predictor

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


@contextmanager
def hushed(level: int) -> Iterator[None]:
    """Log nothing up to this level, for a while."""
    before = logging.root.manager.disable
    logging.disable(max(level, before))
    try:
        yield
    finally:
        logging.disable(before)

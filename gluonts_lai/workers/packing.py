"""
Predictors on their way to another process, as the files that they consist of.

Those of MXNet cannot be pickled; what GluonTS serialises travels anyhow. The
user's own classes go with the files: where these arrive, nothing is imported
because they say so.
"""

import logging
import re
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

from gluonts.model.predictor import Predictor

from gluonts_lai.hush import hushed
from gluonts_lai.trust import check_base, own

Packed = dict[str, bytes]

NAMED = re.compile(rb'"(?:class|type)": "([\w.]{1,500})"')


def packed(predictor: Predictor) -> Packed:
    """The files of a predictor, by their places in its folder."""
    with tempfile.TemporaryDirectory() as folder, hushed(logging.WARNING):
        # GluonTS warns of each MXNet network that it serialises.
        predictor.serialize(Path(folder))
        return read_files(Path(folder))


def unpacked(files: Packed, **kwargs: Any) -> Predictor:
    """The predictor that files were made of."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), files)
        check_base(Path(folder))
        return Predictor.deserialize(Path(folder), **kwargs)


def own_parts(files: Packed) -> list[Any]:
    """The user's own classes and functions that files name."""
    names = {
        name.decode()
        for place, content in files.items()
        if place.endswith(".json")
        for name in NAMED.findall(content)
    }
    found = [own(name) for name in sorted(names)]
    return [part for part in found if part is not None]


def read_files(folder: Path) -> Packed:
    """All files of a folder, and of those inside it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write_files(folder: Path, files: Packed) -> None:
    """What :func:`read_files` read, in another folder, and nowhere else."""
    for name in files:
        check_name(name)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def check_name(name: Any) -> None:
    """A file has its place inside a folder, on any system."""
    parts = PurePosixPath(name).parts if isinstance(name, str) else ()
    is_inside = parts and name == "/".join(parts) and ".." not in parts
    if not is_inside or name[0] == "/" or set(name) & set("\\:\0"):
        raise ValueError(
            "files of a model must have places inside its folder, got "
            f"{name!r:.100}; pack the model again."
        )

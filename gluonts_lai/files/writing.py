"""
Files and folders that appear whole, or not at all.

What is being written lies beside its place under another name, and moves
there when it is complete. Whatever happens before that, an error or Ctrl-C,
takes it away and leaves what was there as it was.
"""

import os
import secrets
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, Union

Location = Union[str, Path]


@contextmanager
def whole_file(path: Location) -> Iterator[Path]:
    """
    A file that takes its place when it is complete.

    Parameters
    ----------
    path
        Where it belongs. A file that is there already stays until then, and
        is replaced.

    Yields
    ------
    Path
        Where to write it: beside its place, with a name that ends alike.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> with whole_file(folder / "readings.csv") as path:
    ...     _ = path.write_text("timestamp,value\\n")
    ...     [other.name for other in folder.glob("readings*")]
    []
    >>> (folder / "readings.csv").read_text()
    'timestamp,value\\n'
    """
    check_writable(path)
    place = resolved(path)
    written = beside(place)
    try:
        yield written
        if place.exists():
            shutil.copymode(place, written)
        sync(written)
        os.replace(written, place)
        sync_names(place.parent)
    finally:
        written.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Location, overwrite: bool = False) -> Iterator[Path]:
    """
    A folder that takes its place when it is complete.

    Parameters
    ----------
    path
        Where it belongs.
    overwrite
        Whether a folder that is there already is replaced, with all that it
        holds. It stays until the new one is complete.

    Yields
    ------
    Path
        Where to write: an empty folder beside its place.

    Examples
    --------
    >>> place = getfixture("tmp_path") / "model"
    >>> with whole_folder(place) as folder:
    ...     _ = (folder / "weights.txt").write_text("0.5")
    >>> [path.name for path in place.iterdir()]
    ['weights.txt']
    """
    check_writable(path, folder=True, overwrite=overwrite)
    place = resolved(path)
    written = beside(place)
    written.mkdir()
    try:
        yield written
        for part in written.rglob("*"):
            if part.is_file():
                sync(part)
            else:
                sync_names(part)
        sync_names(written)
        swap(written, place)
        sync_names(place.parent)
    finally:
        shutil.rmtree(written, ignore_errors=True)


def swap(written: Path, place: Path) -> None:
    """Move a folder to its place; what was there ends where it came from."""
    if not place.exists():
        written.rename(place)
        return
    aside = beside(place)
    place.rename(aside)
    try:
        written.rename(place)
    except BaseException:
        aside.rename(place)
        raise
    aside.rename(written)


def check_writable(
    path: Location, folder: bool = False, overwrite: bool = False
) -> None:
    """
    Refuse a place where nothing can be written, before any work is done.

    Parameters
    ----------
    path
        Where a file, or a folder, is to be written.
    folder
        Whether it is a folder.
    overwrite
        Whether a folder that is there already may be replaced. Files may.
    """
    place = resolved(path)
    if not place.parent.is_dir():
        raise FileNotFoundError(
            f"the folder of {str(path)!r} must exist, got none at "
            f"{str(place.parent)!r}; make it first, or choose another place."
        )
    try:
        with tempfile.TemporaryFile(dir=place.parent):
            pass
    except OSError as error:
        raise PermissionError(
            f"the folder {str(place.parent)!r} must be writable, got "
            f"{error.strerror!r}; choose another place than {str(path)!r}."
        ) from error
    if folder:
        check_folder(place, overwrite)
    elif place.exists() and not place.is_file():
        what = "a folder" if place.is_dir() else "a device or a pipe"
        raise FileExistsError(
            f"{str(path)!r} must be a file, or nothing yet, got {what}; "
            "choose another name."
        )
    elif place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(
            f"{str(path)!r} must be writable, got a file that is protected; "
            "choose another name, or allow writing to it."
        )


def check_folder(place: Path, overwrite: bool) -> None:
    """A folder's place is free, or may be replaced."""
    if not place.exists():
        return
    if not place.is_dir():
        raise FileExistsError(
            f"{str(place)!r} must be a folder, or nothing yet, got a file; "
            "choose another name."
        )
    if not overwrite and any(place.iterdir()):
        raise FileExistsError(
            f"{str(place)!r} must be empty, or not exist yet, got a folder "
            "with something in it; choose another name, or replace it with "
            "overwrite=True (--overwrite)."
        )
    for mine in (Path.cwd(), Path.home()):
        if mine == place or place in mine.parents:
            raise FileExistsError(
                f"{str(place)!r} must be a folder of its own, got one that "
                "you live or work in; choose a new name inside it."
            )


def resolved(path: Location) -> Path:
    """Where a path leads: links are followed, not replaced."""
    return Path(os.path.realpath(path))


def beside(place: Path) -> Path:
    # The end is kept: writers choose the format by it.
    return place.with_name(f".{secrets.token_hex(4)}-{place.name[-40:]}")


def sync(path: Path) -> None:
    """Wait until a file is on the disk: a name must not come before it."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def sync_names(folder: Path) -> None:
    """The same for the names in a folder, where a system can be asked to."""
    with suppress(OSError):  # Windows cannot, nor can some network disks
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

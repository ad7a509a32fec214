"""
Is a folder all there?

What was written last is a list of all the other files and of what is in them.
A folder without it was never finished; one that differs from it has lost
something since. Files that it does not name are none of its business, but
none may be a link that leads out of the folder, nor a pipe that nobody fills.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Iterator

from gluonts_lai.documents import read_json
from gluonts_lai.files.writing import sync, whole_file

NAME = "manifest.json"
CHUNK = 2**20


def seal(folder: Path) -> None:
    """
    Say that a folder is complete, once all that it holds is on the disk.

    Parameters
    ----------
    folder
        A folder that nobody writes to any more.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "weights.txt").write_text("0.5")
    >>> seal(folder)
    >>> check_sealed(folder, "a model folder")
    >>> _ = (folder / "weights.txt").write_text("0.")
    >>> check_sealed(folder, "a model folder")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: a model folder must be whole, got one whose weights.txt ...
    """
    digests = {}
    for name, path in files_of(folder):
        sync(path)
        digests[name] = digest(path)
    with whole_file(folder / NAME) as path:
        path.write_text(json.dumps(digests, indent=1), encoding="utf-8")


def break_seal(folder: Path) -> None:
    """Say that a folder is about to be written to."""
    (folder / NAME).unlink(missing_ok=True)


def check_sealed(folder: Path, what: str) -> None:
    """
    Refuse a folder that is not whole.

    Parameters
    ----------
    folder
        The folder. No path that its list may name is ever opened, but only
        files that are found in it.
    what
        What to call it in a message: "a model folder".
    """
    check_inside(folder, what)
    digests = manifest_of(folder, what)
    found = dict(files_of(folder))
    for name, known in digests.items():
        if name not in found:
            raise ValueError(f"{broken(what, name)} is missing {in_(folder)}")
        if digest(found[name]) != known:
            raise ValueError(
                f"{broken(what, name)} is not what was written {in_(folder)}"
            )


def check_inside(folder: Path, what: str) -> None:
    """Refuse a folder in which something leads elsewhere, or is hidden."""
    if not folder.is_dir():
        there = "a file" if folder.exists() else "nothing"
        raise ValueError(
            f"{what} must be a folder, got {there} at {str(folder)!r}; look "
            "for it elsewhere."
        )
    place = Path(os.path.realpath(folder))
    for path in (folder, *folder.rglob("*")):
        leads_to = Path(os.path.realpath(path))
        if place not in (leads_to, *leads_to.parents):
            got = f"{path.name!r:.60}, a link that leads out of it"
        elif not (path.is_file() or path.is_dir()):
            got = f"{path.name!r:.60}, which is no file"
        elif path != folder and path.is_symlink() and path.is_dir():
            got = f"{path.name!r:.60}, a link to a folder"
        elif path.is_dir() and not is_open(path):
            # GluonTS would find by their names what is not looked at here.
            got = f"{path.name!r:.60}, whose files cannot be listed"
        else:
            continue
        raise ValueError(
            f"{what} must hold files of its own, got {got} (in "
            f"{str(folder)!r}); take it away, and load only what you trust."
        )


def is_open(folder: Path) -> bool:
    """Whether it can be seen what is in a folder."""
    try:
        os.scandir(folder).close()
    except OSError:
        return False
    return True


def manifest_of(folder: Path, what: str) -> dict:
    """The list of what is in a folder."""
    path = folder / NAME
    if not path.is_file():
        raise ValueError(
            f"{what} must be whole, got one without {NAME}, which was never "
            f"finished {in_(folder)}"
        )
    try:
        digests = read_json(path)
        if not isinstance(digests, dict) or not digests:
            raise ValueError("not a list of files")
    except (ValueError, OSError) as error:
        raise ValueError(
            f"{broken(what, NAME)} cannot be read ({error}) {in_(folder)}"
        ) from error
    return digests


def files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """All files in a folder but the list of them, by name."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != NAME:
            yield name, path


def digest(path: Path) -> str:
    """What tells one content of a file from any other."""
    summary = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            summary.update(chunk)
    return summary.hexdigest()


def broken(what: str, name: str) -> str:
    return f"{what} must be whole, got one whose {name}"


def in_(folder: Path) -> str:
    return f"(in {str(folder)!r}); write it again, or take a copy of it."

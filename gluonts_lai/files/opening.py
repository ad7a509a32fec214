"""
Files as they lie on a disk: compressed or not, whole or damaged.
"""

import bz2
import gzip
import lzma
import zlib
from functools import wraps
from pathlib import Path
from typing import Any, Callable, TypeVar

OPENERS: dict[str, Any] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)
SAVE = "save it as text in UTF-8"

Read = TypeVar("Read", bound=Callable)


def opened(path: Path) -> Any:
    """The bytes of a file, which may be compressed."""
    return OPENERS.get(path.suffix.lower(), open)(path, "rb")


def without_compression(path: Path) -> Path:
    """The name that a file would have if it were not compressed."""
    compressed = path.suffix.lower() in OPENERS
    return path.with_suffix("") if compressed else path


def check_readable(path: Path) -> None:
    """Refuse what is no file, or cannot be opened."""
    if path.is_dir():
        raise IsADirectoryError(
            f"{path} must be a file, got a folder; name a file in it."
        )
    if not path.exists():
        raise FileNotFoundError(
            f"{path} must be a file, got nothing of that name; check it."
        )
    if not path.is_file():
        raise ValueError(
            f"{path} must be a file, got a device or a pipe; save what comes "
            "from it first."
        )
    try:
        path.open("rb").close()
    except OSError as error:
        raise PermissionError(
            f"{path} must be readable, got {error.strerror!r}; allow reading "
            "it, or copy it."
        ) from error


def whole_text(read: Read) -> Read:
    """Make a reader of text say what is wrong with the bytes of a file."""

    @wraps(read)
    def reads(path: Path, *args: Any) -> Any:
        try:
            return read(path, *args)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{path} must be text in UTF-8, got other bytes in line "
                f"{line_of_other_bytes(path)}; {SAVE}."
            ) from error
        except (*DAMAGED, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # of the disk, not of the file
            raise ValueError(
                f"{path} must be a whole compressed file, got "
                f"{str(error)!r}; compress it again."
            ) from error

    return reads  # type: ignore[return-value]


def line_of_other_bytes(path: Path) -> int:
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    raise AssertionError("some bytes are not UTF-8")

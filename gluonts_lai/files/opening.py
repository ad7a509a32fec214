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

from gluonts_lai.limits import most, most_unpacked, raised_by

OPENERS: dict[str, Any] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)
SAVE = "save it as text in UTF-8"
CHUNK = 2**20

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


def check_within_limits(path: Path, longest: str) -> None:
    """
    Refuse a file that unpacks to far more than it is, or has no lines.

    Parameters
    ----------
    path
        The file.
    longest
        The limit that a line must keep to.
    """
    size = path.stat().st_size
    is_packed = without_compression(path) != path
    largest = most_unpacked(size) if is_packed else size
    total = length = number = 0
    with opened(path) as file:
        while chunk := file.read(min(CHUNK, most(longest))):
            total += len(chunk)
            ends = [i for i in map(chunk.find, (b"\n", b"\r")) if i >= 0]
            length += min(ends, default=len(chunk))
            if length > most(longest):
                raise ValueError(
                    f"lines of {path} must be no longer than "
                    f"{most(longest):,} bytes, got a longer one after line "
                    f"{number}; check that it is a text with lines, or "
                    f"{raised_by(longest)}."
                )
            if is_packed and total > largest:
                raise ValueError(
                    f"{path} must not unpack to more than {largest:,} bytes, "
                    f"got more out of {size:,}; if you trust it, unpack it "
                    f"first, or {raised_by('UNPACKED_RATIO')}."
                )
            if ends:
                last = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
                length = len(chunk) - last - 1
                number += chunk.count(b"\n")


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

"""
A folder of pictures, one for each series.
"""

import heapq
import os
import re
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional

if TYPE_CHECKING:
    from gluonts_lai import Detection

LONGEST_NAME = 80


class MostAnomalous:
    """
    Keeps the series in which most was found, and forgets the others.

    Parameters
    ----------
    most
        How many to keep.
    threshold
        Probability above which a point counts.
    """

    def __init__(self, most: int, threshold: float) -> None:
        self.most = most
        self.threshold = threshold
        self.kept: list[tuple] = []
        self.order = count(0, -1)  # of two that are equal, the first stays

    def see(self, detection: "Detection") -> None:
        found = (detection.probability > self.threshold).sum()
        strongest = float(detection.score.max(initial=-float("inf")))
        rank = (int(found), strongest, next(self.order))
        heapq.heappush(self.kept, (rank, detection))
        if len(self.kept) > self.most:
            heapq.heappop(self.kept)

    def __iter__(self) -> "Iterator[Detection]":
        for _, detection in sorted(self.kept, key=lambda x: x[0])[::-1]:
            yield detection


def check_pictures(folder: Optional[Path]) -> None:
    """Refuse a folder that no picture can be written to."""
    if folder is None:
        return
    from gluonts_lai.files import check_writable
    from gluonts_lai.plot import check_picture

    # Both say what is wrong with the place of a file.
    inside = folder if folder.is_dir() else folder.parent
    check_writable(inside / "picture.png")
    check_picture(str(inside / "picture.png"))


@contextmanager
def drawn(
    folder: Path, ending: str = ""
) -> Iterator[Callable[[Any, Any], None]]:
    """
    Pictures that are all put into a folder when the last one is drawn.

    Other files there stay as they are; pictures of the same name are replaced.

    Parameters
    ----------
    folder
        Where they belong.
    ending
        What their names end in, so that they replace no others.
    """
    names: set[str] = set()
    place = folder if folder.is_dir() else folder.parent
    with tempfile.TemporaryDirectory(prefix=".drawn-", dir=place) as aside:

        def draw(item_id: Any, figure: Any) -> None:
            name = file_name(item_id, ending, names)
            names.add(name.lower())
            figure.savefig(Path(aside) / name)

        yield draw
        folder.mkdir(exist_ok=True)
        for path in Path(aside).iterdir():
            os.replace(path, folder / path.name)


def file_name(item_id: Any, ending: str, taken: set[str]) -> str:
    """A name that no file system minds, and that is not taken yet."""
    plain = re.sub(r"[^\w.-]+", "_", str(item_id)).strip("._")
    plain = (plain[:LONGEST_NAME] or "series") + ending
    for number in count(1):
        name = f"{plain}.png" if number == 1 else f"{plain}-{number}.png"
        # Some file systems do not tell A from a.
        if name.lower() not in taken:
            return name
    raise AssertionError

"""
The scripts of a page, and what it says that they print.
"""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent

SCRIPT = re.compile(
    r"```python\n(?P<source># (?P<name>\w+\.py)\n.*?)```\n"
    r"(?:\n```\n(?P<printed>.*?)```\n)?",
    re.S,
)
COMMAND = re.compile(r"```sh\n(.*?)\n```\n(?:\n```\n(.*?)```\n)?", re.S)


class Script(NamedTuple):
    """A file of a page."""

    source: str
    printed: str  # as the page has it; nothing where it has nothing


def scripts_of(page: str) -> dict[str, Script]:
    """The files of a page, by name; each begins with its name."""
    return {
        match["name"]: Script(match["source"], match["printed"] or "")
        for match in SCRIPT.finditer((ROOT / page).read_text("utf-8"))
    }


def commands_of(page: str) -> dict[str, str]:
    """What is typed into a shell, and what is printed then."""
    text = (ROOT / page).read_text("utf-8")
    return {typed: printed for typed, printed in COMMAND.findall(text)}

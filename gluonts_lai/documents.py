"""
JSON from outside: read within limits.

How long a text is, and how deep its lists lie in each other, is known before
any decoder sees it: decoders call themselves, and end where Python's stack
does. Whatever is wrong is a ``ValueError`` of a few words, for the caller to
say where it was found.
"""

import json
import re
from pathlib import Path
from typing import Any, Union

import numpy as np

from gluonts_lai.limits import most, raised_by

# A string, even if it does not end: each character is looked at once.
STRING = re.compile(rb'"[^"\\]*(?:\\.?[^"\\]*)*"?', re.DOTALL)
STEPS = np.zeros(256, np.int8)
STEPS[[*b"[{"]], STEPS[[*b"]}"]] = 1, -1


def read_json(path: Path) -> Any:
    """
    What the JSON in a file says.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "state.json"
    >>> _ = path.write_text('{"series": [1, 2]}')
    >>> read_json(path)
    {'series': [1, 2]}
    """
    check_length(path.stat().st_size)
    with open(path, "rb") as file:
        # Or it might grow while it is read.
        return parse_json(file.read(most("JSON_BYTES") + 1))


def parse_json(text: Union[bytes, str]) -> Any:
    """
    What a text of JSON says.

    Parameters
    ----------
    text
        The text, in UTF-8 if it is bytes.

    Examples
    --------
    >>> parse_json('{"values": [1, null]}')
    {'values': [1, None]}
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: lists within lists, 100,000 deep, where 64 are allowed
    """
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogatepass")
    check_length(len(text))
    depth = depth_of(text)
    if depth > most("JSON_DEPTH"):
        raise ValueError(
            f"lists within lists, {depth:,} deep, where {most('JSON_DEPTH')} "
            "are allowed"
        )
    return json.loads(text.decode("utf-8-sig", "surrogatepass"))


def check_length(num_bytes: int) -> None:
    if num_bytes > most("JSON_BYTES"):
        raise ValueError(
            f"{num_bytes:,} bytes of JSON, where {most('JSON_BYTES'):,} are "
            f"allowed; {raised_by('JSON_BYTES')}"
        )


def depth_of(text: bytes) -> int:
    """
    How deep the lists and objects of a text lie in each other.

    Examples
    --------
    >>> depth_of(b'{"a": [1, [2]], "b": "[[[["}')
    3
    """
    brackets = np.frombuffer(STRING.sub(b"", text), np.uint8)
    steps = STEPS[brackets]
    depths = np.cumsum(steps[steps != 0], dtype=np.int64)
    return int(depths.max(initial=0))

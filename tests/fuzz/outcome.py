"""
What may come out, how much is tried, and for how long.
"""

import os
import signal
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, settings

import gluonts_lai

HOME = str(Path(gluonts_lai.__file__).parent)
# What says in a sentence what must hold, what came and what to do.
OURS = (ValueError, TypeError, OSError)
# Many times what the slowest example takes on a machine that is busy.
SECONDS = 120
# How many times as many examples as in the tests.
EFFORT = int(os.environ.get("GLUONTS_LAI_FUZZ", "0"))


def tries(number):
    """Try so many examples: the same ones each time, unless it is a fuzz."""
    return settings(
        max_examples=number * (EFFORT or 1),
        derandomize=not EFFORT,
        deadline=None,  # see `fair`: a hang must end, too
        print_blob=True,
        suppress_health_check=list(HealthCheck),
        **({} if EFFORT else {"database": None}),
    )


class Hang(BaseException):
    """Nothing came out."""


@contextmanager
def fair():
    """An answer, or an error of ours: and soon."""
    try:
        with soon(), warnings.catch_warnings():
            # Of data that are worth a second look.
            warnings.simplefilter("ignore", UserWarning)
            warnings.simplefilter("ignore", FutureWarning)
            yield
    except OURS as error:
        assert is_ours(error), "".join(traceback.format_exception(error))


def is_ours(error):
    """Whether an error was raised by this package, with a sentence."""
    place = traceback.extract_tb(error.__traceback__)[-1].filename
    by_us = place.startswith(HOME) and type(error).__module__ == "builtins"
    text = str(error)
    return by_us and len(text) > 30 and text.endswith((".", "..."))


@contextmanager
def soon():
    def ring(number, frame):
        raise Hang(f"nothing came out within {SECONDS} s")

    if not hasattr(signal, "SIGALRM"):  # not on Windows
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

"""
How does a command end?

    0    it did what it was asked to
    1    it could not; one sentence on standard error says why
    2    it was not asked properly, click says how
    130  Ctrl-C; 143 if it was told to terminate, 141 if nobody reads any more

Only ``--debug`` shows where in the code something went wrong.
"""

import os
import signal
import sys
from contextlib import contextmanager
from typing import Any, Iterator

import click

from .talk import Talk

# What says in a sentence what must hold, what came and what to do.
OURS = (ImportError, NotImplementedError, OSError, TypeError, ValueError)


class Stopped(BaseException):
    """
    Somebody wants the command to stop.

    Not a KeyboardInterrupt: trainers of both frameworks catch that, and one
    of them would go on with a network that is not trained.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Command(click.Command):
    """A command that ends as the module says."""

    def invoke(self, context: click.Context) -> Any:
        talk = context.obj = Talk(
            context.params.pop("quiet", False),
            context.params.pop("debug", False),
        )
        try:
            with stoppable(), talk.listening():
                return super().invoke(context)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except Stopped as stop:
            talk.say("Stopped.")
            context.exit(128 + stop.number)
        except BrokenPipeError:
            nobody_reads()
            context.exit(128 + signal.SIGPIPE)
        except Exception as error:
            if talk.debug:
                raise
            raise click.ClickException(sentence(error)) from error


@contextmanager
def stoppable() -> Iterator[None]:
    """Ctrl-C, and being told to terminate, raise :class:`Stopped`."""

    def stop(number: int, frame: Any) -> None:
        raise Stopped(number)

    usual = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        # Who was started to ignore it, as with nohup, goes on ignoring it.
        if handler in (signal.SIG_DFL, signal.default_int_handler):
            usual[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


def nobody_reads() -> None:
    """Let Python find no broken pipe when it closes standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def sentence(error: Exception) -> str:
    """What went wrong, in one line."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}."
    is_ours = isinstance(error, OURS) and text
    if is_ours or type(error).__module__.startswith("gluonts."):
        return text
    return (
        f"something unexpected happened ({type(error).__name__}: {text}); "
        "see where with --debug."
    )

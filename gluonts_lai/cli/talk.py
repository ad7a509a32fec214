"""
What does a command say, and to whom?

Results are for machines and go to standard output. Everything else is talk for
people: it goes to standard error, and ``--quiet`` silences it. Of the
libraries underneath, nothing is heard; of this one, every caution is.
"""

import logging
import sys
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator, NamedTuple

import click

from gluonts_lai.hush import hushed

# Lightning gives its loggers handlers and levels of their own.
LOUD = ("lightning", "lightning.pytorch", "lightning.fabric")


class Talk(NamedTuple):
    """How much a command says."""

    quiet: bool = False
    debug: bool = False

    def say(self, text: str) -> None:
        """Say something to whoever watches."""
        if not self.quiet:
            click.echo(text, err=True)

    def caution(self, text: str) -> None:
        """Say something that is worth a second look."""
        self.say(f"Note: {text}")

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Let cautions be said, and other libraries be silent."""

        def show(message: Any, *where: Any, **how: Any) -> None:
            self.caution(str(message))

        root, ours = logging.getLogger(), logging.getLogger("gluonts_lai")
        # Where nobody listens, Python itself would print warnings.
        silence, listener = logging.NullHandler(), Listener(self.caution)
        if self.debug:
            yield
            return
        root.addHandler(silence)
        ours.addHandler(listener)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                # Ours point at the first line outside of this package, which
                # is one of click's.
                warnings.filterwarnings("always", module=r"click\.")
                warnings.showwarning = show
                yield
        finally:
            root.removeHandler(silence)
            ours.removeHandler(listener)

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Let nobody be heard, not even by way of a log."""
        with hushed(logging.NOTSET if self.debug else logging.WARNING):
            yield

    @contextmanager
    def training(self, num_epochs: int) -> Iterator[None]:
        """A bar that follows EM from epoch to epoch."""
        em = logging.getLogger("gluonts_lai.em")
        levels = {name: logging.getLogger(name).level for name in LOUD}
        level = em.level
        with self.bar(num_epochs, "training") as bar:
            follower = Follower(bar)
            em.addHandler(follower)
            em.setLevel(logging.INFO)
            for name in LOUD if not self.debug else ():
                logging.getLogger(name).setLevel(logging.ERROR)
            try:
                yield
            finally:
                em.removeHandler(follower)
                em.setLevel(level)
                for name, before in levels.items():
                    logging.getLogger(name).setLevel(before)

    def following(self, items: Iterable, total: int, what: str) -> Iterator:
        """Items, with a bar that follows them."""
        with self.bar(total, what) as bar:
            for item in items:
                yield item
                bar.update()

    def bar(self, total: int, what: str) -> Any:
        """A progress bar that is there only while someone can see it."""
        from tqdm import tqdm  # type: ignore[import-untyped]

        hidden = self.quiet or not sys.stderr.isatty()
        return tqdm(total=total, desc=what, leave=False, disable=hidden)


class Listener(logging.Handler):
    """Hands over what this package logs as a warning."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self.tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self.tell(record.getMessage())


class Follower(logging.Handler):
    """Moves a bar to the epoch that EM has come to."""

    def __init__(self, bar: Any) -> None:
        super().__init__(logging.INFO)
        self.bar = bar

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, dict) and "epoch" in record.args:
            self.bar.set_postfix(flagged=record.args["flagged"])
            self.bar.update(int(record.args["epoch"]) - self.bar.n)

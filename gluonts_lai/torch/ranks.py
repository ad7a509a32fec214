"""
Several processes that train one network: who does what?

Lightning's ``ddp`` runs the script again for each further device. Each of
these processes, or ranks, draws windows of its own; their gradients are
averaged, so that all have the same weights at any time. Whatever else there is
to do is done once: the first rank does it, the others wait for what it found.

    rank 0      E-step ─ epoch ─ epoch ─ E-step ─ epoch ─ … ─ posterior
                   │ the data of an epoch     │                  │
    rank 1         ↓ ─── epoch ─ epoch ────── ↓ ─ epoch ─ … ──── ↓

What one rank cannot do must not leave the others waiting: an error of the
first rank goes to all of them.
"""

from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Callable, Iterator, NamedTuple, TypeVar

import lightning.pytorch as pl
import torch
import torch.distributed as dist
from lightning.pytorch.strategies import DDPStrategy, DeepSpeedStrategy
from lightning.pytorch.strategies.launchers import _MultiProcessingLauncher

from gluonts_lai.panel.table import Table
from gluonts_lai.transform import Clean

# Ranks wait as long as an E-step takes, not only as long as gradients do.
PATIENCE = timedelta(days=7)
T = TypeVar("T")


class Plan(NamedTuple):
    """What a rank is about to do."""

    data: str  # digest of the training set
    begin: int  # epochs that were trained before an interruption
    seed: int


class Ranks:
    """
    The processes that train a network, as one of them sees it.

    Parameters
    ----------
    trainer
        Of this process. One whose strategy starts processes in another way,
        or parts the network among them, is refused.
    """

    def __init__(self, trainer: pl.Trainer) -> None:
        check_strategy(trainer)
        self.trainer = trainer
        self.group: Any = None

    @property
    def rank(self) -> int:
        """Which of them this is; 0 for the first."""
        return self.trainer.global_rank

    @property
    def are_many(self) -> bool:
        return self.trainer.world_size > 1

    def agree(self, plan: Plan) -> Plan:
        """The plan of the first rank, if the others fit in."""
        # On the CPU, where arrays are, wherever the networks may be.
        self.group = dist.new_group(backend="gloo", timeout=PATIENCE)
        plans: list = [None] * self.trainer.world_size
        dist.all_gather_object(plans, plan, self.group)
        if len({each.data for each in plans}) > 1:
            raise ValueError(
                "all processes must be given the same training data, got "
                "other data in some of them; read them from the same place, "
                "or draw them with a seed."
            )
        if len({each.begin for each in plans}) > 1:
            epochs = ", ".join(str(each.begin) for each in plans)
            raise ValueError(
                "all processes must go on after the same epoch, got epochs "
                f"{epochs}; let checkpoint_dir be a folder that all of them "
                "can read."
            )
        return plans[0]

    def once(self, work: Callable[[], T]) -> T:
        """
        What comes of some work, which only the first rank does.

        It must be the same work for all ranks, at the same moment of a run.
        """
        if not self.are_many:
            return work()
        if self.rank == 0:
            try:
                result = work()
            except Exception as error:
                self.tell((None, f"{type(error).__name__}: {error}"))
                raise
            self.tell((result, None))
            return result
        result, failure = self.tell(None)
        if failure is not None:
            raise RuntimeError(
                "the first process must do its part of the training, got "
                f"{failure!r:.500} there; see what it says."
            )
        return result

    def tell(self, news: Any) -> Any:
        """What the first rank has to say, whoever asks."""
        letter = [news]
        dist.broadcast_object_list(letter, src=0, group=self.group)
        return letter[0]

    def epochs(self, epochs: Iterator[Clean], like: Table) -> Iterator[Clean]:
        """The epochs of the first rank, of series like these."""

        def blocks() -> list:
            return [table.blocks for table in next(epochs)]

        while True:
            yield Clean(*map(like.with_blocks, self.once(blocks)))

    def share_buffers(self, network: torch.nn.Module) -> None:
        """What is no weight, a mean over batches for instance: rank 0's."""
        buffers = list(network.buffers())
        first = self.once(lambda: [buffer.cpu() for buffer in buffers])
        with torch.no_grad():
            for buffer, theirs in zip(buffers, first):
                buffer.copy_(theirs)


@contextmanager
def losses_of_all(network: pl.LightningModule) -> Iterator[None]:
    """
    Let a network log the mean over all ranks for a while.

    Schedules look at it: with a loss for each rank, some would lower the
    learning rate where others do not, and weights would part.
    """
    log = network.log

    def log_mean(*args: Any, **kwargs: Any) -> None:
        is_for_one = kwargs.get("rank_zero_only", False)
        log(*args, **{"sync_dist": not is_for_one, **kwargs})

    network.log = log_mean  # type: ignore[method-assign]
    try:
        yield
    finally:
        del network.log


def check_strategy(trainer: pl.Trainer) -> None:
    """Refuse what is neither one process nor the script, run again."""
    strategy = trainer.strategy
    name = type(strategy).__name__
    # Processes that begin within ``fit``, and take with them what is learned.
    is_inner = isinstance(strategy.launcher, _MultiProcessingLauncher)
    if is_inner:
        name += f" by {getattr(strategy, '_start_method', 'spawn')!r}"
    is_whole = isinstance(strategy, DDPStrategy) and not isinstance(
        strategy, DeepSpeedStrategy
    )
    if is_inner or (trainer.world_size > 1 and not is_whole):
        raise ValueError(
            "trainer_kwargs must ask for one process, or for several that "
            f"run the script again (strategy='ddp'), got {name}; train in a "
            "script with strategy='ddp', or with devices=1."
        )

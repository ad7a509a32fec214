"""
One optimisation run, over data that change from epoch to epoch.

What is the same in every framework: the wrapped estimator's own training run,
cut open between epochs.
"""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import (
    Any,
    Callable,
    Iterable,
    Iterator,
    Optional,
    Sequence,
    TypeVar,
)

from gluonts.env import env
from gluonts.model.predictor import Predictor
from gluonts.transform.sampler import PredictionSplitSampler

from gluonts_lai.checkpoint import Checkpoint
from gluonts_lai.panel import Panel
from gluonts_lai.seeds import derived
from gluonts_lai.transform import Clean

from .network import NetworkNominal
from .prepared import Prepared
from .scaling import scale_batch, series_scales
from .treated import Treated

T = TypeVar("T")


class NetworkTraining(ABC):
    """
    The training run of an estimator that has epochs.

    The estimator is copied; the user's callbacks are not, as they may be
    there to be looked at afterwards.

    Parameters
    ----------
    estimator
        Any estimator of GluonTS for the framework.
    panel
        The training set.
    context_length
        Points that a window looks back on.
    window_scaling
        Whether to scale windows; "auto" where the network allows it.
    seed
        Where chance begins.
    """

    is_anew = False  # each epoch goes on from the last
    begin = 0  # epochs that were trained before an interruption
    left: Optional[Checkpoint] = None  # what was saved then

    def __init__(
        self,
        estimator: Any,
        panel: Panel,
        context_length: int,
        window_scaling: Any,
        seed: int,
    ) -> None:
        self.context_length = context_length
        self.seed = seed
        self.estimator = self.own(estimator)
        learn_from_real_pasts(self.estimator, panel, context_length)
        self.transformation = self.estimator.create_transformation()
        self.network = self.create_network()
        is_vector = panel.values.entries[0].ndim > 1
        self.scaling = self.scales(window_scaling, not is_vector)
        self.prepared = self.prepare(panel)

    @abstractmethod
    def own(self, estimator: Any) -> Any:
        """A copy of the estimator, to be written to."""

    @abstractmethod
    def create_network(self) -> Any:
        """The network, not yet trained."""

    @abstractmethod
    def can_scale(self) -> bool:
        """Whether the network can be shown scaled windows."""

    @property
    @abstractmethod
    def num_epochs(self) -> int:
        """Epochs that the trainer was given."""

    @abstractmethod
    def nominal(self) -> NetworkNominal:
        """The network as it is now."""

    @abstractmethod
    def run(
        self,
        epochs: Iterator[Clean],
        validation: Optional[Panel] = None,
        shuffle_buffer_length: Optional[int] = None,
    ) -> Predictor:
        """Train on what each epoch brings; give the last weights."""

    @abstractmethod
    def seed_everything(self, seed: int) -> None:
        """Start all generators that the framework draws from."""

    @abstractmethod
    def window_loader(
        self, data: Sequence[dict], context_length: Optional[int]
    ) -> Optional[Iterable[dict]]:
        """Batches without a detour; None for an estimator not known."""

    @abstractmethod
    def gluonts_loader(
        self, data: Sequence[dict], is_validation: bool, **kwargs: Any
    ) -> Iterable[dict]:
        """The estimator's own batches."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write weights, optimiser and schedule, between epochs."""

    @abstractmethod
    def load(self, folder: Path) -> None:
        """Read what :meth:`save` wrote, when an epoch is to begin."""

    @abstractmethod
    def forgetful(self) -> list[str]:
        """Names of callbacks whose state is not saved."""

    @property
    def is_first(self) -> bool:
        """Of the processes that train together; there may be but one."""
        return True

    def once(self, work: Callable[[], T]) -> T:
        """
        What comes of some work, done by one process for all that train.

        A framework that trains in one process does it there.
        """
        return work()

    def go_on(self, left: Checkpoint) -> None:
        """Begin where another run was when it left this."""
        self.begin, self.left = left.epoch, left

    @property
    def has_observed(self) -> bool:
        """Whether the network is told which points were observed."""
        return self.prepared.has_observed

    @property
    def can_hold_out(self) -> bool:
        """
        Whether something is learned while the ends of series are held out.

        Some estimators of GluonTS look at nothing but these.
        """
        sampler = getattr(self.estimator, "train_sampler", None)
        looks_at_ends = sampler is None or isinstance(
            sampler, PredictionSplitSampler
        )
        return self.has_observed and not looks_at_ends

    def prepare(self, panel: Panel) -> Prepared:
        return Prepared.of(
            panel,
            self.transformation,
            series_scales(panel.values, self.context_length),
            self.estimator.prediction_length + self.estimator.lead_time,
            self.scaling,
        )

    def first(self, epoch: int) -> int:
        """
        The series that an epoch begins with: where there are more than its
        windows, it goes on after those of the last one.
        """
        num_series = int(self.prepared.usable.sum())
        num_windows = windows_an_epoch(self.estimator)
        if num_windows is None or num_series <= num_windows:
            return 0
        return epoch * num_windows % num_series

    def loader(
        self, data: Sequence[dict], shuffle_buffer_length: Optional[int]
    ) -> Iterable[dict]:
        """Batches of one epoch."""
        length = self.context_length if self.scaling else None
        loader = None
        if not shuffle_buffer_length:
            loader = self.window_loader(data, length)
        return loader or self.scaled(
            data, False, shuffle_buffer_length=shuffle_buffer_length
        )

    def validation_loader(
        self, panel: Optional[Panel]
    ) -> Optional[Iterable[dict]]:
        """Batches to validate on, as they were observed."""
        if panel is None:
            return None
        data = Treated(self.prepare(panel), Clean.as_observed(panel.values))
        return self.scaled(data, True)

    def scaled(
        self, data: Sequence[dict], is_validation: bool, **kwargs: Any
    ) -> Iterable[dict]:
        """The estimator's own batches, scaled if they have to be."""
        with env._let(max_idle_transforms=max(len(data), 100)):
            loader = self.gluonts_loader(data, is_validation, **kwargs)
        return Scaled(loader, self.context_length) if self.scaling else loader

    def scales(self, window_scaling: Any, is_scalar: bool) -> bool:
        possible = is_scalar and self.can_scale()
        if window_scaling is True and not possible:
            raise ValueError(
                "window_scaling=True needs a network that takes a real-valued "
                f"past and future, got {type(self.estimator).__name__}; use "
                "'auto' or False."
            )
        return possible if window_scaling == "auto" else bool(window_scaling)


class Epochs:
    """
    Batches, made anew each time somebody begins to read them.

    GluonTS's own loader would go on with windows of the last epoch.
    """

    def __init__(
        self,
        training: NetworkTraining,
        epochs: Iterator[Clean],
        shuffle_buffer_length: Optional[int],
    ) -> None:
        self.training = training
        self.epochs = epochs
        self.shuffle_buffer_length = shuffle_buffer_length
        self.epoch = training.begin

    def __iter__(self) -> Iterator[dict]:
        training = self.training
        if training.left is not None and self.epoch == training.begin:
            training.left.read(training.load)
        clean = next(self.epochs)
        data = Treated(training.prepared, clean, training.first(self.epoch))
        # An epoch draws the same, whatever happened before it.
        training.seed_everything(derived(training.seed, self.epoch))
        self.epoch += 1
        yield from training.loader(data, self.shuffle_buffer_length)


class Scaled:
    """The batches of a loader, with scaled windows."""

    def __init__(self, loader: Any, context_length: int) -> None:
        self.loader = loader
        self.context_length = context_length

    def __iter__(self) -> Iterator[dict]:
        for batch in self.loader:
            yield scale_batch(batch, self.context_length)[0]


def learn_from_real_pasts(
    estimator: Any, panel: Panel, context_length: int
) -> None:
    """Let an estimator of our own sample no windows without a past."""
    sampler: Any = getattr(estimator, "train_sampler", None)
    if hasattr(sampler, "min_past"):
        ahead = estimator.prediction_length + estimator.lead_time
        longest = max(entry.shape[-1] for entry in panel.values.entries)
        least = context_length if longest >= context_length + ahead else 0
        least = max(sampler.min_past, least)
        estimator.train_sampler = sampler.copy(update={"min_past": least})


def windows_an_epoch(estimator: Any) -> Optional[int]:
    """Windows that an estimator learns from in each epoch, if it says so."""
    for owner in (estimator, getattr(estimator, "trainer", None)):
        batches = getattr(owner, "num_batches_per_epoch", None)
        if batches:
            return int(batches) * int(getattr(estimator, "batch_size", 1))
    return None

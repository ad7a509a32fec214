"""
The estimator: any GluonTS estimator, trained on contaminated data.
"""

from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from gluonts.core.component import validated
from gluonts.dataset import Dataset
from gluonts.model.estimator import Estimator

from gluonts_lai.anomalous import AnomalousModel, Uniform
from gluonts_lai.backends import seeded, training_of
from gluonts_lai.caution import warn
from gluonts_lai.checkpoint import Checkpoints
from gluonts_lai.choices import (
    SCOPES,
    TREATMENTS,
    check_at_least,
    check_choice,
    check_share,
)
from gluonts_lai.em import MonteCarloEM
from gluonts_lai.indicator import IndicatorChain
from gluonts_lai.interruptions import Interruptible
from gluonts_lai.learned import (
    calibrate_on,
    freq_of,
    has_new_points,
    second_look,
    what_was_learned,
)
from gluonts_lai.memory import adopt, remembered
from gluonts_lai.nominal.pasts import context_length_of, prediction_length_of
from gluonts_lai.origin import Origin
from gluonts_lai.panel import Panel, check_freq, training_panel
from gluonts_lai.panel.table import Table
from gluonts_lai.predictor import LAIPredictor
from gluonts_lai.recipe import Recipe, wide_enough, widening_of
from gluonts_lai.rounds import History
from gluonts_lai.seeds import derived

# Share of the epochs before the tails of series are learned from, too: until
# then they show how sure of itself the network may be.
HELD_EPOCHS = 0.8


class LAITrainOutput(NamedTuple):
    """
    What a training run leaves behind.

    Examples
    --------
    >>> import pandas as pd
    >>> from gluonts.model.trivial.mean import MeanEstimator
    >>> values = np.tile([3.0, 5.0, 4.0, 6.0], 60)
    >>> values[100:103] = 20.0
    >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
    >>> mean = MeanEstimator(prediction_length=1, num_samples=100)
    >>> output = LAIEstimator(mean, seed=0).train_model([entry])
    >>> np.flatnonzero(output.posterior[0] > 0.5)
    array([100, 101, 102])
    >>> list(output.history.to_frame().columns)[:3]
    ['epoch', 'log_likelihood', 'share_flagged']
    """

    predictor: LAIPredictor
    posterior: list[np.ndarray]  # P(z = 1 | x) of each series, float32
    history: History


class LAIEstimator(Estimator):
    """
    Wrap an estimator so that it finds the anomalies in its training set.

    While the wrapped network trains, with its own trainer and for as many
    epochs as it was given, a hidden two-state Markov chain infers which points
    are anomalous; these are replaced, and no loss is taken there. Wrapping
    changes the data, not the training budget.

    Parameters
    ----------
    estimator
        Any GluonTS estimator, of MXNet, PyTorch or neither. It is never
        modified. One with epochs trains once; any other is trained again in
        each of a few rounds. Several processes may train a network of PyTorch
        together (``trainer_kwargs`` with ``strategy="ddp"``): each E-step is
        computed by the first of them, for all.
    chain
        What is known beforehand of anomalies: how often, how long. A prior
        that weighs as much as a hundred points.
    anomalous
        p⁻, the density of anomalous points.
    treatment
        "impute" puts the network's own expectation in the place of anomalous
        points, "mask" the last nominal value; neither has a loss. Networks
        that are not told which points were observed can only impute.
    num_paths
        Sampled paths, hence epochs, in each round of EM; one where the
        estimator has no epochs.
    num_warmup_epochs
        Epochs on the data as they are, before the first round; None for a
        fifth of all epochs, but at least one.
    transitions
        How the chain is re-estimated: from "sampled" paths, as in the paper,
        or from "expected" transitions.
    chain_scope
        One chain for the whole "dataset", or one for each "series".
    max_anomaly_share
        Bound on the share of anomalous points that the chain may come to
        believe in; a round that flags more than that replaces nothing.
    window_scaling
        Whether each window is centred and scaled by its own context; "auto"
        where the network takes real values.
    calibration
        Whether to find out how sure of itself the network may be: for each
        series, by how much its densities are to be wider, and how heavy their
        tails, on points that it was not trained on. Those are the points of
        the validation data after the training data, if there are any; else
        the last tenth of each series, which is held out for the first four
        fifths of the epochs. Estimators that learn from nothing but the ends
        of series (MQCNN, MQRNN, DeepState) need validation data for it; so do
        networks that are not told which points were observed. Those without
        epochs judge one half of each series by the other. Forecasts stay as
        they are.
    label_field
        Name of an entry field with what is known: 1 anomalous, 0 nominal, NaN
        unknown. It overrules whatever is inferred.
    em
        False for the same training with no indicator, and no filter: the
        control in comparisons.
    checkpoint_dir
        A folder for what is needed to go on after an interruption. It is
        written whenever a round ends; the same training, started again, goes
        on from there and ends as if nothing had happened. So does a run that
        had ended: its last round is done again. Other data or settings are
        refused. Callbacks with a state of their own begin anew.
    seed
        The same seed gives the same model; None for another one each time,
        but for a run that goes on.

    Examples
    --------
    >>> import pandas as pd
    >>> from gluonts.model.trivial.mean import MeanEstimator
    >>> values = np.tile([3.0, 5.0, 4.0, 6.0], 60)
    >>> values[100:103] = 20.0
    >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
    >>> estimator = LAIEstimator(
    ...     MeanEstimator(prediction_length=1, num_samples=100),
    ...     chain=IndicatorChain.from_prior(anomaly_rate=0.02),
    ...     seed=0,
    ... )
    >>> predictor = estimator.train([entry])
    >>> next(predictor.detect([entry])).segments().length.tolist()
    [3]

    A network is wrapped in the same way: on PyTorch, for instance,
    ``LAIEstimator(gluonts.torch.DeepAREstimator("h", prediction_length=24))``.
    """

    @validated()
    def __init__(
        self,
        estimator: Estimator,
        chain: IndicatorChain = IndicatorChain.from_prior(),
        anomalous: AnomalousModel = Uniform(),
        treatment: str = "impute",
        num_paths: int = 3,
        num_warmup_epochs: Optional[int] = None,
        transitions: str = "sampled",
        chain_scope: str = "dataset",
        max_anomaly_share: float = 0.2,
        window_scaling: Union[bool, str] = "auto",
        calibration: Union[bool, str] = "auto",
        label_field: Optional[str] = None,
        em: bool = True,
        checkpoint_dir: Optional[Union[str, Path]] = None,
        seed: Optional[int] = None,
    ) -> None:
        super().__init__(lead_time=getattr(estimator, "lead_time", 0))
        check_choice("treatment", treatment, TREATMENTS)
        check_choice("transitions", transitions, ("sampled", "expected"))
        check_choice("chain_scope", chain_scope, SCOPES)
        check_choice("window_scaling", window_scaling, (True, False, "auto"))
        check_choice("calibration", calibration, (True, False, "auto"))
        check_at_least("num_paths", num_paths, 1)
        check_at_least("num_warmup_epochs", num_warmup_epochs, 1)
        check_at_least("seed", seed, 0)
        check_share("max_anomaly_share", max_anomaly_share)
        self.estimator = estimator
        self.prediction_length = prediction_length_of(estimator)
        self.chain = chain
        self.anomalous = anomalous
        self.treatment = treatment
        self.num_paths = num_paths
        self.num_warmup_epochs = num_warmup_epochs
        self.transitions = transitions
        self.chain_scope = chain_scope
        self.max_anomaly_share = max_anomaly_share
        self.window_scaling = window_scaling
        self.calibration = calibration
        self.label_field = label_field
        self.em = em
        self.checkpoint_dir = checkpoint_dir
        self.seed = seed

    def train(
        self,
        training_data: Dataset,
        validation_data: Optional[Dataset] = None,
        shuffle_buffer_length: Optional[int] = None,
        **kwargs: Any,
    ) -> LAIPredictor:
        """Train; see :meth:`train_model` for what else there is to see."""
        data = training_data, validation_data, shuffle_buffer_length
        return self.output_of(*data, looks_back=False).predictor

    def train_model(
        self,
        training_data: Dataset,
        validation_data: Optional[Dataset] = None,
        shuffle_buffer_length: Optional[int] = None,
        cache_data: bool = False,
    ) -> LAITrainOutput:
        """
        Train, and tell what was found in the training set.

        Parameters
        ----------
        training_data
            The series, contaminated as they are.
        validation_data
            For the wrapped estimator's own use of it, and for calibration:
            the same series, going on after the training data.
        shuffle_buffer_length
            For the wrapped estimator's own use of it.
        cache_data
            As in GluonTS, and without effect: the data are read once anyway.

        Examples
        --------
        >>> import pandas as pd
        >>> from gluonts.model.trivial.mean import MeanEstimator
        >>> values = np.tile([3.0, 5.0, 4.0, 6.0], 60)
        >>> values[100:103] = 20.0
        >>> entry = {"start": pd.Period("2024-01-01", "h"), "target": values}
        >>> mean = MeanEstimator(prediction_length=1, num_samples=100)
        >>> output = LAIEstimator(mean, seed=0).train_model([entry])
        >>> np.flatnonzero(output.posterior[0] > 0.5)
        array([100, 101, 102])
        """
        data = training_data, validation_data, shuffle_buffer_length
        return self.output_of(*data, looks_back=True)

    def output_of(
        self,
        training_data: Dataset,
        validation_data: Optional[Dataset],
        shuffle_buffer_length: Optional[int],
        looks_back: bool,
    ) -> LAITrainOutput:
        """Train; without the posterior, if nobody wants to see it."""
        context_length = context_length_of(self.estimator)
        least = context_length + self.prediction_length + self.lead_time
        panel = training_panel(training_data, self.label_field, least)
        validation = None
        if validation_data is not None:
            validation = Panel.of(validation_data, self.label_field)
            check_freq(validation, freq_of(panel))
        checkpoints, last = None, None
        if self.checkpoint_dir is not None:
            origin = Origin.of(self, panel, validation, shuffle_buffer_length)
            checkpoints = Checkpoints(Path(self.checkpoint_dir), origin)
            last = checkpoints.last()
        seed = self.seed if last is None else last.seed
        if seed is None:
            seed = int(np.random.randint(2**31))
        interruptible = Interruptible(checkpoints, last, seed)
        with seeded(seed):
            return self.run(
                panel,
                validation,
                context_length,
                interruptible,
                shuffle_buffer_length,
                looks_back,
            )

    def run(
        self,
        panel: Panel,
        validation: Optional[Panel],
        context_length: int,
        run: Interruptible,
        shuffle_buffer_length: Optional[int],
        looks_back: bool,
    ) -> LAITrainOutput:
        """Train on a panel that was found in order."""
        seed = run.seed
        training = training_of(
            self.estimator, panel, context_length, self.window_scaling, seed
        )
        news = None
        if validation is not None and has_new_points(validation, panel):
            news = validation
        recipe = self.recipe(training, news is not None)
        em = MonteCarloEM(
            panel,
            training.prepared,
            recipe,
            context_length,
            np.random.default_rng(derived(seed, 0)),
        )
        calibrates = self.em and self.calibration is not False
        run.go_on(em, training)
        if calibrates and training.is_anew and not em.epoch:
            em.calibrate(training.nominal(), panel.values.like(1, bool))
            em.be_calibrated()
        epochs = em.epochs(training.nominal, lambda: run.keep(em, training))
        base = training.run(epochs, validation, shuffle_buffer_length)
        epochs.close()  # and forget what the last round had found
        new = news if calibrates else None
        found = training.once(lambda: self.finish(em, training, new))
        if not training.is_first:
            adopt(em, found)
        predictor = LAIPredictor(
            base,
            context_length=context_length,
            scaling=training.scaling,
            treatment=em.recipe.treatment,
            filters=self.em,
            seed=self.seed,
            label_field=self.label_field,
            **what_was_learned(em),
        )
        posterior = []
        if looks_back:
            posterior = training.once(lambda: posterior_of(predictor, panel))
        training.once(lambda: second_look(em))
        return LAITrainOutput(predictor, posterior, em.history)

    def finish(
        self, em: MonteCarloEM, training: Any, news: Optional[Panel]
    ) -> dict[str, Any]:
        """The last round, and what is known after it."""
        # Whatever was drawn until now.
        with seeded(derived(training.seed, 1)):
            if news is not None:
                calibrate_on(news, em, training.nominal())
            if self.em:
                em.finish(training.nominal())
        return remembered(em)

    def recipe(self, training: Any, has_news: bool) -> Recipe:
        """What EM is to do in a training run."""
        treatment, num_epochs = self.treatment, training.num_epochs
        if treatment == "mask" and not training.has_observed:
            warn(
                "treatment='mask' needs an estimator that is told which "
                f"points were observed, got {type(self.estimator).__name__}; "
                "its anomalous points are imputed instead."
            )
            treatment = "impute"
        num_warmup_epochs = self.num_warmup_epochs
        if num_warmup_epochs is None:
            num_warmup_epochs = max(1, num_epochs // 5)
        return Recipe(
            self.chain,
            wide_enough(self.anomalous),
            treatment,
            1 if training.is_anew else self.num_paths,
            num_warmup_epochs if self.em else num_epochs,
            self.transitions,
            self.chain_scope,
            self.max_anomaly_share,
            widening_of(self.calibration),
            self.num_held_epochs(training, has_news),
        )

    def num_held_epochs(self, training: Any, has_news: bool) -> int:
        """Epochs before the tails of series are learned from."""
        if not self.em or self.calibration is False or has_news:
            return 0
        if not training.can_hold_out:
            return 0
        return int(HELD_EPOCHS * training.num_epochs)


def posterior_of(predictor: LAIPredictor, panel: Panel) -> list[np.ndarray]:
    """P(z = 1 | x) of each series, in hindsight."""
    posterior = Table.laid_out(panel.values.layout, np.float32)
    found = predictor.detect(panel.entries, mode="smooth")
    for entry, detection in zip(posterior.entries, found):
        entry[...] = detection.probability
    return posterior.entries[:]

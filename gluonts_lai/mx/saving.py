"""
What a training run on MXNet needs to go on.

MXNet writes the state of an optimiser as a pickle; here it is plain arrays.
Parameters have the names that they have in the network's structure, which are
the same in every process.
"""

from pathlib import Path
from typing import Any, Sequence

import mxnet as mx
import numpy as np
from gluonts.mx.trainer.learning_rate_scheduler import LearningRateReduction
from mxnet.gluon import Block

WEIGHTS = "network.params"
OPTIMISER = "optimiser.npz"


def save(folder: Path, network: Block, callbacks: Sequence[Any]) -> None:
    """Write the weights of a network that is in training, and all else."""
    network.save_parameters(str(folder / WEIGHTS))
    optimiser = trainer_of(network).optimizer
    np.savez(
        folder / OPTIMISER,
        **moments(network),
        learning_rate=optimiser.learning_rate,
        num_update=optimiser.num_update,
        schedules=[schedule_of(each) for each in schedulers(callbacks)],
    )


def load(folder: Path, network: Block, callbacks: Sequence[Any]) -> None:
    """Read what :func:`save` wrote."""
    context = trainer_of(network)._contexts[0]
    network.load_parameters(str(folder / WEIGHTS), ctx=context)
    with np.load(folder / OPTIMISER, allow_pickle=False) as saved:
        set_moments(network, saved)
        optimiser = trainer_of(network).optimizer
        optimiser.set_learning_rate(float(saved["learning_rate"]))
        optimiser.num_update = int(saved["num_update"])
        for each, row in zip(schedulers(callbacks), saved["schedules"]):
            set_schedule(each, row.tolist())


def trainer_of(network: Block) -> Any:
    """What steps the weights of a network; GluonTS shows it to nobody."""
    parameters = network.collect_params().values()
    return next(p._trainer for p in parameters if p._trainer is not None)


def places(network: Block) -> dict[str, int]:
    """Where the optimiser has each parameter."""
    index = trainer_of(network)._param2idx
    parameters = network._collect_params_with_prefix()
    return {name: index[p.name] for name, p in parameters.items()}


def moments(network: Block) -> dict[str, np.ndarray]:
    """What Adam remembers of the gradients of each parameter."""
    trainer = trainer_of(network)
    states, counts = (
        trainer._updaters[0].states,
        trainer.optimizer._index_update_count,
    )
    arrays = {}
    for name, i in places(network).items():
        if i in states:  # a parameter without a gradient has none
            mean, variance = states[i]
            arrays[f"mean:{name}"] = mean.asnumpy()
            arrays[f"variance:{name}"] = variance.asnumpy()
            arrays[f"count:{name}"] = counts[i]
    return arrays


def set_moments(network: Block, saved: Any) -> None:
    trainer = trainer_of(network)
    updater, optimiser = trainer._updaters[0], trainer.optimizer
    context = trainer._contexts[0]
    for name, i in places(network).items():
        if f"count:{name}" in saved:
            updater.states[i] = tuple(
                mx.nd.array(array, ctx=context, dtype=array.dtype)
                for array in (saved[f"mean:{name}"], saved[f"variance:{name}"])
            )
            updater.states_synced[i] = True
            optimiser._index_update_count[i] = int(saved[f"count:{name}"])


def schedulers(callbacks: Sequence[Any]) -> list[Any]:
    """Those that lower the learning rate, in the way that we know."""
    return [
        callback.lr_scheduler
        for callback in callbacks
        if type(callback) is LearningRateReduction
    ]


def schedule_of(scheduler: Any) -> list[float]:
    """What a schedule remembers of losses."""
    patience = scheduler.patience
    return [
        scheduler.learning_rate,
        patience.objective.best,
        patience.current_patience,
        patience.num_resets,
        patience.exceeded,
    ]


def set_schedule(scheduler: Any, row: list[float]) -> None:
    patience = scheduler.patience
    scheduler.learning_rate, patience.objective.best = row[:2]
    patience.current_patience, patience.num_resets = map(int, row[2:4])
    patience.exceeded = bool(row[4])

"""
Networks that two processes train together.

    python -m tests.torch.ranked folder

Lightning starts the second one when the first training begins; from then on
both do the same. Each tells what it saw, one line of JSON after the other;
the last training fails, and so does the script.
"""

import hashlib
import json
import logging
import os
import sys
import warnings
from pathlib import Path
from typing import Any, Callable

import numpy as np
from gluonts.env import env
from gluonts.torch.model.simple_feedforward import SimpleFeedForwardEstimator
from gluonts.torch.model.tide import TiDEEstimator
from lightning.pytorch.callbacks import Callback

from gluonts_lai import LAIEstimator
from gluonts_lai.checkpoint import Checkpoints
from gluonts_lai.em import MonteCarloEM
from tests import contract
from tests.series import dataset
from tests.torch.zoo import CASES, SMALL, maker

EPOCHS = 6
TOGETHER = {"accelerator": "cpu", "devices": 2, "strategy": "ddp"}
DATA, LABELS = dataset("univariate", num_series=3, length=160, rate=0.04)
SEEN: dict[str, list] = {}  # what was done in this process


class Windows(Callback):
    """Looks at each batch; it has no state, so it may be interrupted."""

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        SEEN["windows"].append(batch["past_target"].numpy().tobytes())


class Records(logging.Handler):
    """Keeps what is logged."""

    def emit(self, record):
        SEEN["records"].append(record.getMessage())


def noted(owner: Any, name: str) -> None:
    """Take note of each call of a function."""
    function = getattr(owner, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        SEEN[name].append(name)
        return function(*args, **kwargs)

    setattr(owner, name, call)


def rank() -> int:
    return int(os.environ.get("LOCAL_RANK", 0))


def tell(name: str, **news: Any) -> None:
    """In one piece, whatever the other process says meanwhile."""
    line = json.dumps({"name": name, "rank": rank(), **news}) + "\n"
    os.write(sys.__stdout__.fileno(), line.encode())


def digest(*parts: Any) -> str:
    content = b"".join(np.asarray(part).tobytes() for part in parts)
    return hashlib.sha256(content).hexdigest()


def fresh() -> None:
    for name in ("windows", "records", "expect", "write"):
        SEEN[name] = []


def train(name: str, make: Callable, data: Any = DATA, **settings: Any) -> Any:
    """Train, and tell what there was to see."""
    fresh()
    wrapped = make(
        epochs=EPOCHS, learning_rate=0.02, callbacks=[Windows()], **TOGETHER
    )
    settings = {"seed": 0, **settings}
    output = LAIEstimator(wrapped, **settings).train_model(data)
    predictor = output.predictor
    state = predictor.base.prediction_net.state_dict()
    forecasts = predictor.predict(data)
    tell(
        name,
        num_e_steps=len(SEEN["expect"]),
        num_checkpoints=len(SEEN["write"]),
        records=SEEN["records"],
        num_batches=len(SEEN["windows"]),
        windows=digest(*map(np.void, SEEN["windows"])),
        weights=digest(*state.values()),
        posterior=digest(*output.posterior),
        forecasts=digest(*(f.quantile(0.9) for f in forecasts)),
        history=[list(record) for record in output.history],
        chain=repr(predictor.chain),
        auc=contract.spike_auc(output, LABELS),
    )


def fail(name: str, **settings: Any) -> None:
    """Tell how a training fails."""
    try:
        train(name, CASES["SimpleFeedForward"].make, **settings)
    except Exception as error:
        tell(name, error=type(error).__name__, message=str(error))
        raise


def fail_for_now(name: str, **settings: Any) -> None:
    try:
        fail(name, **settings)
    except ValueError:
        pass


def unable(em: MonteCarloEM, *args: Any) -> None:
    raise OverflowError("a round too many")


def main(folder: Path) -> None:
    logging.getLogger("gluonts_lai").addHandler(Records())
    logging.getLogger("gluonts_lai").setLevel(logging.INFO)
    noted(MonteCarloEM, "expect")
    noted(Checkpoints, "write")
    network = CASES["SimpleFeedForward"].make

    train("plain", network)
    kept = {"checkpoint_dir": str(folder / "kept"), "seed": None}
    train("kept", network, **kept)
    train("resumed", network, **kept)
    # Its learning rate falls whenever the loss does not.
    tide = CASES["TiDE"].make
    train("scheduled", lambda **kw: impatient(tide(**kw)), em=False)
    averaging = maker(
        SimpleFeedForwardEstimator,
        **{**SMALL, "hidden_dimensions": [8, 8], "batch_norm": True},
    )
    train("averaging", averaging, em=False)

    other, _ = dataset("univariate", seed=rank(), num_series=3, length=160)
    fail_for_now("other data", data=other)
    elsewhere = [str(folder / "kept"), str(folder / "elsewhere")][rank()]
    fail_for_now("elsewhere", **{**kept, "checkpoint_dir": elsewhere})

    MonteCarloEM.maximise = unable  # type: ignore[method-assign]
    fail("unable")


def impatient(estimator: TiDEEstimator) -> TiDEEstimator:
    estimator.patience = 0
    return estimator


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with env._let(use_tqdm=False):
        main(Path(sys.argv[1]))

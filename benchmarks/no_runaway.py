"""
Does EM run away? The share of points flagged, beside the share that is wrong.

SimpleFeedForward, trained with LAI on three hourly series with a day in them,
of which a share of the points is moved by a spike. After training, the share
of flagged points must not exceed three times the true share plus 1 %, and at
1 and 5 % at least four of five spikes must be found.

    python benchmarks/no_runaway.py --seeds 20
    python benchmarks/no_runaway.py --seeds 20 --backend torch --horizon 24
"""

import argparse
import logging
import warnings

import numpy as np
from gluonts.dataset.common import ListDataset
from gluonts.env import env

from gluonts_lai import LAIEstimator

RATES = (0.0, 0.01, 0.05, 0.15)
LENGTH = 1_000


def contaminated(rate, seed, num_series=3):
    """Series with spikes of 2 to 8 sds of the clean series, and labels."""
    rng = np.random.default_rng(seed)
    t = np.arange(LENGTH)
    entries, labels = [], []
    for i in range(num_series):
        day = np.sin(2 * np.pi * (t / 24 + rng.random()))
        clean = 10 + 2 * day + rng.normal(size=LENGTH) * 0.3
        spikes = rng.random(LENGTH) < rate
        sign = rng.choice([-1.0, 1.0], LENGTH)
        moved = sign * rng.uniform(2, 8, LENGTH) * clean.std()
        target = clean + spikes * moved
        start = "2020-01-01 00"
        entries.append({"start": start, "target": target, "item_id": str(i)})
        labels.append(spikes)
    return ListDataset(entries, freq="h"), np.concatenate(labels)


def feed_forward_mx(horizon, epochs):
    from gluonts.mx import SimpleFeedForwardEstimator, Trainer

    return SimpleFeedForwardEstimator(
        prediction_length=horizon,
        context_length=25,
        trainer=Trainer(epochs=epochs, num_batches_per_epoch=50),
    )


def feed_forward_torch(horizon, epochs):
    from gluonts.torch import SimpleFeedForwardEstimator

    return SimpleFeedForwardEstimator(
        prediction_length=horizon,
        context_length=25,
        hidden_dimensions=[40, 40],  # as on MXNet
        trainer_kwargs={
            "max_epochs": epochs,
            "enable_progress_bar": False,
            "enable_model_summary": False,
        },
    )


FEED_FORWARD = {"mx": feed_forward_mx, "torch": feed_forward_torch}


def flagged(rate, seed, horizon, epochs=20, backend="mx"):
    """Share flagged, share that is wrong, and recall after one training."""
    dataset, labels = contaminated(rate, seed)
    estimator = FEED_FORWARD[backend](horizon, epochs)
    output = LAIEstimator(estimator, seed=seed).train_model(dataset)
    flags = np.concatenate(output.posterior) > 0.5
    recall = (flags & labels).sum() / max(labels.sum(), 1)
    return flags.mean(), labels.mean(), recall


def row(rate, num_seeds, horizon, backend):
    found = np.array(
        [
            flagged(rate, seed, horizon, backend=backend)
            for seed in range(num_seeds)
        ]
    )
    share, true, recall = found.T
    # As near to its own bound as any of them came.
    worst = np.argmax(share - 3 * true)
    print(
        f"{backend:>8}{horizon:8}{rate:8.0%}{np.median(share):18.2%}"
        f"{share[worst]:8.2%}{3 * true[worst] + 0.01:9.2%}"
        f"{np.median(recall):16.2f}{recall.min():8.2f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--backend", choices=list(FEED_FORWARD))
    parser.add_argument("--horizon", type=int, choices=[1, 24])
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    print(
        f"{'backend':>8}{'horizon':>8}{'wrong':>8}{'flagged: median':>18}"
        f"{'most':>8}{'allowed':>9}{'recall: median':>16}{'least':>8}"
        f"   ({options.seeds} seeds)"
    )
    backends = [options.backend] if options.backend else FEED_FORWARD
    with env._let(use_tqdm=False):
        for backend in backends:
            for horizon in [options.horizon] if options.horizon else (1, 24):
                for rate in RATES:
                    row(rate, options.seeds, horizon, backend)


if __name__ == "__main__":
    main()

"""
What does it cost to filter contexts that need it not, and what does it save?

Hourly electricity of 12 clients, one SimpleFeedForward for all of them, 24
hours ahead from 72, trained with LAI on the first half of each series as it
is. Windows roll through the second half, a week and five hours apart. The
same predictor forecasts each of them with and without its filter:

    clean    the context as it is: the filter should cost at most 1 %
    spikes   5 % of the last 72 hours moved by 4 to 15 inter-quartile ranges
    runs     5 % of them in runs of 4 to 12 hours, moved by 2 to 5; a run may
             reach up to the forecast

Errors are in inter-quartile ranges of the training half of a series; a series
where that is 0 is left out. "ratio" is that of the filtered forecast to the
unfiltered one from the clean context, with its standard error over windows;
on wrong contexts it should be at most 1.05. "worst" is the ratio of the client
that loses most.

    python benchmarks/filtering_price.py --data ../shared/data
"""

import argparse
import copy
import logging
import os
import time
import warnings
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from gluonts.env import env
from networks import FEED_FORWARD, chosen, feed_forward, wrapped

from gluonts_lai.dataset import read_electricity

HORIZON, CONTEXT = 24, 72
STRIDE = 24 * 7 + 5  # each window begins at another hour of the day
SHARE = 0.05  # of the points of a context are wrong
RUNS = 4, 12  # shortest and longest
THRESHOLDS = 0.5, 0.6, 0.9


class Client(NamedTuple):
    """One series, and what an error is measured in."""

    entry: dict
    half: int  # where training ends
    spread: float  # inter-quartile range of the training half

    @classmethod
    def of(cls, entry):
        half = len(entry["target"]) // 2
        low, high = np.percentile(entry["target"][:half], [25, 75])
        return cls(entry, half, high - low)

    def cut(self, end):
        return {**self.entry, "target": self.entry["target"][:end].copy()}

    def windows(self):
        """Where forecasts begin."""
        last = len(self.entry["target"]) - HORIZON
        return range(self.half, last + 1, STRIDE)


def read_clients(folder):
    """The clients that vary; the others are named."""
    clients = [Client.of(entry) for entry in read_electricity(folder)]
    for client in clients:
        if client.spread == 0:
            print(f"{client.entry['item_id']} left out: its spread is 0")
    return [client for client in clients if client.spread > 0]


def draw_spikes(rng):
    """By how many spreads each point of a context is moved."""
    moved = rng.random(CONTEXT) < SHARE
    sign = rng.choice([-1, 1], CONTEXT)
    return moved * sign * rng.uniform(4, 15, CONTEXT)


def draw_runs(rng):
    """The same, for runs that begin anywhere."""
    moved = np.zeros(CONTEXT)
    for begin in np.flatnonzero(rng.random(CONTEXT) < SHARE / np.mean(RUNS)):
        length = rng.integers(RUNS[0], RUNS[1] + 1)
        shift = rng.choice([-1, 1]) * rng.uniform(2, 5)
        moved[begin : begin + length] = shift
    return moved


DRAW = {
    "clean": lambda rng: np.zeros(CONTEXT),
    "spikes": draw_spikes,
    "runs": draw_runs,
}


def contexts(clients, draw, seed):
    """What each forecast may look at, client by client."""
    rng = np.random.default_rng(seed)
    entries = []
    for client in clients:
        for end in client.windows():
            entry = client.cut(end)
            entry["target"][-CONTEXT:] += client.spread * draw(rng)
            entries.append(entry)
    return entries


def errors(clients, forecasts):
    """MAE of each window, in spreads, client by client."""
    forecasts = iter(forecasts)
    return [
        np.array(
            [
                np.abs(next(forecasts).mean - target[t : t + HORIZON]).mean()
                / client.spread
                for t in client.windows()
            ]
        )
        for client in clients
        for target in [client.entry["target"]]
    ]


def trained(backend, clients, seed):
    """A predictor, and the same without its filter."""
    begin = time.perf_counter()
    network = feed_forward(backend, HORIZON, CONTEXT)
    estimator = wrapped("LAI", network, seed)
    predictor = estimator.train([c.cut(c.half) for c in clients])
    taken = time.perf_counter() - begin
    print(f"seed {seed}: {taken:.0f} s, {predictor.chain}", flush=True)
    bare = copy.copy(predictor)
    bare.filters = False
    return predictor, bare


def over(seeds, ask):
    """Errors of all seeds, client by client."""
    return list(map(np.concatenate, zip(*map(ask, seeds))))


def say(kind, how, filtered, unfiltered, clean):
    """Print one row."""
    lost = np.concatenate(filtered) - np.concatenate(clean)
    means = [np.concatenate(x).mean() for x in (filtered, unfiltered, clean)]
    error = lost.std() / np.sqrt(len(lost)) / means[2]
    worst = max(f.mean() / c.mean() for f, c in zip(filtered, clean))
    cells = "".join(f"{x:12.4f}" for x in means)
    print(
        f"{kind:8}{how:16}{cells}{means[0] / means[2]:9.4f} ± {error:.4f}"
        f"{worst:9.3f}",
        flush=True,
    )


def table(backend, clients, seeds):
    num_windows = sum(len(c.windows()) for c in clients)
    print(
        f"\n{backend}: {len(clients)} clients, {num_windows} windows, "
        f"seeds {', '.join(map(str, seeds))}"
    )
    pairs = {seed: trained(backend, clients, seed) for seed in seeds}
    print(
        f"{'context':8}{'threshold':16}{'filtered':>12}{'unfiltered':>12}"
        f"{'  and clean':>12}{'ratio':>9}{'':9}{'worst':>9}"
    )
    clean = None
    for kind, draw in DRAW.items():
        seen = {seed: contexts(clients, draw, seed) for seed in seeds}

        def unfiltered(seed, seen=seen):
            return errors(clients, pairs[seed][1].predict(seen[seed]))

        bare = over(seeds, unfiltered)
        clean = clean or bare  # the first kind
        for threshold in THRESHOLDS:
            for recalibrate in (False, True):

                def filtered(seed, seen=seen, t=threshold, r=recalibrate):
                    forecasts = pairs[seed][0].predict(
                        seen[seed], threshold=t, recalibrate=r
                    )
                    return errors(clients, forecasts)

                how = f"{threshold}{' + r' if recalibrate else ''}"
                say(kind, how, over(seeds, filtered), bare, clean)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    folder = os.environ.get("GLUONTS_LAI_DATA")
    parser.add_argument("--data", default=folder, required=folder is None)
    parser.add_argument(
        "--backend", choices=[*FEED_FORWARD, "both"], default="both"
    )
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=0)
    return parser.parse_args()


def main():
    options = arguments()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    clients = read_clients(options.data)
    with env._let(use_tqdm=False):
        for backend in chosen(options.backend, FEED_FORWARD):
            first = options.first_seed
            table(backend, clients, range(first, first + options.seeds))


if __name__ == "__main__":
    main()

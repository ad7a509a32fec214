"""
The paper's demonstration, drawn and learned many times.

Each draw of the contaminated sine is learned by an MLP as it is, with scaled
windows only (``em=False``), and with LAI. Wanted: an F1 of the training
posterior above 0.95, ``P(1→1)`` within 0.15 of the true one, and an MAE to the
clean sine below 0.8 times that of the plain MLP.

    python benchmarks/paper.py figure1
    python benchmarks/paper.py figure1 --backend mx
"""

import logging

import numpy as np
from gluonts.env import env

from gluonts_lai.demo import run

NAMES = (
    "precision recall F1 P(1→1) true MAE:plain em=False LAI "
    "sd/true:plain LAI"
).split()


def row(seed, backend):
    logging.disable(logging.WARNING)
    with env._let(use_tqdm=False):
        demo = run(seed, backend)
    error = [demo.error(f) for f in (demo.plain, demo.control, demo.lai)]
    learned, true = demo.output.predictor.chain.p_stay, demo.truth.p_stay
    sd = [np.nanmedian(f.sd) * 15 for f in (demo.plain, demo.lai)]
    return [*demo.scores(), learned, true, *error, *sd]


def table(num_seeds, backend):
    print(f"{backend:>6}" + "".join(f"{name:>15}" for name in NAMES))
    rows = []
    for seed in range(num_seeds):
        rows.append(row(seed, backend))
        cells = "".join(f"{cell:15.3f}" for cell in rows[-1])
        print(f"{seed:6}{cells}", flush=True)
    for name, function in (("mean", np.mean), ("least", np.min)):
        cells = "".join(f"{cell:15.3f}" for cell in function(rows, axis=0))
        print(f"{name:>6}{cells}")

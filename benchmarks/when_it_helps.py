"""
When does it help? The map, good and bad.

Hourly electricity, one SimpleFeedForward, every combination of

    kind      spikes; runs of 4 to 12 points; flat runs, stuck at the value
              before; dropouts to zero; levels that shift for 24 to 96 points
    rate      1, 5 and 10 % of the points
    horizon   1 and 24 hours
    output    Gaussian and Student-t
    place     training only, or training and test contexts

MAE and mean weighted quantile loss of LAI over those of the same network
plain, and over those of it after Hampel cleaning: below 1, LAI is better. A
table for each, and a picture.

    python benchmarks/when_it_helps.py --data FOLDER --out when_it_helps.png
    python benchmarks/when_it_helps.py --data FOLDER --quick
"""

import argparse
import time
from itertools import product

import forecasting
import numpy as np
from cells import fill
from options import common_options, find_data, ledger_of, versions
from tables import print_table

KINDS = ("spikes", "runs", "flat_runs", "dropouts", "level_shifts")
RATES = (0.01, 0.05, 0.10)
HORIZONS = (1, 24)
OUTPUTS = {"gaussian": "Gaussian", "student": "Student-t"}
PLACES = {"clean": "training", "wrong": "training and contexts"}
METRICS = {"mae": "MAE", "loss": "weighted quantile loss"}
RIVALS = {"plain": "plain", "hampel": "Hampel cleaning"}
METHODS = (*RIVALS, "LAI")
SETTINGS = (
    {"steps": 1_000, "clients": 11, "seeds": 1},
    {"steps": 100, "clients": 2, "seeds": 1},
)


def ratio(ledger, options, rival, metric, place, kind, rate, horizon, output):
    """LAI over a rival: median over seeds of the mean over clients."""
    ratios = []
    for seed in range(options.seeds):
        ours, theirs = (
            ledger.get(
                forecasting.cell_of(
                    options, method, kind, rate, horizon, output, seed
                )
            )
            for method in ("LAI", rival)
        )
        if ours and theirs:
            means = [
                np.mean(list(figures[place][metric].values()))
                for figures in (ours, theirs)
            ]
            ratios.append(means[0] / means[1])
    return float(np.median(ratios)) if ratios else np.nan


def grid(ledger, options, rival, metric):
    """Rows: kind and rate; columns: horizon, output and place."""
    return np.array(
        [
            [
                ratio(
                    ledger, options, rival, metric, place, kind, rate, h, out
                )
                for h, out, place in product(HORIZONS, OUTPUTS, PLACES)
            ]
            for kind, rate in product(KINDS, RATES)
        ]
    )


def row_names():
    return [
        f"{kind.replace('_', ' ')}, {rate:.0%}"
        for kind, rate in product(KINDS, RATES)
    ]


def column_names():
    return [
        f"{h} ahead, {OUTPUTS[out]}, {PLACES[place]}"
        for h, out, place in product(HORIZONS, OUTPUTS, PLACES)
    ]


def draw(grids, path):
    """All four maps in one picture; figures in the cells, legible in grey."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.colors import TwoSlopeNorm

    figure, axes = plt.subplots(
        2, 2, figsize=(15, 15), layout="constrained", sharex=True, sharey=True
    )
    norm = TwoSlopeNorm(vmin=-0.7, vcenter=0, vmax=0.25)
    for axis, ((metric, rival), values) in zip(axes.flat, grids.items()):
        logs = np.log(values)
        image = axis.imshow(logs, cmap="RdBu_r", norm=norm, aspect="auto")
        for (row, column), value in np.ndenumerate(values):
            if not np.isfinite(value):
                continue
            dark = not -0.45 < logs[row, column] < 0.16
            axis.text(
                column,
                row,
                f"{value:.2f}",
                ha="center",
                va="center",
                color="white" if dark else "black",
                fontweight="bold" if value > 1.01 else "normal",
            )
        axis.set_title(f"{METRICS[metric]}: LAI over {RIVALS[rival]}")
        axis.set_yticks(range(len(row_names())), row_names())
        names = [name.replace(", ", "\n") for name in column_names()]
        names = [name.replace(" and ", "\nand ") for name in names]
        axis.set_xticks(range(len(names)), names, fontsize=8)
        for edge in np.arange(2.5, len(row_names()) - 1, len(RATES)):
            axis.axhline(edge, color="black", linewidth=0.8)
        axis.axvline(3.5, color="black", linewidth=0.8)
    bar = figure.colorbar(
        image,
        ax=axes,
        shrink=0.4,
        ticks=np.log([0.5, 0.7, 0.85, 1, 1.12, 1.25]),
    )
    bar.ax.set_yticklabels(["0.50", "0.70", "0.85", "1", "1.12", "1.25"])
    bar.set_label("below 1: LAI is better;  bold: more than 1 % worse")
    figure.savefig(path, dpi=80)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
        parents=[common_options()],
    )
    parser.add_argument("--steps", type=int, help="gradient steps")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--clients", type=int)
    parser.add_argument("--out", help="picture to draw")
    options = parser.parse_args()
    for name, value in SETTINGS[options.quick].items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def main():
    options = arguments()
    find_data(options, forecasting.clients)
    begin = time.perf_counter()
    ledger = ledger_of(options, "forecasting")
    rates = RATES[1:2] if options.quick else RATES
    cells = [
        forecasting.cell_of(options, method, kind, rate, horizon, output, seed)
        for seed in range(options.seeds)
        for horizon in HORIZONS[::-1]
        for output in list(OUTPUTS)[::-1]
        for kind, rate, method in product(KINDS, rates, METHODS)
    ]
    if not options.print_only:
        fill(ledger, cells, forecasting.measure, options.jobs)
    print(versions(), "\n")
    print(
        f"{options.backend}, {options.clients} clients, {options.steps} "
        f"gradient steps, {options.seeds} seeds\n"
    )
    grids = {
        (metric, rival): grid(ledger, options, rival, metric)
        for metric, rival in product(METRICS, RIVALS)
    }
    for (metric, rival), values in grids.items():
        print(f"{METRICS[metric]}: LAI over {RIVALS[rival]}\n")
        print_table(
            ["", *column_names()],
            [
                [name, *(f"{x:.3f}" if np.isfinite(x) else "–" for x in row)]
                for name, row in zip(row_names(), values)
            ],
        )
    if options.out:
        draw(grids, options.out)
    print(f"{time.perf_counter() - begin:.0f} seconds in all.")


if __name__ == "__main__":
    main()

"""
The paper's tables, run again: its figures beside ours.

    table1    F1 on the last half of labelled series, one MLP for each series
    table2    F1 of the posterior on the part that was trained on
    table3    MAE of forecasts after training with injected outliers
    figure1   the contaminated sine, drawn and learned many times

Yahoo's series are read from a folder of yours (``--yahoo``); who has none runs
the same protocol on simulated families and on NAB.

    python benchmarks/paper.py table3 --data FOLDER
    python benchmarks/paper.py table1 --data FOLDER --backend mx
    python benchmarks/paper.py table1 --yahoo FOLDER
    python benchmarks/paper.py table3 --data FOLDER --quick
"""

import argparse
import time
from functools import partial

import detecting
import figure1
import forecasting
import numpy as np
from cells import fill  # first: it says how many threads there are
from options import common_options, find_data, ledger_of, versions
from tables import number, print_table, with_spread

from gluonts_lai.ev import random_control

RATES = (0.0, 0.004, 0.02, 0.05)
OUTPUTS = {"gaussian": "Gaussian", "student": "Student-t"}
STAND_INS = ("outliers", "runs", "changes", "NAB real", "NAB artificial")
YAHOO = {  # table 1: MLP, MLP + LAI; table 2: MLP + LAI
    "yahoo A1": (33.64, 41.84, 59.48),
    "yahoo A2": (53.28, 87.26, 94.02),
    "yahoo A3": (63.25, 87.91, 81.89),
    "yahoo A4": (47.30, 61.62, 73.77),
}
TABLE3 = {0.0: (0.1551, 0.1558), 0.004: (0.2092, 0.1704)}
METHODS3 = ("bare", "plain", "hampel", "LAI", "oracle")
SETTINGS = {
    "table1": ({"steps": 500, "series": None}, {"steps": 250, "series": 2}),
    "table3": (
        {"steps": 2_000, "clients": 11, "seeds": 2},
        {"steps": 200, "clients": 2, "seeds": 1},
    ),
    "figure1": ({"seeds": 10}, {"seeds": 1}),
}
SETTINGS["table2"] = SETTINGS["table1"]


def sets_of(options):
    return tuple(YAHOO) if options.yahoo else STAND_INS


def fill_labelled(options):
    """Train what tables 1 and 2 share; what has been measured by now."""
    ledger = ledger_of(options, "detecting")
    wanted = {
        (name, detector, output): detecting.cells_of(
            options, name, detector, output, options.backend
        )
        for name in sets_of(options)
        for detector in detecting.NEURAL
        for output in options.outputs
    }
    if not options.print_only:
        cells = [cell for some in wanted.values() for cell in some]
        fill(ledger, cells, detecting.measure, options.jobs)
    return {
        key: detecting.figures_of(ledger, cells)
        for key, cells in wanted.items()
    }


def chance(options, name, metric, part):
    """What any score at all gets, on average over the series of a set."""
    entries = detecting.read(name, options.series, options.yahoo or "")
    values = []
    for entry in entries:
        train, begin = detecting.parts(entry)
        place = (
            slice(None, train) if part == "training" else slice(begin, None)
        )
        label = entry["label"][place][np.isfinite(entry["target"][place])]
        score = detecting.SCORED[metric]
        values.append(random_control(score, label, np.arange(len(label))))
    return float(np.nanmean(values))


def seconds_of(figures):
    return sum(one.get("seconds", 0) for one in figures)


def table1(options):
    found = fill_labelled(options)
    print(
        f"Table 1, {options.backend}: an MLP on 25 points for each series, "
        f"{options.steps} gradient steps; 40 % train, 10 % calibrate, the "
        "last half is judged. F1 at the best threshold, point-adjusted as in "
        "the paper, and point by point; means over series, in per cent where "
        "the paper has them so. Random: any score at all.\n"
    )
    head = [
        "set",
        "series (silent)",
        "output",
        "paper, adj. F1: MLP → LAI",
        "adj. F1: random / plain / LAI",
        "F1: random / plain / LAI",
        "AUC-PR: plain / LAI",
        "VUS-PR: plain / LAI",
        "F1 at 0.5: LAI",
        "seconds",
    ]
    rows = []
    for name in sets_of(options):
        for output in options.outputs:
            plain, lai = (found[name, d, output] for d in detecting.NEURAL)
            if not lai:
                continue

            def pair(metric, plain=plain, lai=lai):
                return " / ".join(
                    number(detecting.mean_of(figures, "test", metric))
                    for figures in (plain, lai)
                )

            control = [
                number(chance(options, name, metric, "test"))
                for metric in ("adjusted F1", "F1")
            ]
            paper = YAHOO.get(name)
            rows.append(
                [
                    name,
                    f"{len(lai)} ({detecting.num_silent(lai)})",
                    OUTPUTS[output],
                    f"{paper[0]} → {paper[1]}" if paper else "",
                    f"{control[0]} / {pair('adjusted F1')}",
                    f"{control[1]} / {pair('F1')}",
                    pair("AUC-PR"),
                    pair("VUS-PR"),
                    number(detecting.mean_of(lai, "test", "F1 at 0.5")),
                    f"{seconds_of(plain) + seconds_of(lai):.0f}",
                ]
            )
    print_table(head, rows)


def table2(options):
    found = fill_labelled(options)
    print(
        f"Table 2, {options.backend}: the posterior of the training part, "
        "P(z = 1) in hindsight. F1 at the best threshold, point-adjusted as "
        "in the paper, and point by point; F1 at 0.5.\n"
    )
    rows = []
    for name in sets_of(options):
        for output in options.outputs:
            lai = found[name, "LAI", output]
            if not lai:
                continue
            metrics = ("adjusted F1", "F1", "F1 at 0.5", "AUC-PR")
            cells = [
                number(detecting.mean_of(lai, "training", metric))
                for metric in metrics
            ]
            rows.append(
                [
                    name,
                    f"{len(lai)} ({detecting.num_silent(lai, 'training')})",
                    OUTPUTS[output],
                    f"{YAHOO[name][2]}" if name in YAHOO else "",
                    number(chance(options, name, "adjusted F1", "training")),
                    *cells,
                    f"{seconds_of(lai):.0f}",
                ]
            )
    print_table(
        [
            "set",
            "series (silent)",
            "output",
            "paper, adj. F1",
            "random, adj. F1",
            "LAI: adj. F1",
            "F1",
            "F1 at 0.5",
            "AUC-PR",
            "seconds",
        ],
        rows,
    )


def table3(options):
    ledger = ledger_of(options, "forecasting")

    def cell(method, rate, output, seed):
        return forecasting.cell_of(
            options, method, "spikes", rate, 1, output, seed
        )

    cells = [
        cell(method, rate, output, seed)
        for seed in range(options.seeds)
        for output in options.outputs
        for rate in RATES
        for method in METHODS3
    ]
    if not options.print_only:
        fill(ledger, cells, forecasting.measure, options.jobs)
    print(
        f"Table 3, {options.backend}: hourly electricity, {options.clients} "
        "of 12 clients (not the paper's 370; client_2 hardly varies), spikes "
        "of 4 to 15 inter-quartile ranges in the first half of each series, "
        f"one SimpleFeedForward on 25 points, {options.steps} gradient steps; "
        "MAE one step ahead on the second half as it is, in inter-quartile "
        "ranges: mean over clients / median over clients, each a median over "
        f"{options.seeds} seeds.\n"
    )
    for measure, place in (
        ("MAE", "clean"),
        ("MAE", "wrong"),
        ("quantile loss", "clean"),
    ):
        what = {"clean": "clean contexts", "wrong": "contexts with spikes"}
        print(f"{measure}, {what[place]}\n")
        rows = []
        for output in options.outputs:
            for rate in RATES:
                paper = TABLE3.get(rate)
                shown = ""
                if paper and measure == "MAE" and place == "clean":
                    shown = f"{paper[0]} → {paper[1]}"
                row = [OUTPUTS[output], f"{rate:.1%}", shown]
                for method in METHODS3:
                    figures = [
                        ledger.get(cell(method, rate, output, seed))
                        for seed in range(options.seeds)
                    ]
                    row.append(mean_and_median(figures, place, measure))
                rows.append(row)
        print_table(["output", "spikes", "paper: MLP → LAI", *METHODS3], rows)
    print_undone(ledger, cell, options)
    taken = [ledger.get(one)["seconds"] for one in cells if one in ledger]
    print(f"{sum(taken):.0f} seconds of one core for {len(taken)} cells.")


def mean_and_median(figures, place, measure):
    """Over clients; each in the middle of what the seeds gave."""
    name = {"MAE": "mae", "quantile loss": "loss"}[measure]
    errors = [list(f[place][name].values()) for f in figures if f]
    if not errors:
        return "–"
    mean = float(np.median([np.mean(one) for one in errors]))
    middle = float(np.median([np.median(one) for one in errors]))
    return f"{mean:.4f} / {middle:.4f}"


def print_undone(ledger, cell, options):
    """MAE over that of clean training, and the damage that is undone."""
    methods = METHODS3[1:]
    rows = []
    for output in options.outputs:
        for rate in RATES:
            row, shares = [OUTPUTS[output], f"{rate:.1%}"], []
            for method in methods:
                above, undone = [], []
                for seed in range(options.seeds):
                    figures = [
                        ledger.get(one)
                        for one in (
                            cell("plain", 0.0, output, seed),
                            cell("plain", rate, output, seed),
                            cell(method, rate, output, seed),
                        )
                    ]
                    if None in figures:
                        continue
                    clean, plain, ours = (
                        np.mean(list(f["clean"]["mae"].values()))
                        for f in figures
                    )
                    above.append(ours / clean)
                    if plain > 1.03 * clean:  # else there is none to undo
                        undone.append((plain - ours) / (plain - clean))
                row.append(f"× {with_spread(above)}")
                shares.append(with_spread(undone, 2))
            rows.append([*row, *shares[1:]])
    print("MAE over that of clean training, and share of the damage undone\n")
    undone = [f"undone: {method}" for method in methods[1:]]
    print_table(["output", "spikes", *methods, *undone], rows)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="what", required=True)
    for name in ("table1", "table2", "table3", "figure1"):
        command = commands.add_parser(name, parents=[common_options()])
        command.add_argument(
            "--outputs",
            nargs="+",
            choices=list(OUTPUTS),
            default=list(OUTPUTS),
            help="what the network's density is",
        )
        command.add_argument("--steps", type=int, help="gradient steps")
        command.add_argument("--seeds", type=int)
        command.add_argument("--series", type=int, help="series of each set")
        command.add_argument("--clients", type=int)
        command.add_argument("--yahoo", help="your own copy of Yahoo S5")
    options = parser.parse_args()
    for name, value in SETTINGS[options.what][options.quick].items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def main():
    options = arguments()
    readers = {
        "table3": [forecasting.clients],
        "figure1": [],
    }
    sets = [
        partial(detecting.read, n, 1, options.yahoo or "")
        for n in sets_of(options)
    ]
    find_data(options, *readers.get(options.what, sets))
    begin = time.perf_counter()
    print(versions(), "\n")
    if options.what == "figure1":
        figure1.table(options.seeds, options.backend)
    else:
        {"table1": table1, "table2": table2, "table3": table3}[options.what](
            options
        )
    print(f"{time.perf_counter() - begin:.0f} seconds in all.")


if __name__ == "__main__":
    main()

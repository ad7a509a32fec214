"""
Others on the same data, by the same metric, in one run.

    forecasting    24 hours ahead after training on contaminated electricity;
                   the rivals are the wrapped network itself, plain and after
                   Hampel cleaning, neuralforecast with a Huber loss, and
                   seasonal naive
    detection      labelled series, simulated and real; the rivals are Darts,
                   PyOD, stumpy, spectral residual, and the plain network's
                   own likelihood

They need numpy 2: run it where PyTorch is (``make bench`` sets up
.venv-bench). Columns of MXNet come from ``--backend mx`` in the environment of
the tests, through the folder of results.

    python benchmarks/rivals.py forecasting --data FOLDER
    python benchmarks/rivals.py forecasting --network deepar --data FOLDER
    python benchmarks/rivals.py detection --data FOLDER
    python benchmarks/rivals.py detection --data FOLDER --quick
"""

import argparse
import time
from functools import partial
from importlib.util import find_spec

import detecting
import forecasting
import numpy as np
from cells import fill
from options import common_options, find_data, ledger_of, versions
from tables import number, print_table, with_spread

KINDS = ("spikes", "runs", "dropouts")
RATES = (0.05, 0.10)
NETWORKS = {"mlp": "SimpleFeedForward", "deepar": "DeepAR"}
OUTPUTS = {"gaussian": "Gaussian", "student": "Student-t", "": ""}
NEURAL = {  # who is asked for which of the outputs
    "bare": ("student",),
    "plain": ("gaussian", "student"),
    "hampel": ("gaussian", "student"),
    "LAI": ("gaussian", "student"),
    "LAI mixture": ("gaussian", "student"),
    "oracle": ("student",),
}
UNITS = {
    False: "Each row over its own clean training, which is in the first "
    "column",
    True: "Errors as they are",
}
OTHERS = ("neuralforecast", "seasonal naive")
SETS = ("outliers", "runs", "changes", "NAB real", "NAB artificial")
DETECTORS = (
    "random",
    "spectral residual",
    "matrix profile",
    "iforest",
    "iforest, z-normalised",
    "knn",
    "knn, z-normalised",
    "darts",
)
# What else is wanted of a detector that is far behind is not asked.
METRICS = ("VUS-PR", "AUC-PR", "F1", "composite F1", "adjusted F1")
SETTINGS = {
    "forecasting": (
        {"steps": 1_000, "clients": 11, "seeds": 1},
        {"steps": 200, "clients": 2, "seeds": 1},
    ),
    "detection": (
        {"steps": 500, "series": None, "seeds": 1},
        {"steps": 250, "series": 1, "seeds": 1},
    ),
}


def contenders(options):
    """Name, method and output of each row."""
    rows = [
        (f"{method}, {OUTPUTS[output]}", method, output)
        for method, outputs in NEURAL.items()
        for output in outputs
    ]
    if options.network == "mlp":
        rows += [(name, name, "student") for name in OTHERS]
    if options.network == "deepar":  # each of its cells takes minutes
        rows = [
            row
            for row in rows
            if "LAI" in row[1]
            or (row[1] in ("plain", "hampel") and row[2] == "student")
        ]
    return [row for row in rows if options.only in row[0]]


def compare_forecasts(options):
    ledger = ledger_of(options, "forecasting")

    def cell(method, output, kind, rate, seed):
        return forecasting.cell_of(
            options, method, kind, rate, 24, output, seed, options.network
        )

    places = [("spikes", 0.0)] + [(k, r) for k in KINDS for r in RATES]
    rows = contenders(options)
    cells = [
        cell(method, output, kind, rate, seed)
        for seed in range(options.seeds)
        for kind, rate in places
        for _, method, output in rows
    ]
    if not options.print_only:
        here = [c for c in cells if c["method"] != OTHERS[0] or has_rivals()]
        fill(ledger, here, forecasting.measure, options.jobs)
    print(
        f"{NETWORKS[options.network]}, {options.backend}, 24 hours ahead from "
        f"72: hourly electricity, {options.clients} clients, {options.steps} "
        f"gradient steps, {options.seeds} seeds (median ± the furthest). "
        f"{UNITS[options.absolute]}; in brackets, the median over clients "
        "instead of their mean.\n"
    )
    head = ["", "clean training"]
    head += [f"{kind} {rate:.0%}" for kind, rate in places[1:]]
    for name, metric in (("MAE", "mae"), ("weighted quantile loss", "loss")):
        for place in forecasting.PLACES:
            contexts = "clean" if place == "clean" else "contaminated"
            print(f"{name}, {contexts} contexts\n")
            table = []
            for label, method, output in rows:
                found = [
                    [
                        ledger.get(cell(method, output, kind, rate, seed))
                        for kind, rate in places
                    ]
                    for seed in range(options.seeds)
                ]
                table.append(
                    [label, *row_of(found, place, metric, options.absolute)]
                )
            print_table(head, table)
    print("Training points at probability 0.5: flagged / precision / recall\n")
    table = [
        [label]
        + [
            judged(
                ledger.get(cell(method, output, kind, rate, seed))
                for seed in range(options.seeds)
            )
            for kind, rate in places
        ]
        for label, method, output in rows
        if "LAI" in method
    ]
    print_table(head, table)


def has_rivals():
    """Whether this is the environment of the other libraries."""
    return find_spec("neuralforecast") is not None


def judged(found):
    """Medians over seeds of how the training points were judged."""
    found = [one for one in found if one]
    names = ("flagged", "precision", "recall")
    medians = (np.median([one[name] for one in found]) for name in names)
    return " / ".join(map(number, medians)) if found else "–"


def row_of(found, place, metric, absolute):
    """Errors of a method: as they are, or all but the first over that."""
    cells = []
    for column in range(len(found[0])):
        means, medians = [], []
        for seed in found:
            clean, here = seed[0], seed[column]
            if clean is None or here is None:
                continue
            at = place if column else "clean"
            for values, over in ((means, np.mean), (medians, np.median)):
                error = over(list(here[at][metric].values()))
                base = over(list(clean["clean"][metric].values()))
                is_ratio = column and not absolute
                values.append(error / base if is_ratio else error)
        if not means:
            cells.append("–")
        else:
            cells.append(f"{with_spread(means)} ({np.median(medians):.3f})")
    return cells


def searchers(options):
    """Name, detector, output and backend of each row of detection."""
    rows = [(name, name, "", "") for name in DETECTORS]
    for detector in ("plain", "LAI"):
        for output in ("gaussian", "student"):
            for backend in ("torch", "mx"):
                name = f"{detector}, {OUTPUTS[output]}, {backend}"
                rows.append((name, detector, output, backend))
    for detector in ("plain", "LAI"):
        rows.append(
            (
                f"{detector}, Student-t, {options.backend}, one for all",
                detector + detecting.FOR_ALL,
                "student",
                options.backend,
            )
        )
    return rows


def measurable(row, name, backend):
    """Whether a row can be computed here, on this set."""
    _, detector, _, framework = row
    if detector.endswith(detecting.FOR_ALL):
        return name in detecting.FAMILIES and framework == backend
    return framework == backend or (not framework and find_spec("darts"))


def compare_detectors(options):
    ledger = ledger_of(options, "detecting")
    rows = searchers(options)

    def cells(row, name):
        _, detector, output, backend = row
        if detector.endswith(detecting.FOR_ALL) and name.startswith("NAB"):
            return []
        return detecting.cells_of(options, name, detector, output, backend)

    if not options.print_only:
        todo = [
            cell
            for row in rows
            for name in SETS
            if measurable(row, name, options.backend)
            for cell in cells(row, name)
        ]
        fill(ledger, todo, detecting.measure, options.jobs)
    print(
        "Detection: the first half of each series to learn from, the last "
        "half judged; means over series. Neural rows: an MLP on 25 points for "
        f'each series, {options.steps} steps; "one for all": one network '
        f"for all series of a family, {2 * options.steps} steps.\n"
    )
    found = {
        (row[0], name): detecting.figures_of(ledger, cells(row, name))
        for row in rows
        for name in SETS
    }
    counts = [
        f"{name}: {len(some)} series, {detecting.num_silent(some)} silent"
        for name in SETS
        if (some := found["random", name])
    ]
    print("; ".join(counts), "\n")
    for metric in METRICS:
        print(f"{metric}\n")
        print_table(["", *SETS, "mean"], metric_rows(rows, found, metric))
    print("LAI at probability 0.5\n")
    at_half = ("F1 at 0.5", "flagged", "delay")
    table = [
        [row[0]]
        + [
            " / ".join(
                number(detecting.mean_of(found[row[0], name], "test", m))
                for m in at_half
            )
            for name in SETS
        ]
        for row in rows
        if row[1].startswith("LAI") and found[row[0], SETS[0]]
    ]
    print_table([" / ".join(at_half), *SETS], table)


def metric_rows(rows, found, metric):
    table = []
    for label, detector, _, _ in rows:
        parts = {"test": label}
        if detector.startswith("LAI"):
            parts["p⁺"] = f"{label}, −log p⁺"
        for part, name in parts.items():
            means = [
                detecting.mean_of(found[label, one], part, metric)
                for one in SETS
            ]
            if np.isfinite(means).any():
                # Of rows that are not there for all sets, no mean.
                means.append(float(np.mean(means)))
                table.append([name, *map(number, means)])
    return table


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="what", required=True)
    for name in SETTINGS:
        command = commands.add_parser(name, parents=[common_options()])
        command.add_argument("--steps", type=int, help="gradient steps")
        command.add_argument("--seeds", type=int)
        command.add_argument("--series", type=int, help="series of each set")
        command.add_argument("--clients", type=int)
        command.add_argument("--network", choices=NETWORKS, default="mlp")
        command.add_argument(
            "--only", default="", help="forecasting: rows whose names have it"
        )
        command.add_argument(
            "--absolute",
            action="store_true",
            help="print errors themselves, not those over clean training",
        )
    options = parser.parse_args()
    for name, value in SETTINGS[options.what][options.quick].items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def main():
    options = arguments()
    readers = {
        "forecasting": forecasting.clients,
        "detection": partial(detecting.read, "NAB real", 1, ""),
    }
    find_data(options, readers[options.what])
    begin = time.perf_counter()
    print(versions(), "\n")
    if options.what == "forecasting":
        compare_forecasts(options)
    else:
        compare_detectors(options)
    print(f"{time.perf_counter() - begin:.0f} seconds in all.")


if __name__ == "__main__":
    main()

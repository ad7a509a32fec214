"""
Arrows point one way.

    cli, demo → estimator → predictor → streaming, particles, em →
    detector, workers → filtering → profiles → nominal →
    transform, evidence → panel, indicator, anomalous

    backends → mx, torch → nominal

Each part of the package may import those that stand in a row below its own.
"""

import ast
from pathlib import Path

import pytest

import gluonts_lai

ROWS = [
    ["limits", "zones"],
    ["arrays", "value", "seeds", "rounds", "caution", "choices", "arrivals"]
    + ["hush"],
    ["documents"],
    ["panel", "gaps", "indicator", "anomalous", "ev", "files"],
    ["dataset", "manifest"],
    ["trust"],
    ["chains", "transform", "evidence", "beginnings"],
    ["origin"],
    ["checkpoint"],
    ["transitions", "nominal", "recipe"],
    ["profiles", "mx", "torch"],
    ["filtering", "backends", "saved"],
    ["detector", "forecasting", "plot", "workers"],
    ["calibration", "detection", "particles", "streaming"],
    ["em", "report"],
    ["learned", "memory"],
    ["predictor", "interruptions"],
    ["estimator"],
    ["per_series", "frames"],
    ["demo"],
    ["cli"],
]
HEIGHT = {part: i for i, row in enumerate(ROWS) for part in row}

ROOT = Path(gluonts_lai.__file__).parent
FILES = sorted(
    path
    for path in ROOT.rglob("*.py")
    if path.parent != ROOT or path.stem[0] != "_"
)


def part_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imports(path):
    """Full names of all that a file imports, at its top or further down."""
    package = ["gluonts_lai", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (
                package[: len(package) + 1 - node.level] if node.level else []
            )
            module = ".".join([*base, *filter(None, [node.module])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.name))
def test_a_part_imports_only_those_below_it(path):
    part = part_of(path)
    assert part in HEIGHT, f"give {part} its row"

    for name in imports(path):
        package, *inner = name.split(".")
        if package == "gluonts_lai" and inner and inner[0] in HEIGHT:
            other = inner[0]
            assert other == part or HEIGHT[other] < HEIGHT[part], name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.name))
def test_only_the_backends_import_a_framework(path):
    at_home = {"mxnet": "mx", "torch": "torch", "lightning": "torch"}
    for name in imports(path):
        top, inner = (name.split(".") + [""])[:2]
        framework = f"{top}.{inner}" if top == "gluonts" else top
        home = {**at_home, "gluonts.mx": "mx", "gluonts.torch": "torch"}
        if framework in home:
            assert part_of(path) == home[framework], name

"""
Every public name has an example that runs.

Doctests run them; here is who must have one: all that the public modules
name, and the methods of their classes. A method that its class's own example
calls needs no other.
"""

import doctest
import inspect
import re
from importlib import import_module

import pytest

MODULES = ["", ".indicator", ".anomalous", ".ev", ".dataset"]

# Values, that have no docstring.
VALUES = {"__version__", "FAMILIES", "KINDS"}
# Made of what others hand in, or asked by them: not for users.
INNER = {
    "Detection": {"of"},
    "LAIEstimator": {
        "output_of",
        "run",
        "finish",
        "recipe",
        "num_held_epochs",
    },
    "LAIPredictor": {
        "clean",
        "forecast",
        "predict_chunk",
        "detect_chunk",
        "find",
        "chains_of",
        "profile_of_new",
        "profiles_of",
        "panel_of",
        "fingerprint",
        "nominal",
    },
    "PerSeriesPredictor": {"each", "results", "check_trained"},
    "StreamingDetector": {
        "tracks",
        "remembered",
        "restored",
        "take",
        "readings",
        "check_single",
        "place",
    },
}
# Run by nobody: they need files that only a user has, a picture's library, or
# a folder that another example writes.
NOT_RUN = {
    "read_electricity",
    "read_nab",
    "read_yahoo",
    "Detection.plot",
    "LAIPredictor.deserialize",
}


def public_names():
    """Names that a user may call, each once, with what they stand for."""
    found = {}
    for module in MODULES:
        package = import_module(f"gluonts_lai{module}")
        for name in package.__all__:
            found.setdefault(name, getattr(package, name))
    return {name: found[name] for name in found if name not in VALUES}


def methods():
    """Public methods and properties of these, with the class they are in."""
    for name, cls in NAMES.items():
        if not inspect.isclass(cls):
            continue
        for member, thing in vars(cls).items():
            if member.startswith("_") or member in INNER.get(name, ()):
                continue
            function = getattr(thing, "__func__", thing)  # of the class
            function = getattr(thing, "fget", function)  # of a property
            if inspect.isfunction(function):
                yield f"{name}.{member}", function, cls


def examples_of(thing):
    """What the examples of a docstring type."""
    parser = doctest.DocTestParser()
    return parser.get_examples(inspect.getdoc(thing) or "")


NAMES = public_names()
METHODS = {name: (thing, cls) for name, thing, cls in methods()}


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example(name):
    assert examples_of(NAMES[name]), f"give {name} an example that runs"


@pytest.mark.parametrize("name", METHODS)
def test_a_public_method_has_an_example(name):
    method, cls = METHODS[name]
    called = re.compile(rf"\.{method.__name__}\b")

    assert examples_of(method) or any(
        called.search(example.source) for example in examples_of(cls)
    ), f"give {name} an example that runs"


def test_examples_run_but_for_those_that_cannot():
    things = {**NAMES, **{name: thing for name, (thing, _) in METHODS.items()}}
    skipped = {
        name
        for name, thing in things.items()
        if any(
            example.options.get(doctest.SKIP) for example in examples_of(thing)
        )
    }

    assert skipped == NOT_RUN


def test_what_is_left_out_exists():
    for name, members in INNER.items():
        assert members <= vars(NAMES[name]).keys()

"""
Which model was it, and what does it take anomalies for?

Facts are pairs of a name and a text. A predictor is asked for what it has:
one of somebody else's may have less to say.
"""

from dataclasses import fields, is_dataclass
from typing import Any

from gluonts_lai.backends import backend_of

Facts = list[tuple[str, str]]

FRAMEWORKS = {"gluonts_lai.mx": "MXNet", "gluonts_lai.torch": "PyTorch"}
ATTRIBUTES = {
    "freq": "frequency",
    "prediction_length": "prediction length",
    "context_length": "context length",
    "lead_time": "lead time",
    "scaling": "windows are scaled",
    "treatment": "treatment of anomalous points",
    "label_field": "field of known labels",
    "seed": "seed",
}


def model_facts(predictor: Any) -> Facts:
    """The wrapped forecaster, and how it is used."""
    base = getattr(predictor, "base", predictor)
    backend = backend_of(base)
    framework = "none, asked for forecasts only"
    if backend is not None:
        framework = FRAMEWORKS[backend.__name__]
    facts = [("predictor", type_of(base)), ("framework", framework)]
    network = getattr(base, "prediction_net", None)
    if network is not None:
        facts.insert(1, ("network", type_of(network)))
    for attribute, name in ATTRIBUTES.items():
        value = getattr(predictor, attribute, None)
        if value not in (None, ""):
            facts.append((name, plain(value)))
    return facts


def chain_facts(predictor: Any) -> Facts:
    """How anomalies begin, how long they last, and what they look like."""
    facts = []
    chain = getattr(predictor, "chain", None)
    if chain is not None:
        facts = [
            ("p_enter, an anomaly begins", f"{chain.p_enter:.3g}"),
            ("p_stay, it lasts one step more", f"{chain.p_stay:.3g}"),
            ("anomaly rate", f"{chain.anomaly_rate:.2%}"),
            ("anomaly length, on average", f"{chain.anomaly_length:.3g}"),
        ]
    chains = getattr(predictor, "chains", None)
    if chains:
        rates = [chain.anomaly_rate for chain in chains.values()]
        facts.append(
            (
                f"rates of {len(rates):,} series with their own chain",
                f"{min(rates):.2%} to {max(rates):.2%}",
            )
        )
    anomalous = getattr(predictor, "anomalous", None)
    if anomalous is not None:
        facts.append(("p⁻, density of anomalous points", recipe(anomalous)))
    return facts


def type_of(thing: Any) -> str:
    """The name of a class, without the modules that it is hidden in."""
    return type(thing).__qualname__


def recipe(anomalous: Any) -> str:
    """A p⁻ with what was chosen of it; the rest is found in each series."""
    if not is_dataclass(anomalous):
        return str(anomalous)
    values = {f.name: getattr(anomalous, f.name) for f in fields(anomalous)}
    chosen = [f"{k}={v!r}" for k, v in values.items() if v is not None]
    return f"{type_of(anomalous)}({', '.join(chosen)})"


def plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)

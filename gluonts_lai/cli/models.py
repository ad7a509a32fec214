"""
Models on disk.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gluonts_lai.documents import read_json
from gluonts_lai.nominal.backend import require

if TYPE_CHECKING:
    from gluonts_lai import LAIPredictor

# What GluonTS writes into the folder of every predictor.
CONFIG = "gluonts-config.json"
FRAMEWORKS = {"gluonts.mx.": "mxnet", "gluonts.torch.": "torch"}


def load_model(path: Path) -> "LAIPredictor":
    """The model in a folder, or a sentence about what is there instead."""
    from gluonts.model.predictor import Predictor

    from gluonts_lai import LAIPredictor
    from gluonts_lai.manifest import check_sealed

    check_model(path)
    require_framework(path / "base")
    check_sealed(path, "--model")
    try:
        predictor: Any = Predictor.deserialize(path)
    except (ImportError, MemoryError):
        raise
    except Exception as error:
        raise ValueError(
            f"the model in {path} must be whole, got one that cannot be read "
            f"({type(error).__name__}: {error}); train it again."
        ) from error
    assert isinstance(predictor, LAIPredictor)
    return predictor


def check_model(path: Path) -> None:
    """Whether a folder is one that ``train`` wrote."""
    if not path.exists():
        raise ValueError(
            f"--model must be a folder that 'gluonts-lai train' wrote, but "
            f"there is no {path}; check its name, or train a model first."
        )
    if not is_model(path):
        what = "a folder without a model" if path.is_dir() else "a file"
        raise ValueError(
            f"--model must be a folder that 'gluonts-lai train' wrote, got "
            f"{path}, which is {what}."
        )
    kind = kind_of(path)
    if kind != "gluonts_lai.predictor.LAIPredictor":
        raise ValueError(
            f"--model must be a model with LAI, got a {kind} in {path}; "
            "train one with 'gluonts-lai train', or wrap this one with "
            "LAIPredictor.from_predictor in Python."
        )


def is_model(path: Path) -> bool:
    """Whether a folder holds a predictor of GluonTS."""
    return (path / CONFIG).is_file()


def kind_of(path: Path) -> str:
    """The class of the predictor in a folder; empty where none is named."""
    try:
        config = read_json(path / CONFIG)
        return str(config["type"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def require_framework(path: Path) -> None:
    """Import the framework that a predictor was trained with."""
    for package, framework in FRAMEWORKS.items():
        if kind_of(path).startswith(package):
            require(framework)

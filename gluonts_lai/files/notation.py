"""
HOW are the texts of a column written?

Files have millions of times and few ways to write them. Texts that differ in
digits only have one notation, of which a single example is read: whether they
have a zone, for instance, all have it or none has.
"""

import warnings
from typing import Callable, NamedTuple

import numpy as np
import pandas as pd

ZEROS = str.maketrans("123456789", "0" * 9)


class Notations(NamedTuple):
    """The notation of each row, and an example of each notation."""

    of_rows: np.ndarray
    examples: list[str]

    def are(self, asked: Callable[[str], object]) -> np.ndarray:
        """For each row, what is true of the example of its notation."""
        with warnings.catch_warnings():
            # Of days that may be months: no matter how a text is written.
            warnings.simplefilter("ignore")
            answers = [asked(example) for example in self.examples]
        return np.array(answers, dtype=bool)[self.of_rows]


def notations_of(texts: pd.Series) -> Notations:
    """
    How texts are written.

    Examples
    --------
    >>> texts = pd.Series(["2024-01-31", "31 Jan", "2024-02-01"])
    >>> notations_of(texts)
    Notations(of_rows=array([0, 1, 0]), examples=['2024-01-31', '31 Jan'])
    """
    of_rows, _ = pd.factorize(texts.map(without_digits))
    _, rows = np.unique(of_rows, return_index=True)
    return Notations(of_rows, texts.iloc[rows].tolist())


def without_digits(text: str) -> str:
    return text.translate(ZEROS)

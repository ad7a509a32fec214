"""
HOW OLD is a series where it begins?

Some networks are told how many points came before each one. Where the first
points of a series are left out, the others are as old as ever.
"""

import copy
from typing import Any, Iterable, Iterator

import numpy as np
from gluonts.dataset import DataEntry
from gluonts.transform import AddAgeFeature, Chain, Transformation

AGE = "age_at_start"


class AddAge(AddAgeFeature):
    """The age of each point, of entries that do not begin at their start."""

    def map_transform(self, data: DataEntry, is_train: bool) -> DataEntry:
        begin = data.pop(AGE, 0)
        data = super().map_transform(data, is_train)
        length = data[self.feature_name].shape[1]
        age = begin + np.arange(length, dtype=self.dtype)
        data[self.feature_name][0] = (
            np.log10(2.0 + age) if self.log_scale else age
        )
        return data


def of_age(
    entries: Iterable[dict], ages: list[int], transformation: Transformation
) -> tuple[Iterable[dict], Transformation]:
    """Entries, and what transforms them, with points left out before them."""
    steps = list(flattened(transformation))
    if not any(isinstance(step, AddAgeFeature) for step in steps):
        return entries, transformation
    older = [{**entry, AGE: age} for entry, age in zip(entries, ages)]
    return older, Chain([aware_of_age(step) for step in steps])


def predictor_of_age(
    predictor: Any, entries: Iterable[dict], ages: list[int]
) -> tuple[Any, Iterable[dict]]:
    """A predictor, and entries, with points left out before them."""
    transformation = getattr(predictor, "input_transform", None)
    if transformation is None:
        return predictor, entries
    entries, aware = of_age(entries, ages, transformation)
    if aware is not transformation:
        predictor = copy.copy(predictor)
        predictor.input_transform = aware
    return predictor, entries


def flattened(transformation: Transformation) -> Iterator[Transformation]:
    """The single steps of a transformation."""
    if not isinstance(transformation, Chain):
        yield transformation
        return
    for step in transformation.transformations:
        yield from flattened(step)


def aware_of_age(step: Transformation) -> Transformation:
    """A step that adds ages, reading where they begin; others as they are."""
    if not isinstance(step, AddAgeFeature):
        return step
    return AddAge(
        target_field=step.target_field,
        output_field=step.feature_name,
        pred_length=step.pred_length,
        log_scale=step.log_scale,
        dtype=step.dtype,
    )

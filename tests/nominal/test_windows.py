"""
Windows cut all at once are those that GluonTS cuts one by one.
"""

import numpy as np
import pytest
from gluonts.transform import InstanceSampler, InstanceSplitter
from numpy.testing import assert_array_equal

from gluonts_lai.nominal.windows import split

LENGTH, PAST, FUTURE = 30, 7, 3


class At(InstanceSampler):
    """Windows at known starts."""

    starts: list

    def __call__(self, ts):
        return np.array(self.starts)


def splitter(starts=(), **settings):
    return InstanceSplitter(
        target_field="target",
        is_pad_field="is_pad",
        start_field="start",
        forecast_start_field="forecast_start",
        instance_sampler=At(starts=list(starts)),
        past_length=PAST,
        future_length=FUTURE,
        time_series_fields=["time_feat", "observed_values"],
        **settings,
    )


@pytest.mark.parametrize("output_NTC", [True, False])
@pytest.mark.parametrize("lead_time", [0, 2])
@pytest.mark.parametrize("dummy_value", [0.0, -1.5])
@pytest.mark.parametrize("shape", [(LENGTH,), (2, LENGTH)])
def test_windows_are_those_of_gluonts(
    output_NTC, lead_time, dummy_value, shape
):
    rng = np.random.default_rng(0)
    entry = {
        "start": 0,
        "item_id": "x",
        "target": rng.normal(size=shape).astype(np.float32),
        "time_feat": rng.normal(size=(4, LENGTH)).astype(np.float32),
        "observed_values": rng.random(shape).astype(np.float32),
        "feat_static_cat": np.array([3, 1]),
        "feat_static_real": np.array([0.5], np.float32),
    }
    last = LENGTH - FUTURE - lead_time
    # Some padded, one repeated, in no order.
    starts = np.array([5, 0, 1, PAST - 1, PAST, PAST + 1, last, 12, 12])
    cutter = splitter(
        starts,
        output_NTC=output_NTC,
        lead_time=lead_time,
        dummy_value=dummy_value,
    )

    windows = split(cutter, entry, starts)

    one_by_one = list(cutter(iter([entry]), is_train=True))
    assert len(one_by_one) == len(starts)
    for i, one in enumerate(one_by_one):
        cut = {name for name in one if name.startswith(("past_", "future_"))}
        assert set(windows) == cut | {"feat_static_cat", "feat_static_real"}
        for name, window in windows.items():
            assert window.dtype == one[name].dtype, name
            assert_array_equal(window[i], one[name], err_msg=name)


def test_no_windows_are_cut_at_no_starts():
    entry = {
        "target": np.zeros(LENGTH),
        "time_feat": np.zeros((4, LENGTH)),
        "observed_values": np.zeros(LENGTH),
    }

    windows = split(splitter(), entry, np.arange(0))

    assert windows["past_time_feat"].shape == (0, PAST, 4)
    assert windows["future_target"].shape == (0, FUTURE)

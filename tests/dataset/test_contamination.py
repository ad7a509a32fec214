import json

import numpy as np
import pandas as pd
import pytest
from gluonts.dataset.common import FileDataset, ListDataset
from gluonts.dataset.pandas import PandasDataset

from gluonts_lai.dataset import KINDS, contaminate, contamination, simulate

STRETCHES = [kind for kind in KINDS if kind != "spikes"]
START = pd.Period("2024-01-01", "h")


def series(target, **fields):
    return {"start": START, "target": target, **fields}


def noise(num_points, seed=0):
    return np.random.default_rng(seed).normal(loc=50, size=num_points)


def runs_of(flags):
    edges = np.flatnonzero(np.diff(flags.astype(int), prepend=0, append=0))
    return edges.reshape(-1, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_labelled_is_as_it_was(kind):
    clean = noise(2_000)

    (entry,) = contaminate([series(clean)], 0.1, kind)

    label = entry["label"] == 1
    assert entry["label"].dtype == np.uint8
    assert entry["target"].dtype == np.float64
    np.testing.assert_array_equal(entry["target"][~label], clean[~label])
    assert (entry["target"][label] != clean[label]).all()


def test_a_spike_moves_by_4_to_15_inter_quartile_ranges_up_or_down():
    clean = noise(20_000)

    (entry,) = contaminate([series(clean)], 0.1)

    low, high = np.percentile(clean, [25, 75])
    moved = (entry["target"] - clean)[entry["label"] == 1] / (high - low)
    # 2,000 uniform draws: the outermost are within 1 % of the range, but once
    # in 250 million cases; and as many go up as down, within five sigma.
    assert 4 - 1e-9 < abs(moved).min() < 4.11  # rounding
    assert 14.89 < abs(moved).max() < 15 + 1e-9
    assert abs(np.sign(moved).sum()) < 5 * np.sqrt(len(moved))


def test_each_point_is_a_spike_on_its_own():
    (entry,) = contaminate([series(noise(100_000))], 0.1)

    label = entry["label"].astype(float)
    assert label.mean() == pytest.approx(0.1, abs=5 * np.sqrt(0.09 / 100_000))
    # Two in a row: five sigma of a share of 1 %, of pairs that overlap.
    both = (label[1:] * label[:-1]).mean()
    assert both == pytest.approx(0.01, abs=5 * np.sqrt(0.0117 / 100_000))


@pytest.mark.parametrize(
    "kind, lengths, sizes",
    [("runs", (4, 12), (2, 5)), ("level_shifts", (24, 96), (1, 3))],
)
def test_the_points_of_a_stretch_move_together(kind, lengths, sizes):
    clean = noise(100_000)
    low, high = np.percentile(clean, [25, 75])

    (entry,) = contaminate([series(clean)], 0.2, kind)

    shift = (entry["target"] - clean) / (high - low)
    runs = runs_of(entry["label"] == 1)
    moved = np.array([shift[begin] for begin, _ in runs])
    for (begin, end), size in zip(runs, moved):
        np.testing.assert_allclose(shift[begin:end], size, atol=1e-9)
    # Stretches that touched would be longer. Of 2,500 runs, or 333 shifts,
    # the outermost are within 5 % of the range, but once in 10 million cases.
    seen = np.diff(runs).ravel()
    assert (seen.min(), seen.max()) == lengths
    near = 0.05 * (sizes[1] - sizes[0])
    assert sizes[0] - 1e-9 < abs(moved).min() < sizes[0] + near
    assert sizes[1] - near < abs(moved).max() < sizes[1] + 1e-9
    assert abs(np.sign(moved).sum()) < 5 * np.sqrt(len(moved))


def test_a_flat_run_is_stuck_at_the_value_before_it():
    clean = noise(5_000)

    (entry,) = contaminate([series(clean)], 0.5, "flat_runs")

    runs = runs_of(entry["label"] == 1)
    assert {*np.diff(runs).ravel()} == {*range(4, 13)}
    for begin, end in runs:
        assert (entry["target"][begin:end] == clean[begin - 1]).all()


def test_the_first_point_is_never_stuck():
    entries = [series(noise(20))] * 500

    stuck = [e["label"] for e in contaminate(entries, 0.2, "flat_runs")]

    assert np.any(stuck, axis=0).tolist() == [False] + 19 * [True]


def test_a_dropout_falls_to_zero():
    (entry,) = contaminate([series(noise(5_000))], 0.5, "dropouts")

    np.testing.assert_array_equal(entry["target"] == 0, entry["label"] == 1)
    lengths = np.diff(runs_of(entry["label"] == 1)).ravel()
    assert {*lengths} == {*range(4, 13)}


def test_what_happened_is_labelled_even_if_nothing_changed():
    zeros = np.zeros(1_000)
    for kind in ("flat_runs", "dropouts"):
        (entry,) = contaminate([series(zeros)], 0.1, kind)
        np.testing.assert_array_equal(entry["target"], zeros)
        assert entry["label"].any()


@pytest.mark.parametrize("rate", [0.004, 0.1, 0.5])
@pytest.mark.parametrize("kind", STRETCHES)
def test_stretches_hold_the_share_that_was_asked_for(kind, rate):
    entries = [series(noise(1_500))] * 400
    longest = contamination.LENGTHS[kind][1]

    held = [e["label"].sum() for e in contaminate(entries, rate, kind)]

    # Each series within one stretch and rounding; their mean within five
    # standard errors (a sum within a stretch has at most half of it as sd).
    wanted = rate * 1_500
    assert np.abs(np.subtract(held, wanted)).max() < 1.5 * longest
    assert np.mean(held) == pytest.approx(
        wanted, abs=5 * longest / 2 / np.sqrt(400) + rate
    )


@pytest.mark.parametrize("kind", STRETCHES)
def test_all_lengths_are_as_frequent(kind):
    shortest, longest = contamination.LENGTHS[kind]
    entries = [series(noise(500))] * 2_000

    seen = np.concatenate(
        [
            np.diff(runs_of(e["label"] == 1)).ravel()
            for e in contaminate(entries, 0.05, kind)
        ]
    )

    counts = np.bincount(seen, minlength=longest + 1)[shortest:]
    assert seen.min() >= shortest and seen.max() <= longest
    expected = len(seen) / len(counts)
    assert (abs(counts - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize("kind", STRETCHES)
def test_long_stretches_are_anywhere(kind):
    shortest, longest = contamination.LENGTHS[kind]
    entries = [series(noise(600))] * 400

    pairs = []
    for entry in contaminate(entries, 0.3, kind):
        lengths = np.diff(runs_of(entry["label"] == 1)).ravel()
        pairs.append((lengths[0], lengths[-1]))

    # The first is as long as the last, on average, within five sigma of 400
    # uniform draws.
    first, last = np.mean(pairs, axis=0)
    sigma = (longest - shortest + 1) / np.sqrt(12) * np.sqrt(2 / 400)
    assert abs(first - last) < 5 * sigma


@pytest.mark.parametrize("kind", ["runs", "level_shifts", "dropouts"])
def test_a_stretch_may_begin_and_end_where_the_series_does(kind):
    entries = [series(noise(200))] * 500

    held = np.mean([e["label"] for e in contaminate(entries, 0.3, kind)], 0)

    assert held[0] > 0 and held[-1] > 0


def test_missing_points_stay_missing_and_stretches_go_on_after_them():
    clean = noise(3_000)
    clean[::3] = np.nan
    clean[1_000:1_500] = np.nan
    observed = ~np.isnan(clean)
    for kind in KINDS:
        (entry,) = contaminate([series(clean)], 0.1, kind)
        np.testing.assert_array_equal(np.isnan(entry["target"]), ~observed)
        assert not entry["label"][~observed].any()

        (whole,) = contaminate([series(clean[observed])], 0.1, kind)
        for field in ("target", "label"):
            np.testing.assert_array_equal(
                entry[field][observed], whole[field], err_msg=kind
            )


@pytest.mark.parametrize("kind", KINDS)
def test_a_series_without_values_or_a_rate_of_zero_changes_nothing(kind):
    clean = noise(5)
    (entry,) = contaminate([series(clean)], 0.0, kind)
    np.testing.assert_array_equal(entry["target"], clean)
    np.testing.assert_array_equal(entry["label"], np.zeros(5))

    (entry,) = contaminate([series(np.full(5, np.nan))], 0.0, kind)
    assert np.isnan(entry["target"]).all() and not entry["label"].any()


@pytest.mark.parametrize(
    "values, spread",
    [
        ([0, 0, 1, 2, 3, 4, 4, 4], 3.25),  # quartiles 0.75 and 4
        ([0] * 9 + [10], 3.0),  # the range is 0, the deviation 3
        ([0.1] * 99, 1.0),  # whose deviation is not 0, but rounding
        ([-7.0] * 9, 7.0),
    ],
)
def test_sizes_are_in_spreads_whatever_the_series(values, spread):
    (entry,) = contaminate([series(values)], 0.99, magnitude=2)

    moved = np.abs(entry["target"] - values)[entry["label"] == 1]
    assert len(moved) > 3
    np.testing.assert_allclose(moved, 2 * spread, rtol=1e-12)


def test_a_magnitude_is_a_number_or_a_range():
    clean = noise(2_000)
    low, high = np.percentile(clean, [25, 75])
    for magnitude, least, most in ((3, 3, 3), ((0, 1), 0, 1), ([6, 7], 6, 7)):
        (entry,) = contaminate([series(clean)], 0.2, "runs", magnitude)
        moved = np.abs(entry["target"] - clean)[entry["label"] == 1]
        moved /= high - low
        assert least - 1e-9 < moved.min() and moved.max() < most + 1e-9
        # About 50 draws: some fall into either half of the range.
        middle = (least + most) / 2
        assert moved.min() <= middle + 1e-9 and moved.max() >= middle - 1e-9


def test_nothing_of_the_caller_is_written_to():
    clean = noise(500)
    clean.setflags(write=False)
    static = np.array([1.0, 2.0])
    entry = series(clean, item_id="a", feat_static_real=static)
    fields = dict(entry)

    (new,) = contaminate([entry], 0.3)

    assert entry == fields
    assert new["item_id"] == "a" and new["start"] == START
    assert new["feat_static_real"] is static
    assert [*new] == [
        "start",
        "target",
        "item_id",
        "feat_static_real",
        "label",
    ]


def test_a_seed_says_all():
    entries = simulate("outliers", num_series=3)
    for kind in KINDS:
        one = contaminate(entries, 0.1, kind, label_field="z")
        same = contaminate(entries[:2], 0.1, kind, label_field="z")
        other = contaminate(entries, 0.1, kind, seed=1, label_field="z")
        for a, b, c in zip(one, same, other):
            np.testing.assert_array_equal(a["target"], b["target"])
            np.testing.assert_array_equal(a["z"], b["z"])
            assert (a["z"] != c["z"]).any()
        assert (one[0]["z"] != one[1]["z"]).any()


def test_anomalies_are_not_drawn_as_simulated_series_are(monkeypatch):
    seeds = []
    default_rng = np.random.default_rng

    def spy(seed):
        seeds.append(default_rng(seed).random())
        return default_rng(seed)

    monkeypatch.setattr(np.random, "default_rng", spy)
    for family in ("outliers", "runs", "changes"):
        entries = simulate(family, num_series=2)
    for kind in KINDS:
        contaminate(entries, 0.1, kind)

    assert len(set(seeds)) == len(seeds) == 16


def test_each_dimension_has_anomalies_of_its_own():
    clean = np.stack([noise(2_000), 100 * noise(2_000, seed=1)])

    (entry,) = contaminate([series(clean)], 0.1, "runs")

    label = entry["label"] == 1
    assert label.shape == entry["target"].shape == clean.shape
    assert (label[0] != label[1]).any()
    np.testing.assert_array_equal(entry["target"] != clean, label)
    low, high = np.percentile(clean, [25, 75], axis=1)
    moved = np.abs(entry["target"] - clean).max(axis=1) / (high - low)
    assert (moved > 2).all() and (moved < 5).all()


def test_points_that_were_labelled_stay_so():
    entries = contaminate([series(noise(1_000))], 0.05, "spikes")

    (entry,) = contaminate(entries, 0.1, "runs")

    (runs,) = contaminate([series(entries[0]["target"])], 0.1, "runs")
    both = entries[0]["label"] | runs["label"]
    assert both.sum() > runs["label"].sum()
    np.testing.assert_array_equal(entry["label"], both)


def test_labels_have_the_name_that_was_given():
    (entry,) = contaminate(
        [series(noise(99), label="x")], 0.3, label_field="z"
    )

    assert entry["label"] == "x" and entry["z"].sum() > 0


def test_any_data_set_of_gluonts_will_do(tmp_path):
    clean = noise(300).astype(np.float32)
    index = pd.period_range("2024-01-01", periods=300, freq="h")
    row = {"start": "2024-01-01", "target": clean.tolist(), "item_id": "a"}
    (tmp_path / "data.json").write_text(json.dumps(row))
    datasets = [
        [series(clean)],
        ListDataset([row], freq="h"),
        PandasDataset({"a": pd.Series(clean, index)}),
        FileDataset(tmp_path, freq="h"),
    ]
    for dataset in datasets:
        (entry,) = contaminate(dataset, 0.1, "runs")
        (expected,) = contaminate(datasets[0], 0.1, "runs")
        np.testing.assert_array_equal(entry["label"], expected["label"])
        np.testing.assert_allclose(
            entry["target"], expected["target"], rtol=1e-6  # float32
        )
        assert entry["start"] == START
        (again,) = dataset
        np.testing.assert_allclose(again["target"], clean)


def test_single_precision_and_whole_numbers():
    for dtype, expected in ((np.float32, np.float32), (int, np.float64)):
        (entry,) = contaminate([series(np.arange(100, dtype=dtype))], 0.1)
        assert entry["target"].dtype == expected


@pytest.mark.parametrize("rate", [-0.1, 1, 5, np.nan])
def test_a_rate_is_a_share(rate):
    with pytest.raises(ValueError, match=f"less than 1, got {rate}; it is a"):
        contaminate([], rate)


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="'dropouts', got 'outliers'"):
        contaminate([], 0.1, "outliers")


@pytest.mark.parametrize(
    "magnitude",
    [-1, 0, np.inf, np.nan, (5, 4), (-1, 4), (0, 0), (1, np.nan), (1, 2, 3)]
    + ["far", ("a", "b"), (None, 2)],
)
def test_a_magnitude_must_move_points(magnitude):
    with pytest.raises(ValueError, match="magnitude must be a positive numb"):
        contaminate([], 0.1, magnitude=magnitude)


@pytest.mark.parametrize("kind", ["flat_runs", "dropouts"])
def test_what_does_not_move_has_no_magnitude(kind):
    message = f"magnitude must be None for {kind}, got 3: .*leave it out"
    with pytest.raises(ValueError, match=message):
        contaminate([], 0.1, kind, magnitude=3)


@pytest.mark.parametrize(
    "kind, least",
    [("runs", 12), ("dropouts", 12), ("flat_runs", 13), ("level_shifts", 96)],
)
def test_a_series_must_have_room(kind, least):
    for seed in range(100):
        contaminate([series(noise(least))], 0.01, kind, seed=seed)
    message = (
        rf"entry 1 \('b'\) must have room for {kind} of \d+ to \d+ points "
        rf"with others between them, got {least - 1} observed points for a "
        "rate of 0.01; choose a lower rate"
    )
    short = series(np.append(noise(least - 1), np.nan), item_id="b")
    with pytest.raises(ValueError, match=message):
        contaminate([series(noise(least)), short], 0.01, kind)


@pytest.mark.parametrize("kind", STRETCHES)
def test_high_rates_are_refused_before_anything_is_drawn(kind):
    for num_points in (100, 300, 1_000):
        outcomes = []
        for rate in np.arange(0.05, 1, 0.05):
            for seed in range(5):
                try:
                    contaminate(
                        [series(noise(num_points))], rate, kind, seed=seed
                    )
                    outcomes.append(True)
                except ValueError as error:
                    assert "must have room" in str(error)
                    outcomes.append(False)
        outcomes = np.array(outcomes).reshape(-1, 5)
        # The same for all seeds, and no rate above one that is refused.
        assert (outcomes == outcomes[:, :1]).all()
        assert (np.diff(outcomes[:, 0].astype(int)) <= 0).all()
        assert not outcomes[-1].any()


def test_what_is_no_entry_is_said():
    with pytest.raises(ValueError, match="each entry must be a mapping"):
        contaminate(series(noise(9)), 0.1)

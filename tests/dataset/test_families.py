import numpy as np
import pandas as pd
import pytest

from gluonts_lai.dataset import FAMILIES, families, simulate


def runs_of(flags):
    edges = np.flatnonzero(np.diff(flags.astype(int), prepend=0, append=0))
    return edges.reshape(-1, 2)


@pytest.mark.parametrize("family", FAMILIES)
def test_entries_are_those_of_a_gluonts_data_set(family):
    entries = simulate(family, num_series=3, length=400)

    names = [f"{family}-{i}" for i in range(3)]
    assert [entry["item_id"] for entry in entries] == names
    for entry in entries:
        assert entry["start"] == pd.Period("2024-01-01 00:00", "h")
        assert entry["target"].dtype == np.float64
        assert entry["label"].dtype == np.uint8
        assert entry["target"].shape == entry["label"].shape == (400,)
        assert np.isfinite(entry["target"]).all()
        assert set(entry["label"]) <= {0, 1}


@pytest.mark.parametrize("family", FAMILIES)
def test_more_series_do_not_change_the_first_ones(family):
    few, many = simulate(family, num_series=2), simulate(family, num_series=5)

    for one, same in zip(few, many):
        np.testing.assert_array_equal(one["target"], same["target"])
        np.testing.assert_array_equal(one["label"], same["label"])


def test_series_seeds_and_families_all_differ():
    entries = [
        entry
        for family in FAMILIES
        for seed in (0, 1)
        for entry in simulate(family, num_series=2, seed=seed)
    ]
    assert len({entry["target"].tobytes() for entry in entries}) == 12


def test_families_are_not_the_same_series_with_other_anomalies():
    pair = simulate("outliers")[0], simulate("changes")[0]
    nominal = (pair[0]["label"] == 0) & (pair[1]["label"] == 0)
    nominal[200:] = False  # before anything changes for good

    first, second = (entry["target"][nominal] for entry in pair)

    # Scale and level apart, the same series would have a correlation of 1.
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.999


def test_clean_series_have_the_parts_that_they_should_have():
    rng = np.random.default_rng(0)
    weeks = 10
    t = np.arange(168 * weeks)
    amplitudes, slopes, scales = [], [], []
    for _ in range(1_000):
        waves, trend, noise = families.draw_clean(len(t), rng)
        spectrum = 2 * np.abs(np.fft.rfft(waves)) / len(t)
        peaks = [len(t) // period for period in (12, 24, 168)]
        amplitudes.append(spectrum[peaks])
        spectrum[peaks] = 0
        assert spectrum.max() < 1e-12  # rounding: no other wave
        slopes.append(trend[1])
        np.testing.assert_allclose(trend, trend[1] * t, rtol=1e-12)
        scales.append(noise.std())

    # Of 1,000 uniform draws the outermost are within 1.5 % of the range, but
    # once in a million cases.
    amplitudes = np.array(amplitudes) / [0.3, 1.0, 0.5]
    rounding = 1e-9
    assert (amplitudes > 0.3 - rounding).all()
    assert (amplitudes < 1.5 + rounding).all()
    assert (amplitudes.min(axis=0) < 0.32).all()
    assert (amplitudes.max(axis=0) > 1.48).all()
    # Five standard errors.
    assert np.std(slopes) == pytest.approx(0.002, rel=5 / np.sqrt(2_000))
    assert abs(np.mean(slopes)) < 5 * 0.002 / np.sqrt(1_000)
    # The same of a standard deviation of 1,680 points.
    error = 5 / np.sqrt(2 * 1_680)
    assert 0.05 * (1 - error) < min(scales) < 0.053 * (1 + error)
    assert 0.247 * (1 - error) < max(scales) < 0.25 * (1 + error)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("family", FAMILIES)
def test_a_series_is_put_together_from_its_parts(family, seed, monkeypatch):
    if seed % 2:  # amplitudes so small that the spread is less than 0.5
        monkeypatch.setattr(families, "WEIGHTS", np.full(3, 0.01))
    values, label = families.draw(family, 300, np.random.default_rng(seed))

    rng = np.random.default_rng(seed)
    waves, trend, noise = families.draw_clean(300, rng)
    spread = np.std(waves + trend + noise)
    if family == "changes":
        gain, level, louder, expected = families.draw_changes(300, rng)
        waves, trend, noise = waves * gain, trend + level, noise * louder
    else:
        expected = np.zeros(300, bool)
    if family == "runs":
        shift = families.draw_runs(300, rng) * spread
    else:
        shift = families.draw_outliers(300, rng) * max(spread, 0.5)
    scale, centre = 1 + 99 * rng.random(), 50 * rng.normal()

    parts = waves + trend + noise + shift
    np.testing.assert_allclose(values, centre + scale * parts, rtol=1e-9)
    np.testing.assert_array_equal(label, expected | (shift != 0))


def test_outliers_are_as_many_and_as_far_as_they_should_be():
    shift = families.draw_outliers(200_000, np.random.default_rng(0))

    moved = abs(shift[shift != 0])
    five_sigma = 5 * np.sqrt(200_000 * 0.006 * 0.994)
    assert abs(len(moved) - 1_200) < five_sigma
    # Of 1,200 uniform draws the outermost are within 1 % of the range, but
    # once in 170,000 cases.
    assert 1.5 <= moved.min() < 1.535
    assert 4.965 < moved.max() <= 5
    assert abs((shift > 0).sum() - 600) < five_sigma


def test_runs_are_moved_as_one_and_never_touch():
    rng = np.random.default_rng(0)
    counts, lengths, sizes = set(), set(), []
    for _ in range(500):
        shift = families.draw_runs(250, rng)
        runs = runs_of(shift != 0)
        counts.add(len(runs))
        for begin, end in runs:
            lengths.add(end - begin)
            sizes.append(shift[begin])
            assert (shift[begin:end] == shift[begin]).all()

    assert counts == {3, 4, 5, 6}
    # Two runs that touched would be longer, or move by two amounts.
    assert lengths == {2, 3, 4, 5, 6}
    assert 2 <= min(np.abs(sizes)) and max(np.abs(sizes)) <= 5
    assert min(sizes) < 0 < max(sizes)


def test_a_run_may_begin_and_end_where_the_series_does():
    rng = np.random.default_rng(0)
    moved = [families.draw_runs(50, rng) != 0 for _ in range(500)]
    assert np.any(moved, axis=0).all()


def test_changes_last_and_only_those_of_the_noise_have_no_label():
    rng = np.random.default_rng(0)
    counts, seen = set(), {"gain": [], "level": [], "louder": []}
    for _ in range(500):
        gain, level, louder, label = families.draw_changes(250, rng)
        steps = {
            "gain": gain[1:] / gain[:-1],
            "level": 1 + np.diff(level),
            "louder": louder[1:] / louder[:-1],
        }
        assert gain[0] == louder[0] == 1 and level[0] == 0
        where = {name: np.flatnonzero(s != 1) + 1 for name, s in steps.items()}
        for name, step in steps.items():
            seen[name].extend(step[where[name] - 1])
        counts.add(sum(map(len, where.values())))
        assert min(map(min, filter(len, where.values()))) > 200
        labelled = np.union1d(where["gain"], where["level"])
        np.testing.assert_array_equal(np.flatnonzero(label), labelled)

    assert counts == {1, 2, 3}
    ranges = {"gain": (0.4, 2), "louder": (1.5, 3)}
    for name, (low, high) in ranges.items():
        # About 330 draws: the outermost are near the ends of the range.
        assert low - 1e-9 < min(seen[name]) < low + 0.1  # rounding
        assert high - 0.1 < max(seen[name]) < high + 1e-9
    moved = np.abs(np.array(seen["level"]) - 1)
    assert 1 - 1e-9 < moved.min() < 1.1 and 2.9 < moved.max() < 3 + 1e-9


def test_labelled_points_of_runs_stand_out_and_nothing_else_does():
    for entry in simulate("runs", num_series=20):
        target, label = entry["target"], entry["label"] == 1
        t = np.arange(len(target))
        angles = 2 * np.pi * t / families.PERIODS
        terms = [np.ones_like(t), t, *np.sin(angles), *np.cos(angles)]
        terms = np.array(terms, float).T
        weights = np.linalg.lstsq(terms[~label], target[~label], rcond=None)[0]
        residual = target - terms @ weights
        noise = residual[~label].std()
        # Of 1,500 Gaussian points, none is five deviations away.
        assert abs(residual[~label]).max() < 5 * noise
        # A run moves by 2 sd of a series at the least; its noise is a part.
        assert abs(residual[label]).mean() > 2 * np.std(target[~label]) * 0.9


def test_an_outlier_is_where_the_label_is():
    for entry in simulate("outliers", num_series=20):
        jumps = np.abs(np.diff(entry["target"], prepend=entry["target"][0]))
        labels = entry["label"] == 1
        assert jumps[labels].min() > np.median(jumps)
        assert jumps[labels].mean() > 3 * jumps[~labels].mean()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_shortest_series_can_be_drawn_and_no_shorter_one(family):
    assert len(simulate(family, length=250)) == 20
    with pytest.raises(ValueError, match="at least 250, got 249; draw longer"):
        simulate(family, length=249)


def test_an_unknown_family_is_named():
    message = "family must be one of outliers, runs, changes, got 'spikes'"
    with pytest.raises(ValueError, match=message):
        simulate("spikes")

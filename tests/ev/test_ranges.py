import numpy as np
import pytest

from gluonts_lai.ev import auc_pr, vus_pr
from tests.ev.cases import draw

EXACT = 1e-12  # the same sums in another order


def segments_of(labels):
    """First and last point of each segment."""
    starts = [
        t
        for t in range(len(labels))
        if labels[t] and (t == 0 or not labels[t - 1])
    ]
    ends = [
        t
        for t in range(len(labels))
        if labels[t] and (t == len(labels) - 1 or not labels[t + 1])
    ]
    return list(zip(starts, ends))


def area(labels, scores, buffer, thresholds):
    """The definition, for one buffer: each point, each threshold."""
    half = buffer // 2
    weights = [0.0] * len(labels)
    regions = []
    for start, end in segments_of(labels):
        for t in range(len(labels)):
            d = max(start - t, t - end, 0)
            if d <= half:
                weights[t] += np.sqrt(1 - d / buffer) if d else 1.0
        region = set(range(start - half, end + half + 1))
        if regions and regions[-1] & region:
            regions[-1] |= region
        else:
            regions.append(region)

    total, before = 0.0, 0.0
    for threshold in thresholds:
        flagged = {t for t in range(len(labels)) if scores[t] >= threshold}
        hits = sum(min(1.0, weights[t]) for t in flagged)
        in_buffers = sum(
            min(1.0, weights[t]) for t in flagged if not labels[t]
        )
        found = sum(1 for region in regions if region & flagged)
        recall = min(1.0, hits / (sum(labels) + in_buffers / 2))
        recall *= found / len(regions)
        total += (recall - before) * hits / len(flagged)
        before = recall
    return total


def vus_pr_by_definition(labels, scores, max_buffer):
    thresholds = sorted(scores, reverse=True)
    return np.mean(
        [area(labels, scores, b, thresholds) for b in range(max_buffer + 1)]
    )


@pytest.mark.parametrize("seed", range(30))
def test_it_agrees_with_the_definition(seed):
    labels, scores = draw(seed, length=40, num_segments=seed % 5)

    expected = vus_pr_by_definition(labels, scores, max_buffer=12)

    result = vus_pr(labels, scores, max_buffer=12)
    assert result == pytest.approx(expected, rel=EXACT)


def test_a_case_worked_by_hand():
    labels = [0, 1, 0, 0]
    scores = [3, 2, 1, 0]
    # Buffers 0 and 1 reach no other point: the anomaly comes second, 1/2.
    # Buffer 2: neighbours weigh w = sqrt(1/2). First step: recall
    # w / (1 + w/2), precision w. Second: recall 1, precision (1 + w) / 2.
    w = np.sqrt(1 / 2)
    early = w / (1 + w / 2)
    soft = early * w + (1 - early) * (1 + w) / 2

    result = vus_pr(labels, scores, max_buffer=2)

    assert result == pytest.approx((1 / 2 + 1 / 2 + soft) / 3, rel=EXACT)


# Computed once with the authors' package: vus 0.0.6, version "opt".
PUBLISHED = [
    (200, 10, 0.2888295304),
    (750, 24, 0.5066896383),
    (1000, 50, 0.6803173133),
]


@pytest.mark.parametrize("length, max_buffer, expected", PUBLISHED)
def test_it_agrees_with_the_package_of_the_authors(
    length, max_buffer, expected
):
    t = np.arange(length)
    labels = ((t % 97 < 4) | (t % 61 == 0)).astype(int)
    scores = np.round(np.sin(t * t) + np.roll(labels, 1), 2)

    result = vus_pr(labels, scores, max_buffer=max_buffer)

    assert result == pytest.approx(expected, rel=1e-9)  # digits as printed


@pytest.mark.parametrize("seed", range(6))
def test_it_agrees_with_the_package_where_it_is_installed(seed):
    pytest.importorskip("vus")
    from vus.utils.metrics import metricor

    labels, scores = draw(seed, length=300, num_segments=7)
    expected = metricor().RangeAUC_volume_opt(labels, scores, 10)[-1]

    result = vus_pr(labels, scores, max_buffer=10)

    assert result == pytest.approx(expected, rel=1e-9)  # sums of 250 steps


def test_without_buffers_one_segment_has_the_area_of_its_points():
    rng = np.random.default_rng(0)
    labels = np.zeros(100, int)
    labels[40:50] = 1
    scores = rng.normal(size=100) + labels

    result = vus_pr(labels, scores, max_buffer=0)

    assert result == pytest.approx(auc_pr(labels, scores), rel=EXACT)


def test_a_perfect_score_gets_its_due_if_each_point_is_a_threshold():
    labels = np.zeros(1_000, int)
    labels[[100, 300, 500, 600, 700, 900]] = 1
    scores = labels + np.random.default_rng(0).random(1_000)

    every = vus_pr(labels, scores, max_buffer=0, num_thresholds=1_000)
    fourth = vus_pr(labels, scores, max_buffer=0, num_thresholds=250)

    assert every == pytest.approx(1, rel=EXACT)
    # Flags 1, 5, 9, … points: 5 of 6 segments, that is a recall of 5/6 · 5/6,
    # at precision 1; the rest at precision 6/9.
    assert fourth == pytest.approx(25 / 36 + 11 / 36 * 6 / 9, rel=EXACT)


def test_the_nearer_the_alarm_the_better():
    labels = np.zeros(200, int)
    labels[100:105] = 1

    volumes = [vus_pr(labels, np.roll(labels, lag)) for lag in range(20)]

    assert volumes[0] == pytest.approx(1, rel=EXACT)
    assert (np.diff(volumes) <= 0).all()
    assert volumes[5] > volumes[15]  # both miss every labelled point


def test_a_buffer_may_be_longer_than_the_series():
    assert 0 < vus_pr([0, 1, 0], [1, 2, 3], max_buffer=50) <= 1


@pytest.mark.parametrize("wrong", [{"max_buffer": -1}, {"num_thresholds": 1}])
def test_buffers_and_thresholds_must_make_a_surface(wrong):
    with pytest.raises(ValueError, match="max_buffer must be at least 0 and"):
        vus_pr([0, 1], [0.0, 1.0], **wrong)

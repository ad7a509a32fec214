import pytest

from gluonts_lai import IndicatorChain


@pytest.mark.parametrize("name", ["p_start", "p_enter", "p_stay"])
@pytest.mark.parametrize("p", [0.0, 1.0, -0.1, 1.1, float("nan"), "0.5", None])
def test_a_certain_transition_is_refused(name, p):
    message = f"{name} must lie strictly between 0 and 1, got {p!r}; a certain"
    with pytest.raises(ValueError, match=message):
        IndicatorChain(**{name: p})


def test_a_probability_without_digits_is_refused():
    with pytest.raises(ValueError, match="p_enter must be at least"):
        IndicatorChain(p_enter=1e-320)


@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.3])
@pytest.mark.parametrize("length", [1.5, 2.0, 50.0])
def test_a_prior_is_what_it_says(rate, length):
    chain = IndicatorChain.from_prior(rate, length)

    assert chain.anomaly_rate == pytest.approx(rate)
    assert chain.anomaly_length == pytest.approx(length)
    assert chain.p_start == rate


def test_single_points_leave_longer_anomalies_possible():
    chain = IndicatorChain.from_prior(anomaly_rate=0.01, anomaly_length=1)

    assert chain.p_stay == 0.01
    assert chain.anomaly_rate == pytest.approx(0.01)


@pytest.mark.parametrize(
    "rate, length, message",
    [
        (0.0, 2, "anomaly_rate must lie strictly between 0 and 1, got 0.0"),
        (1.0, 2, "anomaly_rate must lie strictly between 0 and 1, got 1.0"),
        (5, 2, "it is a share of points, not a percentage"),
        (0.01, 0.5, "anomaly_length must be a number of points between"),
        (0.01, float("inf"), "anomaly_length must be a number"),
        ("1", 2, "anomaly_rate must lie strictly between 0 and 1, got '1'"),
        (0.01, None, "anomaly_length must be a number .* got None"),
        (0.01, float("nan"), "anomaly_length must be a number"),
        (0.7, 1.0, "cannot be reached by runs of anomaly_length=1.0 points"),
    ],
)
def test_a_prior_that_cannot_be_is_refused(rate, length, message):
    with pytest.raises(ValueError, match=message):
        IndicatorChain.from_prior(rate, length)


@pytest.mark.parametrize("num_points", [-1, float("inf"), None])
def test_a_prior_weighs_a_number_of_points(num_points):
    with pytest.raises(ValueError, match=f"at least 0, got {num_points}"):
        IndicatorChain().pseudo_counts(num_points)


def test_a_chain_is_a_value():
    chain = IndicatorChain(0.1, 0.2, 0.3)

    assert chain == IndicatorChain(p_start=0.1, p_enter=0.2, p_stay=0.3)
    assert hash(chain) == hash(IndicatorChain(0.1, 0.2, 0.3))
    with pytest.raises(AttributeError):
        chain.p_stay = 0.9

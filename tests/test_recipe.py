import pytest

from gluonts_lai import Gaussian, Uniform
from gluonts_lai.recipe import wide_enough


def test_a_uniform_is_wide_where_nobody_said_how_wide():
    assert wide_enough(Uniform()) == Uniform(spans=5.0)
    assert wide_enough(Uniform(low=0.0)) == Uniform(low=0.0, spans=5.0)


@pytest.mark.parametrize(
    "chosen", [Uniform(width=1.0), Uniform(spans=2.0), Gaussian()], ids=repr
)
def test_what_the_user_chose_stays(chosen):
    assert wide_enough(chosen) == chosen

"""
A copy of a feed-forward network says what the network says.
"""

from typing import Any, NamedTuple

import numpy as np
import pytest
from gluonts.env import env
from numpy.testing import assert_allclose

from gluonts_lai import LAIEstimator
from gluonts_lai.nominal.densities import StudentT
from gluonts_lai.nominal.mlp import FEW_WINDOWS, checked
from gluonts_lai.nominal.scaling import Scale
from tests.backends import BACKENDS
from tests.series import CONTEXT, dataset

HORIZON = 3
# Single precision, through three layers; a df is the largest number.
SAME = 1e-5
# What the two frameworks call the same thing.
HIDDEN = {"mx": "num_hidden_dimensions", "torch": "hidden_dimensions"}
NORMALISE = {"mx": "batch_normalization", "torch": "batch_norm"}


class Network(NamedTuple):
    """A trained network, as EM sees it."""

    backend: str
    nominal: Any

    def read(self, pasts, num_leads=1):
        batch = {"past_target": pasts.astype(np.float32)}
        return self.nominal.read(batch, num_leads)


def train(
    backend, name="SimpleFeedForward", window_scaling="auto", **settings
):
    """A network that has learned a little; with settings, one of its own."""
    zoo = backend.zoo
    make = zoo.CASES[name].make
    if settings:
        make = zoo.maker(
            zoo.SimpleFeedForwardEstimator, **settings, **zoo.SMALL
        )
    estimator = LAIEstimator(
        make(epochs=4, prediction_length=HORIZON, learning_rate=0.05),
        window_scaling=window_scaling,
        em=False,
        seed=0,
    )
    data, _ = dataset("univariate", num_series=2)
    with env._let(use_tqdm=False):
        return Network(backend.name, estimator.train(data).nominal())


@pytest.fixture(scope="module", params=BACKENDS.values(), ids=BACKENDS)
def backend(request):
    return request.param


KINDS = ["student", "gaussian", "two layers"]


@pytest.fixture(scope="module")
def networks(backend):
    deep = {HIDDEN[backend.name]: [8, 6]}
    return {
        "student": train(backend),
        "gaussian": train(backend, "SimpleFeedForwardGaussian"),
        "two layers": train(backend, **deep),
    }


@pytest.fixture(params=KINDS)
def network(request, networks):
    return networks[request.param]


def windows():
    """Of all sizes, and flat ones."""
    rng = np.random.default_rng(0)
    pasts = rng.normal(size=(40, CONTEXT))
    pasts *= np.geomspace(1e-3, 1e3, len(pasts))[:, None]
    pasts[:10] += 5.0
    pasts[10], pasts[11], pasts[12] = 0.0, 3.0, -1e-4
    pasts[13, 1:] = 0.0
    return pasts.astype(np.float32)


def assert_same(copied, said):
    assert isinstance(said, StudentT)
    for name, ours, theirs in zip(StudentT._fields, copied, said):
        unit = np.maximum(1e-3, abs(said.loc) + said.scale)
        if name == "df":
            unit = np.abs(theirs)
        shape = np.broadcast_shapes(np.shape(theirs), said.loc.shape)
        difference = np.broadcast_to(np.abs(ours - theirs) / unit, shape)
        assert_allclose(difference, 0.0, atol=SAME, err_msg=name)


@pytest.mark.parametrize("num_leads", [1, 2, HORIZON])
def test_a_copy_says_the_same(network, num_leads):
    copied = network.nominal.mlp.read(windows(), num_leads)
    said = network.read(windows(), num_leads)

    assert said.loc.shape == copied.loc.shape == (40, num_leads)
    assert_same(copied, said)
    assert np.ptp(said.loc / said.scale) > 0.5  # it does say something


def test_a_copy_of_a_network_that_sees_windows_as_they_are(backend):
    if backend.name == "mx":
        # GluonTS divides a window of zeros by what is usual in its batch:
        # what it says of it is no matter of its own.
        assert train(backend, window_scaling=False).nominal.mlp is None
        return
    network = train(backend, window_scaling=False)

    copied = network.nominal.mlp.read(windows(), HORIZON)

    assert_same(copied, network.read(windows(), HORIZON))


@pytest.mark.skipif("mx" not in BACKENDS, reason="there is none elsewhere")
def test_a_copy_of_a_network_that_never_scales():
    network = train(BACKENDS["mx"], mean_scaling=False)

    assert not network.nominal.mlp.scales
    copied = network.nominal.mlp.read(windows(), HORIZON)

    assert_same(copied, network.read(windows(), HORIZON))


def test_few_windows_and_many_are_told_the_same(network):
    """A copy is asked about a few, the network about many."""
    rng = np.random.default_rng(1)
    pasts = 10 + rng.normal(size=(FEW_WINDOWS + 1, CONTEXT))
    observed = np.ones(pasts.shape, bool)
    observed[:5, :4] = False
    scale = Scale(*np.tile([[10.0], [2.0]], (1, len(pasts)))[..., None])

    many = network.nominal.answer_bare(pasts, observed, scale, 2)
    few = network.nominal.answer_bare(
        pasts[1:], observed[1:], Scale(*(part[1:] for part in scale)), 2
    )

    assert_same(few.density, StudentT(*(x[1:] for x in on_windows(many))))
    assert_allclose(few.scale.width, many.scale.width[1:])


def on_windows(answer):
    density = answer.density
    return (np.broadcast_to(x, density.loc.shape) for x in density)


def wrong(mlp):
    """The same with one weight wrong, each in its turn."""
    for i, layer in enumerate(mlp.layers):
        # Of the last, the part of the first lead is what counts.
        layers = list(mlp.layers)
        layers[i] = spoilt(layer)
        yield f"layer {i}", mlp._replace(layers=layers)
        layers[i] = layer._replace(bias=spoilt_array(layer.bias))
        yield f"bias of layer {i}", mlp._replace(layers=layers)
    for name in ("loc", "scale", "df"):
        layer = getattr(mlp, name)
        if layer is not None:
            yield name, mlp._replace(**{name: spoilt(layer)})
    if mlp.df is not None:
        yield "kind", mlp._replace(df=None)


def spoilt(layer):
    return layer._replace(weight=spoilt_array(layer.weight))


def spoilt_array(array):
    array = array.copy()
    array.flat[0] += 0.5
    return array


def test_a_wrong_copy_is_refused(network):
    right = network.nominal.mlp

    assert checked(right, network.read, CONTEXT) is right
    refused = {
        name: checked(copy, network.read, CONTEXT) is None
        for name, copy in wrong(right)
    }
    assert len(refused) >= 4
    assert all(refused.values()), refused


def test_a_copy_that_forgets_to_scale_is_refused(network):
    forgetful = network.nominal.mlp._replace(scales=False)

    assert network.nominal.mlp.scales
    assert checked(forgetful, network.read, CONTEXT) is None


def test_no_copy_is_no_copy(network):
    assert checked(None, network.read, CONTEXT) is None


def test_other_outputs_are_not_copied(backend):
    if backend.name == "mx":
        from gluonts.mx.distribution import LaplaceOutput

        others = [train(backend, distr_output=LaplaceOutput())]
    else:
        from gluonts.torch.distributions import LaplaceOutput

        others = [
            train(backend, distr_output=LaplaceOutput()),
            train(backend, "SimpleFeedForwardQuantiles"),
        ]
    others.append(train(backend, "DeepAR"))

    for network in others:
        assert network.nominal.copied() is None
        assert network.nominal.mlp is None


def test_batch_normalisation_is_not_copied(backend):
    network = train(backend, **{NORMALISE[backend.name]: True})

    assert network.nominal.mlp is None

"""
Inputs go where the network is, and numbers come back.

The "meta" device has no memory, but it is not the CPU: what was not moved
there fails.
"""

import numpy as np
import pytest
import torch
from torch import nn

from gluonts_lai.torch.device import as_array, as_tensor, at_rest, where

DTYPES = [torch.float32, torch.float64, torch.bfloat16]


@pytest.fixture(params=["cpu", "meta"])
def device(request):
    return request.param


@pytest.mark.parametrize("dtype", DTYPES)
def test_real_inputs_are_where_the_network_is_and_as_precise(device, dtype):
    network = nn.Linear(3, 2, device=device, dtype=dtype)

    for array in (np.ones((5, 3)), np.ones((5, 3), np.float32)):
        for given in (array, torch.from_numpy(array)):
            tensor = as_tensor(given, where(network))
            assert (tensor.device.type, tensor.dtype) == (device, dtype)
            network(tensor)


def test_whole_numbers_stay_whole(device):
    embedding = nn.Embedding(4, 2, device=device)

    for dtype in (np.int32, np.int64):
        categories = as_tensor(np.arange(4, dtype=dtype), where(embedding))
        assert not categories.is_floating_point()
        assert embedding(categories).device.type == device


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12.0).reshape(3, 4).T,
        np.arange(12.0)[::-2],
        np.broadcast_to(np.arange(3.0), (4, 3)),
    ],
    ids=["transposed", "backwards", "broadcast"],
)
def test_any_array_will_do(array):
    tensor = as_tensor(array, torch.zeros(1, dtype=torch.float64))

    np.testing.assert_array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_comes_back_is_float64(dtype):
    tensor = torch.tensor([0.5, -3.0], dtype=dtype, requires_grad=True)

    array = as_array(2 * tensor)

    assert isinstance(array, np.ndarray) and array.dtype == np.float64
    np.testing.assert_array_equal(array, [1.0, -6.0])


@pytest.fixture
def network():
    """A network in training, but for a part that the user has frozen."""
    network = nn.Sequential(
        nn.Linear(3, 50), nn.BatchNorm1d(50), nn.Dropout(0.5), nn.Linear(50, 1)
    ).train()
    network[1].eval()
    return network


def modes(network):
    return [part.training for part in network.modules()]


def test_at_rest_there_are_no_dropout_and_no_gradients(network):
    x = torch.ones(2, 3)

    with at_rest(network):
        assert not any(modes(network))
        assert torch.equal(network(x), network(x))
        assert not network(x).requires_grad

    assert not torch.equal(network(x), network(x))
    assert network(x).requires_grad


def test_each_part_goes_on_as_it_was(network):
    before = modes(network)
    assert set(before) == {True, False}

    with at_rest(network):
        pass

    assert modes(network) == before


def test_each_part_goes_on_as_it_was_when_something_goes_wrong(network):
    before = modes(network)

    with pytest.raises(RuntimeError, match="meanwhile"):
        with at_rest(network):
            raise RuntimeError("meanwhile")

    assert modes(network) == before
    assert torch.is_grad_enabled()

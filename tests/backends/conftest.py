import pytest
from gluonts.env import env

from tests.backends import BACKENDS


@pytest.fixture(autouse=True)
def no_progress_bar():
    with env._let(use_tqdm=False):
        yield


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """GluonTS on PyTorch, unwrapped, leaves checkpoints where it is."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module", params=BACKENDS.values(), ids=BACKENDS)
def backend(request):
    return request.param

"""
Quiet ends when the last one who wants it has gone, whatever the order.
"""

import logging

import pytest

from gluonts_lai.hush import hushed


@pytest.fixture(autouse=True)
def as_it_was():
    before = logging.root.manager.disable
    yield
    logging.disable(before)


@pytest.mark.parametrize("others", [logging.NOTSET, logging.DEBUG])
@pytest.mark.parametrize("first_out", [0, 1])
def test_those_who_want_quiet_leave_in_any_order(first_out, others):
    logging.disable(others)
    levels = logging.INFO, logging.WARNING
    quiets = [hushed(level) for level in levels]
    for quiet in quiets:
        quiet.__enter__()
    assert logging.root.manager.disable == logging.WARNING

    quiets[first_out].__exit__(None, None, None)
    assert logging.root.manager.disable == levels[1 - first_out]

    quiets[1 - first_out].__exit__(None, None, None)
    assert logging.root.manager.disable == others


def test_who_wants_no_more_quiet_than_there_is_leaves_it_as_it_was():
    logging.disable(logging.ERROR)
    with hushed(logging.ERROR), hushed(logging.INFO):
        assert logging.root.manager.disable == logging.ERROR
    assert logging.root.manager.disable == logging.ERROR


def test_an_error_ends_it():
    with pytest.raises(KeyError), hushed(logging.INFO):
        raise KeyError
    assert logging.getLogger().isEnabledFor(logging.WARNING)

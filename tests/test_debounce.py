"""The page around the live part follows later while many people move knobs, and as soon as ever for a few."""

import pytest

from ui import debounce


class Desk:
    pass


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands, and is put forward by hand."""
    now = [100.0]
    monkeypatch.setattr(debounce.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(debounce, "_moved", type(debounce._moved)())
    return now


def test_a_few_people_wait_for_nobody(clock):
    desks = [Desk() for _ in range(debounce.MANY - 1)]
    for desk in [*desks, *desks]:  # one who drags moves often, and is one
        debounce.moves(desk)
    assert debounce.rest() == debounce.CALM


def test_many_give_way_to_each_other_until_they_stop(clock):
    desks = [Desk() for _ in range(debounce.MANY)]
    for desk in desks:
        debounce.moves(desk)
    assert debounce.rest() == debounce.BUSY
    clock[0] += debounce.LATELY
    assert debounce.rest() == debounce.CALM


def test_who_has_gone_counts_no_more(clock):
    desks = [Desk() for _ in range(debounce.MANY)]
    for desk in desks:
        debounce.moves(desk)
    del desk, desks[0]
    assert debounce.rest() == debounce.CALM

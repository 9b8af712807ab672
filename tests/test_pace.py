"""The page around the live part follows later while many people move knobs, and as soon as ever for a few."""

import pytest

from ui import pace


class Desk:
    pass


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands, and is put forward by hand."""
    now = [100.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(pace, "_moved", type(pace._moved)())
    return now


def test_a_few_people_wait_for_nobody(clock):
    desks = [Desk() for _ in range(pace.MANY - 1)]
    for desk in [*desks, *desks]:  # one who drags moves often, and is one
        pace.moves(desk)
    assert pace.rest() == pace.CALM


def test_many_give_way_to_each_other_until_they_stop(clock):
    desks = [Desk() for _ in range(pace.MANY)]
    for desk in desks:
        pace.moves(desk)
    assert pace.rest() == pace.BUSY
    clock[0] += pace.LATELY
    assert pace.rest() == pace.CALM


def test_who_has_gone_counts_no_more(clock):
    desks = [Desk() for _ in range(pace.MANY)]
    for desk in desks:
        pace.moves(desk)
    del desk, desks[0]
    assert pace.rest() == pace.CALM

"""Bounds of a column that are bought with epsilon: whom a payment protects, and what it draws."""

from dataclasses import replace

import pytest

from dpcore import check
from dpcore.mechanisms import private_bounds
from dpcore.mechanisms.private_bounds import Payment
from lab.uploads import column_bounds
from lab.uploads.column_roles import Column
from tests.own_files import bought, frame, table_of

HOURS = Column(name="hours")


@pytest.fixture
def drawn(monkeypatch):
    """What the mechanism is given in place of a release: values, and a first draw of its noise."""
    calls = []

    def record(values, *, epsilon, rng):
        """Note the values and a draw of ``rng``; stands for the release of private bounds."""
        calls.append((values, rng.random()))

    monkeypatch.setattr(private_bounds, "bounds", record)
    return calls


def test_a_payment_for_rows_protects_no_person():
    with pytest.raises(check.RefusedError, match="before a column identified the persons"):
        bought(Payment(epsilon=0.1, person=""), person="who")


@pytest.mark.parametrize("person", ["who", ""])
def test_a_payment_for_persons_protects_persons_and_rows(person):
    own = bought(Payment(epsilon=0.1, person="who"), person=person)

    assert own.roles.spent == 0.1


def test_too_few_rows_are_refused():
    with pytest.raises(check.RefusedError, match="at least"):
        column_bounds.buy(table_of(frame(1000)), HOURS, epsilon=0.1)


def test_a_column_without_bounds_is_paid_for_all_the_same(drawn):
    column = column_bounds.buy(table_of(frame(1000)), HOURS, epsilon=0.1)

    assert column == replace(HOURS, paid=0.1)


def test_a_person_has_one_value(drawn):
    table = table_of(frame(1000))

    column_bounds.buy(table, HOURS, epsilon=0.1)
    column_bounds.buy(table, HOURS, epsilon=0.1, person="plan")

    assert [len(values) for values, _ in drawn] == [1000, 3]


def test_buying_again_draws_anew(drawn):
    table = table_of(frame(1000))

    column_bounds.buy(table, HOURS, epsilon=0.1)
    column_bounds.buy(table, HOURS, epsilon=0.1)

    (_, once), (_, again) = drawn
    assert once != again

"""The networks with rows of the user's own: what of the file decides them, and what is drawn and said."""

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from dpcore import check
from dpcore.training import networks
from lab.files import own_rows
from lab.files.file_handles import NONE
from pages.network import figures, words_tables
from pages.network import words as say
from pages.network.experiment import NetworkSettings
from pages.network.page import PAGE
from pages.network.result import NetworkResult
from pages.network.work import MEASURED_ROWS, mean_loss
from tests.sentences import NEVER, broken_by, plain
from tests.test_own_rows import HELD, ROLES, customers, own_of, table_of

QUICK = {"epochs": 2, "width": 4, "layers": 1, "repeats": 2}


@pytest.fixture(autouse=True, scope="module")
def _hold():
    yield
    HELD.clear()


@pytest.fixture(scope="module")
def table():
    return table_of(customers())


def settings_of(own: str, **changes) -> NetworkSettings:
    return NetworkSettings(**QUICK).change(dataset="own").change(own=own).change(**changes)


def same(one: NetworkResult, other: NetworkResult) -> None:
    """To the last bit: all weights, what they reach, and what is promised."""
    for arm in ("plain", "private"):
        np.testing.assert_array_equal(one.weights(arm), other.weights(arm))
        np.testing.assert_array_equal(one.accuracy[arm], other.accuracy[arm])
        pd.testing.assert_frame_equal(one.trajectories[arm], other.trajectories[arm], check_exact=True)
    pd.testing.assert_frame_equal(one.clipping, other.clipping, check_exact=True)
    pd.testing.assert_frame_equal(one.histogram, other.histogram, check_exact=True)
    assert one.guarantee == other.guarantee


def test_what_lies_outside_of_the_bounds_or_is_left_out_changes_nothing(table):
    frame = customers()
    frame["tenure"] = frame["tenure"].where(frame["tenure"] < 20, 1e6)
    frame["plan"] = frame["plan"].replace("family", "whatever")
    frame["customer_id"] = "the same"
    frame.insert(0, "secret", np.arange(len(frame)))
    same(*(settings_of(own_rows.choose(one, ROLES)).run() for one in (table, table_of(frame))))


def test_a_file_written_from_the_digits_gives_their_numbers():
    """The same rows in the same parts: bit for bit."""
    built = NetworkSettings(seed=4, **QUICK).change(dataset="digits")
    own = settings_of(own_of("digits", built.seed), seed=built.seed)
    assert (own.rows, own.lot_size) == (built.rows, built.lot_size)
    same(own.run(), built.run())


def test_a_row_without_an_answer_adds_nothing_and_stays():
    frame, other = customers(), customers()
    frame.loc[::3, "churned"] = ""
    other.loc[::3, "churned"] = "perhaps"
    other.loc[::3, ["age", "tenure", "calls"]] = [77, 3, 9]
    one, another = (settings_of(own_rows.choose(table_of(one), ROLES)).run() for one in (frame, other))
    same(one, another)
    assert one.settings.rows == 800
    assert (one.split.y_private[:MEASURED_ROWS] < 0).any()
    assert np.isfinite(one.trajectories["private"]["loss high"]).all()


def test_the_gradient_of_such_a_row_is_0_and_its_loss_a_guess():
    shape = networks.Architecture(sizes=(2, 3, 3))
    weights = np.random.default_rng(0).normal(size=(2, shape.parameters))
    X, y = np.ones((3, 2)), np.array([1, -1, 0])
    norms = networks.gradient_norms(shape, weights, X, y)
    assert (norms[:, :, 1] == 0).all()
    assert (norms[:, :, [0, 2]] > 0).all()
    np.testing.assert_allclose(mean_loss(shape.logits(weights, X), np.array([-1, -1, -1])), np.log(3))


class TestSettings:
    def test_only_the_sound_loop_and_lots_within_the_rows(self, table):
        settings = settings_of(own_rows.choose(table, ROLES))
        assert (settings.variant, settings.rows, settings.limits["rows"]) == ("sound", 800, (50, 800))
        with pytest.raises(check.RefusedError, match="variant"):
            settings.change(variant="inside")
        assert NetworkSettings(variant="inside").change(dataset="own").variant == "sound"
        assert settings.change(dataset="digits").own == NONE
        small = own_rows.choose(table_of(customers(120)), ROLES)
        assert (settings_of(small).rows, settings_of(small).lot_size) == (96, 96)
        assert np.isfinite(settings_of(small).run().accuracy["private"]).all()


class TestPicture:
    """How far training has moved each column."""

    @pytest.mark.parametrize("changes", [{}, {"layers": 0}, {"clipping": "layers", "layers": 2}], ids=str)
    def test_its_dots_are_how_far_weights_have_moved(self, table, changes):
        result = settings_of(own_rows.choose(table, ROLES), **changes).run()
        found = figures.leading(result)
        assert sorted(found.names) == sorted(result.split.source.features)
        place = result.split.source.features.index(found.names[0])
        units = result.architecture.shapes[0][0]
        start = result.architecture.start(result.settings.seed, range(2)).astype(np.float32)
        moved = (result.weights("private") - start)[:, : units * 6].reshape(2, units, 6)[:, :, place]
        np.testing.assert_allclose(found.runs[:, 0], np.linalg.norm(moved, axis=1), rtol=1e-5)
        assert len(go.Figure(figures.inputs(result)).data) == 2

    def test_noise_alone_moves_them_as_far_as_is_said(self):
        """Where hardly a row has a gradient: none of the others has an answer."""
        frame = customers(6000)
        frame.loc[100:, "churned"] = ""
        settings = settings_of(own_rows.choose(table_of(frame), ROLES), repeats=40, epochs=1, epsilon=0.1)
        result = settings.run()
        moved = np.sqrt(np.square(result.moved("private")).mean())
        assert moved == pytest.approx(result.moved_by_noise, rel=0.1)

    def test_networks_that_have_diverged_are_left_out(self, table):
        result = settings_of(own_rows.choose(table, ROLES)).run()
        for run in result.runs["plain"]:
            run.weights[-1] = np.inf
        go.Figure(figures.inputs(result))

    def test_no_map_and_no_row_is_drawn(self, table):
        result = settings_of(own_rows.choose(table, ROLES)).run()
        view = PAGE.at(result.settings).view(result)
        names = [picture.name for rows in view.boards.values() for row in rows for picture in row]
        assert names == ["accuracy", "inputs", "loss", "norms", "clipped", "lots", "noise_left"]


def said_of(result: NetworkResult) -> str:
    found = [say.verdict(result), say.guarantee(result), say.caption(result), *say.diagnostics(result)]
    return plain(" ".join([*found, *(f"{one.label}: {one.value} {one.note}." for one in say.numbers(result))]))


def test_people_have_places_in_a_fixed_order(table):
    """With as many people as rows would be, and their lots: nobody's is secret."""
    frame = customers(1000).assign(customer_id=[f"C{number % 400}" for number in range(1000)])
    own = own_rows.choose(table_of(frame), replace(ROLES, person="customer_id"))
    result = settings_of(own, mechanism="tree", lot_size=64).run()
    assert broken_by(said_of(result) + plain(words_tables.mechanisms(result)), result, NEVER) == set()
    assert result.settings.lot == 64
    assert result.guarantee.event.count == (result.settings.steps // 5) * 3
    assert "leaves an empty place" in said_of(result)
    assert "must stay secret" not in said_of(result)
    assert "small batches in a fixed order" in say.lead(result.settings)
    assert "every person's average gradient" in say.lead(result.settings)
    assert result.guarantee.unit == "person"


def test_what_is_said_of_rows_of_ones_own(table):
    frame = customers(1000).assign(customer_id=[f"C{number % 400}" for number in range(1000)])
    some = settings_of(own_rows.choose(table, ROLES), rows=100).run()
    people = settings_of(own_rows.choose(table_of(frame), replace(ROLES, person="customer_id"))).run()
    off = tuple(replace(column, read_off=True) for column in ROLES.columns[:1]) + ROLES.columns[1:]
    void = settings_of(own_rows.choose(table, replace(ROLES, columns=off))).run()
    for result in (some, people, void):
        assert broken_by(said_of(result), result, NEVER) == set()
    used = "100 of 800 rows, picked at random. With all, and proportionally larger batches, the noise would weigh"
    assert f"{used} 8 times less" in said_of(some)
    assert "Trained on 320 people, up to 8 rows of each. Tested on one row each of 80 others" in said_of(people)
    assert "The unit of privacy is one person, all of their rows" in said_of(people)
    assert "At epsilon 0.5, nothing is guaranteed" in said_of(void)
    assert "no limit" in said_of(void)
    assert "coin toss: 50" not in said_of(void)
    assert "coin toss: 50" in said_of(some)
    assert [one.guarantee.unit for one in (some, people)] == ["record", "person"]
    assert [one.settings.promise is None for one in (some, people, void)] == [False, False, True]

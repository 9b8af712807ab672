"""A column of one's own file that says the source: whose rows are private, and what becomes of them."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpcore import transfer
from dpcore.privacy import Adjacency
from dpcore.training import frank_wolfe as fw
from lab.files.file_handles import key
from lab.files.own_rows import OwnRows
from pages.transfer.experiment import TransferSettings
from pages.transfer.own import OwnData
from pages.transfer.work import CANDIDATES
from tests.own_files import TOWNS, choose, frame, settings


@pytest.fixture(scope="module")
def own():
    return choose(frame(), TOWNS)


def settings_of(own: OwnRows, **changes) -> TransferSettings:
    return TransferSettings(repeats=6).change(dataset="own").change(own=own).change(**changes)


def problem_of(own: OwnRows, *, seed: int = 3):
    return OwnData(own=key(own), seed=seed, rows=10**6).problem


class TestRows:
    def test_cells_become_what_the_bounds_say(self):
        found = problem_of(choose(frame().assign(age=59, hours=60, plan="basic", pay=20), TOWNS))
        np.testing.assert_array_equal(found.X, np.tile([1.0, 0.0, 1.0, -1.0], (len(found.X), 1)))
        np.testing.assert_allclose(found.y, -0.5)
        assert found.half == 40
        np.testing.assert_allclose(found.risk(np.zeros((2, 4))), 20)

    def test_each_row_has_one_place(self, own):
        found, file = problem_of(own), frame()
        assert own.sizes == tuple(file["town"].value_counts()[[TOWNS.own_source, *TOWNS.sources]])
        pay = np.concatenate([found.y, found.y_test])
        for part, town in ((pay, "Ashford"), *zip([y for _, y in found.sources], TOWNS.sources, strict=True)):
            expected = np.clip(file["pay"][file["town"] == town], 0, 80) / 40 - 1
            np.testing.assert_allclose(np.sort(part), np.sort(expected))
        assert len(found.y) == int(0.8 * own.sizes[0])

    def test_without_gaps_a_private_row_without_an_answer_is_the_middle_of_its_bounds(self):
        blank = frame()
        blank.loc[::3, "pay"] = np.nan
        zero, kept = (problem_of(choose(blank, replace(TOWNS, gaps=gaps))) for gaps in (True, False))
        gone = ~zero.X.any(axis=1)
        assert 0.2 < gone.mean() < 0.5
        assert not zero.y[gone].any()
        assert not kept.y[gone].any()
        assert kept.X.any(axis=1).all()

    def test_of_a_person_one_row_is_taken(self):
        file = frame().assign(who=np.arange(900) // 2 // 2)
        own = choose(file, replace(TOWNS, person="who"))
        people = file[file["town"] == "Ashford"]["who"].nunique()
        found = problem_of(own)
        assert own.sizes[0] == len(found.y) + len(found.y_test) == people
        assert OwnData(own=key(own), seed=3, rows=9).unit == "person"

    def test_rows_of_a_source_are_as_public_as_they_stand(self):
        """Whatever a private row holds, they are the same ones in the same order."""
        before, file = problem_of(choose(frame(), TOWNS)), frame()
        file.loc[file["town"] == "Ashford", "pay"] = 1e9
        for one, two in zip(before.sources, problem_of(choose(file, TOWNS)).sources, strict=True):
            np.testing.assert_array_equal(np.column_stack(one), np.column_stack(two))


class TestNeighbours:
    """The sensitivities that the noise is made for, by all neighbours of a tiny target that bounds can map to."""

    # A constant and one input, at and within its bounds, with an answer likewise; and a row that adds nothing.
    ROWS = (*(((1.0, x), y) for x, y in itertools.product((-1.0, 0.3, 1.0), (-1.0, 0.2, 1.0))), ((0.0, 0.0), 0.0))

    def pairs(self):
        """(X, y) of two rows, and of each with its second row replaced."""
        for first, one, other in itertools.product(self.ROWS, self.ROWS, self.ROWS):
            yield tuple((np.array([first[0], last[0]]), np.array([first[1], last[1]])) for last in (one, other))

    def test_no_target_row_moves_a_score_or_a_loss_further(self):
        centre, away = np.array([0.3, 0.6]), np.array([[0.0, 0.0], [0.7, 0.0], [0.0, -0.7]])
        ball = fw.L1Ball(dimension=2, radius=0.7)
        scores, losses = [], []
        for pair in self.pairs():
            residuals = (
                np.clip(y - (away + centre) @ X.T, -transfer.RESIDUAL_BOUND, transfer.RESIDUAL_BOUND) for X, y in pair
            )
            one, other = (ball.scores(r @ X / -2) for r, (X, _) in zip(residuals, pair, strict=True))
            scores.append(np.abs(one - other).max())
            seen = [
                transfer.clipped_losses(*rows, away + centre, residual_bound=transfer.RESIDUAL_BOUND) for rows in pair
            ]
            losses.append(np.linalg.norm(seen[0] - seen[1]))
        claimed = fw.score_sensitivity(0.7, residual_bound=1.0, rows=2, adjacency=Adjacency.REPLACE_ONE)
        assert 0.9 * claimed < max(scores) <= claimed + 1e-12
        assert max(losses) <= transfer.loss_sensitivity(3, residual_bound=1.0, rows=2) + 1e-12


def test_settings_begin_with_all_rows_of_the_file_and_public_sources_cost_what_bounds_did(own):
    of = settings_of(own)
    assert (of.sources, of.dimension) == (2, 4)
    assert (of.target_rows, of.migrated) == (int(0.8 * own.sizes[0]), sum(own.sizes[1:]))
    assert of.data.counts(of.migrated) == own.sizes[1:]
    assert of.change(dataset="made") == TransferSettings(repeats=6)
    assert of.source_guarantee is None
    paid = settings("transfer", TOWNS, paid=(0.1,))
    held = paid.source_guarantee
    assert (held.epsilon, held.delta, held.unit) == (0.1, 0.0, "record")
    detected = paid.change(selection="detected")
    alone = detected.model.detection_guarantee(detected.epsilon)
    assert detected.source_guarantee.epsilon == pytest.approx(0.1 + alone.epsilon)


def test_a_near_source_is_a_head_start(own):
    """On rows whose two towns are alike, at a small epsilon: less than half of the error."""
    risk = settings_of(own, epsilon=0.2, repeats=12).run().focus.risk
    transfer_, target = (np.median(risk[CANDIDATES.index(name)]) for name in ("transfer", "target"))
    assert transfer_ < target / 2

"""The accounting page: the example of the literature, work in pieces, safe inverses, and what else moves the bill."""

import math

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from dpcore import check
from dpcore.accountants import account, most_steps, tuning
from dpcore.accountants.prices import PUBLISHED, step
from dpcore.privacy import Adjacency, Composed
from pages.accounting import figures, words_searches
from pages.accounting import words as say
from pages.accounting.experiment import AccountingSettings
from pages.accounting.parameters import AFTERWARDS
from pages.accounting.result import ROWS, THEOREMS
from tests.app import opened, text

ADD_REMOVE = Adjacency.ADD_REMOVE
BAD = [
    *((name, low - 1) for name, (low, _) in AccountingSettings.LIMITS.items()),
    *((name, high + 1) for name, (_, high) in AccountingSettings.LIMITS.items()),
    *((name, value) for name in AccountingSettings.LIMITS for value in (math.nan, "abc", None)),
    *[("steps", 2.5), ("people", True), ("afterwards", "leak")],
]


@pytest.fixture(scope="module")
def example():
    return AccountingSettings().run()


@pytest.fixture(scope="module")
def partial():
    settings = AccountingSettings()
    return settings.result({task: task.run() for task in settings.tasks() if task.essential})


@pytest.mark.parametrize(("name", "value"), BAD, ids=[f"{name}={value!r}" for name, value in BAD])
def test_a_bad_value_is_refused_by_its_name(name, value):
    with pytest.raises(check.RefusedError) as caught:
        AccountingSettings(**{name: value})
    assert str(caught.value).startswith(f"{name} is {value!r}, but must be ")


@pytest.mark.parametrize("name", AccountingSettings.LIMITS)
def test_the_ends_of_each_range_can_be_shown(name):
    for value in AccountingSettings.LIMITS[name]:
        settings = AccountingSettings(**{name: value})
        found = settings.result({task: task.run() for task in settings.tasks() if task.essential})
        assert say.verdict(found)
        assert say.diagnostics(found)
        assert found.held.epsilon >= 0


def test_the_example_of_the_literature(example):
    expected = {"strong": 26.3904, PUBLISHED: 9.3391, "moments": 1.2586, "renyi": 1.0355, "pld": 0.9469}
    for row, epsilon in expected.items():
        assert example.epsilon(row) == pytest.approx(epsilon, rel=2e-4)
    for number in ("26.4", "1.26"):
        assert f"<b>{number}</b>" in say.verdict(example)
    exact, loosest, left, attacker = say.numbers(example)
    assert (exact.value, exact.amount) == ("0.947", 0.947)
    assert (loosest.value, loosest.note) == ("313", "basic composition")
    assert (left.label, left.value) == ("Remaining budget", "0.053")
    assert attacker.amount == 56
    assert "9.34" in " ".join(say.effects(example))
    assert not example.table().set_index("accountant").loc[PUBLISHED, "a bound"]
    assert PUBLISHED not in THEOREMS


def test_the_essential_pieces_are_enough(partial):
    assert math.isnan(partial.epsilon("pld"))
    assert partial.held.basis.startswith("Renyi")
    assert "…" in say.numbers(partial)[0].value
    assert "0 of 9 points computed by the PLD accountant" in say.FINDINGS["steps"](partial)
    assert say.effects(partial)
    assert say.guarantee(partial)
    assert say.neighbours(partial)
    assert set(partial.curves()["accountant"]) >= {"strong", "moments"}
    assert partial.over_steps("pld")[0].size == 0


def test_the_pieces_are_not_done_twice():
    for settings in (AccountingSettings(), AccountingSettings(settings_tried=1), AccountingSettings(sampling_rate=1.0)):
        assert len(set(settings.tasks())) == len(settings.tasks())
        assert settings.tasks()[0].essential


@pytest.mark.parametrize("which", ["example", "partial"])
def test_plotly_accepts_every_figure(which, request):
    result = request.getfixturevalue(which)
    for draw in (
        figures.over_steps,
        figures.over_noise,
        figures.effects,
        figures.searches,
        figures.constants,
        figures.moments,
    ):
        figure = draw(result)
        assert len(go.Figure(figure).data) == len(figure["data"])


@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.parametrize("changes", [{}, {"sampling_rate": 1.0, "steps": 200, "noise_multiplier": 40.0}])
def test_the_inverse_is_safe_and_tight(theorem, changes):
    settings = AccountingSettings(**changes)
    found = settings.run()
    name = settings.exact_accountant if theorem == "pld" else theorem

    def cost(noise, steps):
        event = Composed(event=step(settings.sampling_rate, noise), count=steps)
        return account(event, delta=settings.delta, adjacency=ADD_REMOVE, accountant=name).epsilon

    noise, steps = found.least_noise(theorem), int(found.most_steps(theorem))
    assert cost(noise, settings.steps) <= settings.target_epsilon
    assert cost(noise * 0.998, settings.steps) > settings.target_epsilon
    assert steps == 0 or cost(settings.noise_multiplier, steps) <= settings.target_epsilon
    assert cost(settings.noise_multiplier, steps + 1) > settings.target_epsilon


def test_todays_steps_are_what_todays_epsilon_allows():
    settings = AccountingSettings()
    event = step(settings.sampling_rate, settings.noise_multiplier)
    spent = settings.run().epsilon("renyi")
    promise = {"delta": settings.delta, "adjacency": ADD_REMOVE, "accountant": "renyi"}
    assert most_steps(event, epsilon=spent * (1 + 1e-12), **promise) == settings.steps


def test_a_group_pays_for_each_of_its_people(example):
    held, group = example.guarantee("pld"), example.effects()["group"]
    assert group.epsilon == pytest.approx(3 * held.epsilon)
    assert group.delta == pytest.approx(1e-5 * sum(math.exp(i * held.epsilon) for i in range(3)))


def test_tuning_is_one_long_run(example):
    run = AccountingSettings(steps=100_000)
    own = {task: task.run() for task in run.tasks() if task.essential or task in run.work["today"]}
    assert example.tuned.epsilon == pytest.approx(float(run.result(own).found["today"][0]), rel=1e-12)
    alone = AccountingSettings(settings_tried=1).run()
    assert alone.tuned == alone.guarantee("pld")
    assert AccountingSettings(steps=100_000).tuning_accountant == "renyi"


@pytest.mark.parametrize("changes", [{}, {"sampling_rate": 1.0, "steps": 200, "noise_multiplier": 40.0}])
def test_a_search_has_its_price_by_what_is_released(changes):
    settings = AccountingSettings(**changes)
    found = settings.run()
    searches = found.searches
    assert searches["public"] == found.guarantee("pld")
    assert searches["all"] == found.tuned
    for law in ("logarithmic", "geometric", "poisson"):
        promise = {"tries": 10, "delta": settings.delta, "adjacency": ADD_REMOVE}
        event = Composed(event=step(settings.sampling_rate, settings.noise_multiplier), count=settings.steps)
        assert searches[law] == tuning.price(event, way=law, **promise)
        assert found.epsilon("pld") < searches[law].epsilon < searches["all"].epsilon
    chances = found.searches_table().set_index("released")["chance of the best tenth"]
    assert chances[["all", "public", "poisson", "geometric", "logarithmic"]].round(3).tolist() == [
        *(0.651, 0.651, 0.632, 0.526, 0.423)
    ]


def test_the_curves_of_searches_go_through_what_is_tried(example, partial):
    for way in figures.WAYS:
        chances, epsilon = example.over_chance(way)
        assert (np.diff(epsilon) > 0).all()
        assert (np.diff(chances) > 0).all()
        at = np.interp(example.chance(way), chances, epsilon)
        assert at == pytest.approx(example.searches[way].epsilon, rel=0.02)
        assert partial.over_chance(way)[0].size == 0
    ends = example.over_chance("all")[1][[0, -1]]
    assert ends == pytest.approx([example.epsilon("pld"), example.tuned.epsilon], rel=1e-9)
    assert len(figures.searches(partial)["layout"]["shapes"]) == 1 + 3  # one run, and the laws, which wait for nothing


def test_one_setting_is_no_search():
    alone = AccountingSettings(settings_tried=1).run()
    assert "lab-table" not in words_searches.searches(alone)
    assert len(figures.searches(alone)["layout"]["shapes"]) == 1


def test_what_is_done_afterwards_costs_nothing(example):
    for afterwards in AFTERWARDS:
        settings = AccountingSettings(afterwards=afterwards)
        assert settings.tasks() == example.settings.tasks()
        assert say.AFTERWARDS[afterwards]


def test_neighbours_are_counted_apart(example):
    own, two = example.replaced, example.replaced_in_two
    assert own.adjacency is two.adjacency is Adjacency.REPLACE_ONE
    assert example.held.epsilon < own.epsilon
    assert two.epsilon == pytest.approx(2 * example.held.epsilon)
    assert two.delta == pytest.approx(1e-5 * (1 + math.exp(example.held.epsilon)))


def test_without_sampling_the_exact_row_is_gaussian():
    found = AccountingSettings(sampling_rate=1.0, noise_multiplier=40.0, steps=100).run()
    assert found.epsilon("pld") == found.unsampled
    assert found.guarantee("pld").basis.startswith("exact Gaussian")


def test_no_line_without_a_name_but_the_thin_one(example):
    """And the published figure, which is no bound, is not in the first picture."""
    for draw, rows in ((figures.over_steps, figures.FIRST), (figures.over_noise, ROWS)):
        lines = draw(example)["data"]
        assert len(lines) == len(rows)
        assert PUBLISHED not in rows or draw is figures.over_noise
        unnamed = [one["name"] for one in lines if not one.get("showlegend", True)]
        assert [name.partition("  ")[0] for name in unnamed] == (["RDP accountant"] if rows is figures.FIRST else [])


def test_curves_fall_in_the_order_of_the_proofs(example):
    _, exact = example.over_steps("pld")
    assert np.all(np.diff(exact) > 0)
    assert np.all(np.diff(example.over_noise("renyi")[1]) < 0)
    for theorem in THEOREMS[:-1]:
        assert example.epsilon(theorem) > example.epsilon("pld")


class TestPage:
    PAGE = "accounting"

    def open(self, **link: str) -> AppTest:
        app = opened(self.PAGE, **link)
        assert not app.exception
        return app

    def settings(self, app: AppTest) -> AccountingSettings:
        return app.session_state["accounting.desk"].settings

    def move(self, app: AppTest, name: str, value: float) -> AppTest:
        seq = app.session_state["accounting.desk"].ack + 1
        app.session_state["accounting.knobs"] = {
            "movement": {"name": name, "value": value, "seq": seq, "final": True, "tick": False}
        }
        return app.run()

    def test_a_link_is_the_experiment(self):
        first = self.move(self.open(), "noise_multiplier", 2.0)
        self.move(first, "steps", 500.0)
        address = {name: value[0] if isinstance(value, list) else value for name, value in first.query_params.items()}
        second = self.open(**address)
        assert self.settings(second) == self.settings(first) == AccountingSettings(noise_multiplier=2.0, steps=500)

    def test_there_is_no_new_noise_where_nothing_is_drawn(self):
        labels = [button.label for button in self.open().button]
        assert {"Undo", "Reset"} <= set(labels)
        assert "Resample" not in labels

    def test_a_refused_entry_changes_nothing(self):
        app = self.move(self.open(), "noise_multiplier", 1e9)
        assert not app.exception
        assert self.settings(app) == AccountingSettings()
        sentence = app.session_state["accounting.desk"].errors["noise_multiplier"]
        assert sentence.startswith("Noise multiplier cannot be")

    def test_the_first_picture_has_the_quick_theorems(self):
        words = text(self.open())
        assert "26.4" in words
        assert "1.26" in words

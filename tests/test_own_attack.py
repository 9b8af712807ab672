"""The attacker with rows of the user's own: who is attacked, what of the file decides it, and what is drawn."""

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from scipy import stats

from dpcore import check
from dpcore.accountants import gdp
from dpcore.data.paid_bounds import Payment
from dpcore.training import descent, losses
from lab.files import own_rows
from lab.files.file_handles import NONE
from pages.attack import figures, two_worlds
from pages.attack import words as say
from pages.attack import words_parts as tell
from pages.attack.exposure import gradient_moves, people_moves
from pages.attack.inputs import MOST_LIVE
from pages.attack.membership import MODELS
from pages.attack.page import PAGE
from pages.attack.two_worlds import Model, Training, exposed
from pages.attack.two_worlds_result import attacked
from tests import reached
from tests.app import at_rest, opened
from tests.sentences import NEVER, broken_by, plain
from tests.test_my_data import CUSTOMERS, draft, said, trained, used, whole
from tests.test_own_rows import HELD, ROLES, customers, own_of, table_of
from ui import takeaway
from ui.share import paper

AttackSettings = PAGE.settings
QUICK = {"steps": 3, "repeats": 100}
LINK = {name: str(value) for name, value in QUICK.items()}
BY_PERSON = replace(ROLES, person="customer_id")


@pytest.fixture(autouse=True, scope="module")
def _hold():
    yield
    HELD.clear()


@pytest.fixture(scope="module")
def own():
    return own_rows.choose(table_of(customers()), ROLES)


def several(rows: int = 1000, *, people: int = 400) -> pd.DataFrame:
    return customers(rows).assign(customer_id=[f"C{number % people}" for number in range(rows)])


@pytest.fixture(scope="module")
def own_people():
    return own_rows.choose(table_of(several()), BY_PERSON)


def settings_of(own: str, part: str = "worlds", **changes):
    given = AttackSettings(**QUICK if part == "worlds" else {}).change(part=part)
    return given.change(dataset="own").change(own=own).change(**changes)


def run_of(settings):
    """The result without the curve over epsilon."""
    return settings.result({task: task.run() for task in settings.tasks() if task.work is not attacked})


def risks_of(settings):
    return exposed(Training.of(settings), nobody=settings.against == "nobody").run()


def same(one, other) -> None:
    """To the last bit: the trainings of two worlds, or of members, and how they were attacked."""
    if one.settings.part == "worlds":
        np.testing.assert_array_equal(one.trained.weights, other.trained.weights)
        for name in ("noiseless", "risks"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(one.attack.scores, other.attack.scores)
        assert (one.risk, one.settings.guarantees) == (other.risk, other.settings.guarantees)
        return
    for arm, shadows in one.shadows.items():
        for here, there in zip(shadows, other.shadows[arm], strict=True):
            np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize("part", ["worlds", "membership"])
def test_what_lies_outside_of_the_bounds_or_is_left_out_changes_nothing(own, part):
    frame = customers()
    frame["tenure"] = frame["tenure"].where(frame["tenure"] < 20, 1e6)
    frame["plan"] = frame["plan"].replace("family", "whatever")
    frame["customer_id"] = "the same"
    frame.insert(0, "secret", np.arange(len(frame)))
    same(*(run_of(settings_of(one, part)) for one in (own, own_rows.choose(table_of(frame), ROLES))))


@pytest.mark.parametrize(
    ("name", "part", "changes"),
    [
        ("digits", "worlds", {"who": "row", "person": 7}),
        ("breast_cancer", "worlds", {"who": "row", "person": 7, "sees": "steps"}),
        ("digits", "membership", {}),
        ("breast_cancer", "membership", {"members": 100}),
    ],
    ids=str,
)
def test_a_file_written_from_a_built_in_set_gives_its_numbers(name, part, changes):
    """The same rows in the same parts: bit for bit."""
    built = AttackSettings().change(part=part).change(dataset=name).change(**QUICK).change(**changes)
    theirs = settings_of(own_of(name, built.seed), part, **QUICK).change(**changes)
    assert (theirs.rows, theirs.repeats, theirs.limits) == (built.rows, built.repeats, built.limits | {"label": (0, 1)})
    same(run_of(theirs), run_of(built))


@pytest.mark.parametrize("part", ["worlds", "membership"])
def test_a_row_without_an_answer_adds_nothing_and_stays(part):
    frame, other = customers(), customers()
    frame.loc[::3, "churned"] = ""
    other.loc[::3, "churned"] = "perhaps"
    other.loc[::3, ["age", "tenure", "calls"]] = [77, 3, 9]
    tables = [own_rows.choose(table_of(one), ROLES) for one in (frame, other)]
    answered = int(np.flatnonzero(settings_of(tables[0]).neighbours.worlds()[0].X.any(axis=1))[0])
    nobody = {"against": "nobody", "who": "row", "person": answered}
    one, another = (run_of(settings_of(own, part, **nobody)) for own in tables)
    same(one, another)
    assert one.settings.rows == 800
    if part == "worlds":
        assert (one.risks == 0).sum() == pytest.approx(800 / 3, abs=40)
    else:
        assert one.pairs("private") < MODELS * 2 * one.settings.members
        assert 0.5 < one.right("plain")[0] < 1


class TestWorlds:
    @pytest.mark.parametrize("against", ["label", "nobody"])
    def test_they_differ_in_the_row_that_is_meant(self, own, against):
        with_them, without = settings_of(own, who="row", person=7, against=against).neighbours.worlds()
        other = (with_them.X != without.X).any(axis=1) | (with_them.y != without.y)
        assert np.flatnonzero(other).tolist() == [7]
        assert without.X[7].any() == (against == "label")

    @pytest.mark.parametrize("against", ["label", "nobody"])
    def test_they_differ_in_all_rows_of_a_person(self, own_people, against):
        with_them, without = settings_of(own_people, who="row", person=7, against=against).neighbours.worlds()
        other = (with_them.X != without.X).any(axis=1) | (with_them.y != without.y)
        assert with_them.people.max() + 1 == 320
        assert np.flatnonzero(other).tolist() == np.flatnonzero(with_them.people == 7).tolist()
        assert other.sum() > 1

    @pytest.mark.parametrize("which", ["own", "own_people"])
    def test_who_is_exposed_is_found_by_how_far_they_move_a_step(self, which, request):
        """The mean gradients of both worlds, whoever is meant, lie as far apart as the risk says."""
        settings = settings_of(request.getfixturevalue(which), steps=1, clip_norm=0.6)
        risks = risks_of(settings)
        for number in (0, 7, 100):
            chosen = settings.change(person=number)
            # One step from zero: the risk is the mean of two squares, at the start and at the end.
            worlds = chosen.neighbours.worlds()
            clean = two_worlds.train(Model.of(settings), worlds[0], sd=0.0, draws=[0]).weights
            squares = []
            for weights in (np.zeros_like(clean), clean):
                means = [
                    descent.mean_gradient(
                        world.X, world.y, people=world.people, models=1, k=1, clip_norm=np.array([0.6])
                    )(weights.transpose(1, 0, 2).astype(float))
                    for world in worlds
                ]
                squares.append(np.square(settings.rows * (means[0] - means[1]) / 2 / 0.6).sum())
            assert risks[number] == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-4)
        assert risks.max() <= 1 + 1e-9
        assert risks_of(settings.change(against="nobody")).max() <= 0.5 + 1e-9
        places = {who: settings.change(who=who).neighbours.place() for who in ("exposed", "middle")}
        assert risks[places["exposed"]] == risks.max()
        assert (risks > risks[places["middle"]]).mean() == pytest.approx(0.5, abs=0.01)

    def test_people_of_one_row_move_as_far_as_rows(self, own):
        settings = settings_of(own)
        X, y, _ = settings.neighbours.worlds()[0]
        weights = np.random.default_rng(0).normal(size=(3, 1, X.shape[1]))
        about = Model.of(settings), weights, X, y, 1 - y
        np.testing.assert_allclose(people_moves(*about, np.arange(len(y))), gradient_moves(*about), atol=1e-12)

    @pytest.mark.parametrize("which", ["own", "own_people"])
    @pytest.mark.parametrize("against", ["label", "nobody"])
    def test_the_attack_stays_below_the_bound_and_its_score_is_a_likelihood_ratio(self, which, against, request):
        """E[e^-s] = 1 with the person and E[e^s] = 1 without."""
        own = request.getfixturevalue(which)
        settings = settings_of(own, sees="steps", against=against, repeats=2000, epsilon=3.0)
        result = run_of(settings)
        assert result.trainings == 2000
        with_them, without = result.trained.scores
        assert np.exp(-with_them).mean() == pytest.approx(1, abs=0.1)
        assert np.exp(without).mean() == pytest.approx(1, abs=0.1)
        assert result.ceiling == pytest.approx(stats.norm.cdf(gdp.mu_of(3.0, delta=1e-5) / 2))
        assert result.attack.low <= result.ceiling
        assert result.attack.low > 0.5
        assert not result.caught
        assert result.settings.claim.unit == result.settings.guarantees.formula.unit == settings.unit

    def test_who_adds_nothing_in_both_worlds_is_not_told_apart(self):
        frame = customers()
        frame.loc[::2, "churned"] = ""
        settings = settings_of(own_rows.choose(table_of(frame), ROLES), against="nobody")
        silent = int(np.flatnonzero(~settings.neighbours.worlds()[0].X.any(axis=1))[0])
        result = run_of(settings.change(person=silent))
        assert (result.risk, result.attack.accuracy) == (0, 0.5)
        moved = settings.change(against="label").change(person=silent).neighbours.worlds()[1]
        assert (moved.X[silent].any(), moved.y[silent]) == (True, 0)


class TestSettings:
    def test_only_what_is_sound_and_nobody_who_is_public_or_made_up(self, own):
        settings = settings_of(own)
        assert (settings.version, settings.who, settings.against, settings.rows) == ("sound", "exposed", "label", 800)
        for change in ({"version": "published"}, {"against": "public"}, {"who": "outlier"}, {"person": 800}):
            with pytest.raises(check.RefusedError):
                settings.change(**change)
        before = AttackSettings(version="none", against="public", who="row", person=399)
        assert before.change(dataset="own").change(own=own).who == "row"
        back = settings.change(dataset="iris")
        assert (back.own, back.who, back.version) == (NONE, "outlier", "sound")
        assert settings.change(person=5).who == "row"

    def test_a_part_of_a_large_file_is_attacked(self):
        frame = customers(6000)
        settings = settings_of(own_rows.choose(table_of(frame), ROLES))
        assert (settings.rows, settings.limits["person"]) == (MOST_LIVE, (0, MOST_LIVE - 1))
        worlds = settings.neighbours.worlds()
        assert [len(world.X) for world in worlds] == [MOST_LIVE] * 2
        assert plain(say.caption(run_of(settings))) == (
            "Trained on your file, 2,000 of 4,800 rows, picked at random. With all, the noise would weigh 2.4 times "
            "less. No row is drawn. For the analyst only."
        )

    def test_a_row_a_person_begins_with_2000_trainings(self, own, own_people):
        fresh = AttackSettings().change(dataset="own")
        assert (fresh.repeats, fresh.change(own=own).repeats, fresh.change(own=own_people).repeats) == (2000, 2000, 500)
        slow = AttackSettings().change(dataset="digits")
        assert slow.change(dataset="own").change(own=own).repeats == 2000

    @pytest.mark.parametrize("part", ["once", "pays", "inversion"])
    def test_what_fits_no_file_is_refused_with_its_reason(self, own, part):
        settings = AttackSettings().change(part=part).change(dataset="own").change(own=own)
        with pytest.raises(check.RefusedError, match="part"):
            settings.tasks()
        (why,) = opened("attack", part=part, dataset="own").info
        assert "One person and Membership can. Audit needs no file." in why.value
        assert run_of(settings.change(part="worlds").change(**QUICK)).trainings == 100

    def test_who_the_file_chooses_is_in_no_link(self, own):
        result = run_of(settings_of(own))
        place = result.settings.neighbours.place()
        assert (place > 0, result.settings.person) == (True, 0)
        assert result.risk == result.risks[place] == result.risks.max()

    def test_nothing_is_left_of_a_file_that_is_gone(self):
        held = table_of(customers(300))
        settings = settings_of(own_rows.choose(held, ROLES))
        model = Model.of(settings)
        held.clear()
        with pytest.raises(check.RefusedError, match="gone"):
            two_worlds.retrained(model, (1.0,), range(2))


def test_no_map_and_no_row_is_drawn(own):
    for part, names in (
        ("worlds", ["accuracy", "scores", "exposure"]),
        ("membership", ["roc", "margins.private", "margins.plain"]),
    ):
        result = run_of(settings_of(own, part))
        view = PAGE.at(result.settings).view(result)
        pictures = [picture for rows in view.boards.values() for row in rows for picture in row]
        assert [picture.name for picture in pictures] == names
        assert not any(picture.clicks for picture in pictures)
        for picture in pictures:
            go.Figure(picture.figure)


def said_of(result) -> str:
    view = PAGE.at(result.settings).view(result)
    found = [*view.words.values(), *(f"{one.label}: {one.value} {one.note}." for one in view.numbers)]
    found += [picture.alt for rows in view.boards.values() for row in rows for picture in row]
    return plain(" ".join(found))


@pytest.mark.parametrize("part", ["worlds", "membership"])
def test_what_is_said_of_rows_of_ones_own(own, own_people, part):
    off = tuple(replace(column, read_off=True) for column in ROLES.columns[:1]) + ROLES.columns[1:]
    void = own_rows.choose(own.table, replace(ROLES, columns=off))
    rows, people, void = (run_of(settings_of(one, part)) for one in (own, own_people, void))
    found = [said_of(result) for result in (rows, people, void)]
    for result, text in zip((rows, people, void), found, strict=True):
        assert broken_by(text, result, NEVER) == set()
    assert "No row is drawn" in found[0]
    assert "The unit of privacy is one row" in found[0]
    assert "The unit of privacy is one person, all of their rows" in found[1]
    assert "Attacker's accuracy, at most" in found[0]
    assert "ound of this noise" in found[0]
    for claim in (
        "Attacker's accuracy, at most",
        "ound of this noise",
        "counted by",
        "guarantee is calibrated",
        "No attack then",
    ):
        assert claim not in found[2], claim
    assert "no limit" in found[2]
    assert "The guarantee is void, because bounds were read off private rows" in found[2]
    assert found[2].count("At epsilon 4, nothing is guaranteed") == 2  # in the verdict, and over the table


def test_the_exposure_is_of_percentiles_and_of_the_person(own):
    result = run_of(settings_of(own, who="middle"))
    figure = figures.exposure(result)
    assert len(figure["data"]) == 1
    assert result.risk == pytest.approx(result.usual_risk, rel=0.02)


class TestPage:
    def test_from_ones_own_rows_to_an_attack(self):
        app = whole()
        assert not app.button(key="data.attack").disabled
        app = at_rest(trained(app, "attack", **LINK), "attack")
        assert not app.exception
        found = said(app)
        assert "2,000 of 2,400 rows, picked at random" in found
        assert "the most exposed person" in found
        app.selectbox(key="attack.who").set_value("row").run()
        settings = app.session_state["attack.desk"].settings
        assert (settings.who, settings.person) == ("row", 0)
        assert "The two data sets differ in the row of the person with number 0" in said(app)
        codes = set(pd.read_csv(CUSTOMERS)["customer_id"].head(50))
        assert not [code for code in codes if code in found]

    def test_bounds_read_off_the_rows_are_void_everywhere(self):
        app = used(whole(), monthly_spend="number")
        app.button(key="data.read_off.monthly_spend").click().run()
        spend = pd.read_csv(CUSTOMERS)["monthly_spend"]
        for part in ("worlds", "membership"):
            app = at_rest(trained(app, "attack", part=part, **LINK), "attack")
            found = said(app)
            assert [error.value for error in app.error if "Guarantee void" in error.value]
            assert "no limit" in found
            assert "The guarantee is void" in found
            assert f"{spend.max():g}" not in found
            desk = app.session_state["attack.desk"]
            assert "VOID" in takeaway.table(pd.DataFrame({"a": [1]}), title="t", settings=desk.settings, link="l")
            assert "# VOID" in takeaway.script(desk.settings)
            assert "VOID" in paper(PAGE, desk)["lines"][0]
        app = trained(app, "attack", part="audit", **LINK)
        assert not [error for error in app.error if "void" in error.value]
        assert app.session_state["attack.desk"].settings.void == ""

    def test_bounds_that_were_paid_for_are_refused(self):
        app = whole()
        draft(app).payments = (Payment(epsilon=0.1),)
        assert "this page cannot count what they cost" in said(trained(app.run(), "attack", **LINK))

    def test_a_link_elsewhere_asks_for_the_file_and_an_audit_needs_none(self):
        own = str(trained(whole(), "attack", **LINK).session_state["attack.desk"].settings.own)
        stranger = opened("attack", dataset="own", own=own, person="300", epsilon="2", **LINK)
        assert not stranger.exception
        assert "This link's file is not here" in said(stranger)
        settings = stranger.session_state["attack.desk"].settings
        assert (settings.epsilon, settings.person) == (2, 300)
        audit = opened("attack", dataset="own", own=own, part="audit")
        assert not audit.exception
        assert "This link's file" not in said(audit)
        assert "not ready" not in said(audit)

    def test_people_with_rows_of_their_own_are_attacked_as_people(self):
        app = at_rest(trained(used(whole(), customer_id="person"), "attack", **LINK), "attack")
        assert app.session_state["attack.desk"].settings.unit == "person"
        assert "all rows of the most exposed person" in said(app)


def test_a_row_of_zeros_has_no_gradient():
    X = losses.with_constant(np.ones((2, 2)))
    settings = AttackSettings()
    moved = gradient_moves(settings, np.zeros((1, 1, 3)), X, np.array([-1, 0]), np.array([-1, -1]))
    assert moved[0, 0] == 0
    assert moved[0, 1] == pytest.approx(settings.clip_norm)


def test_every_text_about_a_file_is_reached(own, own_people):
    for file in (own, own_people):
        for change in ({"against": "nobody"}, {"who": "middle", "against": "label"}, {"person": 5}):
            result = run_of(settings_of(file, **change))
            say.caption(result), say.guarantee(result)
        tell.membership_caption(run_of(settings_of(file, part="membership")))
    opened("attack", part="once", dataset="own")
    assert reached.unread(say.OWN) == []

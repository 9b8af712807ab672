"""What bounds read off the rows, or paid for, do to each page of a file: what it says, and what it counts."""

import math
import re
import zipfile
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from dp_accounting import NeighboringRelation, dp_event
from dp_accounting.pld import PLDAccountant

from dpcore import check
from dpcore.accountants.attacker import best_attacker
from dpcore.data.paid_bounds import Payment
from dpcore.mechanisms import NormExponential
from dpcore.privacy import Adjacency, Guarantee, NormExponentialRelease, PureRelease, Sequence, releases
from lab.files import own_rows
from lab.sources import SourceSettings
from pages.classifier.experiment import ClassifierSettings
from pages.network.experiment import NetworkSettings
from pages.network.work import FRAMES
from pages.parties.experiment import PartiesSettings
from pages.table import PAGES as ALL
from tests import test_own_parties, test_own_sources
from tests.handouts import handout
from tests.sentences import plain
from tests.test_own_rows import ROLES, customers, table_of
from ui import share
from ui.controls import Desk

PAGES = {page.name: page for page in ALL}
# The pages that learn from a file, and count what was paid.
COUNTING = ("classifier", "network", "regression", "transfer", "parties")


def of_page(page: str, *payments: float, off: bool = False, **changes):
    """Settings of a page about a file whose bounds were paid for, or those of a column read ``off`` its rows."""
    person = "ward" if page == "parties" else ""
    payments = tuple(Payment(epsilon=epsilon, person=person) for epsilon in payments)

    def said(roles):
        columns = tuple(replace(one, read_off=True) if off and one.kind == "number" else one for one in roles.columns)
        return replace(roles, payments=payments, columns=columns)

    if page == "parties":
        own = test_own_parties.own_of(test_own_parties.patients(), said(test_own_parties.ROLES))
        small = {"public_rows": 50, "queries": 20, "repeats": 3, "parties": own.private}
    elif page in ("regression", "transfer"):
        own, small = test_own_sources.choose(test_own_sources.salaries(), said(test_own_sources.ROLES)), {"repeats": 3}
    else:
        own, small = own_rows.choose(table_of(customers()), said(ROLES)), {"repeats": 100 if page == "attack" else 2}
        small |= {"epochs": 2, "width": 4, "layers": 1} if page == "network" else {}
    return PAGES[page].settings().change(dataset="own").change(own=own).change(**small | changes)


def drawn(settings) -> np.ndarray:
    """What the page's noise is in."""
    if isinstance(settings, NetworkSettings):
        model = settings.models["private"]
        return model.weights_at(FRAMES, model.groups(settings.repeats)[0])
    found = settings.probe().run()
    names = (name for name in ("weights", "risk") if hasattr(found, name))
    return getattr(found, next(names), found)


def shown(page: str, settings):
    """(the page, its result, what it says and shows)."""
    of, result = PAGES[page].at(settings), settings.run()
    return of, result, of.view(result)


def taken(of, result) -> dict[str, str]:
    """All that can be taken away: a file's name, or the name of one in the zip, -> its text."""
    found = {}
    for file, _, _, made in share._files(handout(of, result)).values():
        content = made() if callable(made) else made
        if file.endswith(".zip"):
            with zipfile.ZipFile(BytesIO(content)) as packed:
                names = [name for name in packed.namelist() if name.count("/") == 1 or "/tables/" in name]
                found |= {f"zip: {name.partition('/')[2]}": packed.read(name).decode() for name in names}
        else:
            found[file] = content
    return found


VOID = re.compile(r"void\W.{0,40}?bounds were read off", re.IGNORECASE | re.DOTALL)
# What a zip has whatever is said of the rows.
ASIDE = {"zip: settings.json", "zip: requirements.txt", "zip: LICENSE", "zip: label.schema.json"}


@pytest.mark.parametrize("page", COUNTING)
def test_bounds_read_off_the_rows_are_void_in_all_that_is_said_and_taken_away(page):
    settings = of_page(page, off=True, epsilon=1.0)
    of, result, view = shown(page, settings)
    assert (settings.void, settings.promise) == ("bounds were read off private rows", None)
    (attacker,) = [one for one in view.numbers if one.label == "Attacker's accuracy"]
    assert (attacker.value, attacker.note, attacker.tone) == ("no limit", settings.void, "void")
    assert "The guarantee is void" in plain(view.words["verdict"])
    assert plain(view.words["guarantee"]).strip().startswith(f"The guarantee is void, because {settings.void}.")
    assert "coin toss: 50" not in plain("".join(view.words.values()))
    files = taken(of, result)
    assert len(files) > len(ASIDE) + 4
    assert {name for name, text in files.items() if not VOID.search(text)} == ASIDE
    assert "VOID: bounds were read off" in share.paper(of, Desk(page, settings))["lines"][0]
    if of.asked:
        question = of.asked.about(settings, "")
        assert question.void == settings.void
        assert "The guarantee is void" in plain(of.asked.view(question.run()).words["answer"])


@pytest.mark.parametrize("page", COUNTING)
def test_public_bounds_are_void_nowhere(page):
    of, result, view = shown(page, of_page(page, epsilon=1.0))
    assert "oid" not in plain("".join(view.words.values())).replace("avoid", "")
    assert [name for name, text in taken(of, result).items() if "VOID" in text] == []
    assert "paid for bounds" not in view.words["guarantee"]


@pytest.mark.parametrize("page", COUNTING)
class TestEachPage:
    def test_training_is_that_within_what_is_left(self, page):
        """To the last bit: the same rows, and the noise of the smaller epsilon."""
        paid = of_page(page, 0.1, 0.2, epsilon=1.0)
        alike = of_page(page, epsilon=1.0 - paid.spent)
        mine, theirs, full = (drawn(one) for one in (paid, alike, of_page(page, epsilon=1.0)))
        np.testing.assert_array_equal(mine, theirs)
        assert (mine != full).any()

    def test_the_whole_is_promised_and_says_what_was_paid(self, page):
        settings = of_page(page, 0.1, 0.2, epsilon=1.0)
        held = settings.promise
        assert settings.void == ""
        assert 0.99 < held.epsilon <= 1.0 + 1e-9
        pure = [one for one in held.event.events if one in (PureRelease(epsilon=0.1), PureRelease(epsilon=0.2))]
        assert len(pure) == 2
        assert held.basis.endswith("basic composition with 2 pure before it")
        of, result, view = shown(page, settings)
        assert (
            "<b>0.3</b> paid for bounds (2 releases with Laplace noise, used or not). Training has the other 0.7"
            in (view.words["guarantee"])
        )
        assert "oid" not in plain(view.words["guarantee"] + view.words["verdict"])
        assert [name for name, text in taken(of, result).items() if "VOID" in text] == []

    def test_what_is_left_has_a_lower_end_and_a_curve(self, page):
        settings = of_page(page, 0.6)
        least, _ = settings.limits["epsilon"]
        assert settings.epsilon >= least >= 0.66
        with pytest.raises(check.RefusedError, match="^epsilon is "):
            settings.change(epsilon=0.6)
        assert set(settings.epsilons) == {epsilon for epsilon in settings.CURVE if epsilon >= least}
        again = settings.change(epsilon=5.0).change(dataset=type(settings)().dataset)
        assert again.limits["epsilon"] == again.LIMITS["epsilon"]

    def test_who_does_not_count_what_was_paid_promises_nothing(self, page, monkeypatch):
        monkeypatch.setattr(SourceSettings, "COUNTS_PAYMENTS", False)
        settings = of_page(page, 0.1)
        assert settings.void == "bounds were paid for, which is not counted here"
        assert settings.promise is None


def of_a_library(settings, event, relation) -> float:
    """Epsilon of Laplace noise for each payment, and of a training's event: composed by dp-accounting."""
    other = PLDAccountant(relation, value_discretization_interval=1e-4)
    for one in settings.paid:
        other.compose(dp_event.LaplaceDpEvent(1 / one.epsilon))
    other.compose(event)
    return other.get_epsilon(settings.delta)


def trainings(settings) -> dp_event.DpEvent:
    """What the noise that is drawn does, by the page's own numbers."""
    if isinstance(settings, NetworkSettings):
        step = dp_event.PoissonSampledDpEvent(settings.rate, dp_event.GaussianDpEvent(settings.sigma))
        return dp_event.SelfComposedDpEvent(step, settings.steps)
    if isinstance(settings, ClassifierSettings):
        sd, per_row = settings.model.noise_sd(settings.epsilon), 2 * settings.clip_norm / settings.rows
        return dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(sd / per_row), settings.steps)
    if isinstance(settings, PartiesSettings):  # one vote for another moves a count of votes by sqrt(2)
        multiplier = settings.model.sigma(settings.epsilon) / math.sqrt(2)
        return dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(multiplier), settings.model.queries)
    *_, found = getattr(settings.promise.event, "events", (settings.promise.event,))
    return dp_event.ComposedDpEvent([dp_event.GaussianDpEvent(one.noise_multiplier) for one in releases(found)])


@pytest.mark.parametrize("page", ["classifier", "network", "regression", "parties"])
def test_another_library_counts_no_more_and_refutes_who_forgets_what_was_spent(page):
    changes = {"parties": {"method": "pate"}, "regression": {"mechanism": "gaussian"}}.get(page, {})
    settings = of_page(page, 0.2, 0.3, epsilon=1.0, delta=1e-5, **changes)
    relation = NeighboringRelation.ADD_OR_REMOVE_ONE
    counted = of_a_library(settings, trainings(settings), relation)
    assert 0.6 < counted <= settings.promise.epsilon
    forgetful = of_page(page, epsilon=1.0, delta=1e-5, **changes)
    assert of_a_library(settings, trainings(forgetful), relation) > 1.1


@pytest.mark.parametrize("dimension", [2, 7])
@pytest.mark.parametrize(("epsilon", "pure"), [(1.0, 0.5), (0.3, 1.0), (3.0, 0.1), (2.0, 0.0)])
def test_who_sees_bounds_and_a_party_s_noise_is_as_good_as_the_best_rule(epsilon, pure, dimension):
    rng, p = np.random.default_rng(0), 1 / (1 + math.exp(-pure))
    noise = NormExponential(sensitivity=1, epsilon=epsilon)
    b = np.array([noise.noise(dimension, rng)[0] for _ in range(40_000)])
    here, there = np.linalg.norm(b, axis=1), np.linalg.norm(b - np.eye(dimension)[0], axis=1)
    # The density ratio of the two worlds, seen from each of them, against what the bounds say
    ratio = epsilon * (there - here)
    right = p * (ratio > -pure).mean() + (1 - p) * (ratio > pure).mean()
    bounds = (PureRelease(epsilon=pure),) if pure else ()
    event = Sequence(events=(*bounds, NormExponentialRelease(epsilon=epsilon, dimension=dimension)))
    promise = {"adjacency": Adjacency.REPLACE_ONE, "unit": "party", "basis": "", "event": event}
    found = best_attacker(Guarantee(epsilon=epsilon + pure, delta=0.0, **promise)).right
    assert found == pytest.approx(right, abs=0.012)
    assert found <= 1 / (1 + math.exp(-epsilon - pure)) + 1e-9

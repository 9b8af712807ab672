"""What holds on every page that takes a file of one's own, whatever the page does with its rows."""

import math
import re
import zipfile
from contextlib import suppress
from dataclasses import asdict, replace
from io import BytesIO

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from dp_accounting import NeighboringRelation, dp_event
from dp_accounting.pld import PLDAccountant

from dpcore import check
from dpcore.accountants.attacker import best_attacker
from dpcore.cache import CACHE
from dpcore.mechanisms import NormExponential
from dpcore.privacy import (
    Adjacency,
    Guarantee,
    NormExponentialRelease,
    PureRelease,
    Sequence,
    releases,
)
from lab.experiment.data_settings import SourceSettings
from lab.uploads.handles import NONE, release
from pages.classifier.settings import ClassifierSettings
from pages.network.settings import NetworkSettings
from pages.network.tasks import weights_at
from pages.network.training import FRAMES
from tests.handouts import handout
from tests.own_files import (
    DIGITS,
    KINDS,
    PAGES,
    ROLES,
    frame,
    moved,
    own_of,
    promised,
    said,
    same,
    settings,
    units,
)
from tests.sentences import NEVER, broken_by, plain
from tests.ui.charts.test_topic_charts import numbers as numbers_of
from ui.export import archive, share_dialog
from ui.session.entries import from_link
from ui.session.page_state import PageState

# Ways of each page to learn from a file.
WAYS = [
    ("classifier", {}),
    ("network", {}),
    ("network", {"mechanism": "toeplitz", "lot_size": 64}),
    *(("regression", {"mechanism": name}) for name in ("gaussian", "functional", "adassp")),
]
ways = pytest.mark.parametrize(
    ("kind", "changes"),
    WAYS,
    ids=lambda one: "-".join(map(str, one.values())) if isinstance(one, dict) else one,
)
kinds = pytest.mark.parametrize("kind", KINDS)
# A number that a link may give, far from what a file begins with.
ASKED: dict[str, dict[str, int]] = {}
BY_PERSON = {kind: replace(roles, person="who") for kind, roles in ROLES.items()}
BY_PERSON["regression"] = replace(BY_PERSON["regression"], rows_each=3)


def test_every_page_about_rows_is_tested_with_uploads():
    assert {name for name, page in PAGES.items() if issubclass(page.settings, SourceSettings)} == {
        *KINDS
    }


class TestRows:
    @ways
    def test_cells_beyond_their_bounds_and_unused_columns_change_nothing(self, kind, changes):
        low = frame().assign(secret=1.0)
        low.loc[::7, "hours"], low.loc[::11, "pay"] = 48.0, 80.0
        high = low.assign(secret=range(900), plan=low["plan"].replace("family", "whatever"))
        high.loc[::7, "hours"], high.loc[::11, "pay"] = 4e9, 8e9
        high["town"] = "nowhere"
        high["who"] = "the same"
        one, other, third = (
            settings(kind, file=rows, **changes) for rows in (low, high, frame(seed=1))
        )
        assert same(one, other)
        assert not same(one, third)

    @ways
    def test_a_row_without_an_answer_changes_no_training_but_is_counted(self, kind, changes):
        answer = ROLES[kind].answer
        blank, other = (frame().astype({answer: object}) for _ in range(2))
        blank.loc[::3, answer], other.loc[::3, answer] = "", "perhaps"
        other.loc[::3, ["age", "hours"]] = [77, 3]
        one, two, whole = (settings(kind, file=rows, **changes) for rows in (blank, other, frame()))
        assert same(one, two)
        assert not same(one, whole)
        assert len(units(one)) == len(units(whole))
        assert promised(one) == promised(whole)

    @kinds
    def test_a_replaced_row_changes_one_unit_of_training_and_no_noise(self, kind):
        before, rows = settings(kind), frame()
        places = rows.index[rows["town"] == "Ashford"][[3, 17, 50, 71]]
        others = (
            {"hours": 1e9, "pay": 1e9, "left": "yes"},
            {"pay": None, "left": None},
            {"age": -5, "hours": "x", "plan": "?", "pay": -1e9, "left": "no"},
            {"age": None, "hours": None},
        )
        for place, cells in zip(places, others, strict=True):
            changed = rows.astype(object)
            changed.loc[place, [*cells]] = [*cells.values()]
            after = settings(kind, file=changed)
            assert len(moved(before, after)) <= 1
            assert max(np.abs(one[:, :-1]).max() for one in units(after)) <= 1 + 1e-12
            assert promised(after) == promised(before)

    @kinds
    @pytest.mark.parametrize("times", [0, 12])
    def test_a_replaced_person_changes_one_unit_of_training_and_no_noise(self, kind, times):
        rows = frame(1200, people=300)
        mine = rows["who"] == "P00007"
        theirs = pd.concat([frame(1, seed=seed) for seed in range(times)] or [rows[mine][:1]])
        theirs = theirs.assign(who="P00007", town="Ashford")
        rows = rows.assign(town=rows["town"].mask(mine, "Ashford"))
        others = pd.concat([rows[~mine][:7], theirs, rows[~mine][7:]])
        before, after = (settings(kind, BY_PERSON[kind], file=one) for one in (rows, others))
        assert {promised(one).unit for one in (before, after)} == {"person"}
        assert len(moved(before, after)) <= 1
        assert promised(before) == promised(after)


@pytest.mark.parametrize(
    ("kind", "name", "changes", "quick"),
    [
        *(
            ("classifier", name, {"public_rows": 0}, {"repeats": 4, "steps": 5})
            for name in ("digits", "iris")
        ),
        (
            "network",
            "digits",
            {"clip_norm": 0.5, "learning_rate": 8.0},
            {"epochs": 2, "width": 4, "layers": 1},
        ),
    ],
    ids=str,
)
def test_a_file_written_from_a_built_in_set_gives_its_numbers_bit_for_bit(
    kind, name, changes, quick
):
    start = PAGES[kind].settings()
    built = start.change(dataset=name).change(**changes)
    own = start.change(dataset="own").change(own=own_of(name, built.seed)).change(**changes)
    quick |= {"repeats": 2, "lot_size": built.lot_size} if kind == "network" else {}
    one, other = (each.change(**quick) for each in (own, built))
    assert one.rows == other.rows
    assert same(one, other)
    assert promised(one) == promised(other)


class TestName:
    @kinds
    def test_the_name_of_a_file_alone_reveals_nothing_of_it(self, kind):
        """Whoever has only a link gets its numbers once the file is there, and no trace of it
        elsewhere.
        """
        asked, start = ASKED.get(kind, {"rows": 300}), PAGES[kind].settings()
        whole = settings(kind, **asked)
        link = {name: str(value) for name, value in asdict(whole).items()}
        stranger, notices = from_link(type(whole), link)
        assert (notices, stranger.uses_file, stranger.roles) == ([], True, None)
        assert {name: getattr(stranger, name) for name in asked} == asked
        with pytest.raises(check.RefusedError, match="session"):
            stranger.experiment.tasks()
        assert stranger.change(own=whole.own) == whole
        script = archive.script(whole)
        assert "your-file.csv" in script
        assert ("target=Column" in script) == whole.OF_NUMBERS
        written = (str(link) + script + repr(whole)).replace(str(whole.own), "")
        cells = {
            *frame()["who"],
            *frame()["town"],
            "basic",
            "plus",
            *(column for column in frame() if len(column) > 3),
        }
        assert [
            part
            for part in {*cells, "left", "48"} - {"hours", "plan"}
            if re.search(rf"\b{part}\b", written)
        ] == []
        back = whole.change(dataset=start.dataset)
        assert (back.own, back.uses_file, back.roles, back.void, back.spent_epsilon) == (
            NONE,
            False,
            None,
            "",
            0.0,
        )
        assert start.change(own=str(whole.own)).own == NONE
        with pytest.raises(check.RefusedError, match="own"):
            start.change(dataset="own", own="customers.csv")

    @kinds
    def test_nothing_is_left_of_a_file_that_is_gone(self, kind):
        of = settings(kind)
        tasks, table = of.experiment.tasks(), of.own.table
        CACHE.answer(tasks[0], tasks[0].run)
        release(table)
        assert not table.columns
        assert not CACHE.find(tasks[0])[0]
        for ask in (lambda: of.own.table, lambda: [task.run() for task in tasks]):
            with pytest.raises(check.RefusedError, match="gone"):
                ask()

    @kinds
    @pytest.mark.parametrize("end", [0, 1])
    def test_another_data_set_brings_every_field_into_its_range(self, kind, end):
        """From an end of all ranges, to each data set, and on to a file; settings out of their
        range are refused.
        """
        at_end, own = PAGES[kind].settings(), settings(kind).own
        for name in at_end.limits:
            with suppress(check.RefusedError):  # it does not go with another end
                at_end = at_end.change(**{name: at_end.limits[name][end]})
        for dataset in at_end.choices["dataset"]:
            there = at_end.change(dataset=dataset)
            assert there.dataset == dataset
            here = there.change(dataset="own").change(own=own)
            assert all(
                low <= getattr(here, name) <= high for name, (low, high) in here.limits.items()
            )


@kinds
def test_fields_fixed_by_a_file_have_no_slider_and_no_program_holds_a_file(kind):
    for of in (PAGES[kind].settings(), settings(kind)):
        here = PAGES[kind].at(of)
        sliders = here.slider_layout(of)
        limits = [of.limits[name] for name in (sliders.hero, *sliders.main, *sliders.more)]
        assert [pair for pair in limits if pair[0] == pair[1]] == []
        assert here.exports.code is None or not of.uses_file
        assert len({tab.name for tab in here.content.tabs}) == len(here.content.tabs)


@ways
def test_no_chart_draws_a_row_and_no_text_states_a_cell(kind, changes):
    rows = frame(2000, people=60)
    rows.loc[5, "hours"], rows.loc[7, "pay"] = 31.415926, 27.182818
    of = settings(kind, file=rows, **changes)
    result = of.experiment.run()
    for board in PAGES[kind].at(of).view(result).boards.values():
        for picture in (picture for row in board for picture in row):
            # A point that moves a slider names no row.
            assert not {"point", "position"} & {*(picture.clicks or {})}
            go.Figure(picture.figure)
            axes = [
                trace[axis] for trace in picture.figure["data"] for axis in "xy" if axis in trace
            ]
            assert all(len(numbers_of(axis)) < 1000 for axis in axes), picture.name
    written = said(result) + "".join(taken(kind, result).values())
    assert not re.findall(r"P000\d\d|31\.4159|27\.1828", written)
    assert "Analyst only" in written


def taken(kind: str, result) -> dict[str, str]:
    """All that can be taken away: a file's name, or the name of one in the zip, -> its text."""
    one = handout(PAGES[kind].at(result.settings), result)
    found = {file: made() for file, made in share_dialog.tables(one).values()}
    found["label.html"] = one.label_html()
    with zipfile.ZipFile(BytesIO(share_dialog.bundle(one))) as packed:
        names = [name for name in packed.namelist() if name.count("/") == 1 or "/tables/" in name]
        found |= {f"zip: {name.partition('/')[2]}": packed.read(name).decode() for name in names}
    return found


VOID = re.compile(r"void\W.{0,40}?bounds were read off", re.IGNORECASE | re.DOTALL)
# What a zip has whatever is said of the rows.
ASIDE = {"zip: settings.json", "zip: requirements.txt", "zip: LICENSE", "zip: label.schema.json"}


class TestBounds:
    @kinds
    def test_bounds_read_off_the_rows_are_void_in_all_that_is_said_and_taken_away(self, kind):
        of = settings(kind, off=True, epsilon=1.0)
        page, result = PAGES[kind].at(of), of.experiment.run()
        view = page.view(result)
        assert (of.void, of.guarantee) == ("bounds were read off private rows", None)
        (attacker,) = [one for one in view.tiles if one.label.startswith("Attacker right")]
        assert (attacker.value, attacker.note, attacker.tone) == ("no limit", of.void, "void")
        assert re.search(
            "[Tt]he guarantee is void|nothing is guaranteed", plain(view.texts["verdict"])
        )
        assert f"The guarantee is void, because {of.void}." in plain(view.texts["guarantee"])
        assert "coin toss: 50" not in said(result)
        files = taken(kind, result)
        assert len(files) > len(ASIDE) + 4
        assert {name for name, text in files.items() if not VOID.search(text)} == ASIDE
        assert not [digits for digits in DIGITS for text in files.values() if digits in text]
        state = PageState(kind, of)
        void = share_dialog.why_void_of(state, page, result)
        title, *_ = share_dialog.saved_chart_notes(page, state, void)["lines"]
        assert "VOID: bounds were read off" in title
        if page.question_tab:
            assert page.question_tab.about(of, "") is None

    @kinds
    def test_public_bounds_are_void_nowhere_and_the_unit_is_said(self, kind):
        people = settings(kind, BY_PERSON[kind], file=frame(1200, people=300), epsilon=1.0)
        for of in (settings(kind, epsilon=1.0), people):
            result = of.experiment.run()
            words = said(result)
            assert not re.search(r"\b[Vv]oid|paid for bounds", words)
            assert not [name for name, text in taken(kind, result).items() if "VOID" in text]
            unit = "The unit of privacy is one " + ("person" if of.by_person else "row")
            assert unit in words
            broken_by(words, result, NEVER)

    @kinds
    def test_training_has_what_payments_leave_and_the_whole_is_promised(self, kind):
        """To the last bit: the same rows, and the noise of the smaller epsilon."""
        of = settings(kind, paid=(0.1, 0.2), epsilon=1.0)
        alike = settings(kind, epsilon=1.0 - of.spent_epsilon)
        mine, theirs, full = (drawn(one) for one in (of, alike, settings(kind, epsilon=1.0)))
        np.testing.assert_array_equal(mine, theirs)
        assert (mine != full).any()
        assert of.void == ""
        assert 0.99 < of.guarantee.epsilon <= 1.0 + 1e-9
        assert {PureRelease(epsilon=0.1), PureRelease(epsilon=0.2)} <= {*of.guarantee.event.events}
        result = of.experiment.run()
        assert re.search(r"0\.3 paid for bounds \(2 releases .*has the other 0\.7", said(result))
        assert not re.search(r"\b[Vv]oid", said(result))
        assert not [name for name, text in taken(kind, result).items() if "VOID" in text]
        of = settings(kind, paid=(0.6,))
        least, _ = of.limits["epsilon"]
        assert of.epsilon >= least >= 0.66
        with pytest.raises(check.RefusedError, match="^epsilon is "):
            of.change(epsilon=0.6)
        assert set(of.epsilons) == {epsilon for epsilon in of.CURVE if epsilon >= least}
        again = of.change(epsilon=5.0).change(dataset=type(of)().dataset)
        assert again.limits["epsilon"] == again.LIMITS["epsilon"]

    @kinds
    def test_another_library_counts_no_more_and_refutes_who_forgets_what_was_spent(self, kind):
        changes = {"epsilon": 1.0, "delta": 1e-5}
        of = settings(kind, paid=(0.2, 0.3), **changes)
        assert 0.6 < of_a_library(of, trainings(of)) <= of.guarantee.epsilon
        assert of_a_library(of, trainings(settings(kind, **changes))) > 1.1


def drawn(of) -> np.ndarray:
    """What the page's noise is in."""
    if isinstance(of, NetworkSettings):
        model = of.trainings["private"]
        return weights_at(model, FRAMES, model.groups(of.repeats)[0])
    found = of.experiment.shown_sample()[0].run()
    names = (name for name in ("weights", "risk") if hasattr(found, name))
    return getattr(found, next(names), found)


def of_a_library(of, event) -> float:
    """Epsilon of Laplace noise for each payment, and of a training's event: composed by
    dp-accounting.
    """
    other = PLDAccountant(NeighboringRelation.ADD_OR_REMOVE_ONE, value_discretization_interval=1e-4)
    for one in of.payments:
        other.compose(dp_event.LaplaceDpEvent(1 / one.epsilon))
    return other.compose(event).get_epsilon(of.delta)


def trainings(of) -> dp_event.DpEvent:
    """What the noise that is drawn does, by the page's own numbers."""
    if isinstance(of, NetworkSettings):
        step = dp_event.PoissonSampledDpEvent(
            of.sampling_rate, dp_event.GaussianDpEvent(of.noise_multiplier)
        )
        return dp_event.SelfComposedDpEvent(step, of.steps)
    if isinstance(of, ClassifierSettings):
        sd, per_row = of.training.noise_sd(of.epsilon), 2 * of.clip_norm / of.rows
        return dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(sd / per_row), of.steps)
    *_, found = getattr(of.guarantee.event, "events", (of.guarantee.event,))
    return dp_event.ComposedDpEvent(
        [dp_event.GaussianDpEvent(one.noise_multiplier) for one in releases(found)]
    )


@pytest.mark.parametrize("dimension", [2, 7])
@pytest.mark.parametrize(("epsilon", "pure"), [(1.0, 0.5), (0.3, 1.0), (3.0, 0.1), (2.0, 0.0)])
def test_who_sees_bounds_and_a_party_s_noise_is_as_good_as_the_best_rule(epsilon, pure, dimension):
    rng, p = np.random.default_rng(0), 1 / (1 + math.exp(-pure))
    noise = NormExponential(sensitivity=1, epsilon=epsilon)
    b = np.array([noise.noise(dimension, rng)[0] for _ in range(40_000)])
    here, there = np.linalg.norm(b, axis=1), np.linalg.norm(b - np.eye(dimension)[0], axis=1)
    ratio = epsilon * (there - here)  # of the two worlds' densities, against what the bounds say
    right = p * (ratio > -pure).mean() + (1 - p) * (ratio > pure).mean()
    bounds = (PureRelease(epsilon=pure),) if pure else ()
    event = Sequence(events=(*bounds, NormExponentialRelease(epsilon=epsilon, dimension=dimension)))
    guarantee = {"adjacency": Adjacency.REPLACE_ONE, "unit": "party", "basis": "", "event": event}
    found = best_attacker(Guarantee(epsilon=epsilon + pure, delta=0.0, **guarantee)).right
    assert found == pytest.approx(right, abs=0.012)
    assert found <= 1 / (1 + math.exp(-epsilon - pure)) + 1e-9

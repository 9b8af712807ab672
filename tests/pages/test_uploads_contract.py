"""What holds on every page that takes a file of one's own, whatever the page does with its rows."""

import math
import re
import zipfile
from contextlib import suppress
from dataclasses import asdict, replace
from io import BytesIO
from typing import Any

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

kinds = pytest.mark.parametrize("kind", KINDS)
# The ways of each page to learn from a file.
ways = pytest.mark.parametrize(
    ("kind", "changes"),
    [
        pytest.param("classifier", {}, id="classifier"),
        pytest.param("network", {}, id="network"),
        pytest.param(
            "network", {"mechanism": "toeplitz", "lot_size": 64}, id="network in a fixed order"
        ),
        pytest.param("regression", {"mechanism": "gaussian"}, id="regression by statistics"),
        pytest.param("regression", {"mechanism": "functional"}, id="functional mechanism"),
        pytest.param("regression", {"mechanism": "adassp"}, id="adassp"),
    ],
)
BY_PERSON = {kind: replace(roles, person="who") for kind, roles in ROLES.items()}
BY_PERSON["regression"] = replace(BY_PERSON["regression"], rows_each=3)
# Bounds hold but for the last digits of double precision.
ROUNDING = 1e-9


def test_every_page_about_rows_is_tested_with_uploads():
    about_rows = {name for name, page in PAGES.items() if issubclass(page.settings, SourceSettings)}

    assert about_rows == set(KINDS)


class TestRows:
    @staticmethod
    def with_cells(rows: pd.DataFrame, hours: float, pay: float) -> pd.DataFrame:
        """Return rows in which some cells of two columns have these values."""
        rows = rows.copy()
        rows.loc[::7, "hours"] = hours
        rows.loc[::11, "pay"] = pay
        return rows

    @ways
    def test_cells_beyond_their_bounds_count_as_at_the_bounds(self, kind, changes):
        at_bounds = self.with_cells(frame(), hours=48.0, pay=80.0)
        beyond = self.with_cells(frame(), hours=4e9, pay=8e9)

        assert same(
            settings(kind, file=at_bounds, **changes), settings(kind, file=beyond, **changes)
        )

    @ways
    def test_unused_columns_and_undeclared_categories_change_nothing(self, kind, changes):
        rows = frame()
        changed = rows.assign(
            secret=range(len(rows)),
            plan=rows["plan"].replace("family", "whatever"),
            town="nowhere",
            who="the same",
        )

        assert same(settings(kind, file=rows, **changes), settings(kind, file=changed, **changes))

    @ways
    def test_other_rows_change_the_numbers(self, kind, changes):
        one = settings(kind, file=frame(), **changes)
        other = settings(kind, file=frame(seed=1), **changes)

        assert not same(one, other)

    @ways
    def test_the_inputs_of_rows_without_an_answer_change_nothing(self, kind, changes):
        answer = ROLES[kind].answer
        blank = frame().astype({answer: object})
        blank.loc[::3, answer] = ""
        no_class = frame().astype({answer: object})
        no_class.loc[::3, answer] = "perhaps"
        no_class.loc[::3, ["age", "hours"]] = [77, 3]

        assert same(settings(kind, file=blank, **changes), settings(kind, file=no_class, **changes))

    @ways
    def test_a_row_without_an_answer_teaches_nothing_but_is_counted(self, kind, changes):
        answer = ROLES[kind].answer
        blank = frame().astype({answer: object})
        blank.loc[::3, answer] = ""

        with_blanks = settings(kind, file=blank, **changes)
        complete = settings(kind, file=frame(), **changes)

        assert not same(with_blanks, complete)
        assert len(units(with_blanks)) == len(units(complete))
        assert promised(with_blanks) == promised(complete)

    @kinds
    @pytest.mark.parametrize(
        ("index_in_town", "cells"),
        [
            pytest.param(3, {"hours": 1e9, "pay": 1e9, "left": "yes"}, id="huge numbers"),
            pytest.param(17, {"pay": None, "left": None}, id="no answer"),
            pytest.param(
                50,
                {"age": -5, "hours": "x", "plan": "?", "pay": -1e9, "left": "no"},
                id="cells without a meaning",
            ),
            pytest.param(71, {"age": None, "hours": None}, id="no inputs"),
        ],
    )
    def test_a_replaced_row_changes_one_unit_of_training_and_no_noise(
        self, kind, index_in_town, cells
    ):
        rows = frame().astype(object)
        row = rows.index[rows["town"] == "Ashford"][index_in_town]
        changed = rows.copy()
        for column, cell in cells.items():
            changed.loc[row, column] = cell

        before = settings(kind)
        after = settings(kind, file=changed)

        assert len(moved(before, after)) <= 1
        assert promised(after) == promised(before)
        for unit in units(after):
            inputs = unit[:, :-1]
            assert np.abs(inputs).max() <= 1 + ROUNDING

    @kinds
    @pytest.mark.parametrize(
        "count", [pytest.param(0, id="one row"), pytest.param(12, id="twelve rows")]
    )
    def test_a_replaced_person_changes_one_unit_of_training_and_no_noise(self, kind, count):
        person = {"who": "P00007", "town": "Ashford"}
        rows = frame(1200, people=300)
        is_of_person = rows["who"] == person["who"]
        rows["town"] = rows["town"].mask(is_of_person, person["town"])
        rows_of_others = rows[~is_of_person]
        new_rows = rows[is_of_person].head(1)
        if count:
            new_rows = pd.concat([frame(1, seed=seed) for seed in range(count)])
        new_rows = new_rows.assign(**person)
        first_of_others, last_of_others = rows_of_others.iloc[:7], rows_of_others.iloc[7:]
        replaced = pd.concat([first_of_others, new_rows, last_of_others])

        before = settings(kind, BY_PERSON[kind], file=rows)
        after = settings(kind, BY_PERSON[kind], file=replaced)

        assert promised(before).unit == "person"
        assert promised(before) == promised(after)
        assert len(moved(before, after)) <= 1


QUICK_CLASSIFIER = {"repeats": 4, "steps": 5}
QUICK_NETWORK = {"repeats": 2, "epochs": 2, "width": 4, "layers": 1}


@pytest.mark.parametrize(
    ("kind", "dataset", "changes", "quick"),
    [
        pytest.param(
            "classifier", "digits", {"public_rows": 0}, QUICK_CLASSIFIER, id="classifier of digits"
        ),
        pytest.param(
            "classifier", "iris", {"public_rows": 0}, QUICK_CLASSIFIER, id="classifier of iris"
        ),
        pytest.param(
            "network",
            "digits",
            {"clip_norm": 0.5, "learning_rate": 8.0},
            QUICK_NETWORK,
            id="network of digits",
        ),
    ],
)
def test_a_file_written_from_a_built_in_set_gives_its_numbers_bit_for_bit(
    kind, dataset, changes, quick
):
    start = PAGES[kind].settings()
    built_in = start.change(dataset=dataset).change(**changes)
    own = own_of(dataset, built_in.seed)
    of_file = start.change(dataset="own").change(own=own).change(**changes)
    if kind == "network":
        quick = quick | {"lot_size": built_in.lot_size}

    built_in = built_in.change(**quick)
    of_file = of_file.change(**quick)

    assert of_file.rows == built_in.rows
    assert same(of_file, built_in)
    assert promised(of_file) == promised(built_in)


@kinds
class TestName:
    """A link names a file by a code, which only the session of the file understands."""

    # Far from what a file begins with.
    ROWS = 300

    @pytest.fixture
    def whole(self, kind) -> Any:
        """Settings with a file."""
        return settings(kind, rows=self.ROWS)

    @pytest.fixture
    def link(self, whole) -> dict[str, str]:
        """Return field -> text of all settings, as a link has them."""
        return {name: str(value) for name, value in asdict(whole).items()}

    def test_a_link_without_its_file_keeps_its_settings_and_computes_nothing(self, whole, link):
        stranger, notices = from_link(type(whole), link)

        assert notices == []
        assert stranger.uses_file
        assert stranger.roles is None
        assert stranger.rows == self.ROWS
        with pytest.raises(check.RefusedError, match="session"):
            stranger.experiment.tasks()

    def test_a_link_has_its_numbers_once_the_file_is_there(self, whole, link):
        stranger, _ = from_link(type(whole), link)

        assert stranger.change(own=whole.own) == whole

    def test_the_program_reads_a_file_that_its_user_names(self, whole):
        script = archive.script(whole)

        assert "your-file.csv" in script
        assert ("target=Column" in script) == whole.OF_NUMBERS

    def test_neither_link_nor_program_has_a_word_of_the_file(self, whole, link):
        rows = frame()
        words = {*rows["who"], *rows["town"], "basic", "plus", "left", "48"}
        for column in rows:
            # Shorter names are words of the lab, too.
            if len(column) > 3:
                words.add(column)
        # The classifier and the regression have settings and texts with these words.
        words -= {"hours", "plan"}

        written = str(link) + archive.script(whole) + repr(whole)

        written = written.replace(str(whole.own), "")
        assert [word for word in words if re.search(rf"\b{word}\b", written)] == []

    def test_another_data_set_leaves_nothing_of_the_file(self, kind, whole):
        default = PAGES[kind].settings().dataset

        back = whole.change(dataset=default)

        assert back.own == NONE
        assert not back.uses_file
        assert back.roles is None
        assert back.void == ""
        assert back.spent_epsilon == 0

    def test_a_file_without_its_data_set_is_ignored(self, kind, whole):
        start = PAGES[kind].settings()

        assert start.change(own=str(whole.own)).own == NONE

    def test_a_path_is_no_name_of_a_file(self, kind):
        start = PAGES[kind].settings()

        with pytest.raises(check.RefusedError, match="own"):
            start.change(dataset="own", own="customers.csv")

    def test_nothing_is_left_of_a_file_that_is_gone(self, kind):
        gone = settings(kind)
        tasks = gone.experiment.tasks()
        table = gone.own.table
        CACHE.answer(tasks[0], tasks[0].run)

        release(table)

        assert not table.columns
        is_cached, *_ = CACHE.find(tasks[0])
        assert not is_cached
        with pytest.raises(check.RefusedError, match="gone"):
            _ = gone.own.table
        with pytest.raises(check.RefusedError, match="gone"):
            [task.run() for task in tasks]


@kinds
@pytest.mark.parametrize("end", [pytest.param(0, id="lowest"), pytest.param(1, id="highest")])
def test_another_data_set_brings_every_field_into_its_range(kind, end):
    """From an end of all ranges, to each data set, and on to a file."""
    at_end = PAGES[kind].settings()
    own = settings(kind).own
    for name in at_end.limits:
        # An end may not go with the end of another field.
        with suppress(check.RefusedError):
            at_end = at_end.change(**{name: at_end.limits[name][end]})

    for dataset in at_end.choices["dataset"]:
        changed = at_end.change(dataset=dataset)
        of_file = changed.change(dataset="own").change(own=own)
        assert changed.dataset == dataset
        for name, (low, high) in of_file.limits.items():
            assert low <= getattr(of_file, name) <= high, (dataset, name)


@kinds
class TestControls:
    @pytest.mark.parametrize("has_file", [False, True], ids=["built-in set", "file"])
    def test_fields_that_are_fixed_have_no_slider(self, kind, has_file):
        shown = settings(kind) if has_file else PAGES[kind].settings()

        layout = PAGES[kind].at(shown).slider_layout(shown)

        for name in (layout.hero, *layout.main, *layout.more):
            low, high = shown.limits[name]
            assert low < high, name

    @pytest.mark.parametrize("has_file", [False, True], ids=["built-in set", "file"])
    def test_each_tab_has_a_name_of_its_own(self, kind, has_file):
        shown = settings(kind) if has_file else PAGES[kind].settings()

        names = [tab.name for tab in PAGES[kind].at(shown).content.tabs]

        assert len(set(names)) == len(names)

    def test_no_program_of_an_estimator_holds_a_file(self, kind):
        assert PAGES[kind].at(settings(kind)).exports.code is None


class TestNothingShowsARow:
    # Cells that no other number looks like.
    HOURS = 31.415926
    PAY = 27.182818
    TRACES = r"P000\d\d|31\.4159|27\.1828"

    def settings_with_marked_cells(self, kind: str, changes: dict[str, Any]) -> Any:
        """Return settings with a file of which one cell in each of two columns is marked."""
        rows = frame(2000, people=60)
        rows.loc[5, "hours"] = self.HOURS
        rows.loc[7, "pay"] = self.PAY
        return settings(kind, file=rows, **changes)

    @ways
    def test_no_chart_draws_the_rows_of_a_file(self, kind, changes):
        shown = self.settings_with_marked_cells(kind, changes)
        view = PAGES[kind].at(shown).view(shown.experiment.run())

        for chart in view.charts(*view.boards).values():
            # A point that moves a slider names no row.
            assert not {"point", "position"} & {*(chart.clicks or {})}
            # Plotly refuses what it cannot draw.
            go.Figure(chart.figure)
            for trace in chart.figure["data"]:
                for axis in ("x", "y"):
                    # A chart of all rows would have 1,600 points or more.
                    if axis in trace:
                        assert len(numbers_of(trace[axis])) < 1000, chart.name

    @ways
    def test_no_text_and_no_file_to_take_away_states_a_cell(self, kind, changes):
        shown = self.settings_with_marked_cells(kind, changes)
        result = shown.experiment.run()

        written = said(result) + "".join(files_to_take_away(kind, result).values())

        assert not re.findall(self.TRACES, written)
        assert "Analyst only" in written


def files_to_take_away(kind: str, result: Any) -> dict[str, str]:
    """Return name -> text of each table, the label, and each file in the zip but its packages."""
    handed_out = handout(PAGES[kind].at(result.settings), result)
    texts = {}
    for file, make_text in share_dialog.tables(handed_out).values():
        texts[file] = make_text()
    texts["label.html"] = handed_out.label_html()
    with zipfile.ZipFile(BytesIO(share_dialog.bundle(handed_out))) as archive_file:
        for path in archive_file.namelist():
            _, _, name = path.partition("/")
            is_in_a_package = "/" in name and not name.startswith("tables/")
            if not is_in_a_package:
                texts[f"zip: {name}"] = archive_file.read(path).decode()
    return texts


def files_with(text: str, files: dict[str, str]) -> list[str]:
    """Return the names of the files with this text."""
    return [name for name, content in files.items() if text in content]


@kinds
class TestBoundsReadOffTheRows:
    """The guarantee is void, and all that is said and taken away says so."""

    REASON = "bounds were read off private rows"
    VOID = re.compile(r"void\W.{0,40}?bounds were read off", re.IGNORECASE | re.DOTALL)
    # What a zip has whatever is said of the rows.
    ABOUT_NO_ROWS = (
        "zip: LICENSE",
        "zip: label.schema.json",
        "zip: requirements.txt",
        "zip: settings.json",
    )

    @pytest.fixture
    def result(self, kind) -> Any:
        """Return the result of a file with bounds that were read off its rows, at epsilon 1."""
        return settings(kind, off=True, epsilon=1.0).experiment.run()

    @pytest.fixture
    def page(self, kind, result) -> Any:
        """Return the page at the settings of the result."""
        return PAGES[kind].at(result.settings)

    def test_the_settings_have_no_guarantee(self, result):
        assert result.settings.void == self.REASON
        assert result.settings.guarantee is None

    def test_the_tile_of_the_attacker_states_no_limit(self, page, result):
        tiles = page.view(result).tiles

        (attacker,) = [tile for tile in tiles if tile.label.startswith("Attacker right")]

        assert attacker.value == "no limit"
        assert attacker.note == self.REASON
        assert attacker.tone == "void"

    def test_the_texts_of_the_page_say_so(self, page, result):
        texts = page.view(result).texts

        assert re.search("[Tt]he guarantee is void|nothing is guaranteed", plain(texts["verdict"]))
        assert f"The guarantee is void, because {self.REASON}." in plain(texts["guarantee"])
        assert "coin toss: 50" not in said(result)

    def test_every_file_to_take_away_says_so_and_states_no_bound(self, kind, result):
        files = files_to_take_away(kind, result)

        silent = [name for name, text in files.items() if not self.VOID.search(text)]
        assert sorted(silent) == list(self.ABOUT_NO_ROWS)
        assert len(files) > len(self.ABOUT_NO_ROWS) + 4
        for digits in DIGITS:
            assert files_with(digits, files) == []

    def test_a_saved_chart_says_so_in_its_title(self, kind, page, result):
        state = PageState(kind, result.settings)
        reason = share_dialog.why_void_of(page, result)

        title, *_ = share_dialog.saved_chart_notes(page, state, reason)["lines"]

        assert "VOID: bounds were read off" in title

    def test_no_question_can_be_asked(self, page, result):
        if not page.question_tab:
            pytest.skip("the page has no tab What if")

        assert page.question_tab.about(result.settings, "") is None


class TestPublicBounds:
    @kinds
    @pytest.mark.parametrize("unit", ["row", "person"])
    def test_public_bounds_are_void_nowhere_and_the_unit_is_said(self, kind, unit):
        if unit == "person":
            rows = frame(1200, people=300)
            result = settings(kind, BY_PERSON[kind], file=rows, epsilon=1.0).experiment.run()
        else:
            result = settings(kind, epsilon=1.0).experiment.run()

        words = said(result)

        assert f"The unit of privacy is one {unit}" in words
        assert not re.search(r"\b[Vv]oid|paid for bounds", words)
        assert files_with("VOID", files_to_take_away(kind, result)) == []
        broken_by(words, result, NEVER)


@kinds
class TestPaidBounds:
    """Two payments of 0.1 and 0.2 for bounds, out of epsilon 1."""

    @pytest.fixture
    def paid(self, kind) -> Any:
        """Return settings with both payments, out of epsilon 1."""
        return settings(kind, paid=(0.1, 0.2), epsilon=1.0)

    def test_training_has_the_epsilon_that_payments_leave(self, kind, paid):
        """To the last bit: the same rows, and the noise of the smaller epsilon."""
        of_the_remaining_epsilon = settings(kind, epsilon=1.0 - paid.spent_epsilon)
        of_the_whole_epsilon = settings(kind, epsilon=1.0)

        trained = trained_numbers(paid)

        np.testing.assert_array_equal(trained, trained_numbers(of_the_remaining_epsilon))
        assert (trained != trained_numbers(of_the_whole_epsilon)).any()

    def test_the_guarantee_has_the_whole_epsilon_and_both_payments(self, paid):
        guarantee = paid.guarantee

        assert paid.void == ""
        # Calibration may leave a hundredth unspent.
        assert 0.99 < guarantee.epsilon <= 1.0 + ROUNDING
        assert PureRelease(epsilon=0.1) in guarantee.event.events
        assert PureRelease(epsilon=0.2) in guarantee.event.events

    def test_the_page_states_the_payments_and_nothing_is_void(self, kind, paid):
        result = paid.experiment.run()

        words = said(result)

        assert re.search(r"0\.3 paid for bounds \(2 releases .*has the other 0\.7", words)
        assert not re.search(r"\b[Vv]oid", words)
        assert files_with("VOID", files_to_take_away(kind, result)) == []

    def test_epsilon_cannot_be_less_than_what_is_paid(self, kind):
        paid = settings(kind, paid=(0.6,))

        least, _ = paid.limits["epsilon"]

        # Training needs some epsilon, too.
        assert paid.epsilon >= least >= 0.66
        assert set(paid.epsilons) == {epsilon for epsilon in paid.CURVE if epsilon >= least}
        with pytest.raises(check.RefusedError, match="^epsilon is "):
            paid.change(epsilon=0.6)

    def test_another_data_set_has_all_epsilons_again(self, kind):
        paid = settings(kind, paid=(0.6,))
        built_in = type(paid)().dataset

        changed = paid.change(epsilon=5.0).change(dataset=built_in)

        assert changed.limits["epsilon"] == changed.LIMITS["epsilon"]

    def test_another_library_counts_no_more_than_the_guarantee(self, kind):
        paid = settings(kind, paid=(0.2, 0.3), epsilon=1.0, delta=1e-5)

        epsilon = epsilon_by_library(paid, event_of_training(paid))

        assert 0.6 < epsilon <= paid.guarantee.epsilon

    def test_another_library_refutes_a_training_that_forgets_the_payments(self, kind):
        paid = settings(kind, paid=(0.2, 0.3), epsilon=1.0, delta=1e-5)
        forgetful = settings(kind, epsilon=1.0, delta=1e-5)

        epsilon = epsilon_by_library(paid, event_of_training(forgetful))

        assert epsilon > 1.1


def trained_numbers(shown: Any) -> np.ndarray:
    """Return the weights that the page trains, or the risks if it keeps no weights."""
    if isinstance(shown, NetworkSettings):
        model = shown.trainings["private"]
        first_group = model.groups(shown.repeats)[0]
        return weights_at(model, FRAMES, first_group)
    outcome = shown.experiment.shown_sample()[0].run()
    for name in ("weights", "risk"):
        if hasattr(outcome, name):
            return getattr(outcome, name)
    return outcome


def epsilon_by_library(paid: Any, training: dp_event.DpEvent) -> float:
    """Return the epsilon of Laplace noise for each payment and of a training, by dp-accounting."""
    accountant = PLDAccountant(
        NeighboringRelation.ADD_OR_REMOVE_ONE, value_discretization_interval=1e-4
    )
    for payment in paid.payments:
        accountant.compose(dp_event.LaplaceDpEvent(1 / payment.epsilon))
    accountant.compose(training)
    return accountant.get_epsilon(paid.delta)


def event_of_training(shown: Any) -> dp_event.DpEvent:
    """Return the library's event of the noise that is drawn, by the page's own numbers."""
    if isinstance(shown, NetworkSettings):
        noise = dp_event.GaussianDpEvent(shown.noise_multiplier)
        step = dp_event.PoissonSampledDpEvent(shown.sampling_rate, noise)
        return dp_event.SelfComposedDpEvent(step, shown.steps)
    if isinstance(shown, ClassifierSettings):
        sensitivity = 2 * shown.clip_norm / shown.rows
        multiplier = shown.training.noise_sd(shown.epsilon) / sensitivity
        return dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(multiplier), shown.steps)
    *_, event_after_payments = getattr(shown.guarantee.event, "events", (shown.guarantee.event,))
    noises = []
    for one_release in releases(event_after_payments):
        noises.append(dp_event.GaussianDpEvent(one_release.noise_multiplier))
    return dp_event.ComposedDpEvent(noises)


def guarantee_of_bounds_and_vector(*, pure: float, epsilon: float, dimension: int) -> Guarantee:
    """Return the guarantee of bounds at epsilon ``pure``, if any, and a party's noisy vector."""
    vector = NormExponentialRelease(epsilon=epsilon, dimension=dimension)
    events: list[Any] = [vector]
    if pure:
        events.insert(0, PureRelease(epsilon=pure))
    return Guarantee(
        epsilon=epsilon + pure,
        delta=0.0,
        adjacency=Adjacency.REPLACE_ONE,
        unit="party",
        basis="",
        event=Sequence(events=tuple(events)),
    )


@pytest.mark.parametrize("dimension", [2, 7])
@pytest.mark.parametrize(("epsilon", "pure"), [(1.0, 0.5), (0.3, 1.0), (3.0, 0.1), (2.0, 0.0)])
class TestAttackerOfBoundsAndAVector:
    """An attacker sees an answer about the bounds and a vector with norm-exponential noise."""

    # Four standard errors of a share of 40,000 draws, and the accountant's grid.
    CHANCE = 0.012

    def test_the_attacker_is_as_good_as_the_likelihood_test(self, epsilon, pure, dimension):
        mechanism = NormExponential(sensitivity=1, epsilon=epsilon)
        rng = np.random.default_rng(0)
        noise = np.array([mechanism.noise(dimension, rng)[0] for _ in range(40_000)])
        first_axis = np.eye(dimension)[0]
        # Logarithm of the ratio of both worlds' densities of the vector.
        log_ratio = epsilon * (
            np.linalg.norm(noise - first_axis, axis=1) - np.linalg.norm(noise, axis=1)
        )
        truth = 1 / (1 + math.exp(-pure))
        right_after_truth = (log_ratio > -pure).mean()
        right_after_lie = (log_ratio > pure).mean()

        guarantee = guarantee_of_bounds_and_vector(pure=pure, epsilon=epsilon, dimension=dimension)

        expected = truth * right_after_truth + (1 - truth) * right_after_lie
        assert best_attacker(guarantee).right == pytest.approx(expected, abs=self.CHANCE)

    def test_the_attacker_keeps_to_the_sum_of_both_epsilons(self, epsilon, pure, dimension):
        guarantee = guarantee_of_bounds_and_vector(pure=pure, epsilon=epsilon, dimension=dimension)

        most = 1 / (1 + math.exp(-epsilon - pure))
        assert best_attacker(guarantee).right <= most + ROUNDING

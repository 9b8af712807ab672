"""The page of one's own rows, and each page with them, as scripts: what is asked, what waits, what
is void.
"""

import re
from dataclasses import replace
from functools import partial

import pandas as pd
import pytest
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dpcore.check import RefusedError
from lab.experiment.links import VERSION
from lab.label.label import searched
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.column_roles import Column
from pages.home.settings import PersonSettings
from pages.topics import PAGES
from tests.app import at_rest, moved, opened, press, text
from tests.app import settings_of as of
from tests.sentences import plain
from ui.export import share_dialog
from ui.page import differences
from ui.page.pin import PIN
from ui.uploads import lifetime, samples
from ui.uploads.rows import MOST_SPENT, Draft

CUSTOMERS = samples.FOLDER / "customers.csv"
BOUNDS = {"age": (18, 100), "tenure_years": (0, 30), "support_calls": (0, 20)}
# Page -> the sample that it takes, settings with which it is soon done, and with which My data
# opens it.
ALL_ROWS = {"rows": "2400"}
READY = {
    "classifier": ("customers", {"steps": "5"}, ALL_ROWS),
    "network": ("customers", {"epochs": "2", "width": "4", "layers": "1"}, ALL_ROWS),
    "regression": ("salaries", {}, ALL_ROWS | {"epsilon": "1"}),
}
# Page -> one that its sample does not fit.
MISFITS = {"classifier": "regression", "regression": "network"}
# The column of each sample that tells persons apart.
CODES = {"customers": "customer_id", "salaries": "employee_id", "hospitals": "patient_id"}


def sampled(name: str = "customers") -> AppTest:
    return opened("data").button(key=f"data.sample.{name}.csv").click().run()


def brings(monkeypatch, frame: pd.DataFrame) -> own_table.Table:
    """The table that the sample's button brings from now on."""
    table = own_table.read(frame.to_csv(index=False, sep="\t").encode())
    monkeypatch.setattr("pages.data.page.own_table.read", lambda *_, **__: table)
    return table


def used(app: AppTest, **uses: str) -> AppTest:
    for name, use in uses.items():
        app.selectbox(key=f"data.use.{name}").set_value(use).run()
    return app


def bounded(app: AppTest, name: str, low: float, high: float) -> AppTest:
    app.number_input(key=f"data.low.{name}").set_value(low).run()
    return app.number_input(key=f"data.high.{name}").set_value(high).run()


def draft(app: AppTest) -> Draft:
    return app.session_state["data.brought"].draft


def owns(app: AppTest) -> list:
    return [*app.session_state["data.brought"].confirmed.values()]


def answered(app: AppTest) -> AppTest:
    """As AppTest cannot type into a box that takes new values."""
    used(app, churned="answer")
    draft(app).classes = ("no", "yes")
    return app.run()


def whole() -> AppTest:
    app = used(answered(sampled()), **dict.fromkeys(BOUNDS, "number"))
    for name, ends in BOUNDS.items():
        bounded(app, name, *ends)
    return app


def ready(page: str) -> AppTest:
    """My data with the sample that a page takes, as its notes describe it."""
    return sampled(READY[page][0]).button(key="data.notes").click().run()


def my_data(app: AppTest) -> AppTest:
    """Back there, in the same session."""
    app._page_hash = calc_hash("data")
    app.query_params.clear()
    return app.run()


def trained(app: AppTest, page: str, *, rest: bool = False, **link: str) -> AppTest:
    """A page in the same session, as its button opens it."""
    app._page_hash = calc_hash(page)
    app.query_params.clear()
    for name, value in {"dataset": "own", "repeats": "2", **READY[page][1], **link}.items():
        app.query_params[name] = value
    app = at_rest(app.run(), page) if rest else app.run()
    assert not app.exception
    return app


def pressed(app: AppTest, button: str, monkeypatch) -> dict[str, str]:
    """The link with which a button of My data opens a page."""
    asked = []
    with monkeypatch.context() as patch:
        patch.setattr(
            "streamlit.switch_page", lambda page, query_params: asked.append(query_params)
        )
        app.button(key=button).click().run()
    (link,) = asked
    return link


def waits(app: AppTest, page: str = "classifier") -> bool:
    return app.button(key=f"data.{page}").disabled


def said(app: AppTest) -> str:
    """All that a person sees, without the page's rules of layout."""
    return text(app) + " ".join(one.value for one in app.caption)


def label_of(app: AppTest, page: str):
    """What is handed out of a page's result, and its label."""
    state = app.session_state[f"{page}.state"]
    here = next(one for one in PAGES if one.name == page).at(state.settings)
    return share_dialog.handout_of(state, here, state.settings.experiment.run(), link="", code="")


class TestEachPage:
    @pytest.mark.parametrize("page", READY)
    def test_from_my_data_to_a_page_and_by_its_link_elsewhere(self, page, monkeypatch):
        app = ready(page)
        sample, _, start = READY[page]
        assert not waits(app, page)
        *_, own = owns(app)
        link = {"dataset": "own", "own": str(own), "v": str(VERSION)} | start
        assert pressed(app, f"data.{page}", monkeypatch) == link
        app = trained(app, page, rest=True, own=str(own))
        assert (of(app, page).own, of(app, page).void) == (own, "")
        found = plain(said(app))
        assert not [
            code
            for code in pd.read_csv(samples.FOLDER / f"{sample}.csv")[CODES[sample]][:50]
            if code in found
        ]
        stranger = opened(page, dataset="own", own=str(own), epsilon="2")
        assert not stranger.exception
        assert "This link's file is not here" in said(stranger)
        assert of(stranger, page).epsilon == 2
        assert "There is no file yet" in said(opened(page, dataset="own"))
        if other := MISFITS.get(page):
            for link in [{"own": str(own)}, {}]:
                assert "not ready for this page" in said(trained(app, other, **link))

    def test_which_epsilon_it_takes_is_answered_on_made_up_rows(self, monkeypatch):
        page = "classifier"
        app = ready("network")
        assert app.button(key="data.epsilon").proto.type == "primary"

        link = pressed(app, "data.epsilon", monkeypatch)
        app = trained(app, page, rest=True, **link, repeats="24", steps="50")

        assert link["tab"] == "what-if"
        (answer,) = (
            plain(one.proto.body) for one in app.get("html") if "lab-words-answer" in one.proto.body
        )
        assert re.search(
            r"with epsilon [\d.]+ (?:\(with 95 % confidence, [\d.]+ to|to [\d.]+ \(95 %)", answer
        )
        assert "target" not in " ".join(app.query_params)
        assert searched(of(app, page)) == 0

    @pytest.mark.parametrize("page", ["classifier", "network"])
    def test_bounds_read_off_the_rows_are_void_until_they_are_typed(self, page):
        app = used(used(ready(page), age="out"), age="number")
        app.button(key="data.read_off.age").click().run()
        assert any("would be void" in error.value for error in app.error)
        app = trained(app, page)
        assert any("Guarantee void" in error.value and "age" in error.value for error in app.error)
        app = my_data(app).button(key="data.type.age").click().run()
        assert waits(app, page)

    def test_all_rows_of_a_large_file_are_a_press_away_and_so_is_the_way_back(self, monkeypatch):
        brings(monkeypatch, pd.concat([pd.read_csv(CUSTOMERS)] * 9))
        app = trained(whole(), "classifier")
        assert of(app, "classifier").rows == 20_000
        for rows in (21_600, 20_000):
            app = app.button(key="classifier.part").click().run()
            assert of(app, "classifier").rows == rows
            assert f"Trained on {rows:,} " in said(app)

    def test_own_rows_are_pinned_in_the_session_alone_and_gone_with_the_file(self):
        app = trained(whole(), "classifier", epsilon="2")
        (button,) = (one for one in app.button if one.label == PIN)
        assert "the privacy label becomes void" in button.help
        app = press(app, PIN)
        assert not of(app, "classifier").own.table.compared, "with itself"
        app = at_rest(moved(app, "classifier", "epsilon", 0.1), "classifier")
        assert not app.exception
        assert "<td>0.1</td><td>2</td>" in said(app).replace("2.0", "2")
        assert "pin" not in app.query_params
        state = app.session_state["classifier.state"]
        pinned = state.uploaded_pin
        assert (pinned.epsilon, pinned.own, state.address.pin) == (2, state.settings.own, None)
        assert {one.epsilon for one in state.settings.own.table.compared} == {0.1, 2}
        roles, words = (
            replace(state.settings.roles, one_row=True),
            partial(differences.choice_texts, choices={}),
        )
        other = state.settings.change(own=own_rows.choose(state.settings.own.table, roles))
        assert not differences.settings_rows(state.settings, other, words), (
            "a handle is nothing to read"
        )
        app = trained(press(my_data(app), "Remove"), "classifier")
        assert "file" in said(app)
        assert 'class="lab-compare"' not in said(app)

    def test_a_page_that_comes_back_in_time_keeps_its_file_and_a_later_one_is_asked_for_it(
        self, monkeypatch
    ):
        app = trained(whole(), "classifier")
        brought = app.session_state["data.brought"]
        clear_session_resource_cache(
            "test session id"
        )  # what the server does when the page's connection ends
        assert brought.timer.is_alive()
        assert 'class="lab-verdict"' in text(app.run())
        assert brought.timer is None

        monkeypatch.setattr(lifetime, "GRACE", 0.01)
        clear_session_resource_cache("test session id")
        brought.timer.join()
        assert not brought.table.columns
        app.run()
        assert not app.exception
        assert 'class="lab-verdict"' not in text(app)

    def test_only_pages_about_rows_ask_for_a_file_and_a_removed_one_is_gone(self):
        app = trained(whole(), "network")
        own = str(of(app, "network").own)
        home = opened("", dataset="own", own=own)
        assert not home.exception
        assert of(home, "home") == PersonSettings()
        table = app.session_state["data.brought"].table
        my_data(app).button(key="data.remove").click().run()
        assert not table.columns
        assert "not here" in said(trained(app, "classifier", own="A" * 22))


class TestChoices:
    def test_everything_is_left_out_and_nothing_trained_until_all_is_said(self):
        app = sampled()
        assert {box.value for box in app.selectbox} == {"out"}
        assert waits(app)
        app = used(answered(app), age="number")
        assert waits(app)
        assert not owns(app)
        assert waits(bounded(app, "age", 100, 18))
        assert not waits(bounded(app, "age", 18, 100))
        (own,) = owns(app)
        assert (own.private, own.roles.columns) == (2400, (Column(name="age", low=18, high=100),))

    def test_a_number_needs_bounds(self):
        app = used(used(ready("regression"), salary="out"), salary="amount")
        assert waits(app, "regression")
        assert not waits(bounded(app, "salary", 0, 150), "regression")
        roles = owns(app)[-1].roles
        assert (roles.classes, roles.target.high, roles.gaps) == ((), 150, True)
        assert not draft(used(app, salary="answer")).roles.target
        assert draft(used(app, salary="amount")).roles.target.low is None

    def test_how_many_rows_a_person_has_is_typed_and_never_looked_up(self):
        app = used(ready("regression"), employee_id="person")
        app.number_input(key="data.rows_each").set_value(3).run()
        app.toggle(key="data.gaps").set_value(False).run()
        settings = of(trained(app, "regression"), "regression")
        assert (
            settings.own.roles.rows_each,
            settings.own.roles.gaps,
            settings.source.rows_each,
        ) == (3, False, 3)
        assert draft(used(my_data(app), employee_id="out")).roles.rows_each == 1

    def test_one_person_one_row_is_asked_and_each_choice_is_another_experiment(self):
        app = ready("classifier")
        assert "is not answered" in said(app)
        for answer, line in (
            (True, "✓] One person is one row"),
            (False, "⚠] Each row is protected alone"),
        ):
            app.segmented_control(key="data.one_row").set_value(answer).run()
            assert line in said(app)
            assert owns(app)[-1].roles.one_row is answer
        before = of(trained(app, "classifier"), "classifier").own
        found = of(
            trained(used(my_data(app), age="out"), "classifier", own=str(owns(app)[-1])),
            "classifier",
        )
        assert found.own == owns(app)[-1] != before
        assert {*before.source.features} - {*found.source.features} == {"age"}
        assert "data.one_row" not in used(my_data(app), customer_id="person").session_state
        assert draft(app).roles.one_row is None

    @pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda sample: sample.file)
    def test_a_samples_notes_are_filled_in_by_one_click(self, sample):
        app = sampled(sample.file.removesuffix(".csv"))
        assert waits(app)
        app = app.button(key="data.notes").click().run()
        assert not waits(app, "regression" if sample.target else "classifier")
        roles = draft(app).roles
        assert (roles.columns, roles.void, roles.answer) == (sample.columns, (), sample.answer)
        assert "data.notes" not in {button.key for button in app.button}

    def test_a_column_with_an_ambiguous_mark_asks_what_the_mark_means(self, monkeypatch):
        brings(monkeypatch, pd.read_csv(CUSTOMERS, dtype=str).assign(monthly_spend="1,234"))
        app = used(sampled(), monthly_spend="number")
        assert [
            one
            for one in app.get("button_group")
            if "Decimal separator of monthly_spend" in str(one.proto)
        ]


def uploaded(app: AppTest, name: str, data: bytes) -> AppTest:
    return app.file_uploader[0].set_value((name, data, "")).run()


def refusals(app: AppTest) -> list[str]:
    return [error.value for error in app.error]


WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
SHAPES = "weight,price,when,left\n" + "".join(
    f"{50 + n % 40} kg,${n % 900 + 100}.50,2024-05-{n % 28 + 1:02},{('no', 'yes')[n % 2]}\n"
    for n in range(240)
)


class TestUploads:
    def test_a_new_file_takes_the_place_of_an_old_refusal(self):
        app = uploaded(opened("data"), "report.csv", b"Customers 2026\n\na,b\n1,2\n3,4\n5,6\n")
        assert ["without a title above it" in one for one in refusals(app)] == [True]
        uploaded(app, "frame.json", b'{"a": {"0": 1}}')
        assert ["This is JSON." in one for one in refusals(app)] == [True]
        uploaded(app, "book.xls", WORKBOOK)
        assert ["choose Save as, CSV UTF-8" in one for one in refusals(app)] == [True]
        uploaded(app, "shapes.csv", SHAPES.encode())
        assert refusals(app) == []
        assert [*draft(app).uses] == ["weight", "price", "when", "left"]

    def test_a_removed_file_takes_its_refusal_along(self):
        app = uploaded(opened("data"), "book.xls", WORKBOOK)
        assert refusals(app)
        app.file_uploader[0].set_value(None).run()
        assert refusals(app) == []

    def test_a_refused_file_leaves_the_one_before(self):
        app = uploaded(opened("data"), "shapes.csv", SHAPES.encode())
        uploaded(app, "book.xls", WORKBOOK)
        assert refusals(app)
        assert draft(app).file == "shapes.csv"

    def test_a_column_that_does_not_read_as_numbers_is_warned_about_where_it_is_used_as_one(self):
        app = uploaded(opened("data"), "shapes.csv", SHAPES.encode())
        used(app, weight="number")
        assert "does not read as numbers**], but as numbers with a unit" in text(app)
        assert "⚠] weight does not read as numbers" in text(app)
        used(app, weight="out", when="amount")
        assert "does not read as numbers**], but as dates or times" in text(app)
        assert "⚠] when does not read as numbers" in text(app)
        used(app, when="out", price="number")
        assert "does not read as numbers" not in text(app)
        assert "without their unit" in said(app)


class TestPaying:
    def test_bounds_are_paid_for_at_each_press_and_counted_or_the_file_is_refused(
        self, monkeypatch
    ):
        app = used(whole(), monthly_spend="number")
        assert app.button(key="data.draw.monthly_spend").disabled, "too few rows"
        monkeypatch.setattr(
            "pages.data.page_columns.private_bounds.least_rows", lambda epsilon: 1000
        )
        app = app.run().button(key="data.draw.monthly_spend").click().run()
        assert not waits(app)
        (first,) = draft(app).payments
        ends = (
            app.number_input(key="data.low.monthly_spend"),
            app.number_input(key="data.high.monthly_spend"),
        )
        assert all(end.disabled for end in ends)
        assert ends[1].value in (64, 128, 256)
        assert draft(app.run()).payments == (first,)
        app = app.button(key="data.draw.monthly_spend").click().run()
        assert draft(app).payments == (first, first)
        assert "<b>0.2</b> paid for bounds" in said(trained(app, "classifier", tab="guarantee"))
        app = my_data(app).button(key="data.type.monthly_spend").click().run()
        assert waits(app)
        assert "Bounds have cost 0.2 of epsilon" in said(app)

    def test_a_refused_draw_costs_nothing_and_there_is_an_end_to_paying(self, monkeypatch):
        table = own_table.read(CUSTOMERS.read_bytes())
        found = Draft.for_table(table, "x")
        found.set_use("age", "number")
        with pytest.raises(RefusedError, match="^rows is "):
            found.buy_bounds(table, "age", 0.1)
        monkeypatch.setattr("dpcore.mechanisms.private_bounds.least_rows", lambda epsilon: 1000)
        found.buy_bounds(table, "age", MOST_SPENT)
        with pytest.raises(RefusedError, match="^epsilon is "):
            found.buy_bounds(table, "age", 0.01)
        assert (found.roles.spent, found.columns["age"].paid) == (MOST_SPENT, MOST_SPENT)


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>", "a~b=c&d**bold** :red[x] $a$" + "x" * 300]
)
def test_a_hostile_name_of_a_column_does_no_harm(name, monkeypatch):
    table = brings(monkeypatch, pd.read_csv(CUSTOMERS).rename(columns={"age": name}))
    shown = [*table.columns][1]
    app = bounded(used(answered(sampled()), **{shown: "number"}), shown, 18, 100)
    for page in ("classifier", "network"):
        assert "<img" not in said(app)
        app = trained(app, page, rest=True)
    assert "<img" not in said(app)

"""The page of one's own rows, and each page with them, as scripts: what is asked, what waits, what is void."""

import json
import re
from dataclasses import replace
from functools import partial

import jsonschema
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dpcore.check import RefusedError
from dpcore.data.paid_bounds import Payment
from lab.files import own_rows, own_table
from lab.files.own_rows import Column
from lab.label import SCHEMA
from lab.links import VERSION
from lab.sources import SourceSettings
from lab.tuning import best_of
from pages.classifier.experiment import ClassifierSettings
from pages.table import PAGES
from tests.app import at_rest, moved, opened, press, text
from tests.sentences import plain
from ui import comparison, samples, share, takeaway
from ui.card import PIN
from ui.my_rows import MOST_SPENT, Draft

CUSTOMERS = samples.FOLDER / "customers.csv"
BOUNDS = {"age": (18, 100), "tenure_years": (0, 30), "support_calls": (0, 20)}
# Page -> the sample that it takes, settings with which it is soon done, and with which My data opens it.
ALL_ROWS = {"rows": "2400"}
READY = {
    "classifier": ("customers", {"steps": "5"}, ALL_ROWS),
    "network": ("customers", {"epochs": "2", "width": "4", "layers": "1"}, ALL_ROWS),
    "attack": ("customers", {"steps": "3", "repeats": "100"}, {}),
    "regression": ("salaries", {}, ALL_ROWS | {"mechanism": "gaussian", "epsilon": "1"}),
    "transfer": ("salaries", {}, {}),
    "parties": ("hospitals", {}, {"rows": "100"}),
}
# A column of numbers in each sample, and one that tells persons apart.
NUMBERS = {"customers": "age", "salaries": "years_of_school", "hospitals": "age"}
CODES = {"customers": "customer_id", "salaries": "employee_id", "hospitals": "patient_id"}
two = pytest.mark.parametrize("page", ["classifier", "network"])


def sampled(name: str = "customers") -> AppTest:
    return opened("data").button(key=f"data.sample.{name}.csv").click().run()


def used(app: AppTest, **uses: str) -> AppTest:
    for name, use in uses.items():
        app.selectbox(key=f"data.use.{name}").set_value(use).run()
    return app


def bounded(app: AppTest, name: str, low: float, high: float) -> AppTest:
    app.number_input(key=f"data.low.{name}").set_value(low).run()
    return app.number_input(key=f"data.high.{name}").set_value(high).run()


def draft(app: AppTest) -> Draft:
    return app.session_state["data.brought"].draft


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
    app = sampled(READY[page][0]).button(key="data.notes").click().run()
    if page == "transfer":
        app = app.button(key="data.notes.source").click().run()
    return used(app, hospital="person") if page == "parties" else app


def my_data(app: AppTest) -> AppTest:
    """Back there, in the same session."""
    app._page_hash = calc_hash("data")
    app.query_params.clear()
    return app.run()


def trained(app: AppTest, page: str, **link: str) -> AppTest:
    """A page in the same session, as its button opens it."""
    app._page_hash = calc_hash(page)
    app.query_params.clear()
    for name, value in {"dataset": "own", "repeats": "2", **READY[page][1], **link}.items():
        app.query_params[name] = value
    return app.run()


def of(app: AppTest, page: str):
    return app.session_state[f"{page}.desk"].settings


def waits(app: AppTest, page: str = "classifier") -> bool:
    return app.button(key=f"data.{page}").disabled


def said(app: AppTest) -> str:
    """All that a person sees, without the page's rules of layout."""
    return text(app) + " ".join(one.value for one in app.caption)


class TestEachPage:
    @pytest.mark.parametrize("page", READY)
    def test_from_my_data_to_a_page_and_by_its_link_elsewhere(self, page, monkeypatch):
        asked, app = [], ready(page)
        sample, _, start = READY[page]
        assert not waits(app, page)
        *_, own = app.session_state["data.brought"].owns.values()
        with monkeypatch.context() as patch:
            patch.setattr("streamlit.switch_page", lambda page, query_params: asked.append(query_params))
            app = app.button(key=f"data.{page}").click().run()
        assert asked == [{"dataset": "own", "own": str(own), "v": str(VERSION)} | start]
        app = at_rest(trained(app, page, own=str(own)), page)
        assert not app.exception
        assert (of(app, page).own, of(app, page).void) == (own, "")
        found = plain(said(app))
        unit = "A party is all rows of one name" if page == "parties" else "The unit of privacy is one row"
        assert unit in found
        assert not [code for code in pd.read_csv(samples.FOLDER / f"{sample}.csv")[CODES[sample]][:50] if code in found]
        stranger = opened(page, dataset="own", own=str(own), epsilon="2")
        assert not stranger.exception
        assert "This link's file is not here" in said(stranger)
        assert of(stranger, page).epsilon == 2
        assert "There is no file yet" in said(opened(page, dataset="own"))

    @pytest.mark.parametrize(("page", "other"), [("classifier", "attack"), ("regression", "transfer")])
    def test_which_epsilon_it_takes_starts_in_reach_and_the_label_states_the_search(self, page, other, monkeypatch):
        asked, app = [], ready(other)
        (primary,) = (one for one in app.button if one.key == "data.epsilon")
        doors = [one.key for one in app.button if one.key in ("data.epsilon", *(f"data.{name}" for name in READY))]
        assert (doors[0], primary.proto.type) == ("data.epsilon", "primary")
        with monkeypatch.context() as patch:
            patch.setattr("streamlit.switch_page", lambda page, query_params: asked.append(query_params))
            app = primary.click().run()
        ((own, link),) = ((link.pop("own"), link) for link in asked)
        assert link == {"dataset": "own", "v": str(VERSION), "tab": "what-if"} | READY[page][2]
        app = trained(app, page, own=own, repeats="24", **READY[page][2] | {"tab": "what-if", "steps": "50"})
        app = at_rest(app, page)
        (answer,) = (plain(one.proto.body) for one in app.get("html") if "lab-words-answer" in one.proto.body)
        assert re.search(
            r"with epsilon [\d.]+ (?:\(with 95 % confidence, [\d.]+ to|to [\d.]+ \(95 % confidence)", answer
        )
        assert "target" not in " ".join(app.query_params)
        desk = app.session_state[f"{page}.desk"]
        here = next(one for one in PAGES if one.name == page).at(desk.settings)
        label = share.handed_out(desk, here, desk.settings.run(), link="", code="").label
        (count,) = re.findall(r"It compares (\d+) settings on the private rows", said(app))
        assert (
            label.fields["accounting"]["tuning"] == f"not covered: {count} settings were compared on the private rows"
        )
        assert label.void.startswith("tuning not covered")
        assert f"# VOID: {label.void}" in takeaway.script(desk.settings, void=label.void)
        summary = f"Nothing is guaranteed ({label.void}). Do not release this result."
        assert label.fields["basic"]["summary"] == summary
        printed, *_ = (plain(one.proto.body) for one in app.get("html") if "lab-paper" in one.proto.body)
        assert summary in printed
        rows, result = desk.settings.own, desk.settings.run()
        price = best_of(desk.settings, 12)
        app = app.toggle(key=f"{page}.best").set_value(True).run()
        assert f"costs **epsilon {price.epsilon:.3g} at delta" in said(app)
        counted = share.handed_out(desk, here, result, link="", code="").label
        assert (counted.void, counted.fields["privacy_loss"]["epsilon"]) == ("", pytest.approx(price.epsilon, rel=1e-5))
        assert counted.fields["accounting"]["tuning"] == "paid: best of a secret number of tries, 12 on average"
        assert f"the {count} settings compared before" in counted.fields["accounting"]["assumptions"]
        jsonschema.validate(json.loads(counted.json()), json.loads(SCHEMA.read_text("utf-8")))
        app.toggle(key=f"{page}.best").set_value(False).run()
        assert desk.tries == 0
        roles = replace(rows.roles, columns=rows.roles.columns[:2])
        desk.settings = desk.settings.change(own=own_rows.choose(rows.table, roles))
        assert share.handed_out(desk, here, result, link="", code="").searched == int(count), "of the same rows"
        desk = trained(app, other).session_state[f"{other}.desk"]
        there = next(one for one in PAGES if one.name == other)
        assert share.handed_out(desk, there, None, link="", code="").searched == int(count), "on every page"

    @pytest.mark.parametrize("page", ["classifier", "transfer", "parties"])
    def test_bounds_read_off_the_rows_are_void_everywhere(self, page):
        app, sample = ready(page), READY[page][0]
        column = NUMBERS[sample]
        app = used(app, **{column: "out"})
        app = used(app, **{column: "number"})
        assert waits(app, page)
        app.button(key=f"data.read_off.{column}").click().run()
        assert any("would be void" in error.value for error in app.error)
        app = at_rest(trained(app, page), page)
        assert [
            error.value
            for error in app.error
            if "Guarantee void" in error.value and column.split("_")[0] in error.value
        ]
        found = said(app)
        assert "no limit" in found
        assert "The guarantee is void" in found
        app = my_data(app).button(key=f"data.type.{column}").click().run()
        assert waits(app, page)

    @pytest.mark.parametrize(
        ("page", "other"),
        [
            ("classifier", "regression"),
            ("regression", "classifier"),
            ("parties", "classifier"),
            ("regression", "transfer"),
        ],
    )
    def test_a_page_that_a_file_does_not_fit_says_so(self, page, other):
        app = ready(page)
        *_, own = app.session_state["data.brought"].owns
        for link in [{"own": str(own)}] + [{}] * (page != "parties"):
            assert "not ready for this page" in said(trained(app, other, **link))

    @two
    def test_all_rows_of_a_large_file_are_a_press_away_and_so_is_the_way_back(self, page, monkeypatch):
        large = own_table.read(pd.concat([pd.read_csv(CUSTOMERS)] * 9).to_csv(index=False).encode())
        monkeypatch.setattr("pages.data.own_table.read", lambda *_, **__: large)
        app = trained(whole(), page)
        assert "Trained on 20,000 of 21,600 rows, picked at random. With all" in said(app)
        app = app.button(key=f"{page}.part").click().run()
        assert of(app, page).rows == 21_600
        assert "Trained on 21,600 rows. Tested on 5,400" in said(app)
        assert app.button(key=f"{page}.part").label == "Stop, back to 20,000"
        assert of(app.button(key=f"{page}.part").click().run(), page).rows == 20_000

    def test_own_rows_are_pinned_in_the_session_alone_and_gone_with_the_file(self):
        app = press(trained(whole(), "classifier", epsilon="2"), PIN)
        app = at_rest(moved(app, "classifier", "epsilon", 0.1), "classifier")
        assert not app.exception
        assert "<td>0.1</td><td>2</td>" in said(app).replace("2.0", "2")
        assert not {"pin"} & {*app.query_params}
        desk = app.session_state["classifier.desk"]
        (pin,) = desk.own_pins.kept
        assert (pin.settings.epsilon, pin.settings.own, desk.pins) == (2, desk.settings.own, ())
        assert {one.epsilon for one in desk.settings.own.table.compared} == {0.1, 2}
        roles, words = replace(desk.settings.roles, one_row=True), partial(comparison.choice_words, choices={})
        other = desk.settings.change(own=own_rows.choose(desk.settings.own.table, roles))
        assert not comparison.settings_rows(desk.settings, other, words), "a handle is nothing to read"
        app = press(my_data(app), "Remove")
        app = trained(app, "classifier")
        assert not app.exception
        assert "file" in said(app)
        assert 'class="lab-compare"' not in said(app)

    def test_another_page_is_at_its_defaults_and_an_audit_needs_no_file(self):
        own = str(trained(whole(), "attack").session_state["attack.desk"].settings.own)
        home = opened("", dataset="own", own=own)
        assert not home.exception
        assert home.session_state["home.desk"].settings == ClassifierSettings()
        audit = opened("attack", dataset="own", own=own, part="audit")
        assert not audit.exception
        assert "This link's file" not in said(audit)
        assert "not ready" not in said(audit)


class TestChoices:
    def test_everything_is_left_out_and_nothing_trained_until_all_is_said(self):
        app = sampled()
        assert not app.exception
        assert {box.value for box in app.selectbox} == {"out"}
        assert waits(app)
        app = used(answered(app), age="number")
        assert waits(app)
        assert "age has no bounds" in said(app)
        assert not app.session_state["data.brought"].owns
        assert waits(bounded(app, "age", 100, 18))
        assert not waits(bounded(app, "age", 18, 100))
        (own,) = app.session_state["data.brought"].owns.values()
        assert (own.private, own.roles.columns) == (2400, (Column(name="age", low=18, high=100),))

    def test_a_number_to_be_predicted_needs_bounds_and_another_use_forgets_them(self):
        app = used(ready("regression"), salary="out")
        app = used(app, salary="amount")
        assert waits(app, "regression")
        assert "salary has no bounds" in said(app)
        assert not waits(bounded(app, "salary", 0, 150), "regression")
        *_, own = app.session_state["data.brought"].owns.values()
        assert (own.private, own.roles.classes, own.roles.target.high, own.roles.gaps) == (2400, (), 150, True)
        assert not draft(used(app, salary="answer")).roles.target
        assert draft(used(app, salary="amount")).roles.target.low is None

    def test_a_source_needs_a_private_value_and_public_ones(self):
        app = ready("regression")
        name = samples.of([*draft(app).uses]).source
        app = used(app, **{name: "source"})
        assert waits(app, "transfer")
        assert f"{name} has no value whose rows are private" in said(app)
        app.text_input(key="data.own_source").set_value("care").run()
        assert draft(app).roles.own_source == "care"
        draft(app).sources = ("schools",)
        assert f"{name}: care is private, schools public" in said(app.run())

    def test_a_person_may_have_several_rows(self):
        app = used(ready("regression"), employee_id="person")
        app.number_input(key="data.rows_each").set_value(3).run()
        app.toggle(key="data.gaps").set_value(False).run()
        assert "Up to 3 rows of each person are used" in said(app)
        app = at_rest(trained(app, "regression"), "regression")
        roles = of(app, "regression").own.roles
        assert (roles.rows_each, roles.gaps, of(app, "regression").source.rows_each) == (3, False, 3)
        assert "The unit of privacy is <b>one person, all of their rows</b>" in said(app)

    def test_how_many_rows_a_person_has_is_typed_and_never_looked_up(self):
        app = used(whole(), customer_id="person")
        box = app.number_input(key="data.most_rows")
        assert box.value is None
        assert draft(app).roles.most_rows is None
        box.set_value(3).run()
        assert draft(app).roles.most_rows == 3
        assert not waits(app)
        assert draft(used(app, customer_id="out")).roles.most_rows is None
        page = at_rest(trained(used(app, customer_id="person"), "classifier"), "classifier")
        assert "would take 3 times the noise of one row" in said(page).replace("<b>", "").replace("</b>", "")

    def test_few_people_are_parties_and_no_persons_to_be_protected_one_by_one(self):
        app = ready("parties")
        assert waits(app)
        assert "12 people have an answer, and training with one person as the unit of privacy takes 100" in said(app)
        app = at_rest(trained(app, "parties"), "parties")
        assert (of(app, "parties").parties, of(app, "parties").limits["parties"]) == (9, (2, 9))
        assert "Ashford" not in said(app)

    def test_another_choice_of_columns_is_another_experiment(self):
        app = trained(whole(), "classifier")
        before = of(app, "classifier").own
        app = used(my_data(app), age="out")
        (own,) = set(app.session_state["data.brought"].owns.values()) - {before}
        app = trained(app, "classifier", own=str(own), rows="2000")
        found = of(app, "classifier")
        assert (found.own, found.source.features, found.rows) == (own, ("tenure_years", "support_calls"), 2000)

    def test_one_person_one_row_is_asked_and_never_assumed(self):
        app = ready("classifier")
        assert "One person is one row" not in said(app)
        assert "is not answered" in said(app)
        for answer, line in ((True, "✓] One person is one row"), (False, "⚠] Each row is protected alone")):
            app.segmented_control(key="data.one_row").set_value(answer).run()
            assert line in said(app)
            *_, own = app.session_state["data.brought"].owns.values()
            assert own.roles.one_row is answer
        assert "data.one_row" not in used(app, customer_id="person").session_state
        assert draft(app).roles.one_row is None

    @pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda sample: sample.file)
    def test_a_samples_notes_are_filled_in_by_one_click_and_its_source_by_one_more(self, sample):
        app = opened("data").button(key=f"data.sample.{sample.file}").click().run()
        assert waits(app)
        app = app.button(key="data.notes").click().run()
        assert not waits(app, "regression" if sample.target else "classifier")
        roles = draft(app).roles
        assert (roles.columns, roles.void, roles.answer) == (sample.columns, (), sample.answer)
        assert samples.of([*draft(app).uses]) == sample
        if sample.source:
            roles = draft(app.button(key="data.notes.source").click().run()).roles
            assert (roles.source, roles.own_source, roles.sources) == (sample.source, sample.own_source, sample.sources)
            assert sample.source not in {column.name for column in roles.columns}
        assert not {button.key for button in app.button} & {"data.notes", "data.notes.source"}

    def test_a_column_with_an_ambiguous_mark_asks_what_the_mark_means(self, monkeypatch):
        frame = pd.read_csv(CUSTOMERS, dtype=str).assign(monthly_spend="1,234")
        table = own_table.read(frame.to_csv(index=False, sep="\t").encode())
        monkeypatch.setattr("pages.data.own_table.read", lambda *_, **__: table)
        app = used(sampled(), monthly_spend="number")
        (box,) = [one for one in app.get("button_group") if "Decimal separator of monthly_spend" in str(one.proto)]
        assert "1,234 is a thousand" in str(box.proto)
        assert "1,234 is 1.234" in str(box.proto)


class TestPaying:
    def test_bounds_are_paid_for_at_each_press_and_counted(self, monkeypatch):
        app = used(whole(), monthly_spend="number")
        assert app.button(key="data.draw.monthly_spend").disabled
        assert "Too few rows" in said(app)
        monkeypatch.setattr("pages.data.paid_bounds.least_rows", lambda epsilon: 1000)
        app = app.run().button(key="data.draw.monthly_spend").click().run()
        assert "Paid: 0.1 of epsilon" in said(app)
        assert not waits(app)
        (first,) = draft(app).payments
        ends = app.number_input(key="data.low.monthly_spend"), app.number_input(key="data.high.monthly_spend")
        assert all(end.disabled for end in ends)
        assert ends[1].value in (64, 128, 256)
        assert draft(app.run()).payments == (first,)
        app = app.button(key="data.draw.monthly_spend").click().run()
        assert draft(app).payments == (first, first)
        paid = "<b>0.2</b> paid for bounds (2 releases with Laplace noise, used or not). Training has the other 0.3"
        assert paid in said(at_rest(trained(app, "classifier"), "classifier"))
        app = my_data(app).button(key="data.type.monthly_spend").click().run()
        assert waits(app)
        assert "Bounds have cost 0.2 of epsilon" in said(app)

    def test_a_refused_draw_costs_nothing_and_there_is_an_end_to_paying(self, monkeypatch):
        table = own_table.read(CUSTOMERS.read_bytes())
        found = Draft.of(table, "x")
        found.use("age", "number")
        with pytest.raises(RefusedError, match="^rows is "):
            found.pay(table, "age", 0.1)
        assert found.payments == ()
        monkeypatch.setattr("dpcore.data.paid_bounds.least_rows", lambda epsilon: 1000)
        for _ in range(5):
            found.pay(table, "age", 1.0)
        with pytest.raises(RefusedError, match="^epsilon is "):
            found.pay(table, "age", 0.01)
        assert found.roles.spent == MOST_SPENT
        assert found.columns["age"].paid == 1.0

    @pytest.mark.parametrize("page", ["classifier", "attack"])
    def test_a_page_that_cannot_count_what_was_paid_refuses_the_file(self, page, monkeypatch):
        app = whole()
        draft(app).payments = (Payment(epsilon=0.1),)
        monkeypatch.setattr(SourceSettings, "COUNTS_PAYMENTS", False)
        assert "this page cannot count what they cost" in said(trained(app.run(), page))

    def test_bounds_that_noise_has_hidden_are_paid_for_and_missing(self):
        app = used(whole(), monthly_spend="number")
        draft(app).say("monthly_spend", low=None, high=None, paid=0.1)
        assert "The noise exceeded every count, so there are no bounds." in said(app.run())
        assert waits(app)


class TestFile:
    def test_a_file_that_is_removed_is_gone(self):
        app = whole()
        table = app.session_state["data.brought"].table
        app.button(key="data.remove").click().run()
        assert "Upload a table" in said(app)
        assert not table.columns
        assert "not here" in said(trained(app, "classifier", own="A" * 22))

    @pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", "**bold** :red[x] $a$", "a~b=c&d", "x" * 300])
    def test_a_hostile_name_of_a_column_does_no_harm(self, name, monkeypatch):
        frame = pd.read_csv(CUSTOMERS).rename(columns={"age": name})
        table = own_table.read(frame.to_csv(index=False).encode())
        monkeypatch.setattr("pages.data.own_table.read", lambda *_, **__: table)
        shown = next(column for column in table.columns if column not in frame.columns or column == name)
        app = bounded(used(answered(sampled()), **{shown: "number"}), shown, 18, 100)
        assert "<img" not in said(app)
        for page in ("classifier", "network"):
            app = at_rest(trained(app, page), page)
            assert not app.exception
            assert "<img" not in said(app)

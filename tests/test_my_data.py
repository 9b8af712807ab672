"""The page of one's own rows, and the classifier with them, as scripts: what is asked, what waits, what is void."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dpcore.check import RefusedError
from dpcore.data.paid_bounds import Payment
from lab.files import own_rows, own_table
from lab.files.own_rows import Column
from lab.sources import SourceSettings
from pages.classifier.experiment import ClassifierSettings
from pages.table import PAGES
from tests.app import at_rest, opened, text
from ui import present, samples, takeaway
from ui.my_rows import MOST_SPENT, Draft
from ui.share import paper

CUSTOMERS = samples.FOLDER / "customers.csv"
BOUNDS = {"age": (18, 100), "tenure_years": (0, 30), "support_calls": (0, 20)}


def sampled() -> AppTest:
    return opened("data").button(key="data.sample.customers.csv").click().run()


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


# Page that learns from rows -> settings with which it is soon done.
QUICK = {"classifier": {"steps": "5"}, "network": {"epochs": "2", "width": "4", "layers": "1"}}


def trained(app: AppTest, page: str, **link: str) -> AppTest:
    """A page in the same session, as its button opens it."""
    app._page_hash = calc_hash(page)
    app.query_params.clear()
    for name, value in {"dataset": "own", "repeats": "2", **QUICK.get(page, {}), **link}.items():
        app.query_params[name] = value
    return app.run()


def waits(app: AppTest) -> bool:
    (disabled,) = {app.button(key=f"data.{page}").disabled for page in QUICK}
    return disabled


def said(app: AppTest) -> str:
    """All that a person sees, without the page's rules of layout."""
    return text(app) + " ".join(one.value for one in app.caption)


def test_everything_is_left_out_and_nothing_trained_until_all_is_said():
    app = sampled()
    assert not app.exception
    assert {box.value for box in app.selectbox} == {"out"}
    assert waits(app)
    app = used(answered(app), age="number")
    assert waits(app)
    assert "age has no bounds" in said(app)
    assert not app.session_state["data.brought"].owns
    app = bounded(app, "age", 100, 18)
    assert waits(app)
    app = bounded(app, "age", 18, 100)
    assert not waits(app)
    (own,) = app.session_state["data.brought"].owns.values()
    assert (own.private, own.roles.columns) == (2400, (Column(name="age", low=18, high=100),))


@pytest.mark.parametrize("page", QUICK)
def test_a_page_has_these_rows_and_says_what_is_public(page):
    app = trained(whole(), page)
    assert not app.exception
    settings = app.session_state[f"{page}.desk"].settings
    assert (settings.rows, getattr(settings, settings.LOOP), settings.void) == (2400, "sound", "")
    found = said(at_rest(app, page))
    assert "Trained on 2,400 rows. Tested on 600 (for the analyst only). No row is drawn." in found
    assert "The unit of privacy is <b>one row</b>" in found
    assert "Assumed public are the bounds, categories and classes that were typed, the number of rows" in found


@pytest.mark.parametrize("page", QUICK)
def test_a_page_with_these_rows_is_presented_and_its_stops_are_of_them(page):
    """No address holds rows: where it began is told by the knob alone. Without the file the page asks for it."""
    app = trained(whole(), page, present="1")
    assert not app.exception
    desk = app.session_state[f"{page}.desk"]
    assert "<h1>" in said(app)
    places = present.stops(next(one for one in PAGES if one.name == page), desk, ())
    assert desk.settings in places
    assert len({one.own for one in places}) == 1
    alone = opened(page, **app.query_params)
    assert not alone.exception
    assert "file is not here" in said(alone)
    assert alone.title


def test_another_choice_of_columns_is_another_experiment():
    app = trained(whole(), "classifier")
    before = app.session_state["classifier.desk"].settings.own
    app.query_params.clear()
    app._page_hash = calc_hash("data")
    app = used(app.run(), age="out")
    (own,) = set(app.session_state["data.brought"].owns.values()) - {before}
    app = trained(app, "classifier", own=str(own), rows="2000")
    settings = app.session_state["classifier.desk"].settings
    assert (settings.own, settings.source.features, settings.rows) == (own, ("tenure_years", "support_calls"), 2000)


@pytest.mark.parametrize("page", QUICK)
def test_bounds_read_off_the_rows_are_void_everywhere(page):
    app = used(whole(), monthly_spend="number")
    assert waits(app)
    app.button(key="data.read_off.monthly_spend").click().run()
    assert any("would be void" in error.value for error in app.error)
    assert not waits(app)
    spend = pd.read_csv(CUSTOMERS)["monthly_spend"]
    app = at_rest(trained(app, page), page)
    assert [error.value for error in app.error if "monthly&#95;spend" in error.value or "monthly_spend" in error.value]
    found = said(app)
    assert "no limit" in found
    assert "The guarantee is void" in found
    assert "The guarantee is void, because bounds were read off private rows" in found
    assert f"{spend.max():g}" not in found
    settings = app.session_state[f"{page}.desk"].settings
    assert "VOID" in takeaway.table(pd.DataFrame({"a": [1]}), title="t", settings=settings, link="l")
    assert "# VOID" in takeaway.script(settings)
    of = next(one for one in PAGES if one.name == page)
    assert "VOID" in paper(of, app.session_state[f"{page}.desk"])["lines"][0]
    app._page_hash = calc_hash("data")
    app.query_params.clear()
    app = app.run().button(key="data.type.monthly_spend").click().run()
    assert waits(app)


def test_bounds_are_paid_for_at_each_press_and_counted(monkeypatch):
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
    found = said(at_rest(trained(app, "classifier"), "classifier"))
    assert (
        "<b>0.2</b> paid for bounds (2 releases with Laplace noise, used or not). Training has the other 0.3" in found
    )
    app._page_hash = calc_hash("data")
    app.query_params.clear()
    app = app.run().button(key="data.type.monthly_spend").click().run()
    assert waits(app)
    assert "Bounds have cost 0.2 of epsilon" in said(app)


def test_a_refused_draw_costs_nothing_and_there_is_an_end_to_paying(monkeypatch):
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


def test_a_page_that_cannot_count_what_was_paid_refuses_the_file(monkeypatch):
    app = used(whole(), monthly_spend="number")
    draft(app).payments = (Payment(epsilon=0.1),)
    monkeypatch.setattr(SourceSettings, "COUNTS_PAYMENTS", False)
    assert "this page cannot count what they cost" in said(trained(bounded(app, "monthly_spend", 0, 250), "classifier"))


@pytest.mark.parametrize("page", QUICK)
def test_all_rows_of_a_large_file_are_a_press_away_and_so_is_the_way_back(page, monkeypatch):
    large = own_table.read(pd.concat([pd.read_csv(CUSTOMERS)] * 9).to_csv(index=False).encode())
    monkeypatch.setattr("pages.data.own_table.read", lambda *_, **__: large)
    app = trained(whole(), page)
    assert "Trained on 20,000 of 21,600 rows, picked at random. With all" in said(app)
    app = app.button(key=f"{page}.part").click().run()
    assert app.session_state[f"{page}.desk"].settings.rows == 21_600
    assert "Trained on 21,600 rows. Tested on 5,400" in said(app)
    assert app.button(key=f"{page}.part").label == "Stop, back to 20,000"
    app = app.button(key=f"{page}.part").click().run()
    assert app.session_state[f"{page}.desk"].settings.rows == 20_000


@pytest.mark.parametrize("page", QUICK)
def test_a_link_elsewhere_asks_for_the_file(page):
    app = trained(whole(), page)
    own = str(app.session_state[f"{page}.desk"].settings.own)
    stranger = opened(page, dataset="own", own=own, rows="300", epsilon="2")
    assert not stranger.exception
    assert "This link's file is not here" in said(stranger)
    assert stranger.session_state[f"{page}.desk"].settings.epsilon == 2
    assert "There is no file yet" in said(opened(page, dataset="own"))
    home = opened("", dataset="own", own=own)
    assert not home.exception
    assert home.session_state["home.desk"].settings == ClassifierSettings()


def test_a_file_that_is_removed_is_gone():
    app = whole()
    table = app.session_state["data.brought"].table
    app.button(key="data.remove").click().run()
    assert "Upload a table" in said(app)
    assert not table.columns
    assert "not here" in said(trained(app, "classifier", own="A" * 22))


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>", "**bold** :red[x] $a$", "a~b=c&d", "x" * 300])
def test_a_hostile_name_of_a_column_does_no_harm(name, monkeypatch):
    frame = pd.read_csv(CUSTOMERS).rename(columns={"age": name})
    table = own_table.read(frame.to_csv(index=False).encode())
    monkeypatch.setattr("pages.data.own_table.read", lambda *_, **__: table)
    shown = next(column for column in table.columns if column not in frame.columns or column == name)
    app = answered(sampled())
    app = used(app, **{shown: "number"})
    app = bounded(app, shown, 18, 100)
    assert "<img" not in said(app)
    for page in QUICK:
        app = at_rest(trained(app, page), page)
        assert not app.exception
        assert "<img" not in said(app)


def test_no_cell_of_the_file_is_said():
    frame = pd.read_csv(CUSTOMERS)
    codes = set(frame["customer_id"].head(50)) | {f"{value:.2f}" for value in frame["monthly_spend"].head(50)}
    app = whole()
    found = said(app) + "".join(said(at_rest(trained(app, page), page)) for page in QUICK)
    assert not [code for code in codes if code in found]


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda sample: sample.file)
def test_a_samples_notes_are_filled_in_by_one_click(sample):
    app = opened("data").button(key=f"data.sample.{sample.file}").click().run()
    assert waits(app)
    app = app.button(key="data.notes").click().run()
    page = "regression" if sample.target else "classifier"
    assert not app.exception
    assert not app.button(key=f"data.{page}").disabled
    assert (draft(app).roles.columns, draft(app).roles.void) == (sample.columns, ())
    assert "data.notes" not in {button.key for button in app.button}
    assert samples.of([*draft(app).uses]) == sample
    app = at_rest(trained(app, page), page)
    assert not app.exception
    settings = app.session_state[f"{page}.desk"].settings
    assert settings.own.roles == draft(app).roles


def test_one_click_more_says_the_source_of_a_sample():
    app = opened("data").button(key="data.sample.salaries.csv").click().run()
    app = app.button(key="data.notes").click().run()
    app = app.button(key="data.notes.source").click().run()
    assert not {button.key for button in app.button} & {"data.notes", "data.notes.source"}
    roles, sample = draft(app).roles, samples.of([*draft(app).uses])
    assert (roles.source, roles.own_source, roles.sources) == (sample.source, sample.own_source, sample.sources)
    assert sample.source not in {column.name for column in roles.columns}
    assert not app.button(key="data.transfer").disabled
    assert "Trained on" in said(at_rest(headed(app), "transfer"))


def test_only_kinds_are_guessed():
    table = own_table.read(CUSTOMERS.read_bytes())
    found = Draft.of(table, "x")
    assert set(found.uses.values()) == {"out"}
    assert (found.columns, found.classes, found.roles.columns) == ({}, (), ())
    assert {name: kind.kind for name, kind in found.kinds.items()} == {
        "customer_id": "identifier",
        **dict.fromkeys(("age", "tenure_years", "monthly_spend", "support_calls"), "number"),
        **dict.fromkeys(("plan", "churned"), "category"),
    }
    assert own_rows.KINDS == ("number", "category")


def test_how_many_rows_a_person_has_is_typed_and_never_looked_up():
    app = used(whole(), customer_id="person")
    box = app.number_input(key="data.most_rows")
    assert box.value is None
    assert draft(app).roles.most_rows is None
    box.set_value(3).run()
    assert draft(app).roles.most_rows == 3
    assert not waits(app)
    used(app, customer_id="out")
    assert draft(app).roles.most_rows is None
    page = at_rest(trained(used(app, customer_id="person"), "classifier"), "classifier")
    assert "would take 3 times the noise of one row" in said(page).replace("<b>", "").replace("</b>", "")


# What a customer spends, by plan: the plan is the source.
SPENT = {"monthly_spend": (0, 250), "age": (18, 100), "tenure_years": (0, 30)}


def sourced() -> AppTest:
    """Spending is predicted for the plan "basic", with the rows of the others."""
    app = used(sampled(), monthly_spend="amount", age="number", tenure_years="number", plan="source")
    for name, ends in SPENT.items():
        bounded(app, name, *ends)
    app.text_input(key="data.own_source").set_value("basic").run()
    draft(app).sources = ("plus", "family")
    return app.run()


def headed(app: AppTest, **link: str) -> AppTest:
    """The page of transfer in the same session, as its button opens it."""
    app._page_hash = calc_hash("transfer")
    app.query_params.clear()
    for name, value in {"dataset": "own", "repeats": "2", **link}.items():
        app.query_params[name] = value
    return app.run()


def test_from_a_column_that_says_the_source_to_a_head_start():
    app = used(sampled(), monthly_spend="amount", age="number", tenure_years="number")
    for name, ends in SPENT.items():
        bounded(app, name, *ends)
    keys = {button.key: button.disabled for button in app.button}
    assert ("data.transfer" in keys, keys["data.regression"]) == (False, False)
    app = used(app, plan="source")
    assert app.button(key="data.transfer").disabled
    assert "plan has no value whose rows are private" in said(app)
    app = sourced()
    assert not app.button(key="data.transfer").disabled
    assert "plan: basic is private, plus, family public" in said(app)
    app = at_rest(headed(app), "transfer")
    assert not app.exception
    settings = app.session_state["transfer.desk"].settings
    frame = pd.read_csv(CUSTOMERS)
    own = int(0.8 * (frame["plan"] == "basic").sum())
    assert (settings.target_rows, settings.sources, settings.dimension, settings.void) == (own, 2, 3, "")
    found = said(app)
    assert f"Trained on {own:,} private rows" in found
    assert "Public, as you declared, is every row of the sources" in found
    assert "Excess risk" not in found
    assert not [code for code in frame["customer_id"].head(50) if code in found]
    assert not [code for code in frame["monthly_spend"].map("{:.2f}".format).head(50) if f" {code} " in found]


def test_a_head_start_says_what_is_void_and_a_link_elsewhere_asks():
    app = used(sampled(), monthly_spend="amount", age="number", tenure_years="number")
    for name, ends in SPENT.items():
        bounded(app, name, *ends)
    assert "is not ready" in said(headed(app))
    app = sourced()
    used(app, age="out")
    used(app, age="number")
    app.button(key="data.read_off.age").click().run()
    found = at_rest(headed(app), "transfer")
    assert [error.value for error in found.error if "Guarantee void" in error.value]
    assert "no limit" in said(found)
    own = str(found.session_state["transfer.desk"].settings.own)
    stranger = opened("transfer", dataset="own", own=own, target_rows="300", epsilon="2")
    assert not stranger.exception
    assert "This link's file is not here" in said(stranger)
    settings = stranger.session_state["transfer.desk"].settings
    assert (settings.epsilon, settings.target_rows) == (2, 300)


def test_the_name_of_a_file_is_shown_as_it_stands():
    app = opened("data")
    app.file_uploader[0].set_value(
        ("![x](http://evil.test/p.png) <b>\u202e.csv", CUSTOMERS.read_bytes(), "text/csv")
    ).run()
    assert not app.exception
    assert not any(part in text(app) for part in ("![x]", "<b>", "\u202e"))
    assert "evil" in text(app)


def test_a_column_with_an_ambiguous_mark_asks_what_the_mark_means(monkeypatch):
    frame = pd.read_csv(CUSTOMERS, dtype=str).assign(monthly_spend="1,234")
    table = own_table.read(frame.to_csv(index=False, sep="\t").encode())
    monkeypatch.setattr("pages.data.own_table.read", lambda *_, **__: table)
    app = used(sampled(), monthly_spend="number")
    (box,) = [one for one in app.get("button_group") if "Decimal separator of monthly_spend" in str(one.proto)]
    assert "1,234 is a thousand" in str(box.proto)
    assert "1,234 is 1.234" in str(box.proto)


def test_bounds_that_noise_has_hidden_are_paid_for_and_missing():
    app = used(whole(), monthly_spend="number")
    draft(app).say("monthly_spend", low=None, high=None, paid=0.1)
    assert "The noise exceeded every count, so there are no bounds." in said(app.run())
    assert waits(app)


def test_a_category_without_values_is_named_as_missing():
    app = used(sampled(), plan="category")
    assert "needs categories" in said(app)
    assert waits(app)

"""My data with a number to be predicted, and the regression page with it: what is asked, and what is void."""

from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from pages.regression.page import PAGE
from tests.app import at_rest, opened
from tests.test_my_data import bounded, draft, said, trained, used, waits
from ui.share import paper

SALARIES = Path(__file__).parents[1] / "sample_data" / "salaries.csv"
# As sample_data/README.md has them.
BOUNDS = {"age": (16, 70), "years_of_school": (8, 22), "years_of_experience": (0, 50), "hours_a_week": (0, 48)}


def asked() -> AppTest:
    app = opened("data").button(key="data.sample.salaries.csv").click().run()
    return used(app, salary="amount", **dict.fromkeys(BOUNDS, "number"))


def whole() -> AppTest:
    app = asked()
    for name, ends in {**BOUNDS, "salary": (0, 150)}.items():
        bounded(app, name, *ends)
    return app


def my_data(app: AppTest) -> AppTest:
    """Back there, in the same session."""
    app._page_hash = calc_hash("data")
    app.query_params.clear()
    return app.run()


def regression(app: AppTest, **link: str) -> AppTest:
    return trained(app, "regression", **link)


def stays(app: AppTest) -> bool:
    return app.button(key="data.regression").disabled


def test_nothing_is_trained_until_the_answer_has_bounds():
    app = asked()
    assert stays(app)
    assert "salary has no bounds" in said(app)
    for name, ends in BOUNDS.items():
        bounded(app, name, *ends)
    assert stays(app)
    assert not app.session_state["data.brought"].owns
    bounded(app, "salary", 0, 150)
    assert not stays(app)
    (own,) = app.session_state["data.brought"].owns.values()
    assert (own.private, own.roles.classes, own.roles.target.high, own.roles.gaps) == (2400, (), 150, True)


def test_the_sample_runs_through_to_the_regression_page():
    app = regression(whole(), mechanism="gaussian", epsilon="1")
    assert not app.exception
    settings = app.session_state["regression.desk"].settings
    assert (settings.rows, settings.features, settings.void) == (2400, 4, "")
    found = said(at_rest(app, "regression"))
    assert "trained on 2,400 rows." in found
    assert "measured on 600 rows, for the analyst only. No row is drawn." in found
    assert "The unit of privacy is <b>one row</b>" in found
    assert "adds nothing. The number of such rows is protected too" in found
    frame = pd.read_csv(SALARIES)
    assert not [code for code in frame["employee_id"].head(50) if code in found]


def test_each_page_takes_the_kind_of_answer_that_it_learns():
    app = whole()
    assert "not ready" in said(trained(app, "classifier"))
    app = my_data(app)
    (own,) = app.session_state["data.brought"].owns
    assert "not ready" in said(trained(app, "classifier", own=own))
    app = used(my_data(app), salary="answer")
    assert waits(app)
    assert not app.session_state["data.brought"].draft.roles.target
    assert draft(used(app, salary="amount")).roles.target.low is None


def test_a_person_may_have_several_rows():
    app = used(whole(), employee_id="person")
    app.number_input(key="data.rows_each").set_value(3).run()
    app.toggle(key="data.gaps").set_value(False).run()
    assert "Up to 3 rows of each person are used" in said(app)
    app = at_rest(regression(app), "regression")
    settings = app.session_state["regression.desk"].settings
    assert (settings.own.roles.rows_each, settings.own.roles.gaps, settings.source.rows_each) == (3, False, 3)
    found = said(app)
    assert "The unit of privacy is <b>one person, all of their rows</b>" in found
    assert "At most 3 rows of each person are used" in found


def test_bounds_of_the_answer_that_were_read_off_are_void_everywhere():
    app = asked()
    for name, ends in BOUNDS.items():
        bounded(app, name, *ends)
    app.button(key="data.read_off.salary").click().run()
    assert any("would be void" in error.value for error in app.error)
    app = at_rest(regression(app), "regression")
    found = said(app)
    assert "The guarantee is void" in found
    assert "The guarantee is void, because bounds were read off private rows" in found
    assert "no limit" in found
    assert f"{pd.read_csv(SALARIES)['salary'].max():g}" not in found
    assert "VOID" in paper(PAGE, app.session_state["regression.desk"])["lines"][0]


def test_a_link_elsewhere_asks_for_the_file():
    app = regression(whole())
    own = str(app.session_state["regression.desk"].settings.own)
    stranger = opened("regression", dataset="own", own=own, rows="300", epsilon="2", features="3")
    assert not stranger.exception
    assert "This link's file is not here" in said(stranger)
    settings = stranger.session_state["regression.desk"].settings
    assert (settings.epsilon, settings.rows, settings.features) == (2, 300, 3)
    assert "There is no file yet" in said(opened("regression", dataset="own"))


def test_a_file_that_is_removed_is_gone():
    app = whole()
    app.button(key="data.remove").click().run()
    assert "not here" in said(regression(app, own="A" * 22))

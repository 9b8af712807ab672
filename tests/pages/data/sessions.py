"""Sessions of visitors on *My data*, and on pages that they open from there."""

from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from lab.uploads import table as own_table
from lab.uploads.rows import OwnRows
from tests.app import at_rest, opened, text
from ui.uploads import samples
from ui.uploads.rows import Draft

CUSTOMERS = samples.FOLDER / "customers.csv"
BOUNDS = {"age": (18, 100), "tenure_years": (0, 30), "support_calls": (0, 20)}
# Page -> the sample that fits it.
SAMPLES = {"classifier": "customers", "network": "customers", "regression": "salaries"}
# Page -> settings that are computed quickly.
QUICK: dict[str, dict[str, str]] = {
    "classifier": {"steps": "5"},
    "network": {"epochs": "2", "width": "4", "layers": "1"},
    "regression": {},
}


# The file


def replace_sample_table(monkeypatch, frame: pd.DataFrame) -> own_table.Table:
    """Have the button of a sample read this table from now on."""
    table = own_table.read(frame.to_csv(index=False, sep="\t").encode())
    monkeypatch.setattr("pages.data.page.own_table.read", lambda *args, **fields: table)
    return table


def with_sample(name: str = "customers") -> AppTest:
    """Return *My data* with a sample file."""
    return opened("data").button(key=f"data.sample.{name}.csv").click().run()


def with_notes(page: str) -> AppTest:
    """Return *My data* with the sample that fits a page, filled in from its notes."""
    return with_sample(SAMPLES[page]).button(key="data.notes").click().run()


def with_customers() -> AppTest:
    """Return *My data* with the sample of customers, filled in by hand."""
    app = with_answer(with_sample())
    use_columns(app, **dict.fromkeys(BOUNDS, "number"))
    for name, (low, high) in BOUNDS.items():
        set_bounds(app, name, low, high)
    return app


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    """Upload a file."""
    return app.file_uploader[0].set_value((name, data, "")).run()


# The roles of its columns


def use_columns(app: AppTest, **uses: str) -> AppTest:
    """Choose what columns are used as."""
    for name, use in uses.items():
        app.selectbox(key=f"data.use.{name}").set_value(use).run()
    return app


def set_bounds(app: AppTest, name: str, low: float, high: float) -> AppTest:
    """Type the bounds of a column."""
    app.number_input(key=f"data.low.{name}").set_value(low).run()
    return app.number_input(key=f"data.high.{name}").set_value(high).run()


def with_answer(app: AppTest) -> AppTest:
    """Declare the classes of customers, because AppTest cannot type new values into a box."""
    use_columns(app, churned="answer")
    draft_of(app).classes = ("no", "yes")
    return app.run()


def draft_of(app: AppTest) -> Draft:
    """Return the entries so far."""
    return app.session_state["data.brought"].draft


def confirmed_rows(app: AppTest) -> list[OwnRows]:
    """Return the handles of rows that pages may use, the newest last."""
    return [*app.session_state["data.brought"].confirmed.values()]


# Pages


def is_waiting(app: AppTest, page: str = "classifier") -> bool:
    """Return whether the button of a page waits for entries."""
    return app.button(key=f"data.{page}").disabled


def back_to_my_data(app: AppTest) -> AppTest:
    """Open *My data* in the same session."""
    app._page_hash = calc_hash("data")
    app.query_params.clear()
    return app.run()


def open_page(app: AppTest, page: str, **link: str) -> AppTest:
    """Open a page with the file in the same session."""
    app._page_hash = calc_hash(page)
    app.query_params.clear()
    query = {"dataset": "own", "repeats": "2", **QUICK[page], **link}
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def open_page_at_rest(app: AppTest, page: str, **link: str) -> AppTest:
    """Open a page with the file in the same session, and compute all of its result."""
    app = at_rest(open_page(app, page, **link), page)
    assert not app.exception
    return app


def link_of_button(app: AppTest, key: str, monkeypatch) -> dict[str, str]:
    """Return the query with which a button of *My data* opens a page."""
    queries: list[dict[str, str]] = []

    def switch_page(page: Any, query_params: dict[str, str]) -> None:
        """Store the query; stands for Streamlit's ``switch_page``."""
        queries.append(query_params)

    with monkeypatch.context() as patch:
        patch.setattr("streamlit.switch_page", switch_page)
        app.button(key=key).click().run()
    (query,) = queries
    return query


def visible_text(app: AppTest) -> str:
    """Return all that a visitor reads, with captions."""
    return text(app) + " ".join(caption.value for caption in app.caption)

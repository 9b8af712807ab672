"""Unusual and hostile files on the real page: each is read as what it is, or refused in words; nothing breaks."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app import at_rest, opened, text
from tests.hostile_files import hostile

PAGE, VERDICT = "hypotheses", 'class="lab-verdict"'
FILES = dict(hostile())
# File -> what its columns must be read as, where they are not these; a file that is not here must be refused.
USUAL = ["text", "label"]
READ = dict.fromkeys(
    [name for name in FILES if name.endswith("rows") and name[0].isdigit()]
    + ["two words in all", "a huge vocabulary", "rows of nul words", "western letters", "semicolons"]
    + ["line breaks in cells", "parquet"],
    USUAL,
) | {
    **{name: [*USUAL, "shop"] for name in FILES if "sources" in name},
    "no head": ["column 1", "column 2"],
    "hostile names": ["# ![x](http://evil.test/p)", "=1+1"],
}


@pytest.fixture(scope="module")
def page() -> AppTest:
    """One session that is brought file after file, as by somebody who does not give up."""
    app = opened(PAGE, data="own", repeats="2", dimension="3")
    assert not app.exception
    return app


def bring(app: AppTest, name: str) -> AppTest:
    """The file on the page; if its name says so, its shops as sources."""
    app.file_uploader[0].set_value((f"{name}.csv", FILES[name], "text/csv")).run()
    if "sources" in name:
        app.selectbox(key="hypotheses.own.source").set_value("shop").run()
    return app


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_what_it_is_or_refused_in_words(page, name):
    before = page.session_state["hypotheses.desk"].settings
    bring(page, name)
    assert not page.exception
    settings, said = page.session_state["hypotheses.desk"].settings, [one.value for one in page.error]
    if name in READ:
        assert not said
        assert list(settings.own.table.columns) == READ[name]
        assert VERDICT in text(page)
        return
    assert said
    assert all("must" in sentence for sentence in said)
    assert settings.own is before.own or VERDICT not in text(page)
    assert not any(part in sentence for sentence in said for part in ("\x00", "expected after", "Error"))


@pytest.mark.parametrize("name", ["2 sources of 600 rows", "two words in all"])
def test_a_file_that_is_read_comes_to_rest(page, name):
    app = at_rest(bring(page, name), "hypotheses")
    assert not app.exception
    assert "…" not in text(app)


def test_two_sources_leave_one_number_of_sources(page):
    bring(page, "2 sources of 600 rows")
    settings = page.session_state["hypotheses.desk"].settings
    assert settings.limits["sources"] == (2, 2)
    assert tuple(settings.limits["target_rows"]) == (40, 40)

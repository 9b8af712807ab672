"""Unusual and hostile files on the real page: each is read as what it is, or refused in words; nothing breaks."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app import at_rest, opened, text
from tests.hostile_files import hostile

PAGE, VERDICT = "hypotheses", 'class="lab-verdict"'
FILES = hostile()
# File -> what its columns must be read as; all others, behind "parquet", must be refused.
READ = {name: ["text", "label"] for name in [*FILES][: [*FILES].index("parquet") + 1]} | {
    **{name: ["text", "label", "shop"] for name in FILES if "sources" in name},
    "no head": ["column 1", "column 2"],
    "hostile names": ["# ![x](http://evil.test/p)", "=1+1"],
}


@pytest.fixture(scope="module")
def page() -> AppTest:
    """One session that is brought file after file, as by somebody who does not give up."""
    app = opened(PAGE, data="own", repeats="2", dimension="3")
    assert not app.exception
    return app


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_what_it_is_or_refused_in_words(page, name):
    before = page.session_state["hypotheses.desk"].settings
    page.file_uploader[0].set_value((f"{name}.csv", FILES[name], "text/csv")).run()
    if "sources" in name:
        page.selectbox(key="hypotheses.own.source").set_value("shop").run()
    assert not page.exception
    settings, said = page.session_state["hypotheses.desk"].settings, [one.value for one in page.error]
    if name in READ:
        assert not said
        assert list(settings.own.table.columns) == READ[name]
        assert VERDICT in text(page)
    else:
        assert said
        assert all("must" in sentence for sentence in said)
        assert settings.own is before.own or VERDICT not in text(page)
        assert not any(part in sentence for sentence in said for part in ("\x00", "expected after", "Error"))
    if name == "2 sources of 600 rows":
        assert (settings.limits["sources"], tuple(settings.limits["target_rows"])) == ((2, 2), (40, 40))
    if name in ("2 sources of 600 rows", "two words in all"):
        app = at_rest(page, PAGE)
        assert not app.exception
        assert "…" not in text(app)

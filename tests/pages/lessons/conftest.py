"""The browser of each session on the page of lessons."""

import pytest
from streamlit.runtime.context import ContextProxy


@pytest.fixture(autouse=True)
def cookies(monkeypatch) -> dict[str, str]:
    """Return what the browser of the next session sends."""
    sent: dict[str, str] = {}
    monkeypatch.setattr(ContextProxy, "cookies", sent)
    return sent

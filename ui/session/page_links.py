"""Link from one page of the lab to another, in the same tab of the browser and the same session."""

from collections.abc import Mapping

import streamlit as st

from lab.experiment.links import minimal_texts, versioned
from lab.experiment.settings import Settings

_KEY = "lab.pages"
_FORWARD = ":material/arrow_forward:"


def register_pages(pages: Mapping[str, st.Page]) -> None:
    """Store the pages of this session by their names."""
    st.session_state[_KEY] = pages


def page_for(name: str) -> st.Page:
    """Return the page with this name."""
    return st.session_state[_KEY][name]


def settings_link(name: str, label: str, settings: Settings) -> None:
    """Show a link to a page at these settings, unless the present page is shown alone."""
    query_link(name, label, minimal_texts(settings))


def query_link(name: str, label: str, query: Mapping[str, str], *, icon: str = _FORWARD) -> None:
    """Show a link to a page with this query, unless the present page is shown alone."""
    pages = st.session_state.get(_KEY, {})
    if name not in pages:
        return
    st.page_link(
        pages[name],
        label=label,
        icon=icon,
        query_params=versioned(query),
        width="content",
    )

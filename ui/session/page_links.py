"""The way from one page of the lab to another, in the same tab of the browser and the same
session.
"""

from collections.abc import Mapping

import streamlit as st

from lab.experiment.links import brief, versioned
from lab.experiment.settings import Settings

_KEY = "lab.doors"


def remember(doors: Mapping[str, st.Page]) -> None:
    """Record where each page opens, by its name."""
    st.session_state[_KEY] = doors


def to(name: str) -> st.Page:
    """Return where this page opens."""
    return st.session_state[_KEY][name]


def door(
    name: str, label: str, settings: Settings, *, icon: str = ":material/arrow_forward:"
) -> None:
    """Show a link to a page, at these settings of it; nothing where a page is shown alone."""
    way(name, label, brief(settings), icon=icon)


def way(
    name: str, label: str, query: Mapping[str, str], *, icon: str = ":material/arrow_forward:"
) -> None:
    """Show the same with what the address says after its question mark, by the defaults of
    today.
    """
    doors = st.session_state.get(_KEY, {})
    if name in doors:
        st.page_link(
            doors[name], label=label, icon=icon, query_params=versioned(query), width="content"
        )

"""The buttons of *My data* to the pages that can train on a visitor's file."""

from collections.abc import Mapping

import streamlit as st

from lab.experiment.data_settings import MOST_LIVE, of_classes, of_numbers
from lab.experiment.links import versioned
from lab.uploads.column_roles import Roles
from lab.uploads.rows import OwnRows
from ui.page.tabs import ASK_TAB
from ui.session import page_links
from ui.session.address import TAB
from ui.text.texts import Texts

# Page -> its icon, whether it predicts numbers, and which files fit it; in this order.
_PAGES = {
    "regression": ("show_chart", True, of_numbers),
    "classifier": ("scatter_plot", False, of_classes),
    "network": ("hub", False, of_classes),
}
# Pages with a button to the search for an epsilon.
_WITH_SEARCH = ("regression", "classifier")
# Settings with which a page opens a file, where its own defaults are meant for a larger table.
_STARTS = {"regression": {"epsilon": "1"}}


def show(own: OwnRows | None, roles: Roles, texts: Texts) -> None:
    """Show buttons to the pages that predict the chosen column, disabled for files that do not fit.

    Args:
        own: The file with its roles; None while an entry is missing.
        roles: The roles so far.
        texts: The texts of *My data*.
    """
    predicts_number = roles.target is not None
    for page, (icon, page_predicts_number, fits) in _PAGES.items():
        if page_predicts_number != predicts_number:
            continue
        disabled = own is None or not fits(own)
        if page in _WITH_SEARCH:
            pressed = st.button(
                texts["search.label"],
                key="data.epsilon",
                icon=":material/search:",
                type="primary",
                disabled=disabled,
                width="stretch",
            )
            if pressed and own is not None:
                _open(page, own, {TAB: ASK_TAB.name})
            st.caption(texts["search.note"])
        pressed = st.button(
            texts[f"page.{page}"],
            key=f"data.{page}",
            icon=f":material/{icon}:",
            type="secondary",
            disabled=disabled,
            width="stretch",
        )
        if pressed and own is not None:
            _open(page, own, {})


def _open(page: str, own: OwnRows, view: Mapping[str, str]) -> None:
    """Open a page with as many rows of the file as it can move with."""
    rows = own.private
    if not of_numbers(own):
        rows = min(own.private, MOST_LIVE)
    link = {"dataset": "own", "own": str(own), "rows": str(rows)}
    link |= _STARTS.get(page, {})
    link |= view
    st.switch_page(page_links.page_for(page), query_params=versioned(link))

"""The buttons of *My data* to the pages that can train on a visitor's file."""

from collections.abc import Callable

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
# Pages that are opened with as many rows as the file has, and those of them where the search for an
# epsilon begins.
_SIZED, _SEARCHED = ("regression", "classifier", "network"), ("regression", "classifier")
# Settings with which a page opens a file, where its own defaults are meant for a larger table.
_STARTS = {"regression": {"mechanism": "gaussian", "epsilon": "1"}}


def show(own: OwnRows | None, roles: Roles, says: Texts) -> None:
    """Show buttons to the pages that can predict the column of these roles, dead without a file
    that fits.
    """
    number = roles.target is not None
    for page, (icon, of_number, fits) in _PAGES.items():
        if of_number != number:
            continue
        if page in _SEARCHED:
            _door(page, own, fits, says["search.label"], icon="search", search=True)
            st.caption(says["search.note"])
        _door(page, own, fits, says[f"page.{page}"], icon=icon)


def _door(
    page: str,
    own: OwnRows | None,
    fits: Callable[[OwnRows], bool],
    label: str,
    *,
    icon: str,
    search: bool = False,
) -> None:
    """Show a button that opens a page with these rows, or its ``search`` for an epsilon."""
    pressed = st.button(
        label,
        key="data.epsilon" if search else f"data.{page}",
        icon=f":material/{icon}:",
        type="primary" if search else "secondary",
        disabled=own is None or not fits(own),
        width="stretch",
    )
    if pressed and own is not None:
        rows = own.private if of_numbers(own) else min(own.private, MOST_LIVE)
        link = {"dataset": "own", "own": str(own)} | ({"rows": str(rows)} if page in _SIZED else {})
        link |= _STARTS.get(page, {}) | ({TAB: ASK_TAB.name} if search else {})
        st.switch_page(page_links.page_for(page), query_params=versioned(link))

"""Glossary: what the terms mean, and where the lab shows them."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from lab import papers
from pages.learn.charts_terms import drawing
from ui.session import page_links
from ui.text.escaping import plain
from ui.text.glossary import GROUPS, PAGE, TERM_PARAMETER, TERMS, search
from ui.text.texts import Texts

QUESTION = "Glossary"
_TEXTS = Texts(__file__)
_COLUMNS = 3
# Letters of an unknown term that are shown.
_MAX_LETTERS = 40


def show() -> None:
    """Show all terms, those that are searched for, or the one that the address names."""
    st.title(QUESTION)
    asked = st.query_params.get(TERM_PARAMETER, "")
    if asked in TERMS:
        _show_single(asked)
        return
    if asked:
        name = plain(asked[:_MAX_LETTERS])
        st.warning(f"The glossary has no term {name}.", icon=":material/link_off:")
    st.caption(_TEXTS["glossary"])
    query = st.text_input(
        "Search",
        key="glossary.search",
        placeholder="a word, such as clipping",
        icon=":material/search:",
    )
    if not query.strip():
        for group, terms in GROUPS.items():
            st.header(group, anchor=False)
            _show_cards(list(terms))
        return
    keys = search(query)
    heading = "No term matches"
    if keys:
        heading = f"{len(keys)} of {len(TERMS)} terms"
    st.header(heading, anchor=False)
    _show_cards(keys)


def _show_single(key: str) -> None:
    """Show one term, and links to related terms."""
    with st.container(key="term"):
        _show_card(key, st.header)
    links = []
    for related in TERMS[key].see:
        links.append(f"[{TERMS[related].name}]({PAGE}?{TERM_PARAMETER}={related})")
    links.append(f"[All terms]({PAGE})")
    st.markdown(f"Related terms: {' · '.join(links)}")


def _show_cards(keys: Sequence[str]) -> None:
    """Show cards in rows of three, in reading order."""
    for first in range(0, len(keys), _COLUMNS):
        row = keys[first : first + _COLUMNS]
        for column, key in zip(st.columns(_COLUMNS, gap="small"), row, strict=False):
            with column:
                _show_card(key)


def _show_card(key: str, heading: Callable[..., Any] = st.subheader) -> None:
    """Show a term with its meaning, drawing and link."""
    term = TERMS[key]
    with st.container(border=True, height="stretch", key=f"term-{key}"):
        heading(term.name, anchor=key)
        st.markdown(f"{term.says} ({papers.named(term.paper)})")
        picture = drawing(key)
        if picture:
            st.markdown(picture, unsafe_allow_html=True)  # st.html leaves drawings out
        page_links.query_link(term.page, term.shows, term.settings)

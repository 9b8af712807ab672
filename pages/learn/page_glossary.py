"""Glossary: what the terms mean, and where the lab shows them."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from lab import papers
from pages.learn.charts_terms import drawing
from ui.session import page_links
from ui.text.escaping import plain
from ui.text.glossary import GROUPS, PAGE, TERM_PARAMETER, TERMS, meaning, search
from ui.text.texts import Texts

QUESTION = "Glossary"
_TEXTS = Texts(__file__)

_ABREAST = 3


def show() -> None:
    """The whole page, or the one term that the address asks for."""
    st.title(QUESTION)
    asked = st.query_params.get(TERM_PARAMETER, "")
    if asked in TERMS:
        _one(asked)
        return
    if asked:
        st.warning(f"The glossary has no term {plain(asked[:40])}.", icon=":material/link_off:")
    st.caption(_TEXTS["glossary"])
    example, icon = "a word, such as clipping", ":material/search:"
    wanted = st.text_input("Search", key="glossary.search", placeholder=example, icon=icon)
    if not wanted.strip():
        for group, terms in GROUPS.items():
            st.header(group, anchor=False)
            _cards(list(terms))
        return
    keys = search(wanted)
    st.header(f"{len(keys)} of {len(TERMS)} terms" if keys else "No term matches", anchor=False)
    _cards(keys)


def _one(key: str) -> None:
    with st.container(key="term"):
        _card(key, st.header)
    others = [f"[{TERMS[other].name}]({PAGE}?{TERM_PARAMETER}={other})" for other in TERMS[key].see]
    st.markdown(f"Related terms: {' · '.join(others)} · [All terms]({PAGE})")


def _cards(keys: Sequence[str]) -> None:
    """Three side by side, in reading order."""
    for place in range(0, len(keys), _ABREAST):
        for column, key in zip(
            st.columns(_ABREAST, gap="small"), keys[place : place + _ABREAST], strict=False
        ):
            with column:
                _card(key)


def _card(key: str, heading: Callable[..., Any] = st.subheader) -> None:
    term = TERMS[key]
    with st.container(border=True, height="stretch", key=f"term-{key}"):
        heading(term.name, anchor=key)
        st.markdown(f"{meaning(key)} ({papers.named(term.paper)})")
        if picture := drawing(key):
            st.markdown(picture, unsafe_allow_html=True)  # st.html leaves drawings out
        page_links.query_link(term.page, term.shows, term.settings)

"""Five papers, checked: what they claim and what we reproduce"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st

from lab import papers
from pages.learn.works import BEYOND, WORKS, Part
from ui.page import Page

QUESTION = "Five papers, checked: what they claim and what we reproduce"
_LEAD = (
    "The lab began with five works. Most of what they say stands, and is reproduced here; where a formula gives "
    "something else than its text says, the line says what it gives. Each link opens the lab at the published "
    "settings; where a tab is named, that is where it stands. What trains is audited, and so is a "
    "version broken on purpose: [Attacks and audits](attack?part=audit)."
)
_HEADS = ("Part", "It says", "What holds", "In the lab")
_ABSENT = "nowhere"


def show(pages: Sequence[Page]) -> None:
    """The whole page: a table a work."""
    titles = {page.name: page.title for page in pages}
    st.title(QUESTION)
    st.caption(_LEAD)
    with st.container(key="works"):
        for key, parts in (WORKS | BEYOND).items():
            st.header("Beyond them: " * (key in BEYOND) + papers.short(key), anchor=key)
            st.markdown(papers.reference(key))
            st.markdown(_table(parts, titles))


def _table(parts: Sequence[Part], titles: Mapping[str, str]) -> str:
    lines = [_HEADS, ["---"] * len(_HEADS)]
    lines += [(f"**{one.part}**", one.says, one.holds, _link(one, titles)) for one in parts]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _link(part: Part, titles: Mapping[str, str]) -> str:
    if not part.page:
        return _ABSENT
    where = f", *{part.tab}*" * bool(part.tab)
    return f"[{titles[part.page]}]({part.page}?{urlencode(part.settings)}){where}"

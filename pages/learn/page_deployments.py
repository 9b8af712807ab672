"""Releases in use, and what an attacker learns at most"""

from html import escape

import streamlit as st

from lab.deployments import PERSON, Deployment, deployments
from ui import deployments as shown
from ui import panels
from ui.texts import SAYS

QUESTION = "Releases in use, and what an attacker learns at most"


def show() -> None:
    st.title(QUESTION)
    st.caption(SAYS["deployments.source"])
    st.html(table())


def table() -> str:
    """Return all records (HTML): those that protect a person and trust a curator first, then by unit."""
    rows = [_row(one) for one in sorted(deployments(), key=lambda one: (not one.like(PERSON), one.protects))]
    heads = SAYS["deployments.heads"].split(" | ")
    return panels.table(rows, caption=SAYS["deployments.note"], heads=dict(zip(rows[0], heads, strict=True)))


def _row(one: Deployment) -> dict[str, str]:
    return {
        "release": f'<a href="{escape(one.source)}" rel="noreferrer">{escape(one.name)}</a>',
        "curator": escape(one.curators),
        "published": one.published[:4],
        "protects": shown.protected(one),
        "releases": one.release.lower() or "not stated",
        "parameters": shown.parameters(one),
        "attacker": shown.accuracy(one),
        "state": one.state,
    }

"""Releases in use, and what an attacker learns at most"""

from html import escape

import streamlit as st

from lab.label.deployments import PERSON, Deployment, deployments
from ui.text import tiles
from ui.text.numbers import number
from ui.text.texts import SAYS
from ui.text.tiles import percent_rounded_up

QUESTION = "Releases in use, and what an attacker learns at most"


def show() -> None:
    st.title(QUESTION)
    st.caption(SAYS["deployments.source"])
    st.html(table())


def table() -> str:
    """Return all records (HTML): those that protect a person and trust a curator first, then by
    unit.
    """
    rows = [
        _row(one)
        for one in sorted(deployments(), key=lambda one: (not one.like(PERSON), one.protects))
    ]
    heads = SAYS["deployments.heads"].split(" | ")
    return tiles.table(
        rows, caption=SAYS["deployments.note"], heads=dict(zip(rows[0], heads, strict=True))
    )


def protected(one: Deployment) -> str:
    """Return what a record protects, and who adds its noise."""
    return SAYS(f"deployments.{one.model.lower()}", unit=one.protects)


def parameters(one: Deployment) -> str:
    """Return the names and values of a record's parameters."""
    return ", ".join(f"{name} {number(value)}" for name, value in one.parameters.items())


def accuracy(one: Deployment) -> str:
    """Return the best attacker's accuracy in percent, rounded up."""
    right = one.attacker.right
    if right > 0.9995:
        return "100\u00a0%"
    return f"{percent_rounded_up(right)}\u00a0%"


def _row(one: Deployment) -> dict[str, str]:
    return {
        "release": f'<a href="{escape(one.source)}" rel="noreferrer">{escape(one.name)}</a>',
        "curator": escape(one.curators),
        "published": one.published[:4],
        "protects": protected(one),
        "releases": one.release.lower() or "not stated",
        "parameters": parameters(one),
        "attacker": accuracy(one),
        "state": one.state,
    }

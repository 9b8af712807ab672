"""Releases in use, and what an attacker learns at most"""

from html import escape

import streamlit as st

from lab.label.deployments import PERSON, Deployment, deployments
from ui.text import tables, tiles
from ui.text.numbers import number
from ui.text.texts import SAYS
from ui.text.tiles import percent_rounded_up

QUESTION = "Releases in use, and what an attacker learns at most"


def show() -> None:
    """Show the table of registered releases."""
    st.title(QUESTION)
    st.caption(SAYS["deployments.source"])
    st.html(f'<div class="lab-sentences">{table()}</div>')


def table() -> str:
    """Return all records (HTML).

    Those that protect a person and trust a curator come first, and all are in the order of what
    they protect.
    """

    def order(deployment: Deployment) -> tuple[bool, str]:
        return not deployment.like(PERSON), deployment.protects

    rows = [_row(deployment) for deployment in sorted(deployments(), key=order)]
    heads = SAYS["deployments.heads"].split(" | ")
    return tables.table(
        rows, caption=SAYS["deployments.note"], heads=dict(zip(rows[0], heads, strict=True))
    )


def protected(deployment: Deployment) -> str:
    """Return what a record protects, and who adds its noise."""
    return SAYS(f"deployments.{deployment.model.lower()}", unit=deployment.protects)


def parameters(deployment: Deployment) -> str:
    """Return the names and values of a record's parameters."""
    return ", ".join(f"{name} {number(value)}" for name, value in deployment.parameters.items())


def accuracy(deployment: Deployment) -> str:
    """Return the best attacker's accuracy in percent, rounded up."""
    right = deployment.attacker.right
    if right > tiles.PRACTICALLY_CERTAIN:
        return "100\u00a0%"
    return f"{percent_rounded_up(right)}\u00a0%"


def _row(deployment: Deployment) -> dict[str, str]:
    """Return the cells of a record (HTML)."""
    source = escape(deployment.source)
    return {
        "release": f'<a href="{source}" rel="noreferrer">{escape(deployment.name)}</a>',
        "curator": escape(deployment.curators),
        "published": deployment.published[:4],
        "protects": protected(deployment),
        "releases": deployment.release.lower() or "not stated",
        "parameters": parameters(deployment),
        "attacker": accuracy(deployment),
        "state": deployment.state,
    }

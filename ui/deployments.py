"""Releases in use elsewhere, as ticks on the axis of the attacker's accuracy; those of another unit or trust apart."""

from collections.abc import Iterable
from html import escape
from typing import Any

from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Guarantee
from lab.deployments import CENTRAL, PERSON, Deployment, deployments, model_of
from lab.label import Stated, roles_of
from ui.panels import at_most
from ui.plot.theme import number
from ui.texts import SAYS


def stated(said: Stated, result: Any) -> str:
    """Return the axis for what a page's label states, or nothing where that does not hold.

    A row is a person, unless a visitor's file has several rows of a person, or may have.
    """
    if said.promise is None or said.void or result.settings.void:
        return ""
    roles, unit = roles_of(result.settings), said.promise.unit
    one_row = unit == "record" and (roles is None or roles.one_row)
    return drawn(said.promise, PERSON if one_row else unit, model_of(said.said.get("trust", "")))


def drawn(held: Guarantee, unit: str, model: str = CENTRAL) -> str:
    """Return the axis (HTML) with a guarantee that protects ``unit`` in this deployment model, and the ticks."""
    alike = [one for one in deployments() if one.like(unit, model)]
    others = [one for one in deployments() if not one.like(unit, model)]
    here = f'<b style="left:{_place(best_attacker(held).right)}"></b>'
    by = SAYS[f"deployments.by_{model.lower()}"]
    said = SAYS(f"deployments.{'alike' if alike else 'none'}", unit="row" if unit == "record" else unit, by=by)
    return (
        f'<div class="lab-deployments"><p>{said}</p>{_axis(here, alike)}{_list(alike, marked=False)}'
        f"<details><summary>{SAYS('deployments.others', count=len(others))}</summary>"
        f"{_axis(here, others)}{_list(others, marked=True)}</details>"
        f"<small>{SAYS['deployments.note']} {SAYS['deployments.learn']}</small></div>"
    )


def protected(one: Deployment) -> str:
    """Return what a record protects, and who adds its noise."""
    return SAYS(f"deployments.{one.model.lower()}", unit=one.protects)


def parameters(one: Deployment) -> str:
    return ", ".join(f"{name} {number(value)}" for name, value in one.parameters.items())


def accuracy(one: Deployment) -> str:
    right = one.attacker.right
    return f"{at_most(right) if right <= 0.9995 else '100'}\u00a0%"


def _place(right: float) -> str:
    return f"{200 * (right - 0.5):.4g}%"


def _axis(here: str, some: Iterable[Deployment]) -> str:
    """Draw the axis from a coin toss to certainty. The list under it says the same."""
    ticks = "".join(f'<i style="left:{_place(one.attacker.right)}"></i>' for one in some)
    return f'<div aria-hidden="true">{ticks}{here}<span>50\u00a0%</span><span>75</span><span>100\u00a0%</span></div>'


def _list(some: Iterable[Deployment], *, marked: bool) -> str:
    """Return a line per record; ``marked``: with what it protects."""
    lines = (
        f"<li><b>{accuracy(one)}</b> {escape(one.name)} ({escape(one.curators)} {one.published[:4]}; {parameters(one)}"
        f"{f'; <em>{protected(one)}</em>' * marked})</li>"
        for one in some
    )
    return f"<ul>{''.join(lines)}</ul>"

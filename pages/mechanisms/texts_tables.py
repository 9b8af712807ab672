"""The mechanisms and the published formulas of Gaussian noise as tables."""

from collections.abc import Callable
from typing import Any

from lab.papers import short
from pages.mechanisms.charts import FORMULA_NAMES
from pages.mechanisms.experiment import NUMBER_MECHANISMS, MechanismsResult
from pages.mechanisms.texts import SAYS, needs
from ui.text import tiles
from ui.text.numbers import delta as delta_text
from ui.text.tiles import number

_NORMS = {"slide": "L1 norm", "classical": "L2 norm"}
_HOLDS = {True: "holds", False: "<b>broken</b>"}.__getitem__


def table(result: MechanismsResult) -> str:
    """Return the three mechanisms at these settings."""
    frame = result.table()
    pairs = zip(frame["claimed epsilon"], frame["claimed delta"], strict=True)
    formats: dict[str, Callable[[Any], str]] = {
        "mechanism": NUMBER_MECHANISMS.__getitem__,
        "within": lambda value: f"±{number(value)}",
        "real epsilon": number,
        "needed delta": needs,
        "attacker": tiles.percent_rounded_up,
        "holds": _HOLDS,
    }
    return tiles.table(
        frame.assign(
            claimed=[f"{number(epsilon)}, {delta_text(delta)}" for epsilon, delta in pairs]
        ),
        title=SAYS["table.title"],
        caption=SAYS["table.caption"],
        heads=SAYS.heads("table", ("mechanism", "within", "claimed", *list(formats)[2:])),
        formats=formats,
        marked=NUMBER_MECHANISMS[result.settings.mechanism],
    )


def formulas(result: MechanismsResult) -> str:
    """Return the slides' formulas and the exact calibration, for one number and for several with
    the L1 norm.
    """
    settings, several = result.settings, result.answers
    claim = {"epsilon": number(settings.epsilon), "delta": delta_text(settings.delta)}
    rows = [
        {
            "formula": f"&radic;(2 {FORMULA_NAMES[name]})/&epsilon;, for {norm}",
            "noise": number(settings.sensitivity * one.sd),
            "real": number(one.real),
            "needed": needs(one.needed),
            "until": number(one.until),
            "holds": _HOLDS(one.real <= settings.epsilon),
        }
        for name, norm in _NORMS.items()
        for one in (result.formulas[name],)
    ]
    exact = {
        "formula": SAYS["formulas.exact"],
        "noise": number(settings.sensitivity * result.exact_noise),
    }
    exact |= {
        "real": claim["epsilon"],
        "needed": claim["delta"],
        "until": SAYS["formulas.all"],
        "holds": _HOLDS(True),
    }
    names = ("answers", "slide", "real epsilon", "exact", "laplace")
    last = {name: float(several[name][-1]) for name in names}
    holes = {
        "most": number(last["answers"]),
        "real": number(last["real epsilon"]),
        "epsilon": claim["epsilon"],
    }
    return tiles.table(
        [*rows, exact],
        title=SAYS("formulas.title", **claim),
        caption=SAYS("formulas.caption", slides=short("hoseinpour2023")),
        heads=SAYS.heads("formulas", exact),
    ) + tiles.table(
        [dict(zip(names, row, strict=True)) for row in zip(*map(several.get, names), strict=True)],
        title=SAYS["several.title"],
        caption=SAYS("several.caption", **holes, less=number(last["slide"] / last["laplace"])),
        heads=SAYS.heads("several", names),
        formats=dict.fromkeys(names, number),
    )

"""Tables of one released number: the mechanisms, and the published formulas."""

from collections.abc import Callable, Mapping
from typing import Any

from lab.papers import short
from pages.mechanisms.result import OneNumberResult
from pages.mechanisms.settings import NUMBER_MECHANISMS
from pages.mechanisms.texts_numbers import SAYS, needed_delta_text
from ui.text import tables, tiles
from ui.text.numbers import delta as delta_text
from ui.text.tiles import number

# The logarithm in each formula, and the norm that it takes for one number.
_FORMULAS = {"slide": ("ln(2/δ)", "L1 norm"), "classical": ("ln(1.25/δ)", "L2 norm")}


def _holds_text(holds: bool) -> str:
    """Return whether a guarantee holds (HTML)."""
    if holds:
        return "holds"
    return "<b>broken</b>"


# Column of ``OneNumberResult.table`` -> the function that writes its values.
_MECHANISM_FORMATS: Mapping[str, Callable[[Any], str]] = {
    "mechanism": NUMBER_MECHANISMS.__getitem__,
    "within": lambda error: f"±{number(error)}",
    "claimed epsilon": number,
    "claimed delta": delta_text,
    "real epsilon": number,
    "needed delta": needed_delta_text,
    "attacker": tiles.percent_rounded_up,
    "holds": _holds_text,
}


def table(result: OneNumberResult) -> str:
    """Return the three mechanisms at these settings (HTML)."""
    return tables.table(
        result.table(),
        title=SAYS["table.title"],
        caption=SAYS["table.caption"],
        heads=SAYS.heads("table", _MECHANISM_FORMATS),
        formats=_MECHANISM_FORMATS,
        marked=NUMBER_MECHANISMS[result.settings.mechanism],
    )


def formulas(result: OneNumberResult) -> str:
    """Return the published formulas for one number, and for several (HTML)."""
    return _one_number_table(result) + _several_numbers_table(result)


def _one_number_table(result: OneNumberResult) -> str:
    """Return what both formulas, and the exact calibration, give for one number."""
    settings = result.settings
    epsilon = number(settings.epsilon)
    delta = delta_text(settings.delta)
    exact_row = {
        "formula": SAYS["formulas.exact"],
        "noise": number(settings.sensitivity * result.exact_sd),
        "real": epsilon,
        "needed": delta,
        "until": SAYS["formulas.all"],
        "holds": _holds_text(True),
    }
    rows = [_formula_row(result, name) for name in _FORMULAS]
    rows.append(exact_row)
    return tables.table(
        rows,
        title=SAYS("formulas.title", epsilon=epsilon, delta=delta),
        caption=SAYS("formulas.caption", slides=short("hoseinpour2023")),
        heads=SAYS.heads("formulas", exact_row),
    )


def _formula_row(result: OneNumberResult, name: str) -> dict[str, str]:
    """Return the cells of a formula."""
    settings = result.settings
    formula = result.formulas[name]
    logarithm, norm = _FORMULAS[name]
    return {
        "formula": f"&radic;(2 {logarithm})/&epsilon;, for {norm}",
        "noise": number(settings.sensitivity * formula.sd),
        "real": number(formula.real),
        "needed": needed_delta_text(formula.needed),
        "until": number(formula.until),
        "holds": _holds_text(formula.real <= settings.epsilon),
    }


def _several_numbers_table(result: OneNumberResult) -> str:
    """Return the noise on each of several numbers."""
    several = result.several_numbers
    most_numbers = several.iloc[-1]
    caption = SAYS(
        "several.caption",
        most=number(most_numbers["answers"]),
        real=number(most_numbers["real epsilon"]),
        epsilon=number(result.settings.epsilon),
        less=number(most_numbers["slide"] / most_numbers["laplace"]),
    )
    return tables.table(
        several,
        title=SAYS["several.title"],
        caption=caption,
        heads=SAYS.heads("several", several.columns),
        formats=dict.fromkeys(several.columns, number),
    )

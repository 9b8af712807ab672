"""Apply what visitors enter, by links and sliders, and put into words what is refused."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from dpcore.check import RefusedError
from lab.experiment import links
from lab.experiment.settings import Settings
from ui.text.escaping import plain, quoted
from ui.text.numbers import format_number
from ui.text.sliders import SLIDERS


def from_link(settings_type: type[Settings], params: Mapping[str, str]) -> tuple[Any, list[str]]:
    """Return the settings of a link, and a sentence (markdown) for each ignored parameter."""
    settings, refused = links.read(settings_type, params)
    notices = []
    for name, refusal in refused.items():
        notice = ignored(name, params[name], plain(refusal.allowed))
        notices.append(notice + _two_readings(refusal.value))
    known = {field.name for field in fields(settings_type)} | {links.VERSION_NAME}
    for name, value in params.items():
        if name not in known and not links.is_tracking(name):
            entry = _in_link(name, value)
            notices.append(f"{entry} was ignored, as this page has no such setting.")
    return settings, notices


def apply_move(settings: Any, name: str, value: float | str) -> tuple[Any, dict[str, str]]:
    """Return the settings after a movement, and field -> the sentence that refuses its value.

    Movements of fields that have no slider and take no clicks change nothing.
    """
    if not is_movable(settings, name):
        return settings, {}
    return try_change(settings, name, value)


def is_movable(settings: Any, name: str) -> bool:
    """Return whether a field has a slider, or is changed by clicks on a chart."""
    has_slider = name in SLIDERS and name in settings.limits
    return has_slider or name in getattr(settings, "CLICKS", ())


def try_change(settings: Any, name: str, value: Any) -> tuple[Any, dict[str, str]]:
    """Return the settings with another value of a field, and field -> the sentence that refuses it.

    Refused settings stay as they were.
    """
    try:
        return links.changed(settings, name, value), {}
    except RefusedError as refusal:
        refused_name = name
        if refusal.name in SLIDERS:
            refused_name = refusal.name
        return settings, {refused_name: _refusal(refusal)}


def ignored(name: str, value: str, allowed: str) -> str:
    """Return the notice (markdown) that a link's parameter is not ``allowed``."""
    return f"{_in_link(name, value)} was ignored. It must be {allowed}."


def _in_link(name: str, value: str) -> str:
    # Shown as code, so that nothing in it is taken for formatting.
    return f"In the link, {quoted(f'{name}={value}')}"


def _two_readings(refused: object) -> str:
    """Return a further sentence if a refused number can be read in two ways.

    Its comma or point may separate thousands or decimals.
    """
    readings = links.two_readings(refused)
    if readings is None:
        return ""
    separator, thousands, decimal = readings
    return f" Its {separator} can be read in two ways. Write {thousands} or {decimal}."


def _refusal(refusal: RefusedError) -> str:
    label = refusal.name
    if refusal.name in SLIDERS:
        label = SLIDERS[refusal.name]["label"]
    value = str(refusal.value)
    if isinstance(refusal.value, (int, float)):
        value = format_number(refusal.value)
    if not value:
        value = "empty"
    reason = f"it must be {refusal.allowed}.{_two_readings(refusal.value)}"
    return f"{label} cannot be {value}: {reason}"

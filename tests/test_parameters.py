"""The contract of every page's settings: ranges and choices are as they are declared, and errors name them."""

import math
from dataclasses import asdict, replace

import pytest

from dpcore.check import RefusedError
from pages.table import PAGES

SETTINGS = [pytest.param(page.settings(), id=page.name) for page in PAGES if page.name != "what-if"]
# Axes of one picture, which differ.
ACROSS = {"feature_x": "feature_y", "feature_y": "feature_x"}


def refused(settings, name: str, value: object) -> str:
    with pytest.raises(RefusedError) as caught:
        replace(settings, **{name: value})
    assert str(caught.value).startswith(f"{name} is {value!r}, but must be ")
    return str(caught.value)


@pytest.mark.parametrize("settings", SETTINGS)
def test_what_has_no_meaning_is_refused_with_its_name_and_what_is_allowed(settings):
    for name, (low, high) in settings.limits.items():
        for value in (low - 1, high + 1, math.nan, "abc", True, *([2.5] if isinstance(low, int) else [])):
            assert f"from {low:g} to {high:g}" in refused(settings, name, value)
    for name in settings.choices:
        refused(settings, name, "mars")


def changed(settings, name: str, value: float):
    """The settings with this value; if others must follow, with these in their new range."""
    try:
        return replace(settings, **{name: value})
    except RefusedError:
        return settings.change(**{name: value})


@pytest.mark.parametrize("settings", SETTINGS)
def test_both_ends_of_a_range_are_allowed(settings):
    for name in {*asdict(settings)} & {*settings.limits}:
        for end in settings.limits[name]:
            if end != getattr(settings, ACROSS.get(name, ""), None):
                assert getattr(changed(settings, name, end), name) == end

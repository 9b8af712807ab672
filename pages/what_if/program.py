"""The Python program that prints the numbers of an answer."""

from dataclasses import asdict
from typing import Any

from lab.experiment.settings import Settings
from pages.what_if.measurements import MOST
from pages.what_if.retest import OTHER_SEEDS


def program(settings: Any) -> str:
    """Return a program that prints the numbers of an answer to ``WhatIfSettings``."""
    topic_settings = settings.topic_settings
    load_snippet = getattr(topic_settings, "load_snippet", "")
    imported = "smallest, summary, sweep"
    lines = _curve_lines(settings)
    if settings.answered_question == "best":
        imported = "recommend"
        lines = [_search_line(settings)]
    imports = f"from lab.sweeps.sweep import {imported}\n"
    calls = "\n".join(lines)
    return f"{load_snippet}{imports}{_settings_lines(topic_settings)}{calls}\n"


def _settings_lines(settings: Settings) -> str:
    """Return the lines that make the topic's settings."""
    kind = type(settings)
    arguments = []
    for name, value in asdict(settings).items():
        arguments.append(f"    {name}={value!r},\n")
    return (
        f"from {kind.__module__} import {kind.__name__}\n\n"
        f"settings = {kind.__name__}(\n{''.join(arguments)})\n"
    )


def _runs(settings: Any) -> str:
    """Return the arguments that choose the runs."""
    return f"measure={settings.measure!r}, repeats={settings.repeats}"


def _search_line(settings: Any) -> str:
    """Return the line that prints the search for the best configuration."""
    runs = _runs(settings)
    search = f"recommend(settings, tries={settings.tries}, {runs}, seeds={OTHER_SEEDS})"
    return f"print({search}.to_string())"


def _curve_lines(settings: Any) -> list[str]:
    """Return the lines that print the curve and, if there is one, its crossing."""
    name = settings.x_field
    goal = settings.goal
    runs = _runs(settings)
    better = settings.asked_measure.better
    lines = [
        f"values = {list(settings.experiment.plan.curve)!r}",
        f"runs = sweep(settings, {name!r}, values, {runs})",
        f"print(summary(runs, target={goal!r}, better={better!r}).to_string())",
    ]
    if settings.only_improves:
        answer = f"smallest(settings, {name!r}, {goal!r}, values=values, {runs}"
        lines += [
            f"found = {answer})  # the answer for the median, in a row",
            f"found_for_most = {answer}, share={MOST})  # the answer for 90 % of runs",
        ]
    return lines

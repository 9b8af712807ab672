"""A lesson in one file: guess, see, and say why, where nothing runs.

The guess stays in the reader's page.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any
from urllib.parse import urlencode

from lab.experiment.links import minimal_texts, versioned
from pages.lessons import page_charts as pictures
from pages.lessons import texts as say
from pages.lessons.lessons import LESSONS, Case, Lesson, Number
from ui.compute.runner import compute
from ui.export import recording, single_file
from ui.page.page import Page
from ui.text import markdown
from ui.text.texts import SAYS
from ui.widgets import Slider

_STOPS = 20  # of a logarithmic guess, in a decade


def file(lesson: Lesson, page: Page, *, above: str, link: Callable[[str], str]) -> str:
    """Return the lesson as a page (HTML); above: HTML over it. link: address in the lab -> address
    from this file.
    """
    before, after = (Case(one, compute(one, seconds=1e9)[0]) for one in lesson.cases(page.settings))
    taken = _taken(lesson, page, before, after)
    blank = pictures.covered(lesson, pictures.picture(lesson, page, before.result), before, None)
    steps = "".join(
        f'<section data-step="{name}"{" hidden" * (name != "guess")}>{inside}</section>'
        for name, inside in _steps(lesson, before, after, link).items()
    )
    body = (
        f'<p class="lab-lesson"><span>Lesson {LESSONS.index(lesson) + 1} of {len(LESSONS)} ·'
        f" {lesson.minutes} "
        f'minutes</span></p><h1 tabindex="-1">{escape(lesson.text("Question"))}</h1>'
        f'<div class="screen lesson"><div class="shown">{recording.chart_place(blank)}</div>'
        f'<div class="steps">{steps}</div></div>'
        f"{single_file.data(recording.chart_data(blank), name='first')}"
        f"{single_file.data(taken, name='recording')}"
        f"{single_file.program('player/lesson.js')}"
    )
    return recording.page_document(lesson.text("Title"), body, above=above)


def _taken(lesson: Lesson, page: Page, before: Case, after: Case) -> dict[str, Any]:
    """Return what the file plays: the guesses that can be made, and of each the charts and the
    heading.
    """
    hidden, shown = (pictures.picture(lesson, page, one.result) for one in (before, after))
    slider, at = (
        (_slider(lesson.number), lesson.place(after.settings)) if lesson.number else (None, 0.0)
    )
    values = recording.slider_values(slider) if slider else [*range(len(lesson.options("Guess")))]

    def frame(value: float) -> dict[str, Any]:
        covered = pictures.covered(lesson, hidden, before, (at, value) if slider else None)
        revealed = pictures.revealed(lesson, shown, value, before, after)
        return {
            "covered": recording.chart_data(covered),
            "reveal": recording.chart_data(revealed),
            "heading": say.heading(lesson, value, before, after),
        }

    return {
        "slider": asdict(slider) if slider else None,
        "values": values,
        "frames": recording.encode_stops([frame(value) for value in values]),
    }


def _slider(one: Number) -> Slider:
    wide = one.low > 0 and one.high > 20 * one.low
    how: Mapping[str, Any] = {"scale": "log", "stops": _STOPS} if wide else {"step": one.step}
    return Slider(
        name="guess",
        label="My guess",
        low=one.low,
        high=one.high,
        unit=one.unit,
        group="hero",
        **how,
    )


def _steps(lesson: Lesson, before: Case, after: Case, link: Callable[[str], str]) -> dict[str, str]:
    """Return step -> what stands beside the chart (HTML)."""

    def told(part: str) -> str:
        return markdown.html(say.told(lesson, part, before, after), link)

    answer = "" if lesson.number else _choice("My guess", lesson.options("Guess"))
    guess = (
        f"{markdown.html(say.known(lesson, before), link)}"
        f'<div class="panel"><div class="rows hero" id="slider"></div></div>{answer}'
        '<p><button id="lock" data-go="reveal">Lock in my guess</button></p><p'
        f" class=quiet>{say.GRADELESS}</p>"
    )
    place = LESSONS.index(lesson) + 1
    after_it, title = (
        (LESSONS[place].name, LESSONS[place].text("Title")) if place < len(LESSONS) else ("", "")
    )
    onward = escape(f"Next: {title}" if title else "All lessons")
    following = f'<a href="{escape(link(f"lessons?lesson={after_it}"))}">{onward}</a>'
    settled = f"{lesson.page}?{urlencode(versioned(minimal_texts(after.settings)))}"
    return {
        "guess": guess,
        "reveal": f"{told('Seen')}{_ways('guess', 'why', 'Why?')}",
        "why": (
            f"{told('Why')}{say.attacker(lesson, after)}<p><b>Not"
            f" so:</b></p>{told('Misconception')}{_ways('reveal', 'try', 'Try it yourself')}"
        ),
        "try": (
            f'{told("Try")}<p><a href="{escape(link(settled))}">{SAYS["recording.page"]}</a></p>'
            f'<p><button data-go="why">Back</button> {following}</p>'
        ),
    }


def _choice(legend: str, options: Sequence[str]) -> str:
    radios = "".join(
        f'<label><input type="radio" name="guess" value="{place}"> {escape(option)}</label>'
        for place, option in enumerate(options)
    )
    return f"<fieldset><legend>{legend}</legend>{radios}</fieldset>"


def _ways(back: str, on: str, label: str) -> str:
    return f'<p><button data-go="{back}">Back</button> <button data-go="{on}">{label}</button></p>'

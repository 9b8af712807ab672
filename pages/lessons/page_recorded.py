"""A lesson in one file: guess, see and explain where nothing runs; the guess stays in the page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any
from urllib.parse import urlencode

from lab.experiment.links import minimal_texts, versioned
from pages.lessons import texts
from pages.lessons.lesson import Case, Lesson
from pages.lessons.lessons import next_lesson
from pages.lessons.page_charts import cover_chart, lesson_chart, reveal_chart
from ui.compute.runner import compute
from ui.export import recording, single_file
from ui.page.page import Page
from ui.text import markdown
from ui.text.guess_range import GuessRange
from ui.text.texts import SAYS
from ui.widgets import Slider

# A guess has a log scale if its range is wider than this factor, with so many values a decade.
_LOG_FACTOR = 20
_VALUES_PER_DECADE = 20
# Seconds of work, so that all of it is done.
_NO_LIMIT = 1e9


def file(lesson: Lesson, page: Page, *, above: str, link: Callable[[str], str], head: str) -> str:
    """Return the lesson as a page (HTML).

    Args:
        lesson: The lesson.
        page: Its page.
        above: What stands over it (HTML).
        link: Address in the lab -> address from this file.
        head: More tags for the head of the file (HTML).
    """
    known, asked = lesson.cases(page.settings)
    before = _computed(known)
    after = _computed(asked)
    covered = cover_chart(lesson, lesson_chart(lesson, page, before.result), before, None)
    steps = ""
    for name, content in _steps(lesson, before, after, link).items():
        attributes = f'data-step="{name}"'
        if name != "guess":
            attributes += " hidden"
        steps += f"<div {attributes}>{content}</div>"
    body = (
        f'<p class="lab-lesson">{texts.place(lesson)}</p>'
        f'<h1 tabindex="-1">{escape(lesson.text("Question"))}</h1>'
        f'<div class="screen lesson"><div class="shown">{recording.chart_place(covered)}</div>'
        f'<div class="steps">{steps}</div></div>'
        f"{single_file.data(recording.chart_data(covered), name='first')}"
        f"{single_file.data(_record(lesson, page, before, after), name='recording')}"
        f"{single_file.program('player/lesson.js')}"
    )
    return recording.page_document(lesson.text("Title"), body, above=above, head=head)


def _computed(settings: Any) -> Case:
    """Return the case of settings with all of its work done."""
    result, _ = compute(settings, seconds=_NO_LIMIT)
    return Case(settings, result)


def _record(lesson: Lesson, page: Page, before: Case, after: Case) -> dict[str, Any]:
    """Return all that the file plays: possible guesses, and the charts and heading of each."""
    before_chart = lesson_chart(lesson, page, before.result)
    after_chart = lesson_chart(lesson, page, after.result)
    slider = None
    slider_fields = None
    values: list[float] = []
    if lesson.number:
        slider = _slider(lesson.number)
        slider_fields = asdict(slider)
        values = recording.slider_values(slider)
    else:
        values.extend(range(len(lesson.options("Guess"))))
    frames = []
    for value in values:
        position = None
        if slider is not None:
            position = (lesson.position(after.settings), value)
        covered = cover_chart(lesson, before_chart, before, position)
        revealed = reveal_chart(lesson, after_chart, value, before, after)
        frame = {
            "covered": recording.chart_data(covered),
            "reveal": recording.chart_data(revealed),
            "heading": texts.heading(lesson, value, before, after),
        }
        frames.append(frame)
    return {"slider": slider_fields, "values": values, "frames": recording.encode_stops(frames)}


def _slider(number: GuessRange) -> Slider:
    """Return the slider of a guess."""
    scale: Mapping[str, Any] = {"step": number.step}
    if number.low > 0 and number.high > _LOG_FACTOR * number.low:
        scale = {"scale": "log", "stops": _VALUES_PER_DECADE}
    return Slider(
        name="guess",
        label="My guess",
        low=number.low,
        high=number.high,
        unit=number.unit,
        group="hero",
        **scale,
    )


def _steps(lesson: Lesson, before: Case, after: Case, link: Callable[[str], str]) -> dict[str, str]:
    """Return step -> what stands beside the chart (HTML)."""

    def text(part: str) -> str:
        return markdown.html(texts.measured_text(lesson, part, before, after), link)

    options = ""
    if not lesson.number:
        options = _option_fields("My guess", lesson.options("Guess"))
    guess = (
        f"{markdown.html(texts.known_text(lesson, before), link)}"
        f'<div class="panel"><div class="rows hero" id="slider"></div></div>{options}'
        '<p><button id="lock" data-go="reveal">Lock in my guess</button></p>'
        f"<p class=quiet>{texts.GRADELESS}</p>"
    )
    reveal = text("Seen") + _navigation("guess", "why", "Why?")
    why = (
        f"{text('Why')}{texts.attacker(lesson, after)}<p><b>Not so:</b></p>"
        f"{text('Misconception')}{_navigation('reveal', 'try', 'Try it yourself')}"
    )
    page_link = link(f"{lesson.page}?{urlencode(versioned(minimal_texts(after.settings)))}")
    try_it = (
        f'{text("Try")}<p><a href="{escape(page_link)}">{SAYS["recording.page"]}</a></p>'
        f'<p><button data-go="why">Back</button> {_next_link(lesson, link)}</p>'
    )
    return {"guess": guess, "reveal": reveal, "why": why, "try": try_it}


def _next_link(lesson: Lesson, link: Callable[[str], str]) -> str:
    """Return the link to the next lesson, or to all of them (HTML)."""
    address = "lessons?lesson="
    following = next_lesson(lesson)
    if following:
        address += following.name
    return f'<a href="{escape(link(address))}">{escape(texts.onward_label(lesson))}</a>'


def _option_fields(legend: str, options: Sequence[str]) -> str:
    """Return fields that choose one of the options (HTML)."""
    fields = ""
    for index, option in enumerate(options):
        field = f'<input type="radio" name="guess" value="{index}">'
        fields += f"<label>{field} {escape(option)}</label>"
    return f"<fieldset><legend>{legend}</legend>{fields}</fieldset>"


def _navigation(back: str, on: str, label: str) -> str:
    """Return the buttons to the step before and to the next one (HTML)."""
    return f'<p><button data-go="{back}">Back</button> <button data-go="{on}">{label}</button></p>'

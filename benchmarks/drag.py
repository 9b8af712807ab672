"""Count the redraws of a dragged slider next to those of a bare canvas on the same channel.

    make bench ARGS=drag
    PAGES=attack,parties make bench ARGS=drag   # these topics only

Each topic's slider is dragged once from end to end. Then a page with one canvas requests the same
settings with another seed, so that the server computes as much, and draws one line for each answer.
Nothing is requested ahead of time.

- *topic*: the page. *values*: values that the slider had during the drag.
- *redraws*: complete redraws per second of the charts in view, as in `benchmarks.latency`.
- *canvas*: redraws per second of the bare canvas.
- *ratio*: redraws divided by canvas, which depends less on the load of the machine.
- *script*, *style*, *layout*, *paint*, *other*, *idle*: shares of the browser's main thread during
  the drag, from a Chromium trace. The time of nested events counts for the innermost one. *other*
  is what the browser does between events, such as input and messages.
- *a redraw*: milliseconds of the main thread, without idle time, per redraw.
- *styled*: elements whose style was computed anew, per redraw. This does not depend on the load.

The trace and the recorder of changes cost time, too, on every topic alike.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.latency import DRAG_SECONDS, FLAGS, Visit, browser_path, missing_here, served
from benchmarks.report import Line, Outcome, Print, at_least, at_most, number, row
from benchmarks.subjects import DRAGGED, SUBJECTS

CANVAS = Path(__file__).with_name("bare") / "canvas.js"
# Pixels at each end of the canvas's slider that a drag leaves out.
CANVAS_MARGIN = 8
# Values of the canvas's slider.
STOPS = 100
MOVE_SECONDS = 0.016
# A redraw of several charts may take that much longer than one line on a canvas.
RATIO_AT_LEAST = 0.4
STYLED_AT_MOST = 400

CAUSES = ("script", "style", "layout", "paint", "other", "idle")
COLUMNS = ("topic", "values", "redraws", "canvas", "ratio", *CAUSES, "a redraw", "styled")
WIDTHS = (12, 6, 7, 7, 6, *(6 for _ in CAUSES), 8, 6)

CATEGORIES = ["blink.user_timing", "devtools.timeline", "disabled-by-default-devtools.timeline"]
# Event of the timeline -> its cause. Every other event that runs inside a task is script.
CAUSE_OF_EVENT = {
    "UpdateLayoutTree": "style",
    "Layout": "layout",
    "PrePaint": "paint",
    "Paint": "paint",
    "Layerize": "paint",
    "Commit": "paint",
    "CompositeLayers": "paint",
    "UpdateLayer": "paint",
    "RunTask": "other",
}
# Keeps the questions of the drag, but not those that are asked ahead of time.
KEEP_QUESTIONS = """(() => {
  globalThis.questions = []
  const send = WebSocket.prototype.send
  WebSocket.prototype.send = function (message) {
    if (typeof message === "string") {
      const asked = JSON.parse(message)
      if (asked.moves && !asked.ahead) questions.push(asked)
    }
    return send.call(this, message)
  }
})()"""

# Column -> figure of one drag.
Figures = dict[str, float]


def run(*, rounds: int, say: Print) -> Outcome:
    """Drag every topic, and the canvas with its questions, in each round."""
    missing = missing_here()
    if missing:
        return Outcome(lines=_requirements({name: [] for name in DRAGGED}), missing=missing)
    from playwright.sync_api import sync_playwright

    wanted = os.environ.get("PAGES", ",".join(DRAGGED)).split(",")
    topics = [name for name in DRAGGED if name in wanted]
    figures: dict[str, list[Figures]] = {name: [] for name in topics}
    say(row(COLUMNS, WIDTHS))
    with served("app.py") as address, sync_playwright() as playwright:
        for turn in range(rounds):
            for name in topics:
                browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
                try:
                    of_drag = _measure(browser, name, address, turn=turn)
                finally:
                    browser.close()
                figures[name].append(of_drag)
                say(row(_cells(name, of_drag), WIDTHS))
    return Outcome(lines=_requirements(figures))


def _cells(name: str, figures: Figures) -> list[str]:
    """Return the row of one drag."""
    return [
        name,
        f"{figures['values']:.0f}",
        number(figures["redraws"]),
        number(figures["canvas"]),
        number(figures["ratio"]),
        *(f"{figures[cause]:.0%}" for cause in CAUSES),
        f"{figures['a redraw']:.0f} ms",
        number(figures["styled"]),
    ]


def _measure(browser: Any, name: str, address: str, *, turn: int) -> Figures:
    """Return the figures of one drag of a topic and of the canvas."""
    subject = SUBJECTS[name]
    *values_of_rounds, canvas_value = subject.unseen_values
    visit = Visit(browser, subject, address, unseen=turn % len(values_of_rounds), alone=True)
    visit.page.evaluate(KEEP_QUESTIONS)
    browser.start_tracing(page=visit.page, categories=CATEGORIES)
    drag = visit.drag()
    trace = json.loads(browser.stop_tracing())
    questions = visit.page.evaluate("questions")
    visit.close()

    canvas_questions = _canvas_questions(questions, subject.unseen_field, str(canvas_value))
    canvas_rate = _canvas_redraws(browser, address, canvas_questions)
    ratio = float("nan")
    if canvas_rate > 0:
        ratio = drag.redraws_per_second / canvas_rate

    spent, styled = main_thread(trace["traceEvents"])
    total = sum(spent.values())
    busy = total - spent["idle"]
    redraws = max(drag.counted_redraws, 1)
    return {
        **{cause: spent[cause] / total for cause in CAUSES},
        "values": drag.values,
        "redraws": drag.redraws_per_second,
        "canvas": canvas_rate,
        "ratio": ratio,
        # From microseconds to milliseconds.
        "a redraw": busy / 1000 / redraws,
        "styled": styled / redraws,
    }


def _canvas_questions(questions: list[dict], field: str, value: str) -> list[dict]:
    """Return a question for each stop of the canvas's slider, over the range of the drag.

    Args:
        questions: Those of the drag.
        field: A setting of which ``value`` was never requested before.
        value: Of that setting.
    """
    first = questions[0]
    base = {**first, "settings": {**first["settings"], field: value}}
    *other_moves, (slider, low) = first["moves"]
    _, high = questions[-1]["moves"][-1]
    canvas_questions = []
    for stop in np.geomspace(low, high, STOPS):
        canvas_questions.append({**base, "moves": [*other_moves, [slider, float(f"{stop:.3g}")]]})
    return canvas_questions


def _canvas_redraws(browser: Any, address: str, questions: list[dict]) -> float:
    """Drag the slider of a canvas that asks these questions, and return its redraws per second."""
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{address}/_stcore/health")
        page.evaluate(CANVAS.read_text())
        page.evaluate("questions => canvasPage.drive(questions)", questions)
        box = page.locator("input").bounding_box()
        height = box["y"] + box["height"] / 2
        low = box["x"] + CANVAS_MARGIN
        width = box["width"] - 2 * CANVAS_MARGIN
        page.mouse.move(low, height)
        page.mouse.down()
        page.evaluate("canvasPage.redraws = 0")
        begin = time.monotonic()
        elapsed = 0.0
        while elapsed < DRAG_SECONDS:
            page.mouse.move(low + width * elapsed / DRAG_SECONDS, height)
            time.sleep(MOVE_SECONDS)
            elapsed = time.monotonic() - begin
        redraws = page.evaluate("canvasPage.redraws")
        page.mouse.up()
        return redraws / elapsed
    finally:
        context.close()


def main_thread(events: list[dict]) -> tuple[dict[str, float], int]:
    """Return microseconds of the page's main thread by cause, and the elements that were styled.

    Args:
        events: Of a trace, in which two marks named "drag" enclose what is counted.
    """
    marks = [event for event in events if event["name"] == "drag" and "ts" in event]
    begin = min(mark["ts"] for mark in marks)
    end = max(mark["ts"] for mark in marks)
    thread = _thread(marks[0])
    inside = []
    for event in events:
        # "X" is an event with a duration.
        if event.get("ph") != "X" or _thread(event) != thread:
            continue
        if event["ts"] >= begin and _end(event) <= end:
            inside.append(event)
    # An event comes before those that it encloses.
    inside.sort(key=lambda event: (event["ts"], -event.get("dur", 0)))

    spent = dict.fromkeys(CAUSES, 0.0)
    busy = 0.0
    styled = 0
    # The events around the current one, the innermost last.
    enclosing: list[dict] = []
    for event in inside:
        duration = event.get("dur", 0)
        while enclosing and _end(enclosing[-1]) <= event["ts"]:
            enclosing.pop()
        if enclosing:
            spent[_cause(enclosing[-1])] -= duration
        else:
            busy += duration
        spent[_cause(event)] += duration
        enclosing.append(event)
        if event["name"] == "UpdateLayoutTree":
            styled += event.get("args", {}).get("elementCount", 0)
    spent["idle"] = end - begin - busy
    return spent, styled


def _thread(event: dict) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _end(event: dict) -> float:
    return event["ts"] + event.get("dur", 0)


def _cause(event: dict) -> str:
    return CAUSE_OF_EVENT.get(event["name"], "script")


def _requirements(figures: dict[str, list[Figures]]) -> list[Line]:
    """Compare the redraws with the canvas, and the styled elements with a constant."""
    lines = []
    for name, drags in figures.items():
        ratios = [drag["ratio"] for drag in drags]
        asked = f"{name}: redraws over those of the canvas"
        lines.append(at_least(asked, RATIO_AT_LEAST, ratios, unit=""))
        styled = [drag["styled"] for drag in drags]
        asked = f"{name}: elements styled for a redraw"
        lines.append(at_most(asked, STYLED_AT_MOST, styled, unit=""))
    return lines

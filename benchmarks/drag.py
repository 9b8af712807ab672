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

import numpy as np

from benchmarks.latency import (
    DRAG_SECONDS,
    FLAGS,
    Visit,
    browser_path,
    complete_redraws,
    missing_here,
    served,
)
from benchmarks.report import Line, Outcome, Print, at_least, at_most, number, row
from benchmarks.subjects import DRAGGED, SUBJECTS

CANVAS = Path(__file__).with_name("bare") / "canvas.js"
# A redraw of several charts may take that much longer than one line on a canvas.
RATIO_AT_LEAST = 0.4
STYLED_AT_MOST = 400
STOPS = 100

CAUSES = ("script", "style", "layout", "paint", "other", "idle")
COLUMNS = ("topic", "values", "redraws", "canvas", "ratio", *CAUSES, "a redraw", "styled")
WIDTHS = (12, 6, 7, 7, 6, *(6 for _ in CAUSES), 8, 6)

# Events of the category devtools.timeline, by cause; script is every other event that runs inside a
# task.
EVENTS = {
    "UpdateLayoutTree": "style",
    "Layout": "layout",
    **dict.fromkeys(
        ("PrePaint", "Paint", "Layerize", "Commit", "CompositeLayers", "UpdateLayer"), "paint"
    ),
    "RunTask": "other",
}
CATEGORIES = ["blink.user_timing", "devtools.timeline", "disabled-by-default-devtools.timeline"]
# Keeps the questions of the drag, not those that are asked ahead of time.
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


def run(*, rounds: int, say: Print) -> Outcome:
    """Drag every topic, and the canvas with its questions, ``rounds`` times."""
    if missing := missing_here():
        return Outcome(lines=_lines({name: [] for name in DRAGGED}), missing=missing)
    from playwright.sync_api import sync_playwright

    asked = os.environ.get("PAGES", ",".join(DRAGGED)).split(",")
    topics = [name for name in DRAGGED if name in asked]
    say(row(COLUMNS, WIDTHS))
    taken: dict[str, list[dict[str, float]]] = {name: [] for name in topics}
    with served("app.py") as address, sync_playwright() as playwright:
        for turn in range(rounds):
            for name in topics:
                browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
                try:
                    taken[name].append(_measure(browser, name, address, turn=turn))
                finally:
                    browser.close()
                say(row(_cells(name, taken[name][-1]), WIDTHS))
    return Outcome(lines=_lines(taken))


def _cells(name: str, figures: dict[str, float]) -> list[str]:
    shares = [f"{figures[cause]:.0%}" for cause in CAUSES]
    rates = [number(figures[what]) for what in ("redraws", "canvas", "ratio")]
    return [
        name,
        f"{figures['values']:.0f}",
        *rates,
        *shares,
        f"{figures['cost']:.0f} ms",
        number(figures["styled"]),
    ]


def _measure(browser, name: str, address: str, *, turn: int) -> dict[str, float]:
    """Return the figures of one drag of a topic and of the canvas."""
    topic = SUBJECTS[name]
    field, values = topic.unseen
    unseen = turn % (len(values) - 1)
    visit = Visit(browser, topic, address, unseen=unseen, alone=True)
    visit.page.evaluate(KEEP_QUESTIONS)
    browser.start_tracing(page=visit.page, categories=CATEGORIES)
    seen = visit.drag()
    trace = json.loads(browser.stop_tracing())
    questions = visit.page.evaluate("questions")
    visit.close()
    spent, styled = main_thread(trace["traceEvents"])
    redraws = min(len(complete_redraws(seen["changes"], visit.moving)), seen["moved"])
    canvas = _canvas(browser, address, _spread(questions, field, str(values[-1])))
    total = sum(spent.values())
    figures = {cause: spent[cause] / total for cause in CAUSES}
    figures |= {
        "values": seen["moved"],
        "redraws": redraws / seen["seconds"],
        "canvas": canvas,
        "ratio": redraws / seen["seconds"] / canvas if canvas else float("nan"),
        "cost": (total - spent["idle"]) / 1000 / max(redraws, 1),
        "styled": styled / max(redraws, 1),
    }
    return figures


def _spread(questions: list[dict], field: str, unseen: str) -> list[dict]:
    """Return a question for each stop of the canvas's slider, over the values that were dragged
    over.

    unseen: value of ``field`` at which nothing was computed before.
    """
    base = questions[0] | {"settings": questions[0]["settings"] | {field: unseen}}
    [*others, (slider, low)] = questions[0]["moves"]
    _, high = questions[-1]["moves"][-1]
    values = np.geomspace(low, high, STOPS)
    return [base | {"moves": [*others, [slider, float(f"{value:.3g}")]]} for value in values]


def _canvas(browser, address: str, questions: list[dict]) -> float:
    """Return the redraws a second of a canvas that asks these questions while its slider is
    dragged.
    """
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{address}/_stcore/health")
        page.evaluate(CANVAS.read_text())
        page.evaluate("questions => canvasPage.drive(questions)", questions)
        box = page.locator("input").bounding_box()
        height = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + 8, height)
        page.mouse.down()
        page.evaluate("canvasPage.redraws = 0")
        begin = time.monotonic()
        elapsed = 0.0
        while elapsed < DRAG_SECONDS:
            page.mouse.move(box["x"] + 8 + (box["width"] - 16) * elapsed / DRAG_SECONDS, height)
            time.sleep(0.016)
            elapsed = time.monotonic() - begin
        redraws = page.evaluate("canvasPage.redraws")
        page.mouse.up()
        return redraws / elapsed
    finally:
        context.close()


def main_thread(events: list[dict]) -> tuple[dict[str, float], int]:
    """Return microseconds of the page's main thread by cause, and the elements that were styled.

    events: of a trace, in which two marks named "drag" enclose what is counted.
    """
    marks = [event for event in events if event["name"] == "drag" and "ts" in event]
    begin = min(event["ts"] for event in marks)
    end = max(event["ts"] for event in marks)
    thread = (marks[0]["pid"], marks[0]["tid"])
    inside = [
        event
        for event in events
        if event.get("ph") == "X"
        and (event["pid"], event["tid"]) == thread
        and event["ts"] >= begin
        and event["ts"] + event.get("dur", 0) <= end
    ]
    spent = dict.fromkeys(CAUSES, 0.0)
    enclosing: list[
        tuple[float, str]
    ] = []  # end and cause of the events around, the innermost last
    busy = 0.0
    for event in sorted(inside, key=lambda event: (event["ts"], -event.get("dur", 0))):
        duration = event.get("dur", 0)
        while enclosing and enclosing[-1][0] <= event["ts"]:
            enclosing.pop()
        cause = EVENTS.get(event["name"], "script")
        if enclosing:
            spent[enclosing[-1][1]] -= duration
        else:
            busy += duration
        spent[cause] += duration
        enclosing.append((event["ts"] + duration, cause))
    spent["idle"] = end - begin - busy
    styled = sum(
        event.get("args", {}).get("elementCount", 0)
        for event in inside
        if event["name"] == "UpdateLayoutTree"
    )
    return spent, styled


def _lines(taken: dict[str, list[dict[str, float]]]) -> list[Line]:
    lines = []
    for name, figures in taken.items():
        ratios = [drag["ratio"] for drag in figures]
        styled = [drag["styled"] for drag in figures]
        lines.append(
            at_least(f"{name}: redraws over those of the canvas", RATIO_AT_LEAST, ratios, unit="")
        )
        lines.append(
            at_most(f"{name}: elements styled for a redraw", STYLED_AT_MOST, styled, unit="")
        )
    return lines

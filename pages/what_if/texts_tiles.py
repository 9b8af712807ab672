"""The tiles of an answer, and the caption under its charts."""

from lab.statistics.crossing import Crossing
from pages.what_if.findings import answer_text, interval_text, result_text
from pages.what_if.formats import (
    SAYS,
    is_percent,
    measure_noun,
    measure_text,
    slider_label,
    value_text,
)
from pages.what_if.result import WhatIfResult
from ui.text.tiles import Tile

# Value of a tile whose number is missing still.
WAITING = "…"


def numbers(result: WhatIfResult) -> list[Tile]:
    """Return the tiles: the answer, that for fewer or more runs, and the topic's settings."""
    if result.settings.answered_question == "best":
        return _search_tiles(result)
    if not result.settings.only_improves:
        return _peak_tiles(result)
    return [_answer_tile(result), _runs_tile(result), _base_tile(result)]


def _measure_tile(result: WhatIfResult, name: str, value: float, note: str, tone: str = "") -> Tile:
    """Return a tile with a number of the measure."""
    settings = result.settings
    unit = measure_noun(settings)
    if is_percent(settings):
        unit = "points"
    amount = settings.scale * value
    return Tile(name, measure_text(settings, value), note, tone=tone, amount=amount, unit=unit)


def _base_tile(result: WhatIfResult) -> Tile:
    """Return the tile of the topic's settings."""
    name = result_text(result, "tiles.now")
    return _measure_tile(result, name, result.base_median, result_text(result, "tiles.hits"))


# Where the target is reached


def _answer_tile(result: WhatIfResult) -> Tile:
    """Return the tile of the value that answers the question, or of the reason why none does."""
    name = result_text(result, "tiles.answer")
    answer = result.curve.answer
    if answer is None:
        missing = _missing_value(result, result.curve.crossing)
        return Tile(name, missing, SAYS["tiles.median"], tone="bound")
    note = SAYS("tiles.found", interval=interval_text(result, answer))
    if result.recommendation is not None:
        note = result_text(result, "tiles.reach", hits=result.recommendation.hits)
    return Tile(
        name,
        answer_text(result, answer),
        note,
        tone="bound",
        amount=answer.value,
        unit=slider_label(result.settings.x_field),
    )


def _missing_value(result: WhatIfResult, crossing: Crossing | None) -> str:
    """Return the text in place of a value, if no value is shown to be enough or none is known yet.

    crossing: where the target would be reached; None if there is no such value.
    """
    if crossing is None or not result.curve.complete:
        return WAITING
    return SAYS[f"tiles.{crossing.verdict}"]


def _runs_tile(result: WhatIfResult) -> Tile:
    """Return the second tile, on another share of runs than the first one.

    If a value is enough for 90 % of runs, it is the value for the median run. Otherwise it says
    why no value is enough for 90 % of runs.
    """
    settings = result.settings
    recommendation = result.recommendation
    if recommendation is None:
        missing = _missing_value(result, result.curve.crossing_for_most)
        return Tile(SAYS["tiles.for_most"], missing, result_text(result, "tiles.each"))
    value = value_text(settings, settings.x_field, recommendation.median_value)
    note = result_text(result, "tiles.reach", hits=recommendation.median_hits)
    return Tile(SAYS["tiles.for_median"], value, note)


# The best value of a measure that may get better and worse


def _peak_tiles(result: WhatIfResult) -> list[Tile]:
    """Return the tiles of the best median of the curve."""
    settings = result.settings
    peak = result.curve.peak
    name = result_text(result, f"tiles.peak_{settings.asked_measure.better}")
    best = Tile(
        name,
        value_text(settings, settings.x_field, peak.value),
        SAYS("tiles.peak_note", median=measure_text(settings, peak.median)),
        tone="bound",
        amount=peak.value,
        unit=slider_label(settings.x_field),
    )
    return [best, _base_tile(result)]


# The best configuration


def _search_tiles(result: WhatIfResult) -> list[Tile]:
    """Return the tiles of the best configuration."""
    tries = len(result.settings.candidates)
    winner = result.search.winner
    if winner is None:
        done = SAYS("tiles.tried", done=len(result.search.tries), tries=tries)
        return [Tile(SAYS["tiles.best"], WAITING, done, tone="bound"), _base_tile(result)]
    return [
        _measure_tile(
            result,
            SAYS["tiles.again"],
            winner.retested_median,
            SAYS("tiles.again_note", splits=len(winner.retested)),
            tone="bound",
        ),
        _measure_tile(
            result,
            SAYS["tiles.selected"],
            winner.selected,
            SAYS("tiles.selected_note", tries=tries),
        ),
        _measure_tile(
            result,
            SAYS["tiles.yours"],
            winner.base_median,
            SAYS("tiles.yours_note", median=measure_text(result.settings, result.base_median)),
        ),
    ]


def caption(result: WhatIfResult) -> str:
    """Name the split that the answer is about, and the number of runs."""
    settings = result.settings
    return SAYS("caption", seed=settings.topic_settings.seed, repeats=settings.repeats)

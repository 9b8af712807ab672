"""The tiles of an answer, and the caption under its charts."""

from lab.statistics.crossing import Crossing, Solution
from pages.what_if.findings import (
    crossing_interval_text,
    result_text,
    runs_reaching_text,
)
from pages.what_if.formats import (
    SAYS,
    estimate_text,
    is_count,
    is_percent,
    measure_noun,
    measure_text,
    slider_label,
    two_digits,
    value_text,
)
from pages.what_if.measurements import Winner
from pages.what_if.result import WhatIfResult
from ui.text.tiles import Tile

# Value of a tile whose number is missing still.
WAITING = "…"


def numbers(result: WhatIfResult) -> list[Tile]:
    """Return the tiles: the answer, that for 90 % of runs, and the topic's settings."""
    if result.settings.answered_question == "best":
        return _search_tiles(result)
    crossing = result.curve.crossing
    crossing_for_most = result.curve.crossing_for_most
    if crossing is None or crossing_for_most is None:
        return _peak_tiles(result)
    return [
        _answer_tile(result, crossing),
        _most_tile(result, crossing_for_most),
        _base_tile(result),
    ]


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


def _answer_tile(result: WhatIfResult, crossing: Crossing) -> Tile:
    """Return the tile of the value that answers the question."""
    settings = result.settings
    case = "smallest"
    if is_count(settings, settings.x_field):
        case = "fewest"
    name = result_text(result, f"tiles.{case}")
    if not isinstance(crossing, Solution):
        return Tile(name, _missing_value(result, crossing), SAYS["tiles.median"], tone="bound")
    return Tile(
        name,
        estimate_text(settings, settings.x_field, crossing.point),
        SAYS("tiles.found", interval=crossing_interval_text(result, crossing)),
        tone="bound",
        amount=two_digits(crossing.point),
        unit=slider_label(settings.x_field),
    )


def _missing_value(result: WhatIfResult, crossing: Crossing) -> str:
    """Return the text in place of a value that there is not, or not yet."""
    if not result.curve.complete:
        return WAITING
    return SAYS[f"tiles.{crossing.verdict}"]


def _most_tile(result: WhatIfResult, crossing: Crossing) -> Tile:
    """Return the tile of the same question about 90 % of runs."""
    settings = result.settings
    name = SAYS["tiles.for_most"]
    if not isinstance(crossing, Solution):
        note = result_text(result, "tiles.each")
        return Tile(name, _missing_value(result, crossing), note)
    safe = value_text(settings, settings.x_field, crossing.safe)
    return Tile(name, safe, runs_reaching_text(result, crossing))


# The best value of a measure that may get better and worse


def _peak_tiles(result: WhatIfResult) -> list[Tile]:
    """Return the tiles of the best median of the curve."""
    settings = result.settings
    peak = result.curve.peak
    name = SAYS[f"tiles.peak_{settings.asked_measure.better}"]
    values = len(result.curve.measured.values)
    if not result.curve.complete:
        done = SAYS("finding.trained", done=values, count=len(result.plan.curve))
        return [Tile(name, WAITING, done, tone="bound"), _base_tile(result)]
    best = Tile(
        name,
        value_text(settings, settings.x_field, peak.value),
        result_text(result, "tiles.peak_note", values=values),
        tone="bound",
        amount=peak.value,
        unit=slider_label(settings.x_field),
    )
    note = result_text(result, "tiles.there_note", hits=peak.hits)
    median = _measure_tile(result, SAYS["tiles.there"], peak.median, note)
    return [best, median, _base_tile(result)]


# The best configuration


def _search_tiles(result: WhatIfResult) -> list[Tile]:
    """Return the tiles of the best configuration."""
    tries = len(result.settings.candidates)
    winner = result.search.winner
    if winner is None:
        done = SAYS("tiles.tried", done=len(result.search.tries), tries=tries)
        return [Tile(SAYS["tiles.best"], WAITING, done, tone="bound"), _base_tile(result)]
    note = SAYS("tiles.selected_note", tries=tries)
    selected = _measure_tile(result, SAYS["tiles.selected"], winner.selected, note)
    if len(winner.retested) == 0:
        retested = Tile(SAYS["tiles.again"], WAITING, SAYS["tiles.again_wait"], tone="bound")
        return [retested, selected, _base_tile(result)]
    return _retest_tiles(result, winner, selected)


def _retest_tiles(result: WhatIfResult, winner: Winner, selected: Tile) -> list[Tile]:
    """Return the tiles of the best configuration after its retests."""
    note = SAYS("tiles.again_note", splits=len(winner.retested))
    retested = _measure_tile(
        result, SAYS["tiles.again"], winner.retested_median, note, tone="bound"
    )
    base_median = measure_text(result.settings, result.base_median)
    note = SAYS("tiles.yours_note", median=base_median)
    base = _measure_tile(result, SAYS["tiles.yours"], winner.base_median, note)
    return [retested, selected, base]


def caption(result: WhatIfResult) -> str:
    """Name the split that the answer is about, and the number of runs."""
    settings = result.settings
    return SAYS("caption", seed=settings.topic_settings.seed, repeats=settings.repeats)

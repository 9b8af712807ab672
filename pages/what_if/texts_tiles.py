"""The tiles of an answer, the caption, and the explanation under its charts."""

from lab.experiment.settings import Spread
from lab.statistics.crossing import Crossing, Solution
from pages.what_if.findings import (
    answer_text,
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
    measure_range_text,
    measure_text,
    size_text,
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
    """Return the tiles: the answer, single runs and the topic's settings, and unlimited costs."""
    if result.settings.answered_question == "best":
        tiles = _search_tiles(result)
    elif result.curve.crossing is None:
        tiles = _peak_tiles(result)
    else:
        tiles = [
            _answer_tile(result, result.curve.crossing),
            _other_answer_tile(result),
            _base_tile(result),
        ]
    if not result.prices:
        cost = Tile(SAYS["tiles.cost"], SAYS["tiles.unlimited"], SAYS["tiles.unlimited_note"])
        tiles.append(cost)
    return tiles


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
    who = SAYS[f"tiles.by_{settings.reached}"]
    value = result.curve.answer
    if value is None or not isinstance(crossing, Solution):
        return Tile(name, _missing_value(result, crossing), who, tone="bound")
    if settings.reached == "median":
        detail = crossing_interval_text(result, crossing)
        value = two_digits(value)
    else:
        detail = runs_reaching_text(result, crossing)
    return Tile(
        name,
        answer_text(result, value),
        SAYS("tiles.found", who=who, found=detail),
        tone="bound",
        amount=value,
        unit=slider_label(settings.x_field),
    )


def _missing_value(result: WhatIfResult, crossing: Crossing) -> str:
    """Return the text in place of a value that there is not, or not yet."""
    if not result.curve.complete:
        return WAITING
    return SAYS[f"tiles.{crossing.verdict}"]


def _other_answer_tile(result: WhatIfResult) -> Tile:
    """Return the tile of the same question about 90 % of runs, or about the median run."""
    settings = result.settings
    reached = "median"
    if settings.reached == "median":
        reached = "most"
    crossing = result.curve.crossings[reached]
    name = SAYS[f"tiles.for_{reached}"]
    if not isinstance(crossing, Solution):
        note = result_text(result, "tiles.each")
        return Tile(name, _missing_value(result, crossing), note)
    if reached == "most":
        safe = value_text(settings, settings.x_field, crossing.safe)
        return Tile(name, safe, runs_reaching_text(result, crossing))
    point = estimate_text(settings, settings.x_field, crossing.point)
    return Tile(name, point, crossing_interval_text(result, crossing))


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
    """Explain the strip of the curve, if there is one."""
    if result.settings.answered_question != "best" and result.curve.interval is not None:
        return SAYS["caption.strip"]
    return ""


# Explanation, at most three sentences


def why(result: WhatIfResult) -> list[str]:
    """Return the explanation: the splits, and the luck of the best one or of single runs."""
    texts = [_splits(result)]
    luck = _luck(result)
    if luck:
        texts.append(luck)
    else:
        texts.append(_single_run(result))
    return [text for text in texts if text]


def _splits(result: WhatIfResult) -> str:
    """Count the splits that the answer is about, and name their deviation."""
    settings = result.settings
    if settings.seeds == 1:
        seed = settings.topic_settings.seed
        return SAYS("why.one_split", seed=seed, repeats=settings.repeats)
    if not result.base.complete:
        return ""
    across, within = result.split_deviations
    return SAYS(
        "why.splits",
        splits=settings.seeds,
        repeats=settings.repeats,
        across=size_text(settings, across),
        within=size_text(settings, within),
    )


def _single_run(result: WhatIfResult) -> str:
    """Explain that a released model is a single run."""
    spread = Spread.of(result.base.runs)
    runs_range = measure_range_text(result.settings, spread.low, spread.high)
    return result_text(result, "why.single", range=runs_range)


def _luck(result: WhatIfResult) -> str:
    """Compare the selected median with that of the retests, which had no luck."""
    settings = result.settings
    if settings.answered_question != "best":
        return ""
    winner = result.search.winner
    if winner is None or len(winner.retested) == 0:
        return ""
    return SAYS(
        "why.lucky",
        tries=len(settings.candidates),
        splits=len(winner.retested),
        chosen=measure_text(settings, winner.selected),
        again=measure_text(settings, winner.retested_median),
    )

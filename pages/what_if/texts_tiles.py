"""The tiles of an answer, and the explanation under its charts."""

from lab.experiment.settings import Spread
from lab.statistics.crossing import Crossing, Solution
from pages.what_if.result import WhatIfResult
from pages.what_if.texts import (
    SAYS,
    amount,
    answer,
    at,
    counted,
    crossing_interval,
    estimate,
    interval,
    label,
    noun,
    points,
    runs_reaching,
    tell,
    two_digits,
)
from ui.text.tiles import Tile

# Value of a tile whose number is still missing.
WAITING = "…"


def numbers(result: WhatIfResult) -> list[Tile]:
    """Return the tiles: the answer, what single runs do, the base, and the cost of looking where it
    has no limit.
    """
    if result.settings.asks == "best":
        tiles = _best_tiles(result)
    elif result.crossing is None:
        tiles = _peak_tiles(result)
    else:
        tiles = _crossing_tiles(result, result.crossing)
    if result.prices:
        return tiles
    return [
        *tiles,
        Tile(SAYS["tiles.cost"], SAYS["tiles.unlimited"], SAYS["tiles.unlimited_note"]),
    ]


def _measure_tile(result: WhatIfResult, name: str, value: float, note: str, tone: str = "") -> Tile:
    """Return a tile with a number of the measure."""
    settings = result.settings
    unit = "points" if settings.asked.unit == "%" else noun(settings)
    return Tile(
        name, amount(settings, value), note, tone=tone, amount=settings.scale * value, unit=unit
    )


def _now(result: WhatIfResult) -> Tile:
    """Return the tile of the base."""
    return _measure_tile(
        result, tell(result, "tiles.now"), result.median(result.now), tell(result, "tiles.hits")
    )


def _crossing_tiles(result: WhatIfResult, found: Crossing) -> list[Tile]:
    other = "most" if result.settings.reached == "median" else "median"
    return [_answer(result, found), _other_answer(result, other), _now(result)]


def _answer(result: WhatIfResult, found: Crossing) -> Tile:
    """Return the tile of the value that answers the question."""
    settings = result.settings
    case = "fewest" if counted(settings, settings.along) else "smallest"
    name = tell(result, f"tiles.{case}")
    who = SAYS[f"tiles.by_{settings.reached}"]
    value = result.main
    if value is None or not isinstance(found, Solution):
        return Tile(name, _no_value(result, found), who, tone="bound")
    detail = (
        crossing_interval(result, found)
        if settings.reached == "median"
        else runs_reaching(result, found)
    )
    note = SAYS("tiles.found", who=who, found=detail)
    if settings.reached == "median":
        value = two_digits(value)
    text = answer(result, value)
    return Tile(name, text, note, tone="bound", amount=value, unit=label(settings.along))


def _no_value(result: WhatIfResult, found: Crossing) -> str:
    """Return what stands in place of a value that does not exist, or not yet."""
    if result.trained < 1:
        return WAITING
    return SAYS[f"tiles.{found.verdict}"]


def _other_answer(result: WhatIfResult, reached: str) -> Tile:
    """Return the tile of the same question about single runs, or about the median run."""
    settings = result.settings
    found = result.crossings[reached]
    name = SAYS[f"tiles.for_{reached}"]
    if not isinstance(found, Solution):
        return Tile(name, _no_value(result, found), tell(result, "tiles.each"))
    if reached == "most":
        return Tile(name, at(settings, settings.along, found.safe), runs_reaching(result, found))
    point = estimate(settings, settings.along, found.point)
    return Tile(name, point, crossing_interval(result, found))


def _peak_tiles(result: WhatIfResult) -> list[Tile]:
    """Return the tiles of a measure that may get better and worse."""
    settings = result.settings
    peak = result.peak
    name = SAYS[f"tiles.peak_{settings.asked.better}"]
    values = len(result.curve.values)
    if result.trained < 1:
        done = SAYS("finding.trained", done=values, count=len(settings.around.curve))
        return [Tile(name, WAITING, done, tone="bound"), _now(result)]
    note = tell(result, "tiles.peak_note", values=values)
    text = at(settings, settings.along, peak.value)
    best = Tile(name, text, note, tone="bound", amount=peak.value, unit=label(settings.along))
    there = _measure_tile(
        result, SAYS["tiles.there"], peak.median, tell(result, "tiles.there_note", hits=peak.hits)
    )
    return [best, there, _now(result)]


def _best_tiles(result: WhatIfResult) -> list[Tile]:
    """Return the tiles of the best configuration."""
    settings = result.settings
    winner = result.winner
    if winner is None:
        done = SAYS("tiles.tried", done=len(result.tries), tries=len(settings.tried))
        return [Tile(SAYS["tiles.best"], WAITING, done, tone="bound"), _now(result)]
    note = SAYS("tiles.selected_note", tries=len(settings.tried))
    selected = _measure_tile(result, SAYS["tiles.selected"], winner.chosen, note)
    if not len(winner.again):
        retested = Tile(SAYS["tiles.again"], WAITING, SAYS["tiles.again_wait"], tone="bound")
        return [retested, selected, _now(result)]
    note = SAYS("tiles.again_note", splits=len(winner.again))
    retested = _measure_tile(result, SAYS["tiles.again"], winner.again_median, note, "bound")
    note = SAYS("tiles.yours_note", median=amount(settings, result.median(result.now)))
    yours = _measure_tile(result, SAYS["tiles.yours"], winner.base_median, note)
    return [retested, selected, yours]


def caption(result: WhatIfResult) -> str:
    """Return what the strip of the curve is, where there is one."""
    if result.settings.asks != "best" and result.span:
        return SAYS["caption.strip"]
    return ""


# Explanation, at most three sentences


def why(result: WhatIfResult) -> list[str]:
    """Return the explanation: splits, then single runs or the luck of the best try."""
    texts = [_splits(result), _lucky(result) or _single_run(result)]
    return [text for text in texts if text]


def _splits(result: WhatIfResult) -> str:
    """Return how many splits the answer is about, and how far they differ."""
    settings = result.settings
    if settings.seeds == 1:
        return SAYS("why.one_split", seed=settings.settings.seed, repeats=settings.repeats)
    if not result.complete:
        return ""
    across, within = (points(settings, deviation) for deviation in result.splits)
    return SAYS(
        "why.splits", splits=settings.seeds, repeats=settings.repeats, across=across, within=within
    )


def _single_run(result: WhatIfResult) -> str:
    """Return that a released model is a single run."""
    spread = Spread.of(result.now)
    return tell(result, "why.single", range=interval(result.settings, (spread.low, spread.high)))


def _lucky(result: WhatIfResult) -> str:
    """Return how much of the selected median was luck."""
    if result.settings.asks != "best":
        return ""
    winner = result.winner
    if winner is None or not len(winner.again):
        return ""
    return SAYS(
        "why.lucky",
        tries=len(result.settings.tried),
        splits=len(winner.again),
        chosen=amount(result.settings, winner.chosen),
        again=amount(result.settings, winner.again_median),
    )

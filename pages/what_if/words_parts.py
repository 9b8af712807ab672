"""What the questions' pictures and sentences have in common: numbers in their units, and findings in a few words."""

import math
import re
from collections.abc import Sequence

from lab.differences import Difference
from pages.what_if.experiment import WhatIfResult, WhatIfSettings
from pages.what_if.result import Effect
from ui.panels import number
from ui.vocabulary import KNOBS, in_sentence

# What is counted by a knob, where its name does not say so.
PEOPLE = {"rows": "people", "target_rows": "people", "source_rows": "labelled rows"}
_MINUS = "\u2212"


def label(name: str) -> str:
    """What a knob is called."""
    return KNOBS[name]["label"]


def low(name: str) -> str:
    """The same within a sentence."""
    return in_sentence(name)


def plain(value: float) -> str:
    """A number with three digits."""
    return number(value).replace("e-0", "e-")


def rough(settings: WhatIfSettings, name: str, value: float) -> str:
    """A knob's value with two digits, where there is little room."""
    return at(settings, name, value if _counts(settings, name) else float(f"{value:.2g}"))


def _counts(settings: WhatIfSettings, name: str) -> bool:
    """Whether a knob has whole numbers."""
    return isinstance(settings.limits[name][0], int)


def counted(settings: WhatIfSettings, name: str) -> bool:
    """Whether a knob says how many of something there are."""
    return _counts(settings, name) and label(name).endswith("s")


def where(settings: WhatIfSettings, name: str, value: float | str) -> str:
    """ "at epsilon 0.5", "with 50 steps". ``value``: a text is taken as it is."""
    shown_value = value if isinstance(value, str) else at(settings, name, value)
    if counted(settings, name) and re.sub("<[^>]*>", "", shown_value) != "1":
        return f"with {shown_value} {low(name)}"
    return f"at {low(name)} {shown_value}"


def at(settings: WhatIfSettings, name: str, value: float) -> str:
    """A knob's value; of whole numbers an estimate with three digits."""
    if _counts(settings, name):
        return f"{round(value):,}" if float(value).is_integer() or value < 100 else number(value)
    return plain(value)


def stretch(settings: WhatIfSettings, first: float, last: float) -> str:
    """Values of the knob from one to another."""
    one, other = (at(settings, settings.along, value) for value in (first, last))
    return one if one == other else f"{one} to {other}"


def noun(settings: WhatIfSettings) -> str:
    """What is measured, in a word or two."""
    said = settings.asked.label
    if settings.measure == "attacker":
        return "attacker's accuracy"
    return re.split(r",| of | on | by | from | over | with | at | \(", said)[0]


def target(settings: WhatIfSettings) -> str:
    """The target in its unit."""
    return shown(settings, settings.target)


def shown(settings: WhatIfSettings, value: float) -> str:
    """A number that is in the unit shown already."""
    return f"{value:.3g}\u00a0%" if settings.asked.unit == "%" else plain(value)


def amount(settings: WhatIfSettings, value: float) -> str:
    """A mean of the measure: percent with a decimal, anything else with three digits."""
    if settings.asked.unit == "%":
        return f"{100 * value + 0.0:.1f}\u00a0%".replace("-", _MINUS)
    return plain(value).replace("-", _MINUS) if value < 0 else plain(value)


def interval(settings: WhatIfSettings, ends: Sequence[float]) -> str:
    """ "87.2 to 89.0 %"."""
    one, other = (amount(settings, end) for end in ends)
    if one == other:
        return one
    return f"{one.removesuffix(chr(160) + '%')} to {other}"


def land(settings: WhatIfSettings, ends: Sequence[float]) -> str:
    """Where most runs land: "from 79.0 to 94.4 %"."""
    said = interval(settings, ends)
    return f"{'from' if ' to ' in said else 'at'} {said}"


def signed(settings: WhatIfSettings, value: float) -> str:
    """A difference, with its sign; of percents in points."""
    text = f"{100 * value:.1f}" if settings.asked.unit == "%" else plain(value)
    if float(text.replace(",", "")) == 0:
        return "0"
    return text.replace("-", _MINUS) if value < 0 else f"+{text}"


def points(settings: WhatIfSettings, value: float) -> str:
    """A difference without its sign, with its unit."""
    text = signed(settings, abs(value)).removeprefix("+")
    if settings.asked.unit != "%":
        return text
    return f"{text} point" + ("" if text in ("1", "1.0") else "s")


def spread(settings: WhatIfSettings, one: Difference) -> str:
    """The ends of a difference's interval."""
    low_end, high_end = signed(settings, one.low), signed(settings, one.high)
    return f"{low_end} to {high_end}" if low_end != high_end else low_end


def upwards(settings: WhatIfSettings) -> str:
    """The name of the axis upwards."""
    unit = settings.asked.unit
    return f"{noun(settings)}, {unit}" if unit else noun(settings)


def hover(settings: WhatIfSettings) -> str:
    """How a point's height is said."""
    return "%{y:.1f} %" if settings.asked.unit == "%" else "%{y:.3g}"


def differences(settings: WhatIfSettings) -> str:
    """The name of the axis of differences."""
    if settings.asked.unit == "%":
        return "points, on average"
    return f"change of {'' if noun(settings) == 'epsilon' else 'the '}{noun(settings)}"


def repeats(result: WhatIfResult) -> int:
    """How many runs of each setting there are."""
    return len(result.now)


# ---- where the target is reached


def safely(result: WhatIfResult, value: float) -> float:
    """A value with the three digits that are shown, rounded to the side where the target is reached."""
    if _counts(result.settings, result.settings.along):
        return value
    shown_value = float(f"{value:.3g}")
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 2) if value else 0.0
    if result.direction == "falls":
        return shown_value if shown_value <= value else float(f"{shown_value - step:.3g}")
    return shown_value if shown_value >= value else float(f"{shown_value + step:.3g}")


def answer(result: WhatIfResult, value: float) -> str:
    """The value that answers the question, as all of the page says it."""
    settings = result.settings
    return at(settings, settings.along, safely(result, value) if settings.exact else value)


def edge(result: WhatIfResult) -> str:
    """Whether the target is reached from a value on, or up to it."""
    return "up to" if result.direction == "falls" else "from"


def finding(result: WhatIfResult) -> str:
    """What the curve shows."""
    settings = result.settings
    if settings.asks == "accuracy" or (settings.asks == "best"):
        return f"{amount(settings, float(result.now.mean()))} at {at(settings, settings.along, _now(settings))}"
    if settings.asks == "versus":
        return ahead(result)
    if settings.exact and result.crossed("mean") is None:  # still to be solved, or only to be read off
        return ""
    value, goal = result.main, target(settings)
    if value is not None:
        return f"{goal} {edge(result)} {low(settings.along)} {answer(result, value)}"
    found = result.crossed(settings.reached) or result.reaching
    if found.verdict == "found":
        first, last = result.reaching.intervals[0][0], result.reaching.intervals[-1][1]
        return f"{goal} within {stretch(settings, first, last)}"
    if result.trained < 1:
        return ""
    return {"everywhere": f"{goal} everywhere", "nowhere": f"{goal} nowhere"}.get(found.verdict, "cannot be told")


def ahead(result: WhatIfResult) -> str:
    """Who is ahead where, of the two, at values where it can be told."""
    settings, told = result.settings, result.ahead
    if not told:
        return "nobody can be shown to be ahead"
    if len(told) == 1:
        return f"{told[0][0]} ahead wherever it can be told"
    if len(told) > 3:
        return "now one is ahead, now the other"
    said = []
    for nth, (who, first, last) in enumerate(told):
        one, other = at(settings, settings.along, first), at(settings, settings.along, last)
        middle = stretch(settings, first, last) if one != other else f"at {one}"
        where_to = f"up to {other}" if not nth else f"from {one}" if nth == len(told) - 1 else middle
        said.append(f"{who} ahead {where_to}" if not nth else f"{who} {where_to}")
    return ", ".join(said)


def _now(settings: WhatIfSettings) -> float:
    return getattr(settings, settings.along)


# ---- which knob matters


def acts(both: Sequence[Effect]) -> bool:
    """Whether a knob does anything at all to these runs."""
    return any(one.difference.mean or not one.difference.sure for one in both)


def important(result: WhatIfResult) -> str:
    """The knob that does most, as far as can be shown."""
    found, all_bars = result.effects, result.settings.around.bars
    done = sum(map(len, found.values()))
    if done < len(all_bars):
        return f"{done} of {len(all_bars)} trained"
    shown_ones = [knob for knob, both in found.items() if any(one.difference.shown for one in both)]
    return low(shown_ones[0]) if shown_ones else "none can be shown to"


def bar(result: WhatIfResult, one: Effect) -> str:
    """What a bar stands for."""
    settings = result.settings
    unit = " points" if settings.asked.unit == "%" else ""
    now = at(settings, one.knob, getattr(settings, one.knob))
    said = f"{label(one.knob)} {at(settings, one.knob, one.value)} in place of {now}: "
    said += signed(settings, one.difference.mean) + unit
    return said if one.difference.sure else f"{said} ({spread(settings, one.difference)})"


# ---- two knobs


def map_finding(result: WhatIfResult) -> str:
    """What the map shows; or how far it has come."""
    settings = result.settings
    if not result.whole:
        return f"{result.cells_done} of {len(settings.around.cells)} trained"
    if result.first:
        value = settings.axes[1].value(result.first[1])
        return f"{low(settings.upwards)} {rough(settings, settings.upwards, value)}"
    row, column = result.best_cell
    return f"best {amount(settings, result.map.means[row, column])}"


def ends(result: WhatIfResult) -> tuple[str, str]:
    """What the ends of the map's colours stand for: the worst, the best."""
    settings = result.settings
    least, most = result.colours
    if settings.asked.limits[1] == math.inf:
        now = float(result.now.mean())
        least, most = now / 10, now * 10
    said = [plain(settings.scale * end) for end in (least, most)]
    unit = "\u00a0%" if settings.asked.unit == "%" else ""
    worst, best = said if settings.asked.better == "higher" else said[::-1]
    return worst, best + unit


# ---- which setting is best


def best_finding(result: WhatIfResult) -> str:
    """By what the best try was chosen, and what it is when measured again."""
    settings, winner = result.settings, result.winner
    if winner is None:
        return ""
    chosen = amount(settings, winner.chosen)
    if not len(winner.again):
        return f"the best {chosen}"
    return f"chosen by {chosen}, again {amount(settings, float(winner.again.mean()))}"

"""The regression page's words: which text of ``texts.md`` is said, and with which numbers."""

import math
from collections.abc import Callable
from html import escape
from typing import Any

from lab.statistics.claims import Case
from lab.uploads.column_roles import Roles
from pages.regression.charts import METHODS, SAYS, numbers_apart
from pages.regression.result import RegressionResult
from ui.text import guarantee_notes, tiles, upload_notes
from ui.text.numbers import delta
from ui.text.tiles import Tile, number, out_of_hundred

LEAD, ABOUT, HELP = SAYS["lead"], SAYS.cases("about"), SAYS.cases("help")
# The methods that release a noisy objective.
ON = ("published", "functional", "gaussian", "adassp")
# Share of labels whose clipping the explanation mentions.
_NEGLIGIBLE_CUT = 0.001
# A worst run is mentioned where its error is more than this many times the median.
_FAR = 3
Formats = dict[str, Callable[[Any], str]]


def numbers(result: RegressionResult) -> list[Tile]:
    found, unit = result.summary(), result.problem.source.unit
    mine, plain, loss = _beside(result)
    reach = 3 * result.mean_error  # runs that blow up stand at the end of the row of dots
    places = [min(error / reach, 1.0) for error in result.focus.errors]
    dots = tiles.runs_tile("", places, low=min(places), high=max(places)).mark
    baseline = SAYS("tiles.baseline", baseline=number(result.mean_error))
    case = Case.ALIKE if result.costs == Case.AHEAD else result.costs
    note = SAYS(
        "tiles.loses" if case == Case.BEHIND else f"tiles.{case}",
        loss=loss,
        runs=result.settings.repeats,
    )
    low, high = numbers_apart(found.low, found.high)
    value = low if low == high else f"{low} <small>to</small> {high}"
    return [
        Tile(
            SAYS["tiles.private"],
            f"{mine} <small>{unit}</small>",
            baseline,
            "private",
            tiles.shown_number(mine),
            unit,
        ),
        Tile(SAYS["tiles.plain"], plain, note),
        Tile(SAYS["tiles.range"], value, mark=dots),
        (
            guarantee_notes.void_attacker_tile(result.settings)
            if result.settings.void
            else tiles.attacker_tile(result.guarantee)
        ),
    ]


def _beside(result: RegressionResult) -> tuple[str, str, str]:
    """Return the RMSE of the median run and of least squares, and their difference, all as
    shown.
    """
    mine, plain = numbers_apart(result.summary().median, result.least_squares)
    one, other = (
        math.inf if (shown := tiles.shown_number(text)) is None else shown for text in (mine, plain)
    )
    places = (
        max(len(text.partition(".")[2]) for text in (mine, plain)) if max(one, other) < 1e9 else 0
    )
    return mine, plain, number(round(one - other, places))


def verdict(result: RegressionResult) -> str:
    """Return what fails, where something does, and what privacy costs."""
    settings, exact, baseline = result.settings, result.least_squares, result.mean_error
    nothing = result.summary().median >= baseline
    learnt = {Case.BEHIND: "loses", Case.FEW: "few"}.get(result.costs, "alike")
    case = learnt if not nothing else "constant_plain" if exact >= baseline else "constant"
    holes = dict(
        zip(("private", "plain", "loss"), _beside(result), strict=True),
        unit=result.problem.source.unit,
    )
    said = SAYS(f"verdict.{case}", baseline=number(baseline), runs=settings.repeats, **holes)
    fails = settings.mechanism == "published" and result.failed
    failed = (
        SAYS("verdict.no_minimum", failed=result.failed, runs=settings.repeats) if fails else ""
    )
    return " ".join(filter(None, [failed, said, guarantee_notes.void_verdict(settings)]))


def caption(result: RegressionResult) -> str:
    settings = result.settings
    if settings.private:
        people, most = "people" if settings.by_person else "rows", result.problem.source.train_rows
        used = SAYS(
            "caption.some" if settings.rows < most else "caption.all",
            rows=settings.rows,
            all=most,
            people=people,
        )
        return f"{used} {SAYS('caption.own', tested=int(result.problem.test().present_rows))}"
    return SAYS["caption.made"]


def diagnostics(result: RegressionResult) -> list[str]:
    """Return the explanation, at most three sentences: the noise, clipped labels, the worst run."""
    name = result.settings.mechanism
    sentences = []
    if name in ON:
        case = "indefinite" if result.failed else "definite"
        noise = SAYS(f"why.{name}", sd=number(result.noise_sd))
        sentences.append(
            f"{noise} {SAYS(f'why.{case}', failed=result.failed, runs=result.settings.repeats)}"
        )
    elif name in ("output", "descent"):
        sentences.append(SAYS[f"why.{name}"])
    if result.cut > _NEGLIGIBLE_CUT:
        share = number(100 * result.cut)
        sentences.append(SAYS("why.cut", bound=number(result.settings.label_top), share=share))
        return sentences
    median = result.summary().median
    worst = float(result.focus.errors.max())
    if worst > _FAR * median:
        unit = result.problem.source.unit
        sentences.append(SAYS("why.worst", worst=number(worst), median=number(median), unit=unit))
    return sentences


def guarantee(result: RegressionResult) -> str:
    settings, held, published = (
        result.settings,
        result.guarantee,
        result.settings.mechanism == "published",
    )
    own = _of_own(settings.roles) if settings.roles else ""
    if settings.void:
        return guarantee_notes.void_note(settings) + own
    text = (
        tiles.note(tiles.meaning(held))
        + tiles.guarantee_facts(here=held)
        + tiles.note(guarantee_notes.attacker_limit(held))
    )
    text += tiles.note(guarantee_notes.spent_on_bounds(settings)) if settings.paid else ""
    if published:
        fails = SAYS["guarantee.fails"] if result.failed else ""
        text += tiles.note(
            f"{SAYS('guarantee.published', epsilon=number(result.noise_gives))} {fails}"
        )
    return text + (own or tiles.note(SAYS["guarantee.assumed"]))


def _of_own(roles: Roles) -> str:
    """Return who is protected where rows are a visitor's own, and what is taken as public."""
    who = "row" if not roles.person else "one" if roles.rows_each == 1 else "several"
    unit = SAYS(
        f"own.{who}", protected=upload_notes.protected_unit(roles), rows_each=roles.rows_each
    )
    others = (
        "public_people" if roles.person else "public_rows",
        "gaps" if roles.gaps else "complete",
        "analyst",
    )
    return tiles.note(" ".join([unit, *(SAYS[f"own.{one}"] for one in others)]))


def _table(
    part: str, rows: tiles.Rows, formats: Formats, *, now: str | None = None, **holes: object
) -> str:
    """Return the table ``part``, whose columns are those of ``formats``."""
    heads = SAYS.heads(
        part, formats, now=tiles.badge("trained now"), analyst=tiles.badge("analyst only")
    )
    title, caption = (SAYS(f"{part}.{one}", **holes) for one in ("title", "caption"))
    return tiles.table(rows, title=title, caption=caption, heads=heads, marked=now, formats=formats)


def table(result: RegressionResult) -> str:
    settings, frame = result.settings, result.table()
    frame["range"] = frame["low"].map(number) + " to " + frame["high"].map(number)
    formats: Formats = {
        "mechanism": METHODS.__getitem__,
        "delta": delta,
        "median": lambda value: f"<b>{number(value)}</b>",
        "range": str,
        "over least squares": "{:.2f}".format,
        "worse than the mean": out_of_hundred,
        "no minimum": lambda value: "–" if value != value else out_of_hundred(value),
    }
    rails = {"plain": number(result.least_squares), "baseline": number(result.mean_error)}
    holes = {
        "epsilon": number(settings.epsilon),
        "unit": result.problem.source.unit,
        "runs": settings.repeats,
    } | rails
    return _table("table", frame, formats, now=METHODS[settings.mechanism], **holes)


def coefficients_table(result: RegressionResult) -> str:
    frame = result.coefficients()
    frame["range"] = frame["low"].map(_signed) + " to " + frame["high"].map(_signed)
    formats: Formats = {
        "feature": escape,
        "least squares": _signed,
        "median": lambda value: f"<b>{_signed(value)}</b>",
        "range": str,
        "sign": out_of_hundred,
    }
    holes = {"method": METHODS[result.settings.mechanism], "unit": result.problem.source.unit}
    return _table("coefficients", frame, formats, **holes)


def _signed(value: float) -> str:
    """Three digits with a sign, a true minus."""
    return f"{'−' if value < 0 else '+'}{number(abs(value))}"

"""Texts of the regression page: which text of ``texts.md`` is shown, and with which numbers."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from lab.statistics.claims import Case
from lab.uploads.column_roles import Roles
from pages.regression.charts import METHODS, SAYS, count_decimals, distinct_numbers
from pages.regression.result import RegressionResult
from ui.text import guarantee_notes, tables, tiles, upload_notes
from ui.text.numbers import delta as delta_text
from ui.text.tiles import Tile, number, out_of_hundred

LEAD = SAYS["lead"]
ABOUT = SAYS.cases("about")
HELP = SAYS.cases("help")
# Share of clipped labels from which on the explanation mentions them.
_NEGLIGIBLE_CLIPPING = 0.001
# The explanation mentions the worst fit if its error is more than so many times the median.
_OUTLIER = 3
# The dots of single fits end at so many times the baseline, where diverged fits are.
_END_OF_DOTS = 3
# Larger errors are shown in scientific notation, whose decimals do not count.
_LARGEST_PLAIN = 1e9
Formats = Mapping[str, Callable[[Any], str]]


# Tiles


def numbers(result: RegressionResult) -> list[Tile]:
    """Return the tiles: private and non-private error, the range of fits, the attacker."""
    unit = result.problem.source.unit
    private, non_private, loss = _errors_and_loss(result)
    private_tile = Tile(
        SAYS["tiles.private"],
        f"{private} <small>{unit}</small>",
        SAYS("tiles.baseline", baseline=number(result.baseline)),
        tone="private",
        amount=tiles.shown_number(private),
        unit=unit,
    )
    reference_tile = Tile(SAYS["tiles.plain"], non_private, _loss_note(result, loss))
    if result.settings.void:
        attacker_tile = guarantee_notes.void_attacker_tile(result.settings.void)
    else:
        attacker_tile = tiles.attacker_tile(result.guarantee)
    return [private_tile, reference_tile, _range_tile(result), attacker_tile]


def _range_tile(result: RegressionResult) -> Tile:
    """Return the range of 90 % of the fits, with a dot per fit."""
    end = _END_OF_DOTS * result.baseline
    positions = [min(error / end, 1.0) for error in result.fits.errors]
    dots = tiles.runs_tile("", positions, low=min(positions), high=max(positions)).mark
    spread = result.summary()
    low, high = distinct_numbers(spread.low, spread.high)
    value = f"{low} <small>to</small> {high}"
    if low == high:
        value = low
    return Tile(SAYS["tiles.range"], value, mark=dots)


def _loss_note(result: RegressionResult, loss: str) -> str:
    """Return what privacy costs in a few words."""
    if result.costs == Case.BEHIND:
        return SAYS("tiles.loses", loss=loss)
    if result.costs in (Case.AHEAD, Case.ALIKE):
        return SAYS["tiles.alike"]
    return SAYS(f"tiles.{result.costs}", runs=result.settings.repeats)


def _errors_and_loss(result: RegressionResult) -> tuple[str, str, str]:
    """Return the median private error, that of least squares, and the difference of the two texts.

    The difference has the decimals of the texts, and is infinite if one of them shows no number.
    """
    private_text, exact_text = distinct_numbers(result.summary().median, result.least_squares_error)
    private = _shown_number(private_text)
    exact = _shown_number(exact_text)
    decimals = 0
    if max(private, exact) < _LARGEST_PLAIN:
        decimals = max(count_decimals(private_text), count_decimals(exact_text))
    return private_text, exact_text, number(round(private - exact, decimals))


def _shown_number(text: str) -> float:
    """Return the number that a text shows, or infinity if it shows none."""
    amount = tiles.shown_number(text)
    if amount is None:
        return math.inf
    return amount


# Verdict, caption and explanation


def verdict(result: RegressionResult) -> str:
    """Return how often the published mechanism fails, if it does, and what privacy costs."""
    settings = result.settings
    parts = []
    if settings.mechanism == "published" and result.without_minimum > 0:
        failures = SAYS("verdict.no_minimum", failed=result.without_minimum, runs=settings.repeats)
        parts.append(failures)
    private, non_private, loss = _errors_and_loss(result)
    cost = SAYS(
        f"verdict.{_verdict_case(result)}",
        private=private,
        plain=non_private,
        loss=loss,
        unit=result.problem.source.unit,
        baseline=number(result.baseline),
        runs=settings.repeats,
    )
    parts.append(cost)
    if settings.void:
        parts.append(guarantee_notes.void_verdict(settings))
    return " ".join(parts)


def _verdict_case(result: RegressionResult) -> str:
    """Return the case of the verdict on what privacy costs."""
    if result.summary().median >= result.baseline:
        if result.least_squares_error >= result.baseline:
            return "constant_plain"
        return "constant"
    if result.costs == Case.BEHIND:
        return "loses"
    if result.costs == Case.FEW:
        return "few"
    return "alike"


def caption(result: RegressionResult) -> str:
    """Return the line under the charts: what is drawn and, of a file, how much of it is used."""
    settings = result.settings
    if not settings.uses_file:
        return SAYS["caption.made"]
    unit = "rows"
    if settings.by_person:
        unit = "people"
    total = result.problem.source.train_rows
    used = SAYS("caption.all", rows=settings.rows, people=unit)
    if settings.rows < total:
        used = SAYS("caption.some", rows=settings.rows, all=total, people=unit)
    tested = int(result.problem.test_statistics().present_rows)
    return f"{used} {SAYS('caption.own', tested=tested)}"


def diagnostics(result: RegressionResult) -> list[str]:
    """Return at most two sentences: the noise, and clipped labels or the worst fit."""
    found = [_noise(result), _clipping(result) or _worst_fit(result)]
    return [sentence for sentence in found if sentence]


def _noise(result: RegressionResult) -> str:
    """Return where noise is added and, on a quadratic, how large it is and how often it fails."""
    name = result.settings.mechanism
    if name == "descent":
        return _descent(result)
    if result.noise_sd is None:
        return SAYS[f"why.{name}"]
    noise = SAYS(f"why.{name}", sd=number(result.noise_sd))
    runs = result.settings.repeats
    failures = SAYS("why.definite", runs=runs)
    if result.without_minimum > 0:
        failures = SAYS("why.indefinite", failed=result.without_minimum, runs=runs)
    return f"{noise} {failures}"


def _descent(result: RegressionResult) -> str:
    """Return the number of steps, the clipping norm, the radius and the rows of a step."""
    descent = result.settings.descent
    problem = result.problem
    public = {"inputs": problem.inputs, "rows": problem.most_rows}
    epsilon = result.settings.remaining_epsilon
    noise = SAYS(
        "why.descent",
        steps=descent.steps,
        clip_norm=number(descent.chosen_clip_norm(epsilon, **public)),
        radius=number(descent.chosen_radius(epsilon, **public)),
    )
    if descent.batches == 1:
        return noise
    return f"{noise} {SAYS('why.batches', batches=descent.batches)}"


def _clipping(result: RegressionResult) -> str:
    """Return how many labels are clipped, or "" if hardly any are."""
    if result.clipped_label_share <= _NEGLIGIBLE_CLIPPING:
        return ""
    bound = number(result.settings.label_top)
    return SAYS("why.cut", bound=bound, share=number(100 * result.clipped_label_share))


def _worst_fit(result: RegressionResult) -> str:
    """Return the error of the worst fit, or "" if it is not far from the median."""
    median = result.summary().median
    worst = float(result.fits.errors.max())
    if worst <= _OUTLIER * median:
        return ""
    unit = result.problem.source.unit
    return SAYS("why.worst", worst=number(worst), median=number(median), unit=unit)


# Guarantee


def guarantee(result: RegressionResult) -> str:
    """Return what is guaranteed, for whom, and under which assumptions."""
    settings = result.settings
    if settings.roles is not None:
        scope = _scope_of_file(settings.roles)
    else:
        scope = tiles.note(SAYS["guarantee.assumed"])
    if settings.void:
        return guarantee_notes.void_note(settings) + scope
    parts = [
        tiles.note(tiles.meaning(result.guarantee)),
        tiles.guarantee_facts(here=result.guarantee),
        tiles.note(guarantee_notes.attacker_limit(result.guarantee)),
    ]
    if settings.payments:
        parts.append(tiles.note(guarantee_notes.spent_on_bounds(settings)))
    if settings.mechanism == "published":
        parts.append(tiles.note(_published_margin(result)))
    return "".join(parts) + scope


def _published_margin(result: RegressionResult) -> str:
    """Return the exact epsilon of the published noise, and whether the method fails."""
    margin = SAYS("guarantee.published", epsilon=number(result.exact_published_epsilon))
    failure = ""
    if result.without_minimum > 0:
        failure = SAYS["guarantee.fails"]
    return f"{margin} {failure}"


def _scope_of_file(roles: Roles) -> str:
    """Return who is protected in an uploaded file, and what is taken as public."""
    if not roles.person:
        unit = "row"
        public = "public_rows"
    else:
        unit = "several"
        if roles.rows_each == 1:
            unit = "one"
        public = "public_people"
    missing = "complete"
    if roles.gaps:
        missing = "gaps"
    parts = [
        SAYS(
            f"own.{unit}", protected=upload_notes.protected_unit(roles), rows_each=roles.rows_each
        ),
        SAYS[f"own.{public}"],
        SAYS[f"own.{missing}"],
        SAYS["own.analyst"],
    ]
    return tiles.note(" ".join(parts))


# Tables


def table(result: RegressionResult) -> str:
    """Return all mechanisms at the set epsilon."""
    settings = result.settings
    frame = result.table()
    frame["range"] = frame["low"].map(number) + " to " + frame["high"].map(number)
    formats: Formats = {
        "mechanism": METHODS.__getitem__,
        "delta": delta_text,
        "median": lambda error: f"<b>{number(error)}</b>",
        "range": str,
        "over least squares": "{:.2f}".format,
        "worse than the mean": out_of_hundred,
        "no minimum": _share_or_dash,
    }
    title = SAYS(
        "table.title",
        epsilon=number(settings.epsilon),
        unit=result.problem.source.unit,
    )
    caption = SAYS(
        "table.caption",
        runs=settings.repeats,
        plain=number(result.least_squares_error),
        baseline=number(result.baseline),
    )
    return tables.table(
        frame,
        title=title,
        caption=caption,
        heads=_heads("table", formats),
        marked=METHODS[settings.mechanism],
        formats=formats,
    )


def _heads(section: str, formats: Formats) -> dict[str, str]:
    """Return the headings of a table by column, with the badges of what it shows."""
    return SAYS.heads(
        section,
        formats,
        now=tiles.badge("trained now"),
        analyst=tiles.badge("analyst only"),
    )


def _share_or_dash(share: float) -> str:
    """Return a share as a count of 100, or a dash if it is NaN."""
    if math.isnan(share):
        return "–"
    return out_of_hundred(share)

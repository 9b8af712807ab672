"""Texts of the regression page: which text of ``texts.md`` is shown, and with which numbers."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from lab.statistics.claims import Case
from lab.uploads.column_roles import Roles
from pages.regression.charts import METHODS, SAYS, count_decimals, error_text
from pages.regression.result import RegressionResult
from ui.text import guarantee_notes, sentences, tables, tiles, upload_notes
from ui.text.numbers import delta as delta_text
from ui.text.sliders import in_sentence
from ui.text.texts import SAYS as SHARED
from ui.text.tiles import Tile, number, out_of_hundred

LEAD = SAYS["lead"]
ABOUT = SAYS.cases("about")
HELP = SAYS.cases("help")
# Share of clipped labels from which on the explanation mentions them.
_NEGLIGIBLE_CLIPPING = 0.001
# The dots of single fits end at so many times the baseline, where diverged fits are.
_END_OF_DOTS = 3
Formats = Mapping[str, Callable[[Any], str]]


# Tiles


def numbers(result: RegressionResult) -> list[Tile]:
    """Return the tiles: private and non-private error, the range of fits, the attacker."""
    unit = result.problem.source.unit
    private, non_private, loss = _errors_and_loss(result)
    private_tile = Tile(
        SAYS["tiles.private"],
        f"{private} <small>{unit}</small>",
        SAYS("tiles.baseline", baseline=error_text(result, result.baseline)),
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
    low = error_text(result, spread.low)
    high = error_text(result, spread.high)
    value = f"{low} <small>to</small> {high}"
    if low == high:
        value = low
    return Tile(SAYS["tiles.range"], value, mark=dots)


def _loss_note(result: RegressionResult, loss: str) -> str:
    """Return what privacy costs in a few words."""
    if result.costs_little:
        return SHARED("tile.lost", lost=SAYS["tiles.little"])
    case = result.costs
    if case == Case.AHEAD:
        # Chance may put the fits ahead of least squares. Privacy then shows no cost.
        case = Case.ALIKE
    return sentences.difference_or_reason(
        case,
        SHARED("tile.lost", lost=loss),
        runs=len(result.fits.errors),
        none=SHARED["tile.none"],
    )


def _errors_and_loss(result: RegressionResult) -> tuple[str, str, str]:
    """Return the median private error, that of least squares, and the difference of the two texts.

    The difference is infinite if one of them shows no number.
    """
    private = error_text(result, result.summary().median)
    exact = error_text(result, result.least_squares_error)
    private_amount = tiles.shown_number(private)
    exact_amount = tiles.shown_number(exact)
    if private_amount is None or exact_amount is None:
        return private, exact, number(math.inf)
    difference = round(private_amount - exact_amount, count_decimals(result))
    return private, exact, number(difference)


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
        baseline=error_text(result, result.baseline),
        runs=len(result.fits.errors),
    )
    parts.append(cost)
    if settings.void:
        parts.append(guarantee_notes.void_verdict(settings))
    return " ".join(parts)


def _verdict_case(result: RegressionResult) -> str:
    """Return the case of the verdict on what privacy costs."""
    if result.summary().median >= result.baseline:
        return "constant"
    if result.costs == Case.BEHIND:
        return "loses"
    if result.costs_little:
        return "little"
    if result.costs == Case.FEW:
        return "few"
    return "alike"


def caption(result: RegressionResult) -> str:
    """Return the line under the charts: what is drawn and, of a file, how much of it is used."""
    settings = result.settings
    if not settings.uses_file:
        return SAYS["caption.made"]
    tested = int(result.problem.held_out_statistics().present_rows)
    return f"{SAYS['caption.own']} {upload_notes.training_rows(settings, tested=tested)}"


def diagnostics(result: RegressionResult) -> list[str]:
    """Return the noise, the rule if options are set by hand, and the clipped labels if any are."""
    found = [_noise(result)]
    if result.settings.options:
        found.append(_rule(result.settings.rule_options))
    if result.clipped_label_share > _NEGLIGIBLE_CLIPPING:
        found.append(_clipping(result))
    return found


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
    options = result.settings.descent_options
    batches = result.settings.mechanism_of("descent").batches
    texts = {name: number(value) for name, value in options.items()}
    noise = SAYS("why.descent", **texts)
    if batches == 1:
        return noise
    return f"{noise} {SAYS('why.batches', batches=batches)}"


def _rule(options: Mapping[str, float]) -> str:
    """Return what the rule would set in place of the options by hand."""
    texts = [f"{in_sentence(name)} {number(value)}" for name, value in options.items()]
    return SAYS("why.rule", options=", ".join(texts))


def _clipping(result: RegressionResult) -> str:
    """Return how many labels are clipped."""
    bound = number(result.settings.label_top)
    return SAYS("why.cut", bound=bound, share=number(100 * result.clipped_label_share))


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
    elif roles.rows_each == 1:
        unit = "one"
    else:
        unit = "several"
    missing = "complete"
    if roles.gaps:
        missing = "gaps"
    parts = [
        SAYS(
            f"own.{unit}", protected=upload_notes.protected_unit(roles), rows_each=roles.rows_each
        ),
        SAYS[f"own.{missing}"],
        SAYS["own.analyst"],
    ]
    return tiles.note(" ".join(parts))


# Tables


def table(result: RegressionResult) -> str:
    """Return all mechanisms at the set epsilon."""
    settings = result.settings
    frame = result.table()

    def error(value: float) -> str:
        return error_text(result, value)

    frame["range"] = frame["low"].map(error) + " to " + frame["high"].map(error)
    formats: Formats = {
        "mechanism": METHODS.__getitem__,
        "delta": delta_text,
        "median": lambda median: f"<b>{error(median)}</b>",
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
        plain=error(result.least_squares_error),
        baseline=error(result.baseline),
    )
    heads = SAYS.heads(
        "table",
        formats,
        now=tiles.badge("trained now"),
        analyst=tiles.badge("analyst only"),
    )
    return tables.table(
        frame,
        title=title,
        caption=caption,
        heads=heads,
        marked=METHODS[settings.mechanism],
        formats=formats,
    )


def _share_or_dash(share: float) -> str:
    """Return a share as a count of 100, or a dash if it is NaN."""
    if math.isnan(share):
        return "–"
    return out_of_hundred(share)

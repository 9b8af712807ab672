"""Texts of the transfer page: which text of ``texts.md`` is shown, and with which numbers."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from dpcore.parties.source_detection import Detection
from lab.data.transfer_worlds import RADIUS
from lab.statistics.claims import Case, compare
from pages.transfer.charts import risk_text
from pages.transfer.result import LEAST_RISK, TransferResult
from ui.text import guarantee_notes, tables, tiles
from ui.text.texts import Texts
from ui.text.tiles import Tile, number

SAYS = Texts(__file__)
POLYTOPES = {"diamond": "L1 ball (diamond)", "corners": "Seven given corners"}
PENALTIES = {"1": "L1 norm (q = 1)", "2": "Squared L2 norm (q = 2)"}
ABOUT = SAYS.cases("about")
HELP = SAYS.cases("help")
# Columns of the published table that are computed here.
_COMPUTED = ("value", "training MSE", "training SSE")


# Tiles


def numbers(result: TransferResult) -> list[Tile]:
    """Return the tiles: risk with and without sources, without privacy, and the attacker."""
    settings = result.settings
    median = result.medians
    case = result.compare("transfer", "target")
    comparison = SAYS(f"tiles.{case}", times=_ratio_text(result), runs=settings.repeats)
    transfer_tile = Tile(
        SAYS["tiles.transfer"],
        risk_text(median["transfer"]),
        comparison,
        tone="public",
        amount=_two_digits(median["transfer"]),
    )
    target_tile = Tile(
        SAYS["tiles.target"],
        risk_text(median["target"]),
        SAYS("tiles.runs", runs=settings.repeats),
        tone="private",
        amount=_two_digits(median["target"]),
    )
    note = SAYS["tiles.target_only"]
    if settings.penalty > 0:
        note = SAYS["tiles.penalised"]
    reference_tile = Tile(SAYS["tiles.plain"], risk_text(result.fits.least_squares), note)
    return [transfer_tile, target_tile, reference_tile, _guarantee_tile(result)]


def _guarantee_tile(result: TransferResult) -> Tile:
    """Return the best attacker's accuracy or, with the printed noise, the actual epsilon."""
    settings = result.settings
    guarantee = settings.guarantee_of("transfer")
    if settings.noise != "printed":
        return tiles.attacker_tile(guarantee)
    return Tile(
        SAYS["tiles.actual"],
        number(guarantee.epsilon),
        SAYS("tiles.nominal", nominal=number(settings.epsilon)),
        tone="bound",
        amount=guarantee.epsilon,
    )


def _two_digits(risk: float) -> float:
    """Return a number rounded to two digits, as it is shown."""
    return float(f"{risk:.2g}")


def _ratio_text(result: TransferResult) -> str:
    """Return the larger of the risks with and without sources over the smaller one."""
    transfer = max(_two_digits(result.medians["transfer"]), LEAST_RISK)
    target = max(_two_digits(result.medians["target"]), LEAST_RISK)
    ratio = max(transfer, target) / min(transfer, target)
    return number(_two_digits(ratio))


# Verdict


def verdict(result: TransferResult) -> str:
    """Return whether the sources help, and which candidate does better; the best one first."""
    medians = result.medians
    transfer = _transfer_sentence(result)
    others = _others_sentence(result)
    parts = [transfer, others]
    if result.best_other != "target" and medians[result.best_other] < medians["transfer"]:
        parts = [others, transfer]
    against_baseline = compare(result.risks("target"), result.baseline, better="lower")
    if against_baseline == Case.BEHIND:
        parts.append(SAYS["verdict.nothing"])
    return " ".join(parts)


def _transfer_sentence(result: TransferResult) -> str:
    """Return how the transfer compares with the private rows alone."""
    repeats = result.settings.repeats
    case: str = result.compare("transfer", "target")
    if result.without_source == repeats:
        case = "unused"
    return SAYS(
        f"verdict.{case}",
        times=_ratio_text(result),
        runs=repeats,
        helped=risk_text(result.medians["transfer"]),
        alone=risk_text(result.medians["target"]),
        nothing=risk_text(result.baseline),
    )


def _others_sentence(result: TransferResult) -> str:
    """Return which other candidate is shown to do better, or the risks of the others."""
    if _is_other_ahead(result):
        case = result.best_other
    elif result.compare("pooled", "target") == Case.BEHIND:
        case = "harms"
    else:
        case = "both"
    risks = {name: risk_text(median) for name, median in result.medians.items()}
    return SAYS(f"others.{case}", **risks)


def _is_other_ahead(result: TransferResult) -> bool:
    """Return whether "source" or "pooled" is shown to do better than the transfer."""
    if result.best_other == "target":
        return False
    return result.compare(result.best_other, "transfer") == Case.AHEAD


# Explanation


def diagnostics(result: TransferResult) -> list[str]:
    """Return at most three sentences: the noise, the sources, and a warning or another one."""
    settings = result.settings
    if result.fits.detection is None:
        sources = _threshold(result)
    else:
        sources = _detection(result, result.fits.detection)
    large_delta = tiles.large_delta_warning(settings.delta, settings.target_rows)
    sentences = [_noise(result), sources, large_delta or _further_effect(result)]
    return [sentence for sentence in sentences if sentence]


def _noise(result: TransferResult) -> str:
    """Return the noise of Frank-Wolfe from zero and, if any is used, around the sources."""
    target = result.plan("target")
    if result.without_source == result.settings.repeats:
        return SAYS(
            "noise.zero",
            radius=number(RADIUS),
            scale=number(target.scale),
            steps=target.steps,
        )
    transfer = result.plan("transfer")
    return SAYS(
        "noise.both",
        radius=number(RADIUS),
        scale=number(target.scale),
        steps=target.steps,
        near_radius=number(result.settings.radius),
        near_scale=number(transfer.scale),
        near_steps=transfer.steps,
    )


def _threshold(result: TransferResult) -> str:
    """Return which sources lie within h."""
    near = []
    for source, is_transferable in enumerate(result.transferable, start=1):
        if is_transferable:
            near.append(str(source))
    h = number(result.settings.h)
    if not near:
        return SAYS("threshold.none", h=h)
    names = "sources " + ", ".join(near)
    if len(near) == 1:
        names = f"source {near[0]}"
    return SAYS("threshold.near", h=h, near=len(near), names=names)


def _detection(result: TransferResult, detection: Detection) -> str:
    """Return what the detection costs or, if there are any, the repeats without a source."""
    if result.without_source > 0:
        return SAYS("detection.unused", none=result.without_source, runs=result.settings.repeats)
    return SAYS(
        "detection.cost",
        epsilon=number(result.epsilon_of("source")),
        sd=risk_text(detection.sd),
        losses=len(detection.losses),
    )


def _further_effect(result: TransferResult) -> str:
    """Return a sentence on the penalty if there is one, or else on gradient descent."""
    if result.settings.penalty > 0:
        return SAYS["why.penalty"]
    if result.descent_median is not None:
        return _descent(result, result.descent_median)
    return ""


def _descent(result: TransferResult, median_risk: float) -> str:
    """Return the risk of gradient descent on the private rows alone, and whether it is best."""
    case = "descent.beside"
    if result.descent_is_ahead:
        case = "descent.beside_ahead"
    return SAYS(
        case,
        helped=risk_text(result.medians["transfer"]),
        walk=risk_text(result.medians["target"]),
        descent=risk_text(median_risk),
    )


# Guarantee


def guarantee(result: TransferResult) -> str:
    """Return what each candidate guarantees, and under which assumptions."""
    settings = result.settings
    transfer = settings.guarantee_of("transfer")
    facts = tiles.guarantee_facts(
        target_only=settings.guarantee_of("target"),
        pooled=settings.guarantee_of("pooled"),
        with_sources=transfer,
    )
    parts = [tiles.note(tiles.meaning(transfer))]
    if settings.noise == "printed":
        parts.append(tiles.note(_printed_cost(result)))
    parts.append(facts)
    parts.append(tiles.note(guarantee_notes.attacker_limit(transfer)))
    selection = SAYS["guarantee.known"]
    if settings.selection == "detected":
        selection = SAYS("guarantee.detected", epsilon=number(result.epsilon_of("source")))
    parts.append(tiles.note(selection))
    parts.append(tiles.note(SAYS["guarantee.assumed"]))
    return "".join(parts)


def _printed_cost(result: TransferResult) -> str:
    """Return what the run of the target costs with the printed noise by advanced composition."""
    return SAYS(
        "guarantee.printed",
        nominal=number(result.settings.epsilon),
        steps=result.plan("target").steps,
        epsilon=number(result.advanced("target").epsilon),
    )


# The published table


def published_table(result: TransferResult) -> str:
    """Return the published table, reproduced, and what its numbers are."""
    formats: dict[str, Callable[[Any], str]] = {
        "migrated": str,
        "published": partial(_decimals, missing="control"),
    }
    for column in _COMPUTED:
        formats[column] = partial(_decimals, missing="…")
    heads = SAYS.heads(
        "published",
        ("migrated", "rows", "epochs", "published", *_COMPUTED),
        now=tiles.badge("trained now"),
        printed=tiles.badge("published"),
    )
    return tables.table(
        result.published,
        title=SAYS["published.title"],
        caption=SAYS["published.caption"],
        heads=heads,
        formats=formats,
    )


def _decimals(value: float, *, missing: str) -> str:
    """Return a number with four decimals, or ``missing`` if it is NaN."""
    if math.isnan(value):
        return missing
    return f"{value:.4f}"

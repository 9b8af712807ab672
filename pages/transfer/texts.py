"""The transfer page's words: which text of ``texts.md`` is said, and with which numbers."""

import math
from collections.abc import Mapping

from dpcore.parties.source_detection import RESIDUAL_BOUND, Detection
from lab.data.transfer_worlds import RADIUS
from lab.statistics.claims import Case, compare
from pages.transfer import texts_tabs
from pages.transfer.charts import risk
from pages.transfer.result import TransferResult
from pages.transfer.settings import TransferParameters
from pages.transfer.texts_tabs import SAYS
from ui.text import guarantee_notes, tiles
from ui.text.tiles import Tile, number

NOISES = {"gumbel": "Gumbel", "laplace": "Laplace", "printed": "Laplace, as published"}
SELECTIONS = {"known": "Sources known", "detected": "Sources detected privately"}
POLYTOPES = {"diamond": "L1 ball (diamond)", "corners": "seven given corners"}
PENALTIES = {"1": "L1 norm (q = 1)", "2": "squared L2 norm (q = 2)"}
# Share of clipped residuals that the explanation mentions.
_NEGLIGIBLE_CLIPPING = 0.01
HELP = {name: SAYS[f"help.{name}"] for name in ("noise", "penalty", "adjacency", "reach")}


def numbers(result: TransferResult) -> list[Tile]:
    """Return the error with the sources, of the private rows alone and without privacy, and the
    best attacker.
    """
    median, settings, held = (
        result.medians,
        result.settings,
        result.settings.guarantee_of("transfer"),
    )
    says, shown, digits = SAYS, risk, 2
    case = result.compare("transfer", "target")
    times = times_apart(median["transfer"], median["target"])
    compared = says(f"tiles.{case}", times=times, runs=settings.repeats)
    runs = says("tiles.runs", runs=settings.repeats)
    said = []
    for name, tone, note in (("transfer", "public", compared), ("target", "private", runs)):
        amount = float(f"{median[name]:.{digits}g}")
        said.append(Tile(says[f"tiles.{name}"], shown(median[name]), note, tone, amount))
    alone = says["tiles.penalised" if settings.penalty else "tiles.target_only"]
    said.append(Tile(says["tiles.plain"], shown(result.focus.least_squares), alone))
    if settings.noise != "printed":
        return [*said, tiles.attacker_tile(held)]
    nominal = says("tiles.nominal", nominal=number(settings.epsilon))
    return [
        *said,
        Tile(says["tiles.actual"], number(held.epsilon), nominal, "bound", held.epsilon),
    ]


def times_apart(one: float, other: float) -> str:
    """Return how many times the larger is the smaller, of the numbers as shown; "" where one is not
    measured.
    """
    if math.isnan(one + other):
        return ""
    one, other = (max(float(f"{value:.2g}"), 1e-4) for value in (one, other))
    return number(float(f"{max(one, other) / min(one, other):.2g}"))


def verdict(result: TransferResult) -> str:
    """Return whether the sources help, what does better than correcting them, and what is worse
    than nothing.
    """
    median, runs, (says, shown) = result.medians, result.settings.repeats, (SAYS, risk)
    case = "unused" if result.without_source == runs else result.compare("transfer", "target")
    text = {name: shown(one) for name, one in median.items()}
    holes = {
        "helped": text["transfer"],
        "alone": text["target"],
        "nothing": shown(result.nothing_learnt),
    }
    times = times_apart(median["transfer"], median["target"])
    main = says(f"verdict.{case}", times=times, runs=runs, **holes)
    said = [main, others(result, text)]
    if result.rival != "target" and median[result.rival] < median["transfer"]:
        said = [others(result, text), main]
    if compare(result.runs("target"), result.nothing_learnt, better="lower") == Case.BEHIND:
        said.append(says["verdict.nothing"])
    return " ".join(filter(None, said))


def others(result: TransferResult, said: Mapping[str, str]) -> str:
    """Return which other model is shown to do better, or what the others leave.

    ``said``: medians as shown.
    """
    if _rival_is_ahead(result):
        return SAYS(f"others.{result.rival}", **said)
    case = "harms" if result.compare("pooled", "target") == Case.BEHIND else "both"
    return SAYS(f"others.{case}", **said)


def _rival_is_ahead(result: TransferResult) -> bool:
    """Return whether the sources alone, or all rows pooled, are shown to do better than a private
    correction.
    """
    return result.rival != "target" and result.compare(result.rival, "transfer") == Case.AHEAD


def caption(result: TransferResult) -> str:
    """Return what bands, marks and the Frank-Wolfe chart are; of a file, how many rows are used
    too.
    """
    settings = result.settings
    free = settings.penalty > 0 and (settings.penalty_q, settings.polytope) == ("1", "corners")
    marks = SAYS["caption.marks"]
    return f"{marks} {SAYS['caption.corners']}" if free else marks


def diagnostics(result: TransferResult) -> list[str]:
    """Return the explanation, at most three sentences: the noise, the sources, and what matters
    most besides.
    """
    settings = result.settings
    detection = result.focus.detection
    sources = _threshold(result)
    if detection:
        sources = _detection(result, detection)
    large_delta = tiles.large_delta_warning(settings.delta, settings.target_rows)
    sentences = [noise(result), sources, large_delta or _besides(result)]
    return [sentence for sentence in sentences if sentence]


def _besides(result: TransferResult) -> str:
    """Return what the penalty, gradient descent or clipping changes; the first that applies."""
    settings = result.settings
    if settings.penalty:
        return SAYS["why.penalty"]
    beside = texts_tabs.beside(result)
    if beside:
        return beside
    if result.focus.clipped > _NEGLIGIBLE_CLIPPING:
        share = tiles.out_of_hundred(result.focus.clipped)
        return SAYS("why.clipped", share=share, bound=number(RESIDUAL_BOUND))
    return ""


def noise(result: TransferResult) -> str:
    """Return the noise of Frank-Wolfe from zero and around the sources, which is proportional to
    the ball's radius.
    """
    plan = result.plan("target")
    holes = {"radius": number(RADIUS), "scale": number(plan.scale), "steps": plan.steps}
    if "transfer" not in result.focus.sparsity:
        return SAYS("noise.zero", **holes)
    near = result.plan("transfer")
    return SAYS(
        "noise.both",
        **holes,
        near_radius=number(result.settings.radius),
        near_scale=number(near.scale),
        near_steps=near.steps,
    )


def _threshold(result: TransferResult) -> str:
    """Return which sources lie within h."""
    frame = result.sources()
    near = frame["source"][frame["transferable"]]
    h = number(result.settings.h)
    if near.empty:
        return SAYS("threshold.none", h=h)
    names = ("source " if len(near) == 1 else "sources ") + ", ".join(map(str, near))
    return SAYS("threshold.near", h=h, near=len(near), names=names)


def _detection(result: TransferResult, found: Detection) -> str:
    """Return what the detection costs, or in how many runs it keeps no source."""
    if result.without_source:
        return SAYS("detection.unused", none=result.without_source, runs=len(result.focus.kept))
    return SAYS(
        "detection.cost",
        epsilon=_detected(result.settings),
        sd=risk(found.sd),
        losses=len(found.losses),
    )


def _detected(settings: TransferParameters) -> str:
    """Return the epsilon that the detection of sources costs by itself; "" where they are known."""
    held = settings.model.detection_guarantee(settings.epsilon)
    return number(held.epsilon) if held else ""


def guarantee(result: TransferResult) -> str:
    """Return what each model guarantees, and what it leaves open."""
    settings = result.settings
    target, pooled, transfer = (
        settings.guarantee_of(name) for name in ("target", "pooled", "transfer")
    )
    said = [tiles.meaning(transfer)]
    if settings.noise == "printed":
        spent, steps = number(result.advanced("target").epsilon), result.plan("target").steps
        said.append(
            SAYS("guarantee.printed", nominal=number(settings.epsilon), steps=steps, epsilon=spent)
        )
    detected = _detected(settings)
    known = f"guarantee.{'detected' if detected else 'known'}"
    after = (
        guarantee_notes.attacker_limit(transfer),
        SAYS(known, epsilon=detected),
        SAYS["guarantee.assumed"],
    )
    table = tiles.guarantee_facts(target_only=target, pooled=pooled, with_sources=transfer)
    return "".join([*map(tiles.note, said), table, *map(tiles.note, filter(None, after))])

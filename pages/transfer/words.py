"""The transfer page's words: which text of ``texts.md`` is said, and with which numbers."""

import math
from collections.abc import Callable, Mapping, Sequence

from dpcore.transfer import RADIUS, RESIDUAL_BOUND, Detection
from lab.claims import Case, compare
from lab.settings import Spread
from pages.transfer import words_tabs
from pages.transfer.figures import error, risk
from pages.transfer.own import OwnProblem
from pages.transfer.parameters import TransferParameters
from pages.transfer.result import TransferResult
from pages.transfer.words_tabs import OWN, SAYS
from ui import outcomes, panels
from ui.escaping import plain
from ui.panels import Number, number
from ui.texts import Texts

NOISES = {"gumbel": "Gumbel", "laplace": "Laplace", "printed": "Laplace, as published"}
SELECTIONS = {"known": "Sources known", "detected": "Sources detected privately"}
OWN_SELECTIONS = SELECTIONS | {"known": OWN["help.known"]}
POLYTOPES = {"diamond": "L1 ball (diamond)", "corners": "seven given corners"}
PENALTIES = {"1": "L1 norm (q = 1)", "2": "squared L2 norm (q = 2)"}
HELP = {name: SAYS[f"help.{name}"] for name in ("noise", "penalty", "adjacency", "reach")}


def texts(settings: TransferParameters) -> Texts:
    """Return the texts of made-up data, or of a file, where held-out error takes the place of a known truth."""
    return OWN if settings.private else SAYS


def numbers(result: TransferResult) -> list[Number]:
    """Return the error with the sources, of the private rows alone and without privacy, and the best attacker."""
    median, settings, held = result.medians, result.settings, result.settings.guarantee("transfer")
    says, shown, digits = _says(result)
    case = result.compare("transfer", "target") if _measured(median) else "unmeasured"
    compared = says(f"tiles.{case}", times=times_apart(median["transfer"], median["target"]))
    runs = says("tiles.runs", runs=settings.repeats)
    said = []
    for name, tone, note in (("transfer", "public", compared), ("target", "private", runs)):
        amount = None if math.isnan(median[name]) else float(f"{median[name]:.{digits}g}")
        said.append(Number(says[f"tiles.{name}"], shown(median[name]), note, tone, amount))
    alone = says["tiles.penalised" if settings.penalty else "tiles.target_only"]
    said.append(Number(says["tiles.plain"], shown(result.focus.least_squares), alone))
    if settings.void:
        return [*said, outcomes.void_attacker(settings)]
    if settings.noise != "printed":
        return [*said, panels.attacker(held)]
    nominal = says("tiles.nominal", nominal=number(settings.epsilon))
    return [*said, Number(says["tiles.actual"], number(held.epsilon), nominal, "bound", held.epsilon)]


def _says(result: TransferResult) -> tuple[Texts, Callable[[float], str], int]:
    """Return the texts, how an error is shown, and its significant digits: RMSE with a file, else excess risk."""
    return (OWN, error, 3) if result.settings.private else (SAYS, risk, 2)


def _measured(median: Mapping[str, float]) -> bool:
    """Return whether any held-out row of a file has an answer."""
    return not any(map(math.isnan, median.values()))


def times_apart(one: float, other: float) -> str:
    """Return how many times the larger is the smaller, of the numbers as shown; "" where one is not measured."""
    if math.isnan(one + other):
        return ""
    one, other = (max(float(f"{value:.2g}"), 1e-4) for value in (one, other))
    return number(float(f"{max(one, other) / min(one, other):.2g}"))


def verdict(result: TransferResult) -> str:
    """Return whether the sources help, what does better than correcting them, and what is worse than nothing."""
    median, runs, (says, shown, _) = result.medians, result.settings.repeats, _says(result)
    if not _measured(median):
        return " ".join(filter(None, [outcomes.void(result.settings), says["verdict.unmeasured"]]))
    case = "unused" if result.without_source == runs else result.compare("transfer", "target")
    text = {name: shown(one) for name, one in median.items()}
    holes = {"helped": text["transfer"], "alone": text["target"], "nothing": shown(result.nothing_learnt)}
    times = times_apart(median["transfer"], median["target"])
    main = says(f"verdict.{case}", times=times, runs=runs, **holes)
    said = [outcomes.void(result.settings), main, others(result, text)]
    if compare(result.runs("target"), result.nothing_learnt, better="lower") == Case.BEHIND:
        said.append(says["verdict.nothing"])
    return " ".join(filter(None, said))


def others(result: TransferResult, said: Mapping[str, str]) -> str:
    """Return which other model is shown to do better, or what the others leave. ``said``: medians as shown."""
    case = "harms" if result.compare("pooled", "target") == Case.BEHIND else "both"
    if result.rival != "target" and result.compare(result.rival, "transfer") == Case.AHEAD:
        case = result.rival + "_still" * (result.compare("transfer", "target") == Case.AHEAD)
    return SAYS(f"others.{case}", **said)


def caption(result: TransferResult) -> str:
    """Return what bands, marks and the Frank-Wolfe chart are; of a file, how many rows are used too."""
    settings = result.settings
    if isinstance(result.problem, OwnProblem):
        return _used(settings, result.problem)
    free = settings.penalty > 0 and (settings.penalty_q, settings.polytope) == ("1", "corners")
    marks = SAYS["caption.marks"]
    return f"{marks} {SAYS['caption.corners']}" if free else marks


def _used(settings: TransferParameters, problem: OwnProblem) -> str:
    """Return how many rows of a file are used, and what bands and lines are."""
    used = OWN(
        "caption.some" if settings.target_rows < problem.available else "caption.all",
        rows=settings.target_rows,
        all=problem.available,
        unit="people" if settings.by_person else "rows",
        public=sum(settings.data.counts(settings.migrated)),
        sources=settings.sources,
    )
    return f"{used} {OWN('caption.tested', tested=len(problem.y_test))}"


def diagnostics(result: TransferResult) -> list[str]:
    """Return why the charts look as they do: noise, penalty, sources, detection, sparsity or scale, clipping."""
    settings, found, bound = result.settings, result.focus.detection, number(RESIDUAL_BOUND)
    clipped = panels.in_hundred(result.focus.clipped)
    said = [
        noise(result),
        penalty(result),
        _sources(result, settings.roles.sources) if settings.roles else _threshold(result),
        detection(result, found) if found else "",
        OWN("why.scale", radius=number(RADIUS), bound=bound) if settings.private else _sparsity(result),
        "" if settings.private else words_tabs.beside(result),
        texts(settings)("why.clipped", share=clipped, bound=bound) if result.focus.clipped > 0.01 else "",
        panels.large_delta(settings.delta, settings.target_rows),
    ]
    return [*filter(None, said)]


def _sparsity(result: TransferResult) -> str:
    """Return how many coefficients the walk around the sources leaves as they are; "" without one."""
    found = result.focus.sparsity
    if "transfer" not in found:
        return ""
    zero, near = (f"{Spread.of(found[name]).median:.0f}" for name in ("target", "transfer"))
    return SAYS("why.sparsity", zero=zero, near=near, vertices=2 * result.settings.dimension)


def _sources(result: TransferResult, sources: Sequence[str]) -> str:
    names = [*map(plain, sources)]
    if result.focus.detection is None:
        return OWN("why.all_sources", names=", ".join(names), risk=error(result.medians["source"]))
    times = zip(names, result.focus.kept.sum(axis=0), strict=True)
    used = ", ".join(OWN("why.used_source", name=name, times=runs) for name, runs in times)
    return OWN("why.used_sources", runs=result.settings.repeats, names=used)


def noise(result: TransferResult) -> str:
    """Return the noise of Frank-Wolfe from zero and around the sources, which goes with the size of the ball."""
    plan = result.plan("target")
    said = [SAYS("noise.zero", radius=number(RADIUS), scale=number(plan.scale), steps=plan.steps)]
    if "transfer" in result.focus.sparsity:
        plan, radius = result.plan("transfer"), number(result.settings.radius)
        said.append(SAYS("noise.near", radius=radius, scale=number(plan.scale), steps=plan.steps))
    return " ".join([*said, SAYS["noise.steps"]])


def penalty(result: TransferResult) -> str:
    """Return what the penalty changes: a vertex and the optimum, never the noise on a score; "" without one."""
    d, settings = result.settings.dimension, result.settings
    if not settings.penalty:
        return ""
    return SAYS(f"penalty.l{settings.penalty_q}", vertices=2 * d + 1, zeros=result.focus.zeros, all=d)


def _threshold(result: TransferResult) -> str:
    frame, h, known = result.sources(), number(result.settings.h), result.focus.detection is None
    near = frame["source"][frame["transferable"]]
    if near.empty:
        return " ".join([SAYS("threshold.none", h=h), *([SAYS["threshold.zero"]] if known else [])])
    farther, ball = len(near) < len(frame), result.settings.radius < RADIUS
    cases = {"near": True, "source": known, "farther": farther, "ball": ball}
    holes = {"h": h, "near": len(near), "names": ", ".join(map(str, near)), "risk": risk(result.medians["source"])}
    return " ".join(SAYS(f"threshold.{case}", **holes) for case, said in cases.items() if said)


def detection(result: TransferResult, found: Detection) -> str:
    """Return what the detection saw, and what that cost."""
    none, runs, held = result.without_source, len(result.focus.kept), _detected(result.settings)
    said = [SAYS("detection.cost", epsilon=held, sd=risk(found.sd), losses=len(found.losses))]
    if none:
        said.append(SAYS("detection.unused", none=none, runs=runs))
    _, *losses = found.losses
    if len(losses) < 2:
        return " ".join([*said, SAYS["detection.one"]])
    best, second, *_ = sorted(losses)
    gap = float(second - best)
    case = "hidden" if gap < found.sd else "sometimes" if gap < 3 * found.sd else "apart"
    return " ".join([*said, SAYS(f"detection.{case}", gap=risk(gap))])


def _detected(settings: TransferParameters) -> str:
    """Return the epsilon that the detection of sources costs by itself; "" where they are known."""
    held = settings.model.detection_guarantee(settings.epsilon)
    return number(held.epsilon) if held else ""


def guarantee(result: TransferResult) -> str:
    """Return what each model guarantees, and what it leaves open."""
    settings = result.settings
    if settings.void:
        return outcomes.void_guarantee(settings) + panels.note(_assumed(settings))
    target, pooled, transfer = (settings.guarantee(name) for name in ("target", "pooled", "transfer"))
    said = [panels.meaning(transfer)]
    if settings.noise == "printed":
        spent, steps = number(result.strong("target").epsilon), result.plan("target").steps
        said.append(SAYS("guarantee.printed", nominal=number(settings.epsilon), steps=steps, epsilon=spent))
    detected = _detected(settings)
    known = f"guarantee.{'detected' if detected else 'known'}{'_paid' if settings.paid else ''}"
    after = (
        outcomes.limit(transfer),
        outcomes.paid(settings),
        texts(settings)(known, epsilon=detected),
        _assumed(settings),
    )
    table = panels.guarantee(target_only=target, pooled=pooled, with_sources=transfer)
    return "".join([*map(panels.note, said), table, *map(panels.note, filter(None, after))])


def _assumed(settings: TransferParameters) -> str:
    if (roles := settings.roles) is None:
        return SAYS["guarantee.assumed"]
    cases = (settings.unit, "each", "public", "gaps" if roles.gaps else "no_gaps", "open")
    holes = {"protected": outcomes.protected(roles), "size": "people" if roles.person else "rows"}
    return " ".join(OWN(f"guarantee.{case}", **holes) for case in cases)

"""Hypothesis transfer in words: verdict, stages, diagnostics, guarantee, table, method."""

import math

from dpcore.parties.hypotheses import LEAST_SD
from lab.claims import Case
from pages.hypotheses.figures import SAYS, STYLES
from pages.hypotheses.parameters import DIRECTIONS, EPSILONS, LAWS
from pages.hypotheses.result import NEAR, PUBLISHED_FEATURES, HypothesesResult
from pages.hypotheses.words_steps import trust
from pages.hypotheses.work import METHODS
from ui import outcomes, panels
from ui.outcomes import digits_apart, percent, points, tenths
from ui.panels import Number, number
from ui.plot import theme


def numbers(result: HypothesesResult) -> list[Number]:
    notes = {"transfer": SAYS("tiles.runs", runs=result.repeats), "weak": _gained(result), "plain": _lost(result)}
    shares, digits = [], _digits(result)
    for (name, note), value in zip(notes.items(), _three(result), strict=True):
        label, tone = SAYS[f"tiles.{name}"], "private" if name == "transfer" else ""
        if math.isnan(value):
            shares.append(Number(label, "…", note))
            continue
        # A difference of big numbers is made from the number as shown
        shown, amount = percent(value, digits=digits), round(100 * value, digits)
        shares.append(Number(label, shown, note, tone, amount=amount, unit="points"))
    return [*shares, panels.attacker(result.settings.promise)]


def _three(result: HypothesesResult) -> tuple[float, float, float]:
    """Return the median accuracy with transfer, of the target alone, and without noise, which may be NaN."""
    return result.summary["transfer"].median, result.summary["weak"].median, float(result.plain.middle("transfer"))


def _digits(result: HypothesesResult) -> int:
    """Return as many decimals as tell the three apart."""
    mine, *others = _three(result)
    return max(digits_apart(mine, other) for other in others if not math.isnan(other))


def _between(result: HypothesesResult, one: float, other: float) -> str:
    """Return the difference of two numbers as they are shown, without its sign."""
    return panels.points_apart(max(one, other), min(one, other), digits=_digits(result))


def _gained(result: HypothesesResult) -> str:
    mine, alone, _ = _three(result)
    said = SAYS("tiles.gain", gain=f"{'+' if mine > alone else '−'}{_between(result, mine, alone)}")
    return outcomes.beside(result.now_beside("weak"), said, runs=result.repeats, of=result.settings.repeats)


def _lost(result: HypothesesResult) -> str:
    mine, _, plain = _three(result)
    if math.isnan(plain) or (result.now.complete and result.noiseless == Case.SO_FAR):
        return SAYS["tiles.training"]
    case = Case.ALIKE if result.noiseless == Case.AHEAD else result.noiseless
    said = SAYS("tiles.price", loss=_between(result, plain, mine))
    return outcomes.beside(case, said, runs=result.repeats, of=result.settings.repeats, none=SAYS["tiles.none"])


def verdict(result: HypothesesResult) -> str:
    (mine, alone, _), shares = _three(result), result.settings.shares
    case, best, digits = result.now_beside("weak"), shares.index(max(shares)), _digits(result)
    said = SAYS(
        f"outcome.{case.value.replace(' ', '_')}",
        share=percent(result.now.constant),
        mine=percent(mine, digits=digits),
        alone=percent(alone, digits=digits),
        gain=_between(result, mine, alone),
        done=result.repeats,
        runs=result.settings.repeats,
        labels=result.labels,
    )
    if case == Case.AHEAD and result.harmed > 0.2:
        said += " " + SAYS("outcome.harm", harmed=round(result.harmed * result.repeats), runs=result.repeats)
    share, weight = percent(shares[best]), percent(result.weight_spread[1][best])
    return f"{said} {SAYS('outcome.source', source=best + 1, share=share, weight=weight)}"


def caption(result: HypothesesResult) -> str:
    return SAYS["caption.bands"] + (f" {SAYS['caption.truth']}" if result.mixed else "")


def diagnostics(result: HypothesesResult) -> list[str]:
    settings, sd = result.settings, result.prior_spread
    prior = SAYS("why.floor" if sd <= LEAST_SD * 1.01 else "why.prior", sd=number(sd))
    best = SAYS["why.source"] if result.now_beside("transfer", "source") == Case.AHEAD else ""
    large = panels.large_delta(settings.delta, settings.source_rows, "rows of a source")
    sentences = [*_laws(result), _noise(result), _features(result), _missed(result), prior, _labels(result)]
    sentences += [_average(result), best, large if settings.noise == "gaussian" else ""]
    return [*filter(None, sentences)]


def _noise(result: HypothesesResult) -> str:
    noise, features, measured = result.settings.noise, result.dimension, result.measured_noise
    margin, weight = result.noise_at(features)
    holes = {"features": features, "measured": number(measured), "margin": number(margin), "weight": number(weight)}
    if noise == "objective":
        damped = f" {SAYS['noise.damped']}" if measured < 0.9 * margin else ""
        return SAYS("noise.objective", **holes) + damped
    said = [SAYS("noise.moves", **holes)]
    if noise == "gaussian":
        return " ".join([*said, SAYS["noise.gaussian"]])
    words = max(PUBLISHED_FEATURES.values())
    for case, count in (("epsilons", features), ("paper", words))[: 1 if features == words else 2]:
        first, second = map(number, result.epsilon_for(count))
        said += [SAYS(f"noise.{case}", words=words, first=first, second=second)]
    return " ".join(said)


def _features(result: HypothesesResult) -> str:
    """Return which number of features does best at today's epsilon, once that is measured."""
    at, (_, medians, _) = result.curve("transfer", "dimension")
    if len(at) < result.settings.widths or not result.best_dimensions:
        return ""
    _, share = result.noise_share
    best, ends = result.best_dimensions[0], {"fewest": round(at[0]), "most": round(at[-1])}
    case = "best" if len(result.best_dimensions) == 1 else "unshown"
    if result.too_few_for_dimensions:
        case = "few"
    said = (
        SAYS(f"features.{case}", best=round(at[best]), accuracy=percent(medians[best])),
        SAYS("features.ends", first=percent(medians[0]), last=percent(medians[-1]), **ends),
        SAYS["features.domains"]
        if result.settings.data == "domains"
        else SAYS("features.share", first=percent(share[0]), last=percent(share[-1])),
    )
    return " ".join(said)


def _laws(result: HypothesesResult) -> list[str]:
    """Return from which epsilon on either distribution of noise helps, with all words and in a few public
    directions."""
    if result.settings.projected or result.now_beside("weak") == Case.FEW:
        return []
    said = []
    for features, case in ((0, "words"), (DIRECTIONS, "directions")):
        found = {noise: result.helps_from(noise, features) for noise in LAWS}
        found |= {f"near_{noise}": result.near_from(noise, features) for noise in LAWS}
        if None in found.values():
            return []
        where = SAYS(f"laws.{case}", words=result.world.features, directions=DIRECTIONS)
        holes = {name: _onwards(one) for name, one in found.items() if one is not None}
        delta = theme.delta(result.settings.delta)
        said += [SAYS("laws.helps", where=where, delta=delta, near=round(100 * NEAR), **holes)]
    return said


def _onwards(epsilon: float) -> str:
    case = "nowhere" if math.isinf(epsilon) else "everywhere" if epsilon == EPSILONS[0] else "from"
    return SAYS(f"laws.{case}", epsilon=number(epsilon))


def _missed(result: HypothesesResult) -> str:
    case = "alike" if not result.mixed else "misled" if result.weighing == Case.BEHIND else "missed"
    return SAYS(f"why.{case}", error=number(float(result.now.middle("error"))), equal=number(result.equal_error))


def _labels(result: HypothesesResult) -> str:
    lost = result.summary["target"].median - result.summary["transfer"].median
    cases = {Case.AHEAD: "labels", Case.ALIKE: "no_labels", Case.BEHIND: "no_labels"}
    if (case := result.now_beside("transfer", "target")) not in cases:
        return ""
    return SAYS(f"why.{cases[case]}", rows=result.settings.target_rows, labels=result.labels, points=points(lost))


def _average(result: HypothesesResult) -> str:
    more = result.summary["transfer"].median - result.summary["average"].median
    cases = {Case.BEHIND: "equal", Case.AHEAD: "weighted", Case.ALIKE: "even"}
    case = result.now_beside("average")
    return SAYS(f"why.{cases[case]}", points=points(more)) if case in cases else ""


def guarantee(result: HypothesesResult) -> str:
    held, data = result.settings.promise, result.settings.data
    assumed = [SAYS["guarantee.assumed"], *([] if data == "domains" else [SAYS["guarantee.texts"]])]
    assumed += [SAYS["guarantee.own"]] if data == "own" else []
    return (
        panels.note(panels.meaning(held))
        + panels.guarantee(here=held)
        + panels.note(outcomes.limit(held))
        + trust(result)
        + panels.note(" ".join(assumed))
        + panels.note(SAYS["guarantee.unprotected"])
    )


def by_class(result: HypothesesResult) -> str:
    found, arms = result.held_out, {"weak": "weak", "transfer without noise": "plain"}
    others = {SAYS[f"classes.{case}"]: found[arm] for arm, case in arms.items() if arm in found}
    return outcomes.by_class(found["transfer"], others, result.classes, models=SAYS["classes.models"])


def table(result: HypothesesResult) -> str:
    rows: list[dict] = result.table().to_dict("records")
    for row in rows:
        row |= {name: f"<b>{tenths(row[name])}</b>" if row["best"] == name else tenths(row[name]) for name in METHODS}
    heads = {name: f"{STYLES[name][0]}<br>{panels.badge('trained now')}" for name in METHODS}
    return panels.table(
        rows,
        title=SAYS("table.title", share=number(100 * result.settings.label_share)),
        caption=SAYS["table.caption"],
        heads={name: SAYS[f"table.{name}"] for name in ("mixture", "epsilon")} | heads,
        formats={
            "mixture": lambda shares: "\u00a0/\u00a0".join(f"{100 * share:.3g}" for share in shares),
            "epsilon": lambda one: SAYS["table.no_noise"] if math.isinf(one) else number(one),
        },
    )

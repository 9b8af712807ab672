"""Audits of every mechanism of the lab, and of a single training: which text of ``texts.md`` is said."""

from dpcore.attacks.audit import worst_epsilon
from dpcore.regression.functional import published_epsilon
from pages.attack.audits.runs import FIRST, AuditResult
from pages.attack.audits.table import AUDITS, CAUGHT, CONFIDENCE, CONSISTENT, TOGETHER, VOID
from pages.attack.audits.targets_regression import REPORT_SHARE as SHARE
from pages.attack.canaries import CONFIDENCE as SURE
from pages.attack.canaries import POINT, RETRAININGS, OnceResult
from pages.attack.words import SAYS, budget, claimed, say, tabled
from ui import panels
from ui.panels import Number, number
from ui.plot import theme

# The audit of a mechanism that gives less than it claims.
REPORT = "functional published"
_MANY = 2 * RETRAININGS


def _halves(result: AuditResult) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return (caught, done) of the broken mechanisms, and of the correct ones."""
    found = []
    for correct in (False, True):
        done = [name for name in result.bounds if (AUDITS[name].expected == CONSISTENT) == correct]
        found.append((sum(result.verdicts[name] == CAUGHT for name in done), len(done)))
    return found[0], found[1]


def audit_numbers(result: AuditResult) -> list[Number]:
    (caught, broken), (refuted, correct) = _halves(result)
    runs, done, tile = sum(bound.trials for bound in result.bounds.values()), len(result.bounds), "audit.tiles"
    first = number(result.bounds[FIRST].epsilon) if FIRST in result.bounds else "…"
    void = SAYS(f"{tile}.void", void=result.count(VOID))
    claim = SAYS(f"{tile}.claimed", epsilon=number(AUDITS[FIRST].epsilon))
    value = f"{caught} <small>of {broken}</small>"
    return [
        Number(SAYS[f"{tile}.caught"], value, void, tone="private", amount=float(caught)),
        Number(SAYS[f"{tile}.refuted"], f"{refuted} <small>of {correct}</small>", SAYS[f"{tile}.expected"]),
        Number(SAYS[f"{tile}.first"], f"≥ {first}", claim, tone="bound"),
        Number(SAYS[f"{tile}.runs"], f"{runs:,}", SAYS(f"{tile}.done", done=done, all=len(AUDITS))),
    ]


def audit_verdict(result: AuditResult) -> str:
    left, void = len(AUDITS) - len(result.bounds), result.count(VOID)
    if not result.bounds:
        return SAYS("audit.verdict.none", left=left)
    (caught, broken), (_, correct) = _halves(result)
    cases = ["broken"] * bool(broken) + ["correct"] * bool(correct)
    if result.surprises:
        cases = ["surprise"]
    cases += ["void"] * bool(void) + ["left"] * bool(left)
    done = {"caught": caught, "broken": broken, "correct": correct, "void": void, "left": left}
    first = "".join(_named(result)[:1])
    return " ".join(say("audit.verdict", cases, found=len(result.surprises), first=first, **done))


def _named(result: AuditResult) -> list[str]:
    return [f"{AUDITS[name].family}, {AUDITS[name].what}" for name in result.surprises]


def audit_diagnostics(result: AuditResult) -> list[str]:
    report, cases = AUDITS[REPORT].epsilon, ["surprises"] * (len(result.surprises) > 1)
    return say(
        "audit.why",
        [*cases, "consistent", "void", "confidence", "counting", "report"],
        names="; ".join(_named(result)),
        proved=SAYS["proved"],
        each=f"{100 * CONFIDENCE:.2f}",
        all=f"{100 * TOGETHER:.0f}",
        claimed=number(report),
        spent=number(published_epsilon(report, share=SHARE)),
        most=number(worst_epsilon(CONFIDENCE, 2000)),
    )


def audit_table(result: AuditResult) -> str:
    frame = result.table()
    if frame.empty:
        return ""
    deltas = [f",&nbsp;{theme.delta(delta)}" if delta else "" for delta in frame["delta"]]
    frame["claimed"] = [f"{number(e)}{d}" for e, d in zip(frame["claimed"], deltas, strict=True)]
    columns = ("mechanism", "version", "verdict", "claimed", "at least", "assumed", "trainings", "neighbours")
    formats = {
        "at least": number,
        "trainings": "{:,}".format,
        "verdict": lambda said: said if said == CONSISTENT else f"<b>{said}</b>",
        "assumed": lambda gaussian: "Gaussian, proved" if gaussian else "nothing",
    }
    return tabled("audit.table", frame, columns, formats=formats, all=f"{100 * TOGETHER:.0f}")


def once_numbers(result: OnceResult) -> list[Number]:
    settings, (right, guesses, bound) = result.settings, result.first
    found = {form: number(one.epsilon) for form, one in result.beside.items()}
    tile, claim = "once.tiles", "unclaimed" if settings.version == "none" else "claimed"
    one = SAYS[f"{tile}.one"], f"≥ {number(bound.epsilon)}", SAYS(f"{tile}.{claim}", epsilon=number(settings.epsilon))
    value, canaries = f"{right} <small>of {guesses}</small>", SAYS(f"{tile}.canaries", canaries=settings.canaries)
    gaussian = SAYS(f"{tile}.gaussian", epsilon=found.get("gaussian", "…"))
    return [
        Number(*one, tone="private", amount=bound.epsilon),
        Number(SAYS[f"{tile}.right"], value, canaries),
        Number(SAYS(f"{tile}.many", many=_MANY), f"≥ {found.get('count', '…')}", gaussian),
        claimed(settings),
    ]


def once_verdict(result: OnceResult) -> str:
    settings, (right, guesses, _) = result.settings, result.first
    if settings.version == "none":
        return SAYS["once.verdict.none"]
    cases = ["caught" if result.caught else "open_all" if right == guesses else "open"]
    if result.beside:
        refuted = [form for form, one in result.beside.items() if one.epsilon > settings.epsilon]
        cases.append(f"many_{refuted[0] if refuted else 'none'}")
    holes = {"guesses": guesses, "many": _MANY, "most": number(result.ceiling.epsilon), "sure": f"{100 * SURE:.0f}"}
    return " ".join(say("once.verdict", cases, **holes, **budget(settings)))


def once_diagnostics(result: OnceResult) -> list[str]:
    low, _, high = map(number, result.spread)
    guesses, audits, wrong = result.first.guesses, len(result.audits), f"{100 - 100 * SURE:.0f}"
    by_counting = number(worst_epsilon(SURE, RETRAININGS))
    return [
        SAYS("once.why.one", canaries=result.settings.canaries),
        SAYS("once.why.most", most=number(result.ceiling.epsilon), guesses=guesses),
        SAYS("once.why.many", many=_MANY, most=by_counting),
        SAYS("once.why.luck", audits=audits, low=low, high=high, wrong=wrong, proved=SAYS["proved"]),
    ]


def once_guarantee(result: OnceResult) -> str:
    sure, cases = f"{100 * result.first.bound.confidence:.0f}", (result.settings.version, "bound")
    return panels.note(" ".join(say("once.guarantee", cases, sure=sure, **budget(result.settings))))


def once_table(result: OnceResult) -> str:
    frame = result.curve
    if frame["median"].isna().all():
        return ""
    shown = frame.map(lambda one: "" if one != one else number(one))
    ends = zip(shown["low"], shown["high"], strict=True)
    shown["range"] = [f"{low}&nbsp;to&nbsp;{high}" if low else "" for low, high in ends]
    sure, columns = f"{100 * SURE:.0f}", ("epsilon", "median", "range", "count", "gaussian")
    now, audits = number(result.settings.epsilon), len(result.audits)
    return tabled("once.table", shown, columns, mark=now, sure=sure, many=_MANY, point=POINT, audits=audits)

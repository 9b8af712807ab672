"""What is stated in closed form, in words: what it says of this run, under which conditions, with which constants."""

import math

from dpcore.accountants import asymptotic
from lab.papers import short
from pages.ledger.experiment import LedgerResult
from pages.ledger.words import number
from pages.ledger.work import FIRST, Statement
from ui import panels
from ui.plot import theme
from ui.plot.theme import written

ABOUT = {
    "constants": (
        "Theorem 1 leaves its constant c2 open: this is the one with which it would say what each accountant counts of "
        "runs with this noise. The dashed orange level is the constant of its proof. Look for where a line passes over "
        "it: there the proof's constant promises more than that accountant can show."
    ),
    "moments": (
        "The logarithm of the moments of one step's privacy loss, exactly, and the main term of the published bound on "
        "them; dotted where the bound is not stated. Look for how far the bound lies above, and for where it falls "
        "below: there it is none. The dotted upright is the order that the moments accountant takes."
    ),
}
_NAMES = {
    "proof": "Theorem 1 with c<sub>2</sub> = {constant}, as in its proof",
    "grid": "Theorem 1 with c<sub>2</sub> = {constant}, the least on the grid",
    "growth": "strong composition as an order of growth, with constant 1",
    "bound": "moments by the main term of their bound",
}
_CONDITIONS = {
    "range": "&epsilon; &lt; q<sup>2</sup>T",
    "noise": "&sigma; &ge; 1",
    "delta": "&epsilon; &le; ln(1/&delta;)",
    "rate": "q &lt; 1/(16&sigma;)",
}


def statements(result: LedgerResult) -> str:
    """The statements about this run, the constants that make them true, and where the run stands."""
    return _stated(result) + _constants(result) + panels.bullets(_stands(result))


def _stated(result: LedgerResult) -> str:
    found, target = result.statements, number(result.settings.target_epsilon)
    rows = [
        {
            "name": _NAMES[row.name].format(constant=number(_constant_of(row, result))),
            "epsilon": _says(row),
            "conditions": _conditions(row, result),
            "against": _against(row, result),
            "noise": _asks(row),
        }
        for row in found.rows
    ]
    for name, said in (("moments", "moments, computed"), ("pld", result.settings.tightest)):
        held = {"epsilon": number(result.epsilon(name)), "noise": number(result.least_noise(name))}
        rows.append({"name": said, "conditions": "none", "against": panels.badge("bound")} | held)
    return panels.table(
        rows,
        title=f"<b>What {short('abadi2016')} state in closed form, of this run</b>",
        caption="Theorem 1: there are constants c<sub>1</sub> and c<sub>2</sub> such that noise &sigma; &ge; "
        "c<sub>2</sub> q &radic;(T ln(1/&delta;)) / &epsilon; is enough for any &epsilon; &lt; c<sub>1</sub> "
        "q<sup>2</sup>T. It names neither. Here c<sub>1</sub> = 1, and "
        f"{_CONDITIONS['noise']} and {_CONDITIONS['delta']} are asked for as well. No row but the last two is a "
        "guarantee.",
        heads={
            "name": "statement",
            "epsilon": "epsilon of<br>this run",
            "conditions": "its conditions",
            "against": f"compared with the<br>{result.settings.tightest}",
            "noise": f"noise for<br>epsilon {target}",
        },
    )


def _constant_of(row: Statement, result: LedgerResult) -> float:
    return asymptotic.PROVED if row.name == "proof" else result.statements.least


def _says(row: Statement) -> str:
    return "–" if row.name == "bound" and math.isnan(row.epsilon) else number(row.epsilon)


def _asks(row: Statement) -> str:
    return "none within its conditions" if row.name == "bound" and math.isnan(row.noise) else number(row.noise)


def _conditions(row: Statement, result: LedgerResult) -> str:
    if row.name == "growth":
        return "no constant is named"
    if row.fails:
        return f"<b>not met:</b> {', '.join(_CONDITIONS[name] for name in row.fails)}"
    if row.name == "bound":
        last = result.statements.last
        return f"met up to &lambda; = {last:,}" if last else "met by no &lambda;"
    return "…" if math.isnan(row.epsilon) else "met"


def _against(row: Statement, result: LedgerResult) -> str:
    if row.name == "growth" or (row.name == "bound" and math.isnan(row.epsilon)):
        return "–"
    if row.true is None:
        return "…" if math.isnan(result.epsilon("pld")) or math.isnan(row.epsilon) else "too near to tell"
    return "not below it" if row.true else "<b>below it: false here</b>"


def _constants(result: LedgerResult) -> str:
    """Which c2 is enough on the grid, by c1."""
    found = result.statements.constants
    rows = [dict(zip(found, map(number, map(float, row)), strict=True)) for row in zip(*found.values(), strict=True)]
    rates, noises, steps, deltas = asymptotic.RATES, asymptotic.NOISES, asymptotic.STEPS, asymptotic.DELTAS
    runs = len(rates) * len(noises) * len(steps) * len(deltas)
    ends = f"T from {steps[0]} to {steps[-1]:,}, &delta; from {theme.delta(deltas[-1])} to {theme.delta(deltas[0])}"
    return panels.table(
        rows,
        title=f"<b>Which c<sub>2</sub> would do</b>, on a grid of {runs:,} runs",
        caption=f"q from {number(rates[0])} to {number(rates[-1])}, &sigma; from {number(noises[0])} to "
        f"{number(noises[-1])}, {ends}, counted by Rényi orders. Longer runs ask for more as printed. A grid is no "
        "proof: some runs between its points ask for more.",
        heads={
            "c1": "c<sub>1</sub>",
            "as printed": "least c<sub>2</sub>,<br>as printed",
            "with conditions": f"least c<sub>2</sub>, with {_CONDITIONS['noise']}<br>and {_CONDITIONS['delta']}",
        },
    )


def _stands(result: LedgerResult) -> list[str]:
    """Where today's settings stand, and what the statements are worth there."""
    return [_range(result), _printed(result), _this_run(result), _lemma(result)]


def _range(result: LedgerResult) -> str:
    found, target = result.statements, result.settings.target_epsilon
    lies = "inside" if target < FIRST * found.reach else "outside"
    least, asked = result.least_noise("pld"), found.rows[0].noise
    takes = ""
    if math.isfinite(least):
        share = panels.multiple(number(asked / least))
        takes = f" With c<sub>2</sub> = 2 it asks for {share} the noise that is needed for it."
    return (
        f"<b>Its range.</b> q<sup>2</sup>T is {number(found.reach)}: for c<sub>1</sub> = 1 the target of epsilon "
        f"{number(target)} lies {lies}.{takes}"
    )


def _printed(result: LedgerResult) -> str:
    breaks = number(result.statements.breaks)
    return (
        "<b>No constants make it true as printed.</b> With all rows in every step, its noise for an epsilon is that of "
        "one and the same Gaussian release, whatever T is. With c<sub>2</sub> = 2, at this delta, that promises more "
        f"than it gives from epsilon {breaks} on, which the theorem allows once T is above {breaks}/c<sub>1</sub>. Any "
        "other c<sub>2</sub> has such an epsilon of its own."
    )


def _constant(result: LedgerResult, row: str) -> str:
    """The c2 with which Theorem 1 would say what an accountant counts of this run: any, where that is nothing."""
    epsilon = result.epsilon(row)
    return "any" if epsilon == 0 else number(result.statements.constant(epsilon))


def _this_run(result: LedgerResult) -> str:
    found, settings = result.statements, result.settings
    takes = ", ".join(
        f"<b>{_constant(result, row)}</b> by {name}"
        for row, name in (
            ("pld", f"the {result.settings.tightest}"),
            ("renyi", "Rényi orders"),
            ("moments", "the moments accountant"),
        )
    )
    strong = panels.multiple(number(result.epsilon("strong") / found.rows[2].epsilon))
    saved = math.sqrt(math.log(settings.steps / settings.delta))
    return (
        f"<b>This run</b> takes c<sub>2</sub> = {takes}. Strong composition, computed, takes {strong} "
        f"its order of growth, which is &radic;ln(T/&delta;) = {number(saved)} times that of the theorem."
    )


def _lemma(result: LedgerResult) -> str:
    """How good the bound on the moments is, and where it is none."""
    found = result.statements
    _, order = found.best("exact")
    exact, bound = (float(found.moments[name][order - 1]) for name in ("exact", "bound"))
    said = f"at &lambda; = {order}, which the moments accountant takes, the moment is {written(exact, digits=3)}"
    if math.isfinite(bound):
        said += f" and its main term {written(bound, digits=3)}, {panels.multiple(number(bound / exact))} as much"
    ends = f"; from &lambda; = {found.below} on it is less than the moment, so no bound" if found.below else ""
    stated = f"is stated up to &lambda; = {found.last:,} here" if found.last else "is not stated here"
    return f"<b>The bound on the moments</b> {stated}: {said}{ends}. What it adds to the main term, it does not name."


def _needed(result: LedgerResult) -> str:
    if not math.isfinite(result.epsilon("pld")):
        return ""
    return f"{_constant(result, 'pld')} here, {number(asymptotic.PROVED)} in the proof"


def _ratio(result: LedgerResult) -> str:
    found = result.statements
    _, order = found.best("exact")
    times = float(found.moments["bound"][order - 1] / found.moments["exact"][order - 1])
    return f"the main term is {panels.multiple(number(times))} the moment at {order}" if math.isfinite(times) else ""


# What is to be seen in each picture, for its title.
FINDINGS = {"constants": _needed, "moments": _ratio}


def constants_alt(result: LedgerResult) -> str:
    """The chart of constants in words."""
    names = {row: theme.THEOREMS[row][0] for row in ("moments", "renyi")} | {"pld": result.settings.tightest}
    said = ", ".join(f"{name} {_constant(result, row)}" for row, name in names.items())
    return f"The constant c2 of Theorem 1 that each accountant needs over steps; for this run: {said}."


def moments_alt(result: LedgerResult) -> str:
    """The chart of moments in words."""
    return (
        f"Log moments of one step over lambda, exact and by the main term of their bound: {_ratio(result) or 'none'}."
    )

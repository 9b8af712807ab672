"""The regression in words: verdict, diagnostics, tables, guarantee, method."""

import math
from html import escape

from dpcore.data.own_rows import OwnRows, Roles
from lab.claims import Case
from pages.regression.experiment import SPLITTERS, RegressionResult, RegressionSettings
from ui import outcomes, panels
from ui.outcomes import apart, count, percent
from ui.panels import Number, in_hundred, number
from ui.plot import theme

LEAD = (
    "A linear model is fitted to a table of people, and what is published of it carries noise. Six methods put that "
    "noise in different places: on the sums that the model is made of, on the fitted model, or on each step towards "
    "it. **Drag epsilon** to the left and see which method's answer still stands."
)
# What one sees in a chart, and what to look for.
ABOUT = {
    "errors": (
        "How far predictions are off on people that no run has seen, for each epsilon: the middle run of the chosen "
        "method with the range of nine in ten, the other method with the lowest median error near today's epsilon, "
        "and faintly the rest (point at a line for its name). Strokes are single runs. Useful is what lies below "
        "always saying the mean."
    ),
    "lines": (
        "What each run's model says over one feature, all others held at their mean; points are people held out of the "
        "fit. Look for how the lines fan out about the dotted one of least squares as epsilon falls."
    ),
    "noisy": (
        "What this one run minimises, over two of the coefficients: the more grey, the larger the error seems. "
        "Where noise has turned the bowl into a saddle, red is lower than the place where the method stops."
    ),
    "true": (
        "The error that the rows really have, over two of the coefficients, with the end of every run. Look for ends "
        "far from the cross: those runs minimised a surface that noise had bent."
    ),
    "no_minimum": (
        "In how many runs the released quadratic curves down somewhere, before any repair. The published method stops "
        "at a saddle point there; the others repair it."
    ),
    "split": (
        "What the error would be with other divisions of epsilon between the products of features and their products "
        "with the label. Look for how flat the curve is about its least."
    ),
    "coefficients": (
        "What the label gains from the lowest to the highest value of each feature. A bar across zero is a feature "
        "whose sign noise decides; a sign is kept if nine runs in ten have it right."
    ),
}
OWN_LINES = (
    "What each run's model says over one feature, all others held at their mean; no row of the file is drawn. Look for "
    "how the lines fan out about the dotted one of least squares as epsilon falls."
)
MECHANISMS_HELP = (
    "**As published**: the functional mechanism of a student report, with Laplace noise on the quadratic "
    "objective. **Tight sensitivity**: the same with tight sensitivities, one draw for each pair of symmetric "
    "entries, and a repair. **Noisy sufficient statistics** and **AdaSSP**: Gaussian noise on the sufficient "
    "statistics. **Output perturbation**: noise on the fitted coefficients. **DP gradient descent**: noise on the "
    "gradient of each step."
)
SPLIT_HELP = (
    "How epsilon is divided between the products of features and their products with the label, for *As "
    "published* and *Tight sensitivity*. **Least noise**: the split with the least noise for each method."
)
REPAIR_HELP = (
    "What happens to a noisy quadratic objective without a minimum, for *Tight sensitivity* and *Noisy sufficient "
    "statistics*. The repair reads released numbers only, so it costs no privacy."
)
# The methods that release a quadratic, and what of it they add noise to, after "noise on".
ON = {
    "published": "each product of features, drawn twice for a pair",
    "functional": "each product of features, drawn once for a pair",
    "gaussian": "the products, of Gaussian kind",
    "adassp": "the products and the least eigenvalue, of Gaussian kind",
}


def _amount(result: RegressionResult, value: float) -> str:
    return f"{number(value)} {result.settings.source.unit}" if math.isfinite(value) else "…"


def numbers(result: RegressionResult) -> list[Number]:
    """How far the middle run is off, beside least squares without privacy; where runs land; and what is promised."""
    found, unit = result.summary(), result.settings.source.unit
    mine, plain = _apart(found.median, result.least_squares)
    price = outcomes.beside(
        _loss_or_none(result), f"price: {_price(mine, plain)}", runs=len(result.focus.errors), none="no cost"
    )
    reach = 3 * result.mean_error  # runs that blow up stand at the end of the row of dots
    places = [min(error / reach, 1.0) for error in result.focus.errors]
    dots = panels.runs("", places, low=min(places), high=max(places)).mark
    return [
        Number(
            "Middle run is off by",
            f"{mine} <small>{unit}</small>",
            f"always the mean: {number(result.mean_error)}",
            tone="private",
            amount=float(mine.replace(",", "")) if math.isfinite(found.median) else None,
            unit=unit,
        ),
        Number("Without privacy", plain, price),
        Number("Nine runs in ten", _from_to(*_apart(found.low, found.high), between=" <small>to</small> "), mark=dots),
        outcomes.void_attacker(result.settings) if result.settings.void else panels.attacker(result.guarantee),
    ]


def _loss_or_none(result: RegressionResult) -> Case:
    """What is said of the price: that privacy gains, no page says."""
    return Case.ALIKE if result.costs == Case.AHEAD else result.costs


def _price(mine: str, plain: str) -> str:
    """The difference of the two errors as they are shown; nothing where it is none."""
    one, other = (float(text.replace(",", "")) if text[0].isdigit() else math.inf for text in (mine, plain))
    places = max(len(text.partition(".")[2]) for text in (mine, plain)) if max(one, other) < 1e9 else 0
    difference = round(one - other, places)
    return number(difference) if difference > 0 else ""


def verdict(result: RegressionResult) -> str:
    """What goes wrong, where something does, and what privacy costs."""
    settings, failed = result.settings, result.failed
    said = [_cost(result)]
    if settings.mechanism == "published" and failed:
        said.insert(
            0,
            f"In <b>{count(failed, 'run')} of {settings.repeats} the noisy quadratic has no minimum</b>, only a saddle "
            "point or a maximum.",
        )
    return " ".join(filter(None, [*said, outcomes.void(settings)]))


def _cost(result: RegressionResult) -> str:
    """The middle run's error against those of least squares and of always the mean."""
    found, exact, unit = result.summary(), result.least_squares, result.settings.source.unit
    mine, plain = _apart(found.median, exact)
    mean = number(result.mean_error)
    if found.median >= result.mean_error:
        without = f", even least squares only by {plain}" if exact >= result.mean_error else ""
        return (
            f"The private models have <b>learnt nothing yet</b>: the middle run is off by {mine} {unit}, always "
            f"saying the mean by {mean}{without}."
        )
    if result.costs != Case.BEHIND:
        runs = count(len(result.focus.errors), "run")
        both = (
            f"{mine} {unit} with privacy, {plain} without"
            if mine != plain
            else f"{mine} {unit} with privacy or without"
        )
        return f"<b>No cost can be shown</b> in {runs}: median error {both} (always the mean: {mean})."
    return (
        f"Privacy costs <b>{_price(mine, plain)} {unit}</b> here: the middle run is off by <b>{mine}</b> instead of "
        f"{plain} {unit} (always the mean: {mean})."
    )


def caption(result: RegressionResult) -> str:
    """What the marks are."""
    surface = " Surface: the more grey, the more error" + ("; red: less." if result.noisy_surface else ".")
    return f"Lines: one for each run, dotted least squares; points are held-out people, for the analyst only.{surface}"


def own_caption(result: RegressionResult) -> str:
    """What the lines are, and how much of the file is used."""
    settings, own = result.settings, result.settings.own
    unit = "people" if own.roles.person else "rows"
    used = f"{settings.rows:,} of {own.private:,} {unit}, picked at random"
    used = used if settings.rows < own.private else f"{settings.rows:,} {unit}"
    tested = int(result.problem.test().there)
    return (
        f"Lines: one for each run, dotted least squares. Learned from {used}; tested on {count(tested, 'row')}, for "
        "the analyst only. No row is drawn."
    )


def _apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with three digits, or with four where they would look alike and four tell them apart."""
    mine, theirs = number(one), number(other)
    if mine == theirs and f"{one:.4g}" != f"{other:.4g}":
        return f"{one:.4g}", f"{other:.4g}"
    return mine, theirs


def diagnostics(result: RegressionResult) -> list[str]:
    """Why the picture looks as it does: noise against data, runs that blow up, the split, the label."""
    settings, found = result.settings, result.summary()
    sentences = []
    if settings.mechanism in ON:
        sentences.append(_noise(result))
    if result.mean > 1.15 * found.median:
        sentences.append(
            f"The <b>mean</b> of the runs is {_amount(result, result.mean)}, the median {number(found.median)}: the "
            "worst runs are far off and pull the mean up. So medians and quantiles are drawn."
        )
    if settings.mechanism in SPLITTERS:
        sentences.append(_split(result))
    if settings.mechanism in ("output", "descent"):
        sentences.append(_elsewhere(result))
    if result.cut > 0.001:
        sentences.append(
            f"The label bound {number(settings.label_top)} cuts {number(100 * result.cut)} in 100 labels. The error is "
            "that of the true labels."
        )
    if settings.source.rows_each > 1:
        sentences.append(
            f"One person has up to {settings.source.rows_each} rows here, so the noise is made for as many at once."
        )
    if settings.mechanism in ON:
        sentences.append(
            f"The noise has the same size however many people there are ({settings.rows:,} now), while the sums that "
            "it hides grow with them. So more people weigh more against it."
        )
    return sentences


def _noise(result: RegressionResult) -> str:
    """The noise beside the direction of which the data say least, and how often it turned one over."""
    failed, runs = result.failed, result.settings.repeats
    end = (
        f"In {failed} of {count(runs, 'run')} the noise turned a direction over: what curved up curves down."
        if failed
        else f"In none of the {runs} runs did the noise turn a direction over."
    )
    return (
        f"Noise on {ON[result.settings.mechanism]}: standard deviation <b>{number(result.noise_sd)}</b>. In the "
        f"direction of which the data say least they add up to {number(result.weakest)} (analyst only). {end}"
    )


def _split(result: RegressionResult) -> str:
    name = result.settings.mechanism
    share, best = result.settings.share_of(name), SPLITTERS[name](result.problem.inputs)
    if abs(share - best) < 0.005:
        return f"{percent(share)} of epsilon goes to the quadratic, where the noise is least."
    mine, least = apart(share, best)
    return f"{mine} of epsilon goes to the quadratic; the noise would be least with {least}."


def _elsewhere(result: RegressionResult) -> str:
    if result.settings.mechanism == "output":
        return (
            "Noise is added to the fitted model, so no quadratic is released. A penalty, chosen from public numbers, "
            "keeps one person's influence small; it also pulls the model towards zero."
        )
    return (
        "Sixty noisy steps; nothing is clipped, as the bounds of the data bound every gradient. What the steps have "
        "not reached by then is missing, even without noise."
    )


def guarantee(result: RegressionResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    settings = result.settings
    if settings.void:
        return outcomes.void_guarantee(settings) + panels.note(_of_own(settings.own.roles))
    held = result.guarantee
    odds = f"With <b>epsilon {number(settings.epsilon)}</b>, {panels.odds(held)}.{panels.weak(held)}"
    text = panels.note(odds) + panels.guarantee(here=held) + panels.note(outcomes.limit(held))
    text += panels.note(outcomes.paid(settings)) if settings.paid else ""
    if result.settings.mechanism == "published":
        end = " What fails here is not the promise but the answer." if result.failed else ""
        text += panels.note(
            "The claim holds with room to spare: counted exactly, the same noise gives epsilon "
            f"<b>{number(result.noise_gives)}</b>. The report's sensitivity of the quadratic, 2(d+1)<sup>2</sup>, is "
            f"twice the exact one.{end}"
        )
    if isinstance(settings.own, OwnRows):
        return text + panels.note(_of_own(settings.own.roles))
    return text + panels.note(
        "Assumed: bounds of features and label, the number of rows and everything on this page's sliders are public; "
        "one row per person. <b>Not</b> protected: the points, lines and errors shown here, the true surface and least "
        "squares (analyst only), and what other people's data reveals about you."
    )


def _of_own(roles: Roles) -> str:
    """Who is protected where rows are a visitor's own, and what is taken as public."""
    if not roles.person:
        who, size, one = "one row", "rows", "If a person has several, each is protected by itself only."
    elif roles.rows_each == 1:
        who, size, one = "one person, all of their rows", "people", "Of each person one row is used, picked by chance."
    else:
        who, size = "one person, all of their rows", "people"
        one = (
            f"Of each person at most {roles.rows_each} rows are used, picked by chance, and the noise is made for that "
            "many."
        )
    missing = (
        "A row whose answer is missing stays and adds nothing, and how many do is protected too."
        if roles.gaps
        else "No answer was said to be missing; one that is counts as the middle of its bounds."
    )
    return (
        f"{outcomes.protected(roles)} <b>{who}</b>. {one} Assumed public: the bounds and categories that were typed, "
        f"and the number of {size}. {missing} <b>Not</b> protected: the lines and errors shown here, the true surface "
        "and least squares, which are for the analyst only, and what other people's data reveals about you."
    )


def table(result: RegressionResult) -> str:
    """All methods at today's epsilon."""
    now, analyst = panels.badge("trained now"), panels.badge("analyst only")
    frame, unit = result.table(), result.settings.source.unit
    shown = frame.assign(
        name=[theme.REGRESSIONS[name][0] for name in frame["mechanism"]],
        delta=[theme.delta(delta) for delta in frame["delta"]],
        median=[f"<b>{number(value)}</b>" for value in frame["median"]],
        range=[f"{number(low)} to {number(high)}" for low, high in zip(frame["low"], frame["high"], strict=True)],
        mean=frame["mean"].map(number),
        over=[f"{value:.2f}" for value in frame["over least squares"]],
        worse=[in_hundred(value) for value in frame["worse than the mean"]],
        none=["–" if value != value else in_hundred(value) for value in frame["no minimum"]],
    )
    return panels.table(
        shown,
        title=f"<b>All methods at epsilon {number(result.settings.epsilon)}</b> (error in {unit})",
        caption=(
            f"{result.settings.repeats} runs each. Without privacy: least squares {number(result.least_squares)}, "
            f"always the mean {number(result.mean_error)}. The mean of the runs is often quoted, but one bad "
            "run can decide it. Without a minimum: before any repair."
        ),
        heads={
            "name": "method",
            "delta": "delta",
            "median": f"median error<br>{now}{analyst}",
            "range": "nine runs in ten",
            "mean": "mean of the runs",
            "over": "times least squares",
            "worse": "worse than the mean,<br>in 100",
            "none": "without a minimum,<br>in 100",
        },
        now=theme.REGRESSIONS[result.settings.mechanism][0],
    )


def coefficients_table(result: RegressionResult) -> str:
    """The coefficients of the chosen method."""
    frame, settings = result.coefficients(), result.settings
    shown = frame.assign(
        feature=frame["feature"].map(escape),
        exact=frame["least squares"].map(_signed),
        middle=[f"<b>{_signed(value)}</b>" for value in frame["median"]],
        range=[f"{_signed(low)} to {_signed(high)}" for low, high in zip(frame["low"], frame["high"], strict=True)],
        sign=[in_hundred(value) for value in frame["sign"]],
    )
    return panels.table(
        shown,
        title=f"<b>Coefficients, {theme.REGRESSIONS[settings.mechanism][0]}</b> ({settings.source.unit}, from the "
        "lowest to the highest value of the feature)",
        caption="The ranges show what the noise does from run to run; they say nothing about sampling error.",
        heads={
            "feature": "feature",
            "exact": f"least squares<br>{panels.badge('analyst only')}",
            "middle": f"median<br>{panels.badge('trained now')}",
            "range": "nine runs in ten",
            "sign": "right sign, in 100",
        },
    )


def _signed(value: float) -> str:
    """Three digits with a sign, a true minus."""
    return f"{'−' if value < 0 else '+'}{number(abs(value))}"


def _from_to(low: str, high: str, *, between: str = " to ") -> str:
    """A range, or the one number that its ends are shown as."""
    return low if low == high else f"{low}{between}{high}"


def _lines_alt(result: RegressionResult) -> str:
    """Where the runs' lines begin and end."""
    settings = result.settings
    left, right = (
        f"at {number(at)} least squares says {number(exact)}, the middle run {number(runs.median)}, nine in ten "
        f"{_from_to(number(runs.low), number(runs.high))}"
        for at, exact, runs in result.line_ends()
    )
    return (
        f"Lines of {settings.repeats} runs over {escape(settings.source.features[settings.feature])}, in "
        f"{settings.source.unit}: {left}; {right}."
    )


def _errors_alt(result: RegressionResult) -> str:
    known = ", ".join(f"{theme.REGRESSIONS[name][0]} {number(result.summary(name).median)}" for name in result.at_now)
    return (
        f"Median held-out error over epsilon, in {result.settings.source.unit}; {_at(result)}: {known}, least squares "
        f"{number(result.least_squares)}, always the mean {number(result.mean_error)}."
    )


def _at(result: RegressionResult) -> str:
    return f"at epsilon {number(result.settings.epsilon)}"


def _name(result: RegressionResult) -> str:
    return theme.REGRESSIONS[result.settings.mechanism][0]


def _no_minimum_alt(result: RegressionResult) -> str:
    released = result.noisy_surface is not None
    found = f"{result.failed} of {result.settings.repeats}" if released else "none is released"
    return f"Share of runs whose noisy quadratic has no minimum, over epsilon; {_name(result)} {_at(result)}: {found}."


def _pair(result: RegressionResult) -> str:
    settings = result.settings
    return " and ".join(escape(settings.source.features[place]) for place in (settings.across, settings.up))


def _true_alt(result: RegressionResult) -> str:
    return (
        f"The true error over the coefficients of {_pair(result)}: {result.in_view} of {result.settings.repeats} runs "
        "end near least squares, inside the picture."
    )


def _noisy_alt(result: RegressionResult) -> str:
    down = "none is released" if result.noisy_surface is None else result.noisy_surface.negative
    run = f"Quadratic of run {result.settings.draw} over the coefficients of {_pair(result)}"
    return f"{run}; downward directions: {down}."


def _coefficients_alt(result: RegressionResult) -> str:
    frame = result.coefficients()
    worth = zip(frame["feature"], frame["least squares"], frame["median"], strict=True)
    said = "; ".join(f"{escape(feature)} {_signed(exact)}, {_signed(middle)}" for feature, exact, middle in worth)
    unit = result.settings.source.unit
    return f"What each feature is worth, in {unit}, by least squares and in the middle run of {_name(result)}: {said}."


def _split_alt(result: RegressionResult) -> str:
    inputs = result.problem.inputs
    best = ", ".join(f"{theme.REGRESSIONS[name][0]} at {percent(share(inputs))}" for name, share in SPLITTERS.items())
    return f"Median error over the share of epsilon for the quadratic; least noise: {best}."


# Each picture in words.
ALTS = {
    "errors": _errors_alt,
    "no_minimum": _no_minimum_alt,
    "lines": _lines_alt,
    "true": _true_alt,
    "noisy": _noisy_alt,
    "coefficients": _coefficients_alt,
    "split": _split_alt,
}


def program(settings: RegressionSettings) -> str:
    """One run of the chosen mechanism by the estimator, as a program that runs in a checkout."""
    problem, name = settings.problem, settings.mechanism
    share = f"    share={settings.share_of(name)!r},\n" if name in SPLITTERS else ""
    return f"""import numpy as np

from dpcore.data import regression
from dpcore.estimators.linear import DPLinearRegression

table = regression.load({settings.dataset!r}, seed={settings.seed})
inputs = slice(1, {problem.inputs})  # features in [-1, 1]; the estimator has its own constant
rows = slice({settings.rows})
middle = {problem.middle!r}  # of the label's public bounds
# The page's own recipe on the page's rows; only the noise is another draw, and it is one run of many.
model = DPLinearRegression(
    mechanism={name!r},
    epsilon={settings.epsilon!r},
    delta={settings.delta!r},
    label_bound={problem.half!r},
{share}    repair={settings.repair!r},
    random_state={settings.seed},  # None for a release: who knows the seed knows the noise
)
model.fit(table.X[rows, inputs], table.y[rows] - middle)
off = model.predict(table.X_test[:, inputs]) + middle - table.y_test
print("root mean squared error on held-out rows:", np.sqrt(np.mean(off**2)), {settings.source.unit!r})
print(model.guarantee_)
"""

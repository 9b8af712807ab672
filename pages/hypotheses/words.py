"""Hypothesis transfer in words: verdict, stages, diagnostics, guarantee, table, method."""

import math
from typing import Any
from urllib.parse import urlencode

from dpcore.parties.hypotheses import LEAST_SD
from lab.claims import Case
from lab.links import versioned
from pages.hypotheses.experiment import DIRECTIONS, EPSILONS, LAWS
from pages.hypotheses.figures import NAMES
from pages.hypotheses.published import PARTS
from pages.hypotheses.result import NEAR, PUBLISHED_FEATURES, HypothesesResult
from pages.hypotheses.work import METHODS
from ui import outcomes, panels
from ui.outcomes import count, digits_apart, percent, points, signed, tenths
from ui.panels import Number, number
from ui.plot import theme

DATA_HELP = (
    "**Generated domains**: clouds on a sphere, fresh rows in every repeat. **Topics**, **reviews**: generated texts "
    "of the paper's sizes. **20 Newsgroups**: real texts; nothing is fetched unless you ask for it. **A file of your "
    "own**, CSV or Parquet: you say which columns are text, label and source, and which rows are public."
)
NEWSGROUPS = (
    "**20 Newsgroups is not on this machine.** scikit-learn can download these 18,800 public letters of the 1990s from "
    "figshare.com (14 MB) and keeps them for the next time. Nothing is fetched unless you press the button."
)
NO_DOWNLOAD = "Is there a way to the internet? Generated topics have the same layout and need none."
NOISES = {
    "exponential": "Output perturbation",
    "gaussian": "Gaussian",
    "objective": "Objective perturbation",
}
NOISES_HELP = (
    "How a source protects its rows. **Output perturbation**: the exact minimiser plus noise of uniform "
    "direction. **Gaussian**: Gaussian noise on the minimiser, less of it at the price of delta. **Objective "
    "perturbation**: a random linear term is added before minimising, for hypotheses and importance weights. The "
    "curvature of the rows then dampens the noise. Try it at epsilon 3."
)
DIVERGENCES = {"kl": "least divergence (KL)", "squares": "least squares"}
PROJECTIONS = {"svd": "Projected", "hashing": "Hashed", "none": "All words"}
PROJECTIONS_HELP = (
    "Which features of a text the sources use. **Projected**: the few main directions of the public texts. "
    "**Hashed**: words dealt into a few features with random signs, without reading any text. **All words**: no "
    "projection, as in the paper (5,588 features for topics, 2,969 for reviews). Their effect is in the tab "
    "*Features*."
)
KNOBS = {
    "epsilon": {
        "help": "The privacy budget for one row of one source. Each source adds its own noise. A larger epsilon "
        "means less noise and weaker privacy."
    },
    "sources": {"label": "Sources", "help": "The number of parties that share their hypotheses.", "symbol": "K"},
    "dimension": {
        "label": "Features kept",
        "scale": "log",
        "stops": 12,
        "help": "The number of features after the public projection. More features need more noise in total.",
        "symbol": "d'",
    },
    "target_rows": {
        "label": "Target rows",
        "help": "All rows of the target, labelled or not. More rows leave less to gain from sources.",
    },
    "public_rows": {
        "label": "Public rows",
        "help": "Rows that everybody may see, an even mixture of the domains. They are used for the projection.",
    },
    "repeats": {
        "help": "The number of runs, each with other rows and other noise. More repeats give steadier figures."
    },
    "seed": {"help": "Decides the domains, the rows and the noise. The same seed gives the same numbers."},
}


ACCURACY_ABOUT = (
    "How often the target is right on new rows. Blue borrows the sources' private models; two lines borrow nothing and "
    "know the few labels, or all of them. The shaded area holds nine runs in ten. Look for where blue "
    "rises above the few labels: to the left of that, the borrowed noise does harm."
)
WEIGHTS_ABOUT = (
    "How much of the target's prior comes from each source: the bar is the middle run, the thin line holds nine runs "
    "in ten, and the line across is the source's true share of the target. The target finds them from noisy hints "
    "alone. Look for bars that stay short of their line as epsilon falls."
)
GAIN_ABOUT = (
    "What each way adds to the target's own few labels, in the same runs. A mark is the middle run, the bar holds nine "
    "runs in ten. Look for bars that reach into the shaded side: there, borrowing did harm."
)
OTHERS_ABOUT = (
    "Other ways to use the same releases. Soft labels let the borrowed models vote on the rows without a label; the "
    "best source is picked by the test rows, which nobody could do. Look for how much more noise they need to be free "
    "of before they catch up."
)
SHARE_ABOUT = (
    "The same accuracy over how many of the target's rows have a label. Look for where the few labels alone catch up: "
    "from there on there is nothing to borrow."
)
ERROR_ABOUT = (
    "Step 4: how far the weights are from the true mixture, in mean square. Look for where the curve falls below the "
    "same weight for all; to the left of that the weights mislead."
)
PLANE_ABOUT = (
    "Steps 1, 5 and 6 in the two coordinates in which the sources differ most. A ring is a source before noise "
    "(analyst only), the specks of its colour are what it released in each run. The ellipses are twice the spread of "
    "prior and posterior. Look for specks that leave their ring as epsilon falls, and for the prior to widen with them."
)
NOISE_ABOUT = (
    "How much the noise moves what a row is told, by the number of features kept. At 1 it is as large as a usual "
    "margin. The upright lines are the paper's two data sets with all of their words. Look for the number of features "
    "at which a curve passes 1."
)
LAWS_ABOUT = (
    "How often borrowing is right with all words, and in a few main directions of the public texts, with both laws of "
    "noise on the answers. The paper's noise grows with the number of features, Gaussian noise does not move a margin "
    "more. Look for how far to the right a curve stays below the few labels."
)
DIMENSION_ABOUT = (
    "What the same target reaches with more or fewer features. More features tell more, and bring more noise: the "
    "dashed line is the noise's share of what a released model says. Look for where blue turns away from the curve "
    "without noise."
)


def numbers(result: HypothesesResult) -> list[Number]:
    """What the target reaches with borrowed models, alone, and if they had no noise; and what a source is promised."""
    mine, alone, plain = _three(result)
    said = (
        ("With borrowed models", mine, f"middle of {count(result.repeats, 'run')}", "private"),
        ("Few labels alone", alone, _gained(result), ""),
        ("Borrowed without noise", plain, _lost(result), ""),
    )
    shares = [
        Number(label, _shown(result, value), note, tone, **_amount(result, value)) for label, value, note, tone in said
    ]
    return [*shares, panels.attacker(result.guarantee)]


def _amount(result: HypothesesResult, value: float) -> dict[str, Any]:
    """What a difference of big numbers is made from: the number as shown, where it is known."""
    return {} if value != value else {"amount": round(100 * value, _digits(result)), "unit": "points"}


def _three(result: HypothesesResult) -> tuple[float, float, float]:
    """Median accuracy borrowed, alone, and borrowed without noise, which may be NaN."""
    return result.summary["transfer"].median, result.summary["weak"].median, result.noiseless_accuracy


def _digits(result: HypothesesResult) -> int:
    """As many decimals as tell the three apart."""
    mine, alone, plain = _three(result)
    return max(digits_apart(mine, alone), 0 if plain != plain else digits_apart(mine, plain))


def _shown(result: HypothesesResult, value: float) -> str:
    return "…" if value != value else percent(value, digits=_digits(result))


def _between(result: HypothesesResult, one: float, other: float) -> str:
    """The difference of two numbers as they are shown, without its sign."""
    digits = _digits(result)
    shown = f"{abs(round(100 * one, digits) - round(100 * other, digits)):.{digits}f}"
    return f"{shown} point" + ("" if shown == "1" else "s")


def _gained(result: HypothesesResult) -> str:
    mine, alone, _ = _three(result)
    said = f"borrowing: {'+' if mine > alone else '−'}{_between(result, mine, alone)}"
    return outcomes.beside(result.now_beside("weak"), said, runs=result.repeats, of=result.settings.repeats)


def _lost(result: HypothesesResult) -> str:
    mine, _, plain = _three(result)
    if plain != plain:
        return "being trained"
    case = Case.ALIKE if result.noiseless == Case.AHEAD else result.noiseless
    runs = {"runs": result.repeats, "of": result.settings.repeats}
    return outcomes.beside(case, f"price: {_between(result, plain, mine)}", **runs, none="no cost")


def verdict(result: HypothesesResult) -> str:
    """What borrowing is worth, in how many runs it harms, what all labels would do, and whom the target listens to."""
    said = (_outcome(result), _harm(result), _all_labels(result), _weights(result))
    return " ".join(filter(None, said))


def _outcome(result: HypothesesResult) -> str:
    (mine, alone, _), own = _three(result), count(result.labels, "label")
    there, here = _shown(result, mine), _shown(result, alone)
    both = f"median accuracy {there} with the sources' models, {here} with {own} alone"
    match result.now_beside("weak"):
        case Case.SO_FAR:
            return f"{outcomes.so_far(result.repeats, result.settings.repeats)}: {both}."
        case Case.CONSTANT:
            share = percent(result.held_out["transfer"].commonest[1])
            return f"<b>One constant answer does no worse</b> ({share}): {both}."
        case Case.BEHIND:
            return f"Borrowing <b>harms here</b>: {there} right instead of {here} with {own} alone."
        case Case.AHEAD:
            gain = _between(result, mine, alone)
            return f"Borrowing gains <b>{gain}</b> here: {there} right instead of {here} with {own} alone."
    return f"<b>No difference can be shown</b> in {count(result.repeats, 'run')}: {both}."


def _harm(result: HypothesesResult) -> str:
    if result.now_beside("weak") != Case.AHEAD or result.harmed <= 0.2:
        return ""
    return f"In {round(result.harmed * result.repeats)} of {count(result.repeats, 'run')} it <b>harms</b>."


def _all_labels(result: HypothesesResult) -> str:
    return f"All {result.settings.target_rows:,} labels would give {_shown(result, result.summary['target'].median)}."


def _weights(result: HypothesesResult) -> str:
    best, (_, median, _) = result.largest_source, result.weight_spread
    return (
        f"Source {best + 1}, {percent(result.settings.shares[best])} of the target, gets {percent(median[best])} of "
        "the weight."
    )


def _promise(result: HypothesesResult) -> str:
    held = result.guarantee
    return f"For one row of a source, {panels.odds(held)}.{panels.weak(held)}"


def caption(result: HypothesesResult) -> str:
    """What bands, bars and lines across are."""
    truth = "; lines across: the target's true shares (analyst only)" * result.mixed
    return f"Shaded: nine runs in ten. Bars: the middle run's weights, with nine runs in ten{truth}."


def stages(result: HypothesesResult) -> str:
    """The six steps as a strip: what each reads, what leaves it, what it costs. HTML."""
    settings = result.settings
    cost = f"spends &epsilon; {number(settings.epsilon)}"
    cost += f", &delta; {theme.delta(settings.delta)}" if settings.noise == "gaussian" else ""
    margin, weight = (f"a vector, noise {number(one)} on" for one in result.noise_at(result.dimension))
    how, tilt = f"{margin} a margin", f"{weight} a log-weight"
    if settings.noise == "objective":
        how, tilt = (
            f"a vector; its noise moves a margin by {number(result.measured_noise)}",
            "a vector of the same kind",
        )
    step = "by EM on the divergence" if settings.divergence == "kl" else "by least squares on the simplex"
    weights = f"a weight for each of {settings.sources} sources, {step}"
    private, own = "at each source", "at the target"
    steps = [
        ("1 Hypotheses", private, f"{settings.source_rows:,} labelled rows of a source", how, cost),
        (
            "2 Importance weights",
            private,
            f"{settings.unlabelled_rows:,} other rows, and {result.public_rows:,} public ones",
            tilt,
            f"{cost} of other rows: no row is in both 1 and 2",
        ),
        (
            "3 The target's weights",
            own,
            f"{settings.target_rows:,} target rows, public rows",
            "weights of public rows",
            _OWN,
        ),
        (
            "4 Hypothesis weights",
            own,
            "what 2 and 3 gave",
            weights,
            _AFTER,
        ),
        ("5 Prior", own, "what 1 and 4 gave", f"{result.dimension:,} means and spreads", _AFTER),
        ("6 Hypothesis", own, f"the prior, {result.labels:,} labelled target rows", "the target's model", _AFTER),
    ]
    colours = {private: theme.PRIVATE, own: theme.NON_PRIVATE}
    boxes = "".join(
        f'<div style="{_BOX};border-top-color:{colours[where]}"><b>{name}</b><br><i>{where}</i><br>reads {reads}<br>'
        f"gives {gives}<br>{costs}</div>"
        for name, where, reads, gives, costs in steps
    )
    return f'<div style="{_STRIP}">{boxes}</div>'


_OWN = "the target's own rows: no source is asked"
_AFTER = "uses only what was released: no more of the sources' budget is spent"
_STRIP = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(48%,19rem),1fr));gap:.75rem"
_BOX = (
    "font-size:.8125rem;line-height:1.4;padding:.5rem .75rem;border:1px solid rgba(128,128,128,.3);"
    "border-top-width:3px;border-radius:.4rem"
)


def diagnostics(result: HypothesesResult) -> list[str]:
    """Why the picture looks as it does: noise against signal, the mixture, the prior, the labels."""
    sentences = [*_laws(result), _noise(result), _features(result), _missed(result), _prior(result), _labels(result)]
    sentences = [text for text in sentences if text]
    return sentences + [text for text in (_average(result), _source(result), _choice(result)) if text]


def _noise(result: HypothesesResult) -> str:
    settings = result.settings
    if settings.noise == "objective":
        measured, answer = result.measured_noise, result.noise_at(result.dimension)[0]
        damped = " The rows' own curvature damps noise in the objective." if measured < 0.9 * answer else ""
        return (
            f"With {result.dimension:,} features the noise moves the margin of a row by about "
            f"<b>{number(measured)}</b> (measured); noise on the answer would move it by {number(answer)}.{damped}"
        )
    margin, weight = result.noise_at(result.dimension)
    text = (
        f"With {result.dimension:,} features the noise moves the margin of every row by about <b>{number(margin)}</b>, "
        f"and the logarithm of a public row's weight by <b>{number(weight)}</b>. "
    )
    if settings.noise == "gaussian":
        return text + "More features make Gaussian noise longer, but move no single row's margin more."
    big = max(PUBLISHED_FEATURES.values())
    few, full = ([number(value) for value in result.epsilon_for(d)] for d in (result.dimension, big))
    text += f"The first is 1 at epsilon {few[0]}, the second at {few[1]}"
    return text + (
        "."
        if result.dimension == big
        else f"; with all {big:,} words of the paper the first "
        f"would be 1 at epsilon <b>{full[0]}</b>, the second at <b>{full[1]}</b>."
    )


def _features(result: HypothesesResult) -> str:
    """Which number of features does best at today's epsilon, once that is measured."""
    at, (_, medians, _) = result.curve("transfer", "dimension")
    if len(at) < result.settings.widths:
        return ""
    _, share = result.noise_share
    shown = [percent(one) for one in medians]
    ends = f"with {at[0]:.0f} features {shown[0]}, with {at[-1]:,.0f} features {shown[-1]}. "
    if len(result.best_dimensions) == 1:
        best = result.best_dimensions[0]
        text = f"At this epsilon <b>{at[best]:,.0f} features</b> do best: right {shown[best]} of the time, {ends}"
    elif result.best_dimensions:
        text = f"At this epsilon no number of features can be shown to do best: {ends}"
    else:
        return ""
    if result.settings.data == "domains":
        return text + "Generated domains are made with so many features; a text keeps so many after the projection."
    return text + (
        f"The noise's share of a released margin is {percent(share[0])} with the fewest features, {percent(share[-1])} "
        "with the most."
    )


def _laws(result: HypothesesResult) -> list[str]:
    """From which epsilon on either law of noise helps, with all words and in a few public directions."""
    helps, near = (
        {features: [found(noise, features) for noise in LAWS] for features in (0, DIRECTIONS)}
        for found in (result.helps_from, result.near_from)
    )
    if result.settings.projected or None in [*helps[0], *helps[DIRECTIONS], *near[0], *near[DIRECTIONS]]:
        return []
    where = {0: f"All {result.features:,} words", DIRECTIONS: f"{DIRECTIONS} public directions"}
    law = f"Gaussian noise (&delta; {theme.delta(result.settings.delta)})"
    return [
        f"<b>{where[features]}</b>: borrowing is shown to beat the few labels {_onwards(helps[features][0])} with the "
        f"paper's noise, {_onwards(helps[features][1])} with {law}. Its median comes within {round(100 * NEAR)} points "
        f"of all words without noise {_onwards(near[features][0])} and {_onwards(near[features][1])}."
        for features in (0, DIRECTIONS)
    ]


def _onwards(epsilon: float) -> str:
    if math.isinf(epsilon):
        return "nowhere"
    return "everywhere" if epsilon == EPSILONS[0] else f"from epsilon <b>{number(epsilon)}</b> on"


def _missed(result: HypothesesResult) -> str:
    error = result.error
    if not result.mixed:
        return "The sources are parts of one random split, so all are alike: no weights are better than equal ones."
    nothing = result.equal_error
    text = f"The weights miss the true mixture by {number(error.median)} (mean square)"
    if result.weighing == Case.BEHIND:
        return text + (
            f", more than the same weight for all ({number(nothing)}): here they mislead. A larger lambda for the "
            "weights makes them blunter and less noisy."
        )
    return text + f"; the same weight for all would miss by {number(nothing)}."


def _prior(result: HypothesesResult) -> str:
    sd = result.prior_spread
    text = f"The prior's usual spread is {number(sd)}. "
    if sd <= LEAST_SD * 1.01:
        return text + "That is the floor: one source has all the weight, or the sources agree."
    return text + "It holds the sources' differences and their noise. The wider it is, the more the own labels decide."


def _labels(result: HypothesesResult) -> str:
    own = count(result.labels, "label")
    lost, all_labels = result.summary["target"].median - result.summary["transfer"].median, result.settings.target_rows
    match result.now_beside("transfer", "target"):
        case Case.AHEAD:
            return f"All {all_labels:,} labels instead of {own} would be worth another {points(lost)}."
        case Case.ALIKE | Case.BEHIND:
            return f"No gain of all {all_labels:,} labels over {own} and the sources' help can be shown."
    return ""


def _average(result: HypothesesResult) -> str:
    more = result.summary["transfer"].median - result.summary["average"].median
    match result.now_beside("average"):
        case Case.BEHIND:
            return f"Equal weights do better now, by {points(more)}."
        case Case.AHEAD:
            return f"Weighing the sources gains {points(more)} over equal weights."
        case Case.ALIKE:
            return "Weighing the sources does about as well as equal weights: no difference can be shown."
    return ""


def _source(result: HypothesesResult) -> str:
    if result.now_beside("transfer", "source") != Case.AHEAD:
        return ""
    return "The best source alone does better, but nobody could know which: it is picked by the test rows."


def _choice(result: HypothesesResult) -> str:
    settings = result.settings
    if settings.noise != "gaussian":
        return ""
    return panels.large_delta(settings.delta, settings.source_rows, "rows of a source")


# Where a source's noise is.
_ADDED = {
    "exponential": "own noise on each answer",
    "gaussian": "own Gaussian noise on each answer",
    "objective": "own noise in each objective",
}


def trust(result: HypothesesResult) -> str:
    """Who sees what, and who adds which noise: a small diagram in HTML."""
    box = "display:inline-block;border:1px solid {};border-radius:.4rem;padding:.2rem .6rem;margin:.15rem"
    blue, grey, settings = box.format(theme.PRIVATE), box.format(theme.NON_PRIVATE), result.settings
    return (
        f'<p class="lab-note"><span style="{blue}">{settings.sources} sources: rows + <b>{_ADDED[settings.noise]}</b>'
        f'</span> &rarr; hypothesis and tilt of each &rarr; <span style="{grey}">anybody</span> &rarr; '
        f'<span style="{grey}">target</span>. Nobody is trusted with a source\'s rows, so nobody adds noise for all: '
        f"it is there {settings.sources} times.</p>"
    )


def guarantee(result: HypothesesResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    fitted = "Vocabulary, idf and projection are from public texts only. " * (result.settings.data != "domains")
    fitted += "Which rows are public was said for the whole file. " * (result.settings.data == "own")
    return (
        panels.note(_promise(result))
        + panels.guarantee(here=result.guarantee)
        + panels.note(outcomes.limit(result.guarantee))
        + trust(result)
        + panels.note(
            "Assumed: a person has one row, in one part of one source; the parts are divided without looking at the "
            "rows; rows are at most 1 long; each minimum is exact (to 1e-10). " + fitted
        )
        + panels.note(
            "<b>Not</b> protected: the target's rows (its own model, weights and accuracies show them), and on this "
            "page what stands before the noise (rings, true shares, accuracies: analyst only). The lambdas are not "
            "tuned here; choosing them by private rows, or the best source by the test, would cost extra."
        )
    )


# What models are called beside the one that borrows.
_BESIDE = {"weak": "few labels alone", "transfer without noise": "borrowed without noise"}


def by_class(result: HypothesesResult) -> str:
    """Who is taken for whom with borrowed models, beside who is without, and without noise once that is trained."""
    found = result.held_out
    others = {name: found[arm] for arm, name in _BESIDE.items() if arm in found}
    return outcomes.by_class(found["transfer"], others, result.classes, models="borrowed models")


def table(result: HypothesesResult) -> str:
    """Right answers by mixture and level of privacy."""
    frame = result.table()
    shown = frame.assign(
        mixture=["\u00a0/\u00a0".join(_percent(share) for share in one) for one in frame["mixture"]],
        epsilon=["no\u00a0noise" if math.isinf(one) else number(one) for one in frame["epsilon"]],
    )
    for name in METHODS:
        pairs = zip(frame[name], frame["best"], strict=True)
        shown[name] = [_cell(value, best == name) for value, best in pairs]
    heads = {name: f"{NAMES[name]}<br>{panels.badge('trained now')}" for name in METHODS}
    return panels.table(
        shown,
        title=f"<b>Several targets, labels on {number(100 * result.settings.label_share)} % of the rows</b> "
        "(median % right)",
        caption=(
            "Bold: shown to be the best one, all labels aside. The best source is picked by the test rows, which "
            "nobody could do; few labels alone and all labels see no source and have no noise. At most 12 runs each."
        ),
        heads={"mixture": "target, % of each source", "epsilon": "epsilon"} | heads,
    )


def published(_: HypothesesResult) -> str:
    """The paper's experiments: what is stated, what only a picture showed, and where it stands here, with a link."""
    queries = [urlencode(versioned(part.settings)) for part in PARTS]
    rows = [
        part._asdict() | {"here": f'{part.here} <a href="?{query}" target="_self">Open</a>'}
        for part, query in zip(PARTS, queries, strict=True)
    ]
    table = panels.table(
        rows,
        title="<b>The paper's experiments: stated, shown, and here</b>",
        caption=(
            "We have the text and no pictures, so no curve or number of the paper can be held against ours: its order "
            "of the methods can. It does not say at which epsilons it was found. A link opens the paper's sizes with "
            "all words, on generated texts; the pairing of topics, the texts and the epsilons are ours."
        ),
        heads={
            "name": "part",
            "stated": f"stated in the text<br>{panels.badge('published')}",
            "lost": "shown only, cannot be read",
            "here": "here",
        },
    )
    return f'<div class="lab-sentences">{table}</div>'


def _percent(share: float) -> str:
    return f"{100 * share:.3g}"


def _cell(value: float, best: bool) -> str:
    return f"<b>{tenths(value)}</b>" if best else tenths(value)


def alts(result: HypothesesResult) -> dict[str, str]:
    """What a screen reader says in place of each picture."""
    found = ", ".join(f"{NAMES[name]} {percent(spread.median)}" for name, spread in result.summary.items())
    gains = ", ".join(
        f"{NAMES[name]} {signed(spread.median)}" for name, spread in result.gain.items() if name != "weak"
    )
    pairs = zip(result.settings.shares, result.weight_spread[1], strict=True)
    weights = "; ".join(f"true {percent(share)}, found {percent(weight)}" for share, weight in pairs)
    margin, weight = result.noise_at(result.dimension)
    at, (_, medians, _) = result.curve("transfer", "dimension")
    widths = "; ".join(f"{d:,.0f} features: {percent(right)}" for d, right in zip(at, medians, strict=True))
    words = "; ".join(
        f"{'all words' if not few else f'{few} directions'}, {noise} noise: {', '.join(map(percent, medians))}"
        for few in (0, DIRECTIONS)
        for noise in LAWS
        for _, (_, medians, _) in [result.law(noise, few)]
        if len(medians)
    )
    return {
        "laws": f"Accuracy over epsilon with two laws of noise. {words}",
        "weights": f"Hypothesis weights by source: {weights}.",
        "gain": f"Gain over few labels alone, in points: {gains}.",
        "epsilon": f"Accuracy over epsilon; now {found}.",
        "others": f"Accuracy over epsilon of other ways to borrow; now {found}.",
        "share": f"Accuracy over the share of labels; now {found}.",
        "error": f"Mean squared error of the weights over epsilon; now {number(result.error.median)}.",
        "dimension": f"Accuracy over the number of features at this epsilon, and the noise's share. {widths}",
        "noise": f"Noise by number of features; now {number(margin)} on a margin and {number(weight)} on a log-weight.",
        "plane": "Released hypotheses, prior and posterior in the two coordinates in which the sources differ most.",
    }

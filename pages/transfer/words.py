"""The transfer page in words: verdict, diagnostics, tables, guarantee, method."""

from collections.abc import Mapping

from dpcore.transfer import RADIUS, RESIDUAL_BOUND
from lab.claims import Case, compare
from pages.transfer import figures, words_descent
from pages.transfer.experiment import TransferSettings
from pages.transfer.figures import risk
from pages.transfer.published import PublishedResult
from pages.transfer.result import TransferResult, printed_costs
from pages.transfer.work import CANDIDATES
from ui import outcomes, panels
from ui.outcomes import count
from ui.panels import Number, number

NOISES = {"gumbel": "Gumbel", "laplace": "Laplace", "printed": "Laplace, as published"}
NOISES_HELP = (
    "How the noise of the private Frank-Wolfe steps is drawn. **Gumbel**: the exponential mechanism, whose "
    "choices cost least. **Laplace**: report-noisy-min, calibrated to the same epsilon. **As published**: the "
    "noise scale of the slides, for a *nominal* epsilon. A tile shows the epsilon that it really costs."
)
SELECTIONS = {"known": "Sources known", "detected": "Sources detected privately"}
SELECTIONS_HELP = (
    "**Sources known**: the sources with a small contrast are given, as the theory assumes. **Sources detected "
    "privately**: each source's loss on the private rows is released with noise, which uses part of epsilon."
)
POLYTOPES = {"diamond": "L1 ball (diamond)", "corners": "seven given corners"}
PENALTIES = {"1": "L1 norm (q = 1)", "2": "squared L2 norm (q = 2)"}
PENALTIES_HELP = (
    "The norm that lambda multiplies, in the private runs and in the published loop. The **L1 norm** sets "
    "coefficients to exactly 0, the **squared L2 norm** shrinks all of them. Around sources it applies to the "
    "contrast."
)
_WORDS = {"source": "Trusting the sources as they are", "pooled": "Pooling all rows"}


RISK_ABOUT = (
    "How much worse than the true coefficients each way predicts, in squared error: lower is better, and 0 would be "
    "the truth. Blue sees only the private rows, green starts from public sources and corrects them privately; their "
    "bands hold nine runs in ten. Look for where green leaves blue behind, and where the sources as they are, "
    "which need no correction, are still below it."
)
WALK_ABOUT = (
    "The same training with two coefficients, so that it can be seen: each thin line is one run. Blue starts at zero "
    "and may go anywhere in the large shape, green starts at the source and may go only as far as h. A small shape "
    "needs little noise. Look for how tightly the ends lie around the cross."
)
SOURCES_ABOUT = (
    "Each circle is a public source: to the right, the more its coefficients differ from the target's; up, the worse "
    "it would predict as it is. Those in the green area are near enough to be used. The darker the green, the more "
    "runs use it."
)
MIGRATED_ABOUT = (
    "The same errors over the number of public rows. More of them make the sources more precise, and no nearer. Look "
    "for pooling to get worse where many far rows outvote the private ones."
)
PUBLISHED_ABOUT = (
    "Circles are the published values; the line is the same loop on five rows, with no row migrated and more passes. "
    "At the published penalty the line reaches the lowest circle: what helped was more steps."
)


def numbers(result: TransferResult) -> list[Number]:
    """What is missed with the sources' help, alone, and without privacy; and what is promised."""
    now, settings = result.summary(), result.settings
    helped, alone = now["transfer"].median, now["target"].median
    said = [
        Number(
            "Excess risk, with sources",
            risk(helped),
            _beside_alone(result, helped, alone),
            tone="public",
            amount=float(f"{helped:.2g}"),
        ),
        Number(
            "Excess risk, alone",
            risk(alone),
            f"middle of {count(settings.repeats, 'run')}",
            tone="private",
            amount=float(f"{alone:.2g}"),
        ),
        Number(
            "Excess risk, no privacy",
            risk(result.focus.least_squares),
            f"private rows alone{', same penalty' * (settings.penalty > 0)}",
        ),
    ]
    held = result.guarantee("transfer")
    if settings.noise == "printed":
        nominal, real = number(settings.epsilon), number(held.epsilon)
        said.append(Number("Epsilon really spent", real, f"nominal: {nominal}", tone="bound", amount=held.epsilon))
    else:
        said.append(panels.attacker(held))
    return said


def _beside_alone(result: TransferResult, helped: float, alone: float) -> str:
    case, runs = result.compare("transfer", "target"), result.settings.repeats
    if case == Case.CONSTANT:
        return "no better than predicting 0"
    times = f"{times_apart(helped, alone)} times {'less' if helped < alone else 'more'} than alone"
    return outcomes.beside(case, times, runs=runs)


def times_apart(one: float, other: float) -> str:
    """How many times the larger is the smaller, of the numbers as shown."""
    one, other = (max(float(f"{value:.2g}"), 1e-4) for value in (one, other))
    return number(float(f"{max(one, other) / min(one, other):.2g}"))


def verdict(result: TransferResult) -> str:
    """Whether the sources help, what does better than correcting them, and what is worse than nothing."""
    median = {name: spread.median for name, spread in result.summary().items()}
    said = (_help(result, median), others(result, {name: risk(one) for name, one in median.items()}), _nothing(result))
    return " ".join(filter(None, said))


def _help(result: TransferResult, median: Mapping[str, float]) -> str:
    """The sources, corrected privately, against the private rows alone."""
    helped, alone, runs = risk(median["transfer"]), risk(median["target"]), count(result.settings.repeats, "run")
    if result.without_source == result.settings.repeats:
        return f"<b>No source is used</b>, so there is no head start: excess risk {alone} from the private rows alone."
    both = f"excess risk {helped} with the sources, {alone} without"
    match result.compare("transfer", "target"):
        case Case.CONSTANT:
            return f"<b>Predicting 0 for everybody would do no worse</b> ({risk(result.nothing_learnt)}): {both}."
        case Case.AHEAD:
            times = times_apart(median["transfer"], median["target"])
            return (
                f"The sources make the error <b>{times} times smaller</b>: excess risk {helped} instead of {alone} "
                "from the private rows alone."
            )
        case Case.BEHIND:
            times = times_apart(median["transfer"], median["target"])
            return (
                f"The sources <b>harm here</b>: corrected privately, their excess risk is {helped}, {times} times that "
                f"of the private rows alone ({alone})."
            )
    return f"<b>No difference can be shown</b> in {runs}: {both}."


def others(result: TransferResult, said: Mapping[str, str]) -> str:
    """Which other way does better, where it is shown to; what the others would leave, where not. ``said``: medians."""
    rival = result.rival
    if rival in _WORDS and result.compare(rival, "transfer") == Case.AHEAD:
        still = " still" * (result.compare("transfer", "target") == Case.AHEAD)
        return f"{_WORDS[rival]} does better{still}: {said[rival]}."
    if result.compare("pooled", "target") == Case.BEHIND:
        return f"{_WORDS['source']} would leave {said['source']}; <b>pooling all rows harms</b>: {said['pooled']}."
    return f"{_WORDS['source']} would leave {said['source']}, pooling all rows {said['pooled']}."


def _nothing(result: TransferResult) -> str:
    """Where the private rows alone are shown to be worse than predicting 0."""
    worse = compare(result.runs("target"), result.nothing_learnt, better="lower") == Case.BEHIND
    return "The private rows alone do worse than predicting 0." if worse else ""


def caption(result: TransferResult) -> str:
    """What bands, strokes and the walks are."""
    settings = result.settings
    free = settings.penalty > 0 and (settings.penalty_q, settings.polytope) == ("1", "corners")
    return (
        f"Bands: nine runs in ten. Strokes at the dotted line: today's {count(result.settings.repeats, 'run')}. "
        "The walks have two coefficients only, so that they can be seen."
        + " Over seven corners they have no L1 penalty."
        * free
    )


def diagnostics(result: TransferResult) -> list[str]:
    """Why the picture looks as it does: the noise, the threshold, detection, how sparse it is."""
    settings = result.settings
    sentences = [noise(result), *filter(None, [penalty(result)]), _threshold(result)]
    if result.focus.detection is not None:
        sentences.append(detection(result))
    sparsity = result.sparsity
    if "transfer" in sparsity:
        sentences.append(
            f"Each step adds one vertex. The model from zero uses {sparsity['target']:.0f} of "
            f"{2 * settings.dimension}, the correction {sparsity['transfer']:.0f}."
        )
    sentences += filter(None, [words_descent.beside(result)])
    if result.focus.clipped > 0.01:
        sentences.append(
            f"{panels.in_hundred(result.focus.clipped)} in 100 residuals are longer than the bound "
            f"{number(RESIDUAL_BOUND)} around the sources and are cut to it: far rows pull less than they would."
        )
    return [*sentences, *filter(None, [panels.large_delta(settings.delta, settings.target_rows)])]


def noise(result: TransferResult) -> str:
    """The noise of both walks, which goes with the size of the ball."""
    own = result.plan("target")
    text = (
        f"From zero the walk covers a ball of radius {number(RADIUS)}: noise of scale {number(own.scale)} on each "
        f"score, over {count(own.steps, 'step')}. "
    )
    if "transfer" in result.focus.sparsity:
        near = result.plan("transfer")
        text += (
            f"Around the sources the radius is {number(result.settings.radius)}: <b>{number(near.scale)}</b>, over "
            f"{count(near.steps, 'step')}. "
        )
    return text + ("How many steps there are follows from rows, epsilon and radius, never from the private values.")


def penalty(result: TransferResult) -> str:
    """What the penalty changes: a vertex and the optimum, never the noise on a score; "" without one."""
    settings = result.settings
    if not settings.penalty:
        return ""
    d, zeros = settings.dimension, result.focus.zeros
    text = "The penalty is public and sees no row: no score moves further, and <b>epsilon stays as it is</b>. "
    if settings.penalty_q == "2":
        return f"{text}Its gradient at the public coefficients is added in each step."
    return (
        f"{text}The centre is one more corner to choose, of {2 * d + 1}. Without privacy {zeros} of {d} coefficients "
        "would be exactly 0."
    )


def _threshold(result: TransferResult) -> str:
    """Which sources are near, and which are used."""
    frame, h = result.sources(), number(result.settings.h)
    near = frame["source"][frame["transferable"]]
    if near.empty:
        text = f"No contrast is within h = {h}, so no source is transferable."
        if result.focus.detection is None:
            return f"{text} What is left of the transfer is the walk from zero. Raise h."
        return text
    names = ", ".join(map(str, near))
    text = f"Within h = {h}: source{'s' * (len(near) > 1)} {names} (analyst only; here the truth is known)."
    if result.focus.detection is None:
        text += f" Trusted as they are they miss by {risk(result.summary()['source'].median)}, whatever epsilon is."
    if len(near) < len(frame):
        text += " A larger h lets in sources that lie farther away."
    if result.settings.radius < RADIUS:
        text += " A larger h also means a larger ball around them, and more noise."
    return text


def detection(result: TransferResult) -> str:
    """What the detection saw, and what that cost."""
    found, cost = result.focus.detection, result.detection_guarantee
    none = result.without_source
    text = (
        f"Detection alone spends epsilon {number(cost.epsilon)}: noise of {risk(found.sd)} on each of "
        f"{len(found.losses)} losses."
    )
    if none:
        text += f" In {none} of {count(len(result.focus.kept), 'run')} it keeps no source."
    if len(found.losses) == 2:
        return f"{text} There is one source."
    gap = result.runner_up
    told = "hidden by it" if gap < found.sd else "sometimes told apart" if gap < 3 * found.sd else "told apart"
    return f"{text} The second best source is {risk(gap)} behind the best: {told}."


def guarantee(result: TransferResult) -> str:
    """What each candidate promises, and what it leaves open."""
    settings = result.settings
    held = {name: result.guarantee(name) for name in ("target", "pooled", "transfer")}
    text = panels.note(f"With epsilon {number(held['transfer'].epsilon)}, {panels.odds(held['transfer'])}.")
    if settings.noise == "printed":
        strong = result.strong("target")
        text += panels.note(
            f"Nominal: epsilon {number(settings.epsilon)}. With the printed scale the same "
            f"{count(result.plan('target').steps, 'choice')} really cost <b>{number(strong.epsilon)}</b> by strong "
            "composition, for which the scale is made. By the sharper count:"
        )
    text += panels.guarantee(alone=held["target"], pooled=held["pooled"], with_sources=held["transfer"])
    text += panels.note(outcomes.limit(held["transfer"]))
    if result.detection_guarantee is None:
        text += panels.note(
            "<b>Trusting the sources as they are</b> never sees a private row and needs no epsilon. But someone must "
            "have known that these contrasts are small; that knowledge is not private data here."
        )
    else:
        text += panels.note(
            f"Of the transfer's epsilon, detection alone would be {number(result.detection_guarantee.epsilon)}; "
            "<b>trusting the sources as they are</b> spends just that."
        )
    return text + panels.note(
        "Each guarantee is for one candidate alone: publishing all four would add up. Assumed public: the number of "
        "rows, the bounds on features and residuals, the ball, all source rows. <b>Not</b> protected: the excess risks "
        "and contrasts on this page (analyst only)."
    )


def costs_table(_: TransferResult) -> str:
    """What a nominal epsilon costs with the printed scale."""
    frame = printed_costs()
    bound = panels.badge("bound")
    heads = {"nominal": "nominal<br>epsilon"} | {
        name: f"{name.split(', ')[0].capitalize()},<br>{name.split(', ')[1]} {bound}" for name in frame.columns[1:]
    }
    return panels.table(
        frame.map(lambda value: f"{value:.3g}"),
        title="<b>What the printed scale costs</b> (100 steps, delta 1e-6)",
        caption=(
            "The printed scale L1&#8202;&#8214;C&#8214;&#8321; sqrt(8&#8202;T&#8202;ln(1/&delta;)) / (n&epsilon;) is "
            "made for a row that is there or not. Where a row is <i>modified</i>, as the slides define neighbours, a "
            "score moves twice as far. Laplace: strong composition of choices that cost 2&Delta;/b each. Gumbel with "
            "the same scale: concentrated privacy, a quarter of it for the bounded range."
        ),
        heads=heads,
    )


def published_table(result: TransferResult) -> str:
    """The published table, made again, beside what its numbers are."""
    loop = result.published
    frame = loop.frame
    shown = frame.assign(
        migrated=frame["migrated"].map(str),
        published=frame["published"].map(lambda value: "control" if value != value else f"{value:.4f}"),
        **{name: frame[name].map(_digits) for name in _NUMBERS},
    )
    now, printed = panels.badge("trained now"), panels.badge("published")
    return panels.table(
        shown,
        title="<b>The published table, and what it shows</b>",
        caption=(
            "The published numbers come out as the <b>training mean squared error plus 0.1 times the L1 norm</b>, the "
            "mean of 100 runs. Lambda = 0.1 and q = 1 are our reconstruction, as the slides name neither. "
            f"{_loop_now(loop)}They are no sum of squared errors and no error on new rows. Nor are they "
            "private: the noise has a scale read off the fit itself, enters once a pass, is divided by m, and comes "
            "with no epsilon. A step adds lambda <i>a</i>, the gradient of half the <i>squared L2</i> norm: what is "
            "printed is not what is descended on. The last five rows migrate nothing and have no noise"
            f"{_passes(loop)}. Held-out: x = 1.5, ..., 5.5 on the same line."
        ),
        heads={
            "migrated": "migrated<br>rows",
            "rows": "rows",
            "epochs": "passes",
            "published": f"published<br>{printed}",
            "value": f"the same loop<br>{now}",
            "training MSE": "training<br>MSE",
            "training SSE": "training<br>SSE",
            "held-out MSE": f"held-out<br>MSE {now}",
        },
    )


def _loop_now(loop: PublishedResult) -> str:
    if loop.as_published:
        return ""
    norm = {"1": "L1", "2": "squared L2"}[loop.q]
    return f"<b>The same loop here has {number(loop.penalty)} times the {norm} norm</b>. "


def _passes(loop: PublishedResult) -> str:
    """What more passes over the same rows do, as far as it is known."""
    match loop.passes_suffice:
        case None:
            return ""
        case True:
            return (
                ": more passes over the <i>same five rows</i> do what twenty more rows did, because more rows mean "
                "more and larger steps"
            )
        case False:
            return ": with this penalty no number of passes here prints as little as twenty more rows do"


_NUMBERS = ("value", "training MSE", "training SSE", "held-out MSE")


def _digits(value: float) -> str:
    return "…" if value != value else f"{value:.4f}" if value < 100 else f"{value:.1f}"


def alts(result: TransferResult) -> dict[str, str]:
    """What a screen reader says in place of each picture."""
    summary, settings = result.summary(), result.settings
    said = ", ".join(f"{figures.STYLES[name][0]} {risk(summary[name].median)}" for name in CANDIDATES)
    inside, ends, loop = int(result.transferable.sum()), result.misses, result.published
    return {
        "walk": f"Walks of {settings.repeats} models with two coefficients: from zero they end {ends[0]:.2f} from "
        f"the truth on average, around the source {ends[1]:.2f}.",
        "sources": f"Sources with a contrast of at most {number(settings.h)}: {inside} of {settings.sources}.",
        "epsilon": f"Excess risk over epsilon. At epsilon {number(settings.epsilon)}: {said}.",
        "migrated": f"Excess risk over migrated rows. With {settings.migrated}: {said}.",
        "coefficients": words_descent.alt(result),
        "published": "The published value falls from 34.2 to 0.51 as rows are migrated"
        + ", and as low with five rows and more passes over them" * (loop.as_published and bool(loop.passes_suffice))
        + ".",
    }


def program(settings: TransferSettings) -> str:
    """The transfer of these settings by the estimator, as a program that runs in a checkout."""
    data, noise = settings.data, "gumbel" if settings.noise == "gumbel" else "laplace"
    return f"""from dpcore.estimators.sparse import DPFrankWolfeRegressor
from dpcore.transfer import RADIUS, RESIDUAL_BOUND, problem, statistics

data = problem(
    seed={data.seed},
    rows={data.rows},  # private
    dimension={data.dimension},
    sources={data.sources},
    difference={data.difference!r},
    source_rows={settings.migrated // data.sources},  # public, of each source
)
# Not as on the page: which sources are near is taken for known, the noise is calibrated to epsilon even where the page
# has the printed scale, and it is one model, no ensemble.
near = data.transferable(q={settings.q!r}, h={settings.h!r})
model = DPFrankWolfeRegressor(
    epsilon={settings.epsilon!r},
    delta={settings.delta!r},
    radius={settings.radius!r} if near.any() else RADIUS,
    residual_bound=RESIDUAL_BOUND,
    penalty={settings.penalty!r},
    q={settings.penalty_q!r},
    noise={noise!r},
    adjacency={settings.adjacency!r},
    random_state={settings.seed},  # None for a release: who knows the seed knows the noise
)
model.fit(data.X, data.y, centre=statistics(data, {settings.migrated // data.sources}).fit(near[None])[0])
print("excess risk (analyst only):", data.risk(model.coef_))
print(model.guarantee_)
"""

"""The transfer page in words: verdict, diagnostics, tables, guarantee, method."""

from dpcore.transfer import RADIUS, RESIDUAL_BOUND
from pages.transfer import figures
from pages.transfer.experiment import TransferSettings
from pages.transfer.result import TransferResult, printed_costs
from pages.transfer.work import CANDIDATES
from ui import panels
from ui.outcomes import count
from ui.panels import number

NOISES = {"gumbel": "Gumbel", "laplace": "Laplace", "printed": "Laplace, as printed"}
NOISES_HELP = (
    "**Gumbel**: the exponential mechanism, whose choices cost least. **Laplace**: report-noisy-min, calibrated to "
    "the same epsilon. **As printed**: the scale of the slides, for a *nominal* epsilon; the card says what it "
    "really costs."
)
SELECTIONS = {"known": "known", "detected": "detected privately"}
SELECTIONS_HELP = (
    "**Known**: somebody tells which contrasts are small, as the theory assumes. **Detected**: each source's loss on "
    "the private rows is released with noise, and that is paid for out of the same epsilon."
)
POLYTOPES = {"diamond": "a diamond (L1 ball)", "corners": "seven given corners"}
_WORDS = {
    "target": "the target rows alone",
    "source": "trusting the sources as they are",
    "pooled": "pooling all rows",
    "transfer": "correcting the sources privately",
}


def risk(value: float) -> str:
    """An excess risk, to two digits and never 1e-05."""
    if value != value:
        return "…"
    return f"{value:.2g}" if value >= 1e-3 else f"{value:.1g}" if value >= 1e-4 else "below 0.0001"


def verdict(result: TransferResult) -> str:
    """Which candidate is best now, by how much, and what the others do."""
    best = result.best
    median = {name: spread.median for name, spread in result.summary().items()}
    text = f"{_promise(result)}, <b>{_WORDS[best]}</b> comes nearest: excess risk <b>{risk(median[best])}</b>"
    if best != "target":
        times = _times(median["target"] / max(median[best], 1e-6))
        text += f", {times} the target rows alone ({risk(median['target'])})"
    text += f". {_others(best, median)}"
    if median[best] >= result.nothing_learnt:
        text += f" <b>Predicting 0 for everybody would do no worse</b> ({risk(result.nothing_learnt)})."
    elif median["target"] > result.nothing_learnt:
        text += " The target rows alone do worse than predicting 0."
    # Where the noise still leads, the pooled rows do no harm that one could see.
    if best != "target" and median["pooled"] > median["target"] and median["target"] < result.nothing_learnt / 2:
        text += " <b>Pooling harms</b>: it does worse than the target rows alone."
    return text


def _others(best: str, median: dict[str, float]) -> str:
    """What becomes of the candidates that are not the best."""
    said = {name: risk(value) for name, value in median.items()}
    match best:
        case "source" if said["transfer"] == said["source"]:
            return "The private correction gives about the same."
        case "source":
            return f"The private correction would make it worse ({said['transfer']})."
        case "transfer":
            return f"Without the correction the sources give {said['source']}."
        case "pooled":
            return f"Correcting the sources gives {said['transfer']}, trusting them {said['source']}."
        case _:
            return f"Sources do not help here: corrected they give {said['transfer']}, pooled {said['pooled']}."


def _promise(result: TransferResult) -> str:
    """At which epsilon; where the noise is that of a nominal one, what it really is."""
    epsilon = number(result.settings.epsilon)
    if result.settings.noise != "printed":
        return f"At <b>epsilon {epsilon}</b>"
    own = result.guarantee("target" if result.best == "source" else result.best)
    return f"At a nominal epsilon {epsilon}, <b>which is really {number(own.epsilon)}</b>"


def _times(ratio: float) -> str:
    return f"{number(float(f'{ratio:.2g}'))} times less than" if ratio >= 1.1 else "about as much as"


def diagnostics(result: TransferResult) -> list[str]:
    """Why the picture looks as it does: the noise, the threshold, detection, how sparse it is."""
    settings = result.settings
    sentences = [_noise(result), _threshold(result)]
    if result.focus.detection is not None:
        sentences.append(_detection(result))
    sparsity = result.sparsity
    if "transfer" in sparsity:
        sentences.append(
            f"Each step adds one vertex. The model from zero uses {sparsity['target']:.0f} of "
            f"{2 * settings.dimension}, the correction {sparsity['transfer']:.0f}."
        )
    if result.focus.clipped > 0.01:
        sentences.append(
            f"{panels.in_hundred(result.focus.clipped)} in 100 residuals are longer than the bound "
            f"{number(RESIDUAL_BOUND)} around the sources and are cut to it: far rows pull less than they would."
        )
    return [*sentences, *filter(None, [panels.large_delta(settings.delta, settings.target_rows)])]


def _noise(result: TransferResult) -> str:
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


def _detection(result: TransferResult) -> str:
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
    text = ""
    if settings.noise == "printed":
        strong = result.strong("target")
        text = panels.note(
            f"Nominal: epsilon {number(settings.epsilon)}. With the printed scale the same "
            f"{count(result.plan('target').steps, 'choice')} really cost <b>{number(strong.epsilon)}</b> by strong "
            "composition, for which the scale is made. By the sharper count:"
        )
    text += panels.guarantee(target_only=held["target"], pooled=held["pooled"], transfer=held["transfer"])
    text += panels.note(f"With epsilon {number(held['transfer'].epsilon)}, {panels.odds(held['transfer'])}.")
    if result.detection_guarantee is None:
        text += panels.note(
            "<b>Sources only</b> never sees a private row and needs no epsilon. But someone must have known that these "
            "contrasts are small; that knowledge is not private data here."
        )
    else:
        text += panels.note(
            f"Of the transfer's epsilon, detection alone would be {number(result.detection_guarantee.epsilon)}; "
            "<b>sources only</b> spends just that."
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
    frame = result.published.frame
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
            "The printed numbers are the <b>training mean squared error plus 0.1 times the L1 norm</b>, the mean of "
            "100 runs. They are no sum of squared errors and no error on new rows. Nor are they private: the noise "
            "has a scale read off the fit itself, enters once a pass, is divided by m, and comes with no epsilon. "
            "The last five rows migrate nothing and have no noise: more passes over the <i>same five rows</i> do "
            "what twenty more rows did, because more rows mean more and larger steps. Held-out: x = 1.5, ..., 5.5 on "
            "the same line."
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


_NUMBERS = ("value", "training MSE", "training SSE", "held-out MSE")


def _digits(value: float) -> str:
    return "…" if value != value else f"{value:.4f}" if value < 100 else f"{value:.1f}"


def alts(result: TransferResult) -> dict[str, str]:
    """What a screen reader says in place of each picture."""
    summary, settings = result.summary(), result.settings
    said = ", ".join(f"{figures.STYLES[name][0]} {risk(summary[name].median)}" for name in CANDIDATES)
    inside, ends = int(result.transferable.sum()), result.misses
    return {
        "walk": f"Walks of {settings.repeats} models with two coefficients: from zero they end {ends[0]:.2f} from "
        f"the truth on average, around the source {ends[1]:.2f}.",
        "sources": f"Sources with a contrast of at most {number(settings.h)}: {inside} of {settings.sources}.",
        "epsilon": f"Excess risk over epsilon. At epsilon {number(settings.epsilon)}: {said}.",
        "migrated": f"Excess risk over migrated rows. With {settings.migrated}: {said}.",
        "published": "The published value falls from 34.2 to 0.51 as rows are migrated, and as low with five rows and "
        "more passes over them.",
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
    noise={noise!r},
    adjacency={settings.adjacency!r},
    random_state={settings.seed},  # None for a release: who knows the seed knows the noise
)
model.fit(data.X, data.y, centre=statistics(data, {settings.migrated // data.sources}).fit(near[None])[0])
print("excess risk (analyst only):", data.excess(model.coef_))
print(model.guarantee_)
"""

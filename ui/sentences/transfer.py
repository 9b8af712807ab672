"""The transfer page in words: verdict, diagnostics, tables, guarantee, method."""

from pathlib import Path

import numpy as np
import streamlit as st

from dpcore.experiments.transfer_result import TransferResult, printed_costs
from dpcore.experiments.transfer_work import CANDIDATES
from dpcore.transfer import RADIUS, RESIDUAL_BOUND
from ui import panels
from ui.figures import transfer as figures
from ui.panels import number

NOISES = {"gumbel": "Gumbel", "laplace": "Laplace", "printed": "Laplace, as printed"}
NOISES_HELP = (
    "**Gumbel**: the exponential mechanism, whose choices cost least. **Laplace**: report-noisy-min, calibrated to the "
    "same epsilon. **As printed**: the scale of the slides, for a *nominal* epsilon; the card says what it really "
    "costs."
)
SELECTIONS = {"known": "known", "detected": "detected privately"}
SELECTIONS_HELP = (
    "**Known**: somebody tells which contrasts are small, as the theory assumes. **Detected**: each source's loss on "
    "the "
    "private rows is released with noise, and that is paid for out of the same epsilon."
)
POLYTOPES = {"diamond": "a diamond (L1 ball)", "corners": "seven given corners"}
_WORDS = {
    "target": "the target rows alone",
    "source": "trusting the sources as they are",
    "pooled": "all rows in one pot",
    "transfer": "correcting the sources privately",
}


def risk(value: float) -> str:
    """An excess risk, to two digits and never 1e-05."""
    return "…" if value != value else f"{value:.2g}" if value >= 1e-3 else f"{value:.1g}" if value >= 1e-4 else "0.0001"


def verdict(result: TransferResult) -> str:
    """Which candidate is best now, by how much, and what the others do."""
    best = result.best
    median = {name: spread.median for name, spread in result.summary().items()}
    text = f"{_promise(result)}, <b>{_WORDS[best]}</b> comes nearest: excess risk <b>{risk(median[best])}</b>"
    if best != "target":
        times = _times(median["target"] / max(median[best], 1e-6))
        worse = ", worse than predicting 0" if median["target"] > result.nothing_learnt else ""
        text += f", {times} the target rows alone ({risk(median['target'])}{worse})"
    text += f". {_others(best, {name: risk(value) for name, value in median.items()})}"
    # Where the noise still leads, the pot's rows do no harm that one could see.
    if best != "target" and median["pooled"] > median["target"] and median["target"] < result.nothing_learnt / 2:
        text += " <b>One pot does harm</b>: the wrong rows outvote the right ones."
    return text


def _others(best: str, risks: dict[str, str]) -> str:
    """What becomes of the candidates that are not the best."""
    match best:
        case "source":
            return f"The private correction would make it worse ({risks['transfer']}): too much noise for so little."
        case "transfer":
            return f"Without the correction the sources give {risks['source']}."
        case "pooled":
            return f"Correcting the sources gives {risks['transfer']}, trusting them {risks['source']}."
        case _:
            return f"Sources do not help here: corrected they give {risks['transfer']}, in one pot {risks['pooled']}."


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
    """Why the picture looks as it does: the noise, the threshold, detection, the pot."""
    settings = result.settings
    own, near = result.plan("target"), result.plan("transfer")
    sentences = [
        f"Noise goes with the size of the ball. From zero it has radius {number(RADIUS)}, around the sources "
        f"{number(settings.radius)}: noise of scale {number(own.scale)} over {own.steps} steps against "
        f"<b>{number(near.scale)}</b> over {near.steps}. The steps are chosen from rows, epsilon and radius, never "
        "from the private data."
    ]
    sentences.append(_threshold(result))
    if result.focus.detection is not None:
        sentences.append(_detection(result))
    sparsity = {name: float(np.median(found)) for name, found in result.focus.sparsity.items()}
    if "transfer" in sparsity:
        sentences.append(
            f"Sparse: each step adds one vertex. The model from zero is made of {sparsity['target']:.0f} "
            f"different ones of {2 * settings.dimension}, the correction of {sparsity['transfer']:.0f}."
        )
    if result.focus.clipped > 0.01:
        sentences.append(
            f"{panels.in_hundred(result.focus.clipped)} in 100 residuals are longer than the bound "
            f"{number(RESIDUAL_BOUND)} around the sources and count as that: far rows pull less than they would."
        )
    return [*sentences, *filter(None, [panels.large_delta(settings.delta, settings.target_rows)])]


def _threshold(result: TransferResult) -> str:
    """Which sources fall in, and whether the ball reaches the truth."""
    frame = result.sources()
    chosen = frame[frame["transferable"]]
    if chosen.empty:
        return (
            f"No contrast is within h = {number(result.settings.h)}: no source is transferable, and what is left of a "
            "transfer is the walk from zero. Raise h."
        )
    names = ", ".join(map(str, chosen["source"]))
    text = f"Within h = {number(result.settings.h)}: source {names} (analyst only; here the truth is known). "
    if result.focus.detection is None:
        bias = float(result.summary()["source"].median)
        text += f"Trusted as they are they miss by {risk(bias)}, whatever epsilon is. "
    return text + "A larger h lets more and farther ones in, and makes the correction's noise larger."


def _detection(result: TransferResult) -> str:
    """What the detection saw, and what that cost."""
    found, cost = result.focus.detection, result.detection_guarantee
    text = (
        f"Detection spends epsilon {number(cost.epsilon)} by itself: noise of {risk(found.sd)} on each of "
        f"{len(found.losses)} losses"
    )
    if len(found.losses) == 2:
        return f"{text}; there is one source."
    first, second = np.sort(found.losses[1:])[:2]
    gap = second - first
    told = "hidden by it" if gap < found.sd else "told apart now and then" if gap < 3 * found.sd else "told apart"
    return f"{text}. The second best source is {risk(float(gap))} behind the best: {told}."


def guarantee(result: TransferResult) -> str:
    """What each candidate promises, and what it leaves open."""
    settings = result.settings
    held = {name: result.guarantee(name) for name in ("target", "pooled", "transfer")}
    if settings.noise == "printed":
        strong = result.strong("target")
        text = panels.note(
            f"Nominal: epsilon {number(settings.epsilon)}. With the printed scale the same "
            f"{result.plan('target').steps} "
            f"choices really cost <b>{number(strong.epsilon)}</b> by strong composition, for which it is made; the "
            "sharper count:"
        )
    else:
        text = ""
    text += panels.guarantee(target_only=held["target"], one_pot=held["pooled"], transfer=held["transfer"])
    text += panels.note(f"With epsilon {number(held['transfer'].epsilon)}, {panels.odds(held['transfer'])}.")
    if result.detection_guarantee is None:
        text += panels.note(
            "<b>Sources only</b> never sees a private row and needs no epsilon. But someone must have known that these "
            "contrasts are small; that knowledge is not private data here."
        )
    else:
        text += panels.note(
            f"Of the transfer's epsilon, detection alone would be {number(result.detection_guarantee.epsilon)}; "
            "<b>sources "
            "only</b> spends just that."
        )
    return text + panels.note(
        "Each candidate by itself: publishing all four would add up. Assumed public: number of rows, bounds on "
        "features and "
        "residuals, the ball, all source rows. <b>Not</b> protected: excess risks and contrasts on this page (analyst "
        "only)."
    )


def costs_table() -> None:
    """What a nominal epsilon costs with the printed scale."""
    frame = printed_costs()
    bound = panels.badge("bound")
    heads = {"nominal": "nominal<br>epsilon"} | {
        name: f"{name.split(', ')[0].capitalize()},<br>{name.split(', ')[1]} {bound}" for name in frame.columns[1:]
    }
    st.markdown("**What the printed scale costs** (100 steps, delta 1e-6)")
    panels.table(
        frame.map(lambda value: f"{value:.3g}"),
        caption=(
            "The printed scale L1&#8202;&#8214;C&#8214;&#8321; sqrt(8&#8202;T&#8202;ln(1/&delta;)) / (n&epsilon;) is "
            "made for a row that is there "
            "or not. Where a row is <i>modified</i>, as the slides define neighbours, a score moves twice as far. "
            "Laplace: "
            "strong composition of choices that cost 2&Delta;/b each. Gumbel with the same scale: concentrated "
            "privacy, a "
            "quarter of it for the bounded range."
        ),
        heads=heads,
    )


def published_table(result: TransferResult) -> None:
    """The published table, made again, beside what its numbers are."""
    frame = result.published.frame
    shown = frame.assign(
        migrated=frame["migrated"].map(str),
        published=frame["published"].map(lambda value: "control" if value != value else f"{value:.4f}"),
        **{name: frame[name].map(_digits) for name in _NUMBERS},
    )
    now, printed = panels.badge("trained now"), panels.badge("published")
    st.markdown("**The published table, and what it shows**")
    panels.table(
        shown,
        caption=(
            "The printed numbers are the <b>training mean squared error plus 0.1 times the L1 norm</b>, the mean of "
            "100 "
            "runs: not a sum of squared errors, not an error on new rows, and not private (the noise has a scale read "
            "off "
            "the fit itself, enters once a pass, is divided by m, and comes with no epsilon). The last five rows "
            "migrate "
            "nothing and have no noise: more passes over the <i>same five rows</i> do what twenty more rows did, "
            "because more rows mean more and larger steps. Held-out: x = 1.5, ..., 5.5 on the same line."
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
    inside = int(result.problem.transferable(settings.q, settings.h).sum())
    ends = [float(np.abs(points[-1] - result.walks.truth).sum(axis=1).mean()) for points in result.walks.points]
    return {
        "walk": f"Walks of {settings.repeats} models with two coefficients: on average they end {ends[0]:.2f} from the "
        f"true coefficients starting from zero, {ends[1]:.2f} around the source.",
        "sources": f"{inside} of {settings.sources} sources have a contrast of at most {number(settings.h)}.",
        "epsilon": f"Excess risk over epsilon. At epsilon {number(settings.epsilon)}: {said}.",
        "migrated": f"Excess risk over migrated rows. With {settings.migrated}: {said}.",
        "published": "The published value falls from 34.2 to 0.51 as rows are migrated, and as low with five rows and "
        "more "
        "passes over them.",
    }


def how_it_works() -> None:
    """The algorithm in steps, and what the slides leave open or get wrong."""
    st.markdown(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))

"""The networks in words: verdict, diagnostics, table, guarantee."""

import math

from pages.network.experiment import NetworkSettings
from pages.network.figures import arm_name
from pages.network.result import NetworkResult
from pages.network.work import FRAMES
from ui import outcomes, panels
from ui.outcomes import count, percent
from ui.panels import in_hundred, number

VARIANTS_HELP = (
    "**Sound**: each row is in a lot by chance, noise is added once a lot, and the sum is divided by the constant L. "
    "**Noise inside**: noise is added for every row, as one report prints it. **Realised lot**: the sum is divided by "
    "the size that the lot happens to have. **Shuffled**: lots are cut from a shuffle of the rows, as most code does."
)
ACCOUNTANTS = {"renyi": "Rényi orders", "moments": "moments accountant", "pld": "loss distribution (slower)"}
KNOBS = {
    "epsilon": {"help": "The budget of the whole training, spent step by step."},
    "shown": {"label": "Moment shown", "unit": f"/ {FRAMES}", "pace": 80},
    "learning_rate": {"help": "How far a step goes at first; by the end it has fallen to the share under More."},
    "noise_multiplier": {"help": "sigma, the noise's standard deviation over C in each step."},
}


def program(settings: NetworkSettings) -> str:
    """One such network by the estimator, as a program that runs in a checkout."""
    recipe = settings.jobs["private"][0].recipe
    return f"""from dpcore.data import toy
from dpcore.estimators.network import DPNetworkClassifier

split = toy.load({settings.dataset!r}, seed={settings.seed}, private_rows={settings.rows})
# As on the page, but: one network, no ensemble; always the sound loop, with noise made for its epochs; and rows are
# scaled to norm 1 at most, where the page's are longer, so that hidden units bend less.
model = DPNetworkClassifier(
    hidden_layer_sizes={recipe.architecture.sizes[1:-1]!r},
    activation={settings.activation!r},
    epsilon={settings.epsilon!r},
    delta={settings.delta!r},
    clip_norm={recipe.clip_norm!r},
    data_norm=split.X_private.shape[1] ** 0.5,  # features lie in [-1, 1]
    epochs={settings.steps * settings.rate!r},
    lot_size={settings.lot_size},
    learning_rate={settings.learning_rate!r},
    decay={settings.decay!r},
    accountant={settings.accountant!r},
    classes=range(split.n_classes),
    random_state={settings.seed},  # None for a release: who knows the seed knows the noise
)
model.fit(split.X_private, split.y_private)
print("accuracy on held-out rows:", model.score(split.X_test, split.y_test))
print(model.guarantee_)
"""


def verdict(result: NetworkResult) -> str:
    """What is spent and promised at the drawn moment, and what it costs."""
    return " ".join((_when(result), *_cost(result)))


def _when(result: NetworkResult) -> str:
    steps = f"{count(result.step, 'step')} of {result.settings.steps:,}"
    if not result.step:
        return (
            f"Before the first of {count(result.settings.steps, 'step')} nothing is spent: these networks are random."
        )
    spent = result.guarantee
    if not result.holds:
        return (
            f"After {steps} the accountant says epsilon {_epsilon(result)}, but <b>its theorem is not about this "
            f"loop</b>: {_departure(result)}"
        )
    if not math.isfinite(spent.epsilon):
        return f"After {steps} the budget is still being counted."
    weak = panels.weak(spent.attacker_accuracy)
    return f"After {steps} <b>epsilon {number(spent.epsilon)}</b> is spent: {panels.odds(spent)}.{weak}"


def _departure(result: NetworkResult) -> str:
    """Where a training loop departs from what the theorem is about."""
    settings = result.settings
    match settings.variant:
        case "inside":
            return (
                f"with noise for every row of a lot there is about {number(settings.lot_size**0.5)} times as much as "
                "was counted, and an empty lot has none."
            )
        case "realised":
            return "one person also changes what the sum is divided by, and the noise does not cover that."
        case _:
            return (
                "each row is in exactly one lot of an epoch, so no chance hides who was in it. What is proved is "
                f"epsilon {number(result.by_epochs.epsilon)} (replace-one, counted by epochs)."
            )


def _cost(result: NetworkResult) -> list[str]:
    """The middle private network against the middle one without privacy, at the same step."""
    private, plain = result.summary("private"), result.summary("plain")
    if not result.step:
        return [f"By chance, the middle one is right {percent(private.median)} of the time on new people."]
    baseline = result.split.best_constant
    cost = outcomes.cost(private.median, plain.median, baseline=baseline, model="network")
    return [cost, outcomes.landing(private.low, private.high)]


def diagnostics(result: NetworkResult) -> list[str]:
    """Why the picture looks as it does: clipping, noise, budget, lots."""
    sentences = [_clipping(result), _noise(result), _budget(result)]
    delta = panels.large_delta(result.settings.delta, result.settings.rows)
    more = (_lots(result), _diverged(result), _plain(result), delta)
    return sentences + [sentence for sentence in more if sentence]


def _clipping(result: NetworkResult) -> str:
    settings, shares = result.settings, result.clipped
    bounds = result.recipe.bounds
    if len(bounds) > 1:
        layers = ", ".join(f"{in_hundred(share)} in layer {place}" for place, share in enumerate(shares[:-1], 1))
        return (
            f"Each of {len(bounds)} layers has the clip norm C/&radic;{len(bounds)} = {number(bounds[0])}, so together "
            f"they move no more than C. Now it shortens, of 100 gradients, {layers}. The noise is the same as with one "
            "bound."
        )
    norm, share = number(settings.clip_norm), shares[-1]
    if share < 0.01:
        few = "no gradient" if share == 0 else "fewer than 1 in 100 gradients"
        return f"Clip norm {norm} now shortens {few}, yet the noise is scaled to it: halve it, and the noise halves."
    if share > 0.9:
        return (
            f"Clip norm {norm} now shortens nearly all gradients (<b>{in_hundred(share)} in 100</b>). Noise and signal "
            "shrink together: a lower bound acts like a lower learning rate."
        )
    return f"Clip norm {norm} now shortens <b>{in_hundred(share)} in 100</b> gradients."


def _noise(result: NetworkResult) -> str:
    ratio = result.noise / max(result.signal, 1e-12)
    accuracy, base = result.summary("private").median, result.split.best_constant[1]
    weights = result.architecture.parameters
    return (
        f"{outcomes.noise(ratio, steps=result.step, accuracy=accuracy, base=base)}. (Lengths now: noise "
        f"{number(result.noise)}, signal {number(result.signal)}; each of {weights:,} weights gets noise of its own.)"
    )


def _budget(result: NetworkResult) -> str:
    settings = result.settings
    if settings.plan == "noise":
        run, noise = count(settings.steps, "step"), number(settings.sigma)
        start = (
            f"With noise multiplier {noise}, the budget ends the training after {run}."
            if settings.used_up
            else f"With noise multiplier {noise}, all {count(settings.epochs, 'epoch')} fit into the budget."
        )
    else:
        start = (
            f"For epsilon {number(settings.epsilon)}, {count(settings.steps, 'step')} with lots of {settings.lot_size} "
            f"out of {settings.rows:,} rows take noise multiplier <b>{number(settings.sigma)}</b>."
        )
    if not result.counted or settings.steps < 3:
        return start
    half = result.half_spent
    early = ": the first steps cost most" if 2 * half < settings.steps else ""
    return f"{start} Half of the epsilon is spent after {count(half, 'step')}{early}."


def _lots(result: NetworkResult) -> str:
    found = result.noise_by_lot
    (least, *_, most), noise, steps = found.size, found.noise_on_the_mean, found.steps
    if result.settings.plan == "noise" or not result.larger_lots_help:
        return ""
    return (
        f"For the same epochs and budget, lots of {least:.0f} put noise of {number(noise[0])} on the mean gradient, in "
        f"{count(steps[0], 'step')}; lots of {most:,.0f} only {number(noise[-1])}, in {count(steps[-1], 'step')}."
    )


def _diverged(result: NetworkResult) -> str:
    lost = count(result.diverged, "network has", "networks have")
    return f"Without privacy, {lost} diverged: lower their rate under More." if result.diverged else ""


def _plain(result: NetworkResult) -> str:
    """What the networks without privacy do not reach, so that it is no price of privacy."""
    private, plain = result.summary("private"), result.summary("plain")
    if result.step and private.median > plain.median + 0.02:
        mine, theirs = outcomes.apart(private.median, plain.median)
        return (
            f"The networks without privacy do worse here ({theirs} against {mine}). Their gradients are not clipped, "
            "and they have a rate of their own: try another one under More."
        )
    if not result.settings.layers:
        return "Without a hidden layer every boundary between two classes is straight, with or without privacy."
    best = float(result.trajectories["plain"].accuracy[1].max())
    if result.reached == FRAMES and best < 0.9:
        return (
            f"Even without privacy, the middle network is never right more than {percent(best)} of the time here: more "
            "epochs, more units or another rate may help."
        )
    return ""


def guarantee(result: NetworkResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    if result.holds:
        text = panels.guarantee(here=result.guarantee) if math.isfinite(result.guarantee.epsilon) else panels.note("…")
        text += panels.note(
            "It covers the weights after <b>every</b> step, so watching the training costs nothing more."
            + (" It is what the steps so far have spent." if result.frame < FRAMES else "")
        )
    elif result.settings.variant == "shuffled":
        text = panels.note(f"Claimed by the accountant: epsilon {_epsilon(result)}. Proved without any sampling:")
        text += panels.guarantee(here=result.by_epochs)
    else:
        text = panels.note(f"Claimed by the accountant: epsilon {_epsilon(result)}. No theorem gives it for this loop.")
    return text + panels.note(
        "Assumed: number of rows, lot size, bounds and all settings are public; who was in a lot stays secret; each "
        "person has one row. <b>Not</b> protected: the points, losses, gradient norms and accuracies on this page, and "
        "what other people's data reveals about you. <b>Not</b> counted: settings that were tried before these on the "
        "same data (see the ledger page)."
    )


def _epsilon(result: NetworkResult) -> str:
    found = result.guarantee.epsilon
    return number(found) if math.isfinite(found) else "…"


def table(result: NetworkResult) -> str:
    """The training at four moments."""
    frame = result.table()
    percent = {name: frame[name].map(outcomes.tenths) for name in ("private", "plain")}
    ends = zip(frame["low"], frame["high"], strict=True)
    band = [f"{low:.1f} to {high:.1f}" if low == low else "…" for low, high in ends]
    shown = frame.assign(
        step=frame["step"].map("{:,}".format),
        epochs=frame["epochs"].map(number),
        epsilon=["…" if value != value else number(value) for value in frame["epsilon"]],
        band=band,
        **percent,
    )
    now = panels.badge("trained now")
    spent = panels.badge("bound") if result.holds else panels.badge("claimed, not proved")
    return panels.table(
        shown,
        title="<b>The training at four moments</b> (right answers on held-out rows, in %)",
        caption="The middle network, and the range of nine in ten.",
        heads={
            "step": "after step",
            "epochs": "epochs",
            "epsilon": f"epsilon spent<br>{spent}",
            "private": f"{arm_name(result, 'private')}<br>{now}",
            "band": "nine in ten",
            "plain": f"without privacy<br>{now}",
        },
    )


def map_alt(result: NetworkResult, arm: str) -> str:
    """What a screen reader says in place of a map."""
    return (
        f"Decision regions, {arm_name(result, arm)}, after {count(result.step, 'step')}: the middle network is right "
        f"{percent(result.summary(arm).median)} of the time."
    )


def curve_alt(result: NetworkResult, what: str, over: str) -> str:
    """The curves in words."""
    ends = {arm: getattr(one, what)[1, -1] for arm, one in result.trajectories.items()}
    said = {arm: percent(end) if what == "accuracy" else _loss(end) for arm, end in ends.items()}
    axis = "epochs" if over == "epochs" else "epsilon spent"
    return f"Middle {what} over {axis}: ends at {said['private']} with privacy and {said['plain']} without."


def _loss(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "no finite number"


def norms_alt(result: NetworkResult) -> str:
    """The histogram in words."""
    share = in_hundred(result.clipped[-1])
    return (
        f"Gradient norms of private rows, half of them up to {number(result.usual_norm)}; {share} in 100 are shortened."
    )


def clipped_alt(result: NetworkResult) -> str:
    """Shares of clipped gradients in words."""
    first, *_, last = result.clipped_over_epochs[1][-1]
    return f"Gradients that the clip norm shortens: {in_hundred(first)} in 100 at first, {in_hundred(last)} at the end."


def lots_alt(result: NetworkResult) -> str:
    """Noise over lot sizes in words."""
    found = zip(result.noise_by_lot.size, result.noise_by_lot.noise_on_the_mean, strict=True)
    pairs = ", ".join(f"{size:.0f}: {number(noise)}" for size, noise in found if math.isfinite(noise))
    return f"Noise on the mean gradient by lot size, for the same epochs and budget: {pairs or 'still being computed'}."

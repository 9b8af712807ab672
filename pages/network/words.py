"""The networks in words: verdict, diagnostics, table, guarantee."""

import math
from html import escape

from dpcore.data.own_rows import OwnRows
from lab import differences
from lab.settings import Spread
from pages.network.experiment import OVER, OWN, NetworkSettings
from pages.network.figures import MECHANISMS, arm_name
from pages.network.result import NetworkResult
from pages.network.work import FRAMES, MOST_EACH
from ui import outcomes, panels
from ui.outcomes import count, percent
from ui.panels import Number, in_hundred, number
from ui.plot.columns import Leading

# Mechanism -> which lots, and what they do to the price.
_LOTS = {
    "sampled": (
        "small random lots of {rows}",
        "Because nobody knows who was in a lot, a step costs less than it would with {rows}.",
    ),
    "ordered": (
        "small lots of {rows}, in a fixed order",
        "Everybody may know who was in a lot, so each pass costs what one step with {rows} would.",
    ),
    "tree": (
        "small lots of {rows}, in a fixed order",
        "Everybody may know who was in a lot. Noise is correlated: later steps take a part of it out again.",
    ),
}
MECHANISMS_HELP = (
    "**Lots by chance**: Poisson sampling puts each row into a batch (lot) with a fixed probability. Nobody knows "
    "in which, so the steps cost less (privacy amplification by subsampling). **Fixed order**: batches go through "
    "the rows one after another, as in a data stream, without amplification. The noise of the steps is "
    "independent or, with **DP-FTRL**, correlated by a binary tree over the batches."
)
PLANS_HELP = (
    "**All epochs are done**: the noise is calibrated so that these epochs spend epsilon. **Epsilon is spent**: "
    "you set the noise multiplier, and training stops when the budget is used up."
)
VARIANTS_HELP = (
    "**Correct**: DP-SGD with Poisson-sampled batches (or, under More settings, batches in a fixed order). Noise "
    "is added once per batch, and the sum is divided by the constant L. **Noise per example**: noise is added for "
    "every row, as one report prints it. **Actual batch size**: the sum is divided by the size of the sampled "
    "batch. **Shuffled batches**: batches are cut from a shuffle of the rows, as in most code."
)
ACCOUNTANTS = {"renyi": "RDP accountant", "moments": "moments accountant", "pld": "PLD accountant (slower)"}
CAPTION = (
    "Maps: each line is one network, trained just now; points are some of the private rows, for the analyst only. "
    "Shaded: nine runs in ten."
)
# What one sees in a chart, and what to look for.
ABOUT = {
    "accuracy": (
        "How often networks are right on rows they have not seen, step by step in training: the middle one, the range "
        "of nine private ones in ten, and the middle one without privacy. The dot is at the moment shown. Look for "
        "where the private curve comes to rest below the other; with another x axis under More settings it runs over "
        "the epsilon spent."
    ),
    "map": (
        "Each line is where one network changes its mind, at the moment shown; the ground has the colour of the class "
        "that most of them choose, the stronger the more agree. Look for boundaries that noise moves apart."
    ),
    "inputs": (
        "How far training has moved the weights by which each column, or a category of it, enters the first layer: a "
        "dot a private network. The start is random and public. Look for columns whose dots lie beyond the dotted "
        "line: noise alone would move every column about as far as that."
    ),
    "loss": (
        "What the training makes small, on private rows: lower is better. Look for a private curve that has come to "
        "rest, or rises, while the other still falls: there noise has the last word."
    ),
    "norms": (
        "How long the gradients of single rows, or people, are at the moment shown. What is right of the bound is "
        "shortened to it. Look for a bound far to the right of all: then the noise, scaled to it, could be less."
    ),
    "clipped": (
        "How many gradients the bound shortens as the training goes on. Near 100 a lower bound acts like a lower "
        "learning rate; near 0 it only costs noise."
    ),
    "noise_left": (
        "How far noise alone would have moved a weight by then, in three trainings for the same epsilon. Look at how "
        "the fixed order pays for the missing chance, and for the jumps of a tree: wherever a large node is complete, "
        "the noise of the small ones below it goes out again."
    ),
    "lots": (
        "The noise in a step's mean gradient if lots had another size, for the same epochs and the same budget; the "
        "diamond is today's. Larger lots take fewer steps, each with less noise on the mean."
    ),
}
KNOBS = {
    "epsilon": {
        "help": "The privacy budget of the whole training, spent step by step. A larger epsilon means less noise and "
        "weaker privacy."
    },
    "shown": {"unit": f"/ {FRAMES}", "pace": 80},
    "learning_rate": {
        "help": "The length of the first step. By the last step it falls to the final learning rate ratio, which is "
        "under More settings."
    },
    "noise_multiplier": {
        "help": "The standard deviation of the noise in each step, divided by the clipping norm. More noise costs less "
        "privacy."
    },
}


def lead(settings: NetworkSettings) -> str:
    """How such a training goes, in plain words."""
    by_person, own = settings.by_person, settings.dataset == OWN
    rows, whose = ("people", "every person's average") if by_person else ("rows", "every row's")
    lots, price = _LOTS["sampled" if settings.by_chance else settings.mechanism]
    return (
        f"A network learns from {lots.format(rows=rows)}. In each step, {whose} pull on the weights is shortened to a "
        "public limit, the pulls are added up together with noise, and a little of the privacy budget is spent. "
        f"{price.format(rows='everybody' if by_person else 'all rows')} **Press play** to watch "
        f"{'what networks go by' if own else 'the regions'} form while the budget is spent, or **drag epsilon**."
    )


def program(settings: NetworkSettings) -> str:
    """One such network by the estimator, as a program that runs in a checkout."""
    recipe = settings.jobs["private"][0].recipe
    return f"""from dpcore.data import toy
from dpcore.estimators.network import DPNetworkClassifier

split = toy.load({settings.dataset!r}, seed={settings.seed}, private_rows={settings.rows})
# As on the page, but: one network, no ensemble; always the sound loop and lots by chance, with noise made for its
# epochs; the rate falls geometrically, and noise and clip norm stay; and rows are scaled to norm 1 at most, where the
# page's are longer, so that hidden units bend less.
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


def numbers(result: NetworkResult) -> list[Number]:
    """How often the middle network is right at the moment shown, beside one without privacy; and what is promised."""
    private, plain = result.summary("private"), result.summary("plain")
    mine, without = outcomes.apart(private.median, plain.median)
    return [
        Number(
            "Private network is right" if result.holds else "Network is right",
            mine,
            f"middle of {count(len(result.accuracy['private']), 'network')}",
            tone="private",
            amount=float(mine.split()[0]),
            unit="points",
        ),
        Number("Without privacy", without, outcomes.price(private.median, plain.median) if result.step else ""),
        panels.runs("Nine runs in ten", result.accuracy["private"], low=private.low, high=private.high),
        _promise(result),
    ]


def _promise(result: NetworkResult) -> Number:
    """What is promised at the moment shown: before the first step nothing is released but bounds."""
    if result.settings.void:
        return outcomes.void_attacker(result.settings)
    if not result.step:
        return panels.attacker(1 / (1 + math.exp(-result.settings.spent)))
    if result.holds:
        spent = result.guarantee
        known = panels.attacker(spent.attacker_accuracy)
        return known if math.isfinite(spent.epsilon) else Number(known.label, "…", "being counted", tone="bound")
    if result.settings.variant == "shuffled":
        proved = number(result.by_epochs.epsilon)
        amount = result.by_epochs.epsilon
    else:
        proved, amount = "none", None
    return Number("Epsilon proved", proved, f"claimed: {_epsilon(result)}", tone="bound", amount=amount)


def verdict(result: NetworkResult) -> str:
    """What is spent at the drawn moment and what it costs; where no theorem holds, that alone."""
    steps = f"{count(result.step, 'step')} of {result.settings.steps:,}"
    if not result.step:
        before = "only what bounds cost" if result.settings.paid else "nothing"
        return (
            f"Before the first of {count(result.settings.steps, 'step')} {before} is spent: these networks are random. "
            f"By chance, the middle one is right {percent(result.summary('private').median)} of the time on new people."
        )
    if not result.holds:
        return (
            f"After {steps} the accountant says epsilon {_epsilon(result)}, but <b>its theorem is not about this "
            f"loop</b>: {_departure(result)}"
        )
    if result.settings.void:
        return f"{_cost(result)} {outcomes.void(result.settings)}"
    if not math.isfinite(result.guarantee.epsilon):
        return f"After {steps} the budget is still being counted. {_cost(result)}"
    return f"After {steps}, <b>epsilon {number(result.guarantee.epsilon)}</b> is spent. {_cost(result)}"


def _departure(result: NetworkResult) -> str:
    """Where a training loop departs from what the theorem is about."""
    settings = result.settings
    match settings.variant:
        case "inside":
            return (
                f"with noise for every row of a lot there is "
                f"{panels.multiple(number(settings.lot_size**0.5))} as much as was counted, and an empty lot has none."
            )
        case "realised":
            return "one person also changes what the sum is divided by, and the noise does not cover that."
        case _:
            return "each row is in exactly one lot of an epoch, so no chance hides who was in it."


def _cost(result: NetworkResult) -> str:
    """The middle private network against the middle one without privacy, at the same step, and how far runs differ."""
    private, plain, (always, base) = result.summary("private"), result.summary("plain"), result.split.best_constant
    said = outcomes.cost(private.median, plain.median, baseline=(escape(always), base), model="network")
    wide = private.high - private.low >= outcomes.WIDE
    parts = [said, outcomes.landing(private.low, private.high) if wide else "", _one_answer(result)]
    if isinstance(result.settings.own, OwnRows):
        parts.append(outcomes.disguised(plain.median, result.split.best_constant[1]))
    return " ".join(filter(None, parts))


def _one_answer(result: NetworkResult) -> str:
    found, labels = result.accuracy["private"], result.split.y_test
    return outcomes.one_answer(found, labels, lambda: result.held_out["private"], result.classes, model="network")


def diagnostics(result: NetworkResult) -> list[str]:
    """Why the picture looks as it does: clipping, noise, budget, lots."""
    sentences = [_clipping(result), _noise(result), _budget(result)]
    delta = panels.large_delta(result.settings.delta, result.settings.rows)
    ordered = "" if result.settings.by_chance else _bought(result)
    more = (ordered, _lots(result), _diverged(result), _plain(result), delta)
    return sentences + [sentence for sentence in more if sentence]


def _clipping(result: NetworkResult) -> str:
    shares = result.clipped
    bounds = result.bounds
    if len(bounds) > 1:
        layers = ", ".join(f"{in_hundred(share)} in layer {place}" for place, share in enumerate(shares[:-1], 1))
        return (
            f"Each of {len(bounds)} layers has the clip norm C/&radic;{len(bounds)} = {number(bounds[0])}, so together "
            f"they move no more than C. Now it shortens, of 100 gradients, {layers}. The noise is the same as with one "
            "bound."
        )
    norm, share = number(bounds[0]), shares[-1]
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
    rows = f"{'people' if settings.by_person else 'rows'}{'' if settings.by_chance else ' in a fixed order'}"
    if settings.plan == "noise":
        run, noise = count(settings.steps, "step"), number(settings.sigma)
        start = (
            f"With noise multiplier {noise}, the budget ends the training after {run}."
            if settings.used_up
            else f"With noise multiplier {noise}, all {count(settings.epochs, 'epoch')} fit into the budget."
        )
    else:
        start = (
            f"For epsilon {number(settings.left)}{' that is left' * bool(settings.paid)}, "
            f"{count(settings.steps, 'step')} with lots of {settings.lot:.0f} out of {settings.rows:,} "
            f"{rows} take noise multiplier <b>{number(settings.sigma)}</b>"
            f"{_ramp(settings)}."
        )
    if not result.counted or settings.steps < 3:
        return start
    half = result.half_spent
    early = ": the first steps cost most" if 2 * half < settings.steps else ""
    whose = "training's epsilon" if settings.paid else "epsilon"
    return f"{start} Half of the {whose} is spent after {count(half, 'step')}{early}."


def _ramp(settings: NetworkSettings) -> str:
    """Where the noise ends up, and why it is not counted by its mean."""
    if settings.ramp == 1:
        return ""
    last = number(settings.sigma * settings.ramp)
    return f" in the first and {last} in the last one, each counted as it is: their mean would promise too much"


def _lots(result: NetworkResult) -> str:
    found = result.noise_by_lot
    (least, *_, most), noise, steps = found.size, found.noise_on_the_mean, found.steps
    if result.settings.plan == "noise" or not result.larger_lots_help:
        return ""
    first = " at first" if result.only_at_first else ""
    return (
        f"For the same epochs and budget, lots of {least:.0f} put noise of {number(noise[0])} on the mean gradient"
        f"{first}, in {count(steps[0], 'step')}; lots of {most:,.0f} only {number(noise[-1])}, in "
        f"{count(steps[-1], 'step')}."
    )


def _diverged(result: NetworkResult) -> str:
    lost = count(result.diverged, "network has", "networks have")
    return (
        f"Without privacy, {lost} diverged: lower the non-private learning rate under More settings."
        if result.diverged
        else ""
    )


def _plain(result: NetworkResult) -> str:
    """What the networks without privacy do not reach, so that it is no price of privacy."""
    private, plain = result.summary("private"), result.summary("plain")
    if result.step and private.median > plain.median + 0.02:
        mine, theirs = outcomes.apart(private.median, plain.median)
        return (
            f"The networks without privacy do worse here ({theirs} against {mine}). Their gradients are not clipped, "
            "and they have a rate of their own: try another one under More settings."
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
    ordered = not result.settings.by_chance
    if result.settings.void:
        text = outcomes.void_guarantee(result.settings)
    elif result.holds:
        text = _spent(result) if math.isfinite(result.guarantee.epsilon) else panels.note("…")
        text += panels.note(outcomes.paid(result.settings)) if result.settings.paid else ""
        text += panels.note(
            "It covers the weights after <b>every</b> step, so watching the training costs nothing more."
            + (" It is what the steps so far have spent." if result.frame < FRAMES else "")
        )
    elif result.settings.variant == "shuffled":
        text = panels.note(f"Claimed by the accountant: epsilon {_epsilon(result)}. Proved without any sampling:")
        text += panels.guarantee(here=result.by_epochs)
    else:
        text = panels.note(f"Claimed by the accountant: epsilon {_epsilon(result)}. No theorem gives it for this loop.")
    if isinstance(result.settings.own, OwnRows):
        public = "lot size and all settings" if ordered else "lot size and all settings; who was in a lot stays secret"
        text += panels.note(_IN_ORDER) if ordered else ""
        return text + outcomes.of_own(result.settings.own.roles, public=public, several=True, most=MOST_EACH)
    secret = _IN_ORDER if ordered else "Who was in a lot stays secret."
    return text + panels.note(
        f"Assumed: number of rows, lot size, bounds and all settings are public; each person has one row. {secret} "
        "<b>Not</b> protected: the points, losses, gradient norms and accuracies on this page, and "
        "what other people's data reveals about you. <b>Not</b> counted: settings that were tried before these on the "
        "same data (see Privacy accounting)."
    )


_IN_ORDER = (
    "Nobody's lot need be secret: the order is public, and who is not there leaves their place in it empty (zero-out), "
    "so that nobody moves up."
)


def _spent(result: NetworkResult) -> str:
    """What the epsilon spent so far means for a person."""
    spent = result.guarantee
    said = f"With <b>epsilon {number(spent.epsilon)}</b> spent, {panels.odds(spent)}."
    return panels.note(said + panels.weak(spent.attacker_accuracy)) + panels.guarantee(here=spent)


def _epsilon(result: NetworkResult) -> str:
    found = result.guarantee.epsilon
    return number(found) if math.isfinite(found) else "…"


def _bought(result: NetworkResult) -> str:
    """What correlated noise buys where lots have a fixed order, beside noise of each step's own and lots by chance."""
    if not result.settings.mechanisms:
        return ""
    sampled, ordered, tree = (float(result.noise_left[name].iloc[-1]) for name in MECHANISMS)
    first, second = (
        "about" if number(share) == "1" else f"<b>{number(share)} times</b>"
        for share in (tree / ordered, tree / sampled)
    )
    said = (
        f"For the same epsilon, DP-FTRL leaves {first} the noise in the weights by the end that noise of each step's "
        f"own would leave, with lots in the same order, and {second} that of lots by chance."
    )
    found = result.at_the_end
    if len(found) < len(MECHANISMS):
        return said
    apart = differences.of_pairs(found["tree"], found["ordered"])
    ends = f" in the mean of {len(found['tree'])} pairs"
    if not apart.sure:
        ends += f" (95 % interval {outcomes.signed(apart.low)} to {outcomes.signed(apart.high)})"
    if not apart.shown or outcomes.points(apart.mean).startswith("0.0"):
        return f"{said} In accuracy at the end, these runs show no sure difference between those two."
    if apart.mean > 0:
        return f"{said} At the end, correlation has bought <b>{outcomes.points(apart.mean)}</b> of accuracy{ends}."
    return f"{said} At the end, correlation has cost <b>{outcomes.points(apart.mean)}</b> of accuracy{ends}."


def mechanisms(result: NetworkResult) -> str:
    """The three ways to make lots and noise at the same epsilon."""
    settings = result.settings
    if not settings.mechanisms:
        return panels.note(
            "Ways to make lots and noise are compared for the sound loop, with noise made for the epochs."
        )
    rows = []
    for name, one in settings.mechanisms.items():
        right = result.at_the_end.get(name)
        rows.append(
            {
                "mechanism": MECHANISMS[name][0],
                "sigma": number(one.sigma),
                "left": number(float(result.noise_left[name].iloc[-1])),
                "right": "…" if right is None else percent(Spread.of(right).median),
            }
        )
    also = " Accuracies of the others are computed once one of the fixed orders is chosen under More settings."
    return panels.note(_bought(result)) + panels.table(
        rows,
        title=f"<b>Three ways to make lots and noise</b>, made for epsilon {number(settings.left)}, at the end",
        caption="The middle network of each." + (also if settings.by_chance else ""),
        now=MECHANISMS[settings.mechanism][0],
        heads={
            "mechanism": "lots and noise",
            "sigma": "noise multiplier",
            "left": "noise left in a weight (sd)",
            "right": f"right<br>{panels.badge('trained now')}",
        },
    )


def noise_left_alt(result: NetworkResult) -> str:
    """Noise in the weights in words."""
    found = result.noise_left
    said = [f"{MECHANISMS[name][0]}: {number(float(found[name].iloc[-1]))}" for name in result.settings.mechanisms]
    return f"What noise alone gives a weight by the end, as a standard deviation: {', '.join(said)}."


def by_class(result: NetworkResult) -> str:
    """Who is taken for whom at the moment shown."""
    found, models = result.held_out, "private networks" if result.holds else "networks"
    return outcomes.by_class(found["private"], {"without privacy": found["plain"]}, result.classes, models=models)


def table(result: NetworkResult) -> str:
    """The training at four moments."""
    frame = result.table()
    percent = {name: frame[name].map(outcomes.tenths) for name in ("private", "plain")}
    ends = zip(frame["low"], frame["high"], strict=True)
    band = [" to ".join(dict.fromkeys(map(outcomes.tenths, both))) for both in ends]
    shown = frame.assign(
        step=frame["step"].map("{:,}".format),
        epochs=frame["epochs"].map(number),
        epsilon=["…" if value != value else number(value) for value in frame["epsilon"]],
        band=band,
        **percent,
    )
    now = panels.badge("trained now")
    spent = panels.badge("bound") if result.promised else panels.badge("claimed, not proved")
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


def own_caption(result: NetworkResult) -> str:
    """What the dots are, and how much of the file is used."""
    tested = len(result.split.y_test)
    used = outcomes.learned_from(
        result.settings, tested=tested, along=", and lots that grow along", several=True, most=MOST_EACH
    )
    return f"Each dot is one private network; grey, the middle one without privacy. {used}"


def inputs_alt(result: NetworkResult, found: Leading) -> str:
    """How far each column has moved, in words."""
    return (
        f"How far training has moved the weights of each column, {outcomes.each_column(found)}. Noise alone would move "
        f"each by about {number(result.moved_by_noise)}."
    )


def map_alt(result: NetworkResult, arm: str) -> str:
    """What a screen reader says in place of a map."""
    return (
        f"Decision regions, {arm_name(result, arm)}, after {count(result.step, 'step')}: the middle network is right "
        f"{percent(result.summary(arm).median)} of the time."
    )


def curve_alt(result: NetworkResult, what: str) -> str:
    """The curves in words: five moments of each, from the first to the last."""
    over, say = result.settings.over, in_hundred if what == "accuracy" else _loss
    said = []
    for arm, one in result.trajectories.items():
        places = sorted({round(part * (len(one.frames) - 1) / 4) for part in range(5)})
        pairs = zip(getattr(one, over)[places], getattr(one, what)[1, places], strict=True)
        said.append(f"{arm_name(result, arm)}, " + ", ".join(f"at {number(at)}: {say(value)}" for at, value in pairs))
    always, base = result.split.best_constant
    if what == "accuracy":
        said.append(f"always answering “{escape(always)}”: {in_hundred(base)}")
    unit = "in percent" if what == "accuracy" else "in nats"
    return f"Middle {what}, {unit}, over {OVER[over]}. {'; '.join(said)}."


def _loss(value: float) -> str:
    return number(value) if math.isfinite(value) else "no finite number"


def norms_alt(result: NetworkResult) -> str:
    """The histogram in words."""
    share = in_hundred(result.clipped[-1])
    whose, usual = "people" if result.settings.by_person else "rows", number(result.usual_norm)
    return f"Gradient norms of private {whose}, half of them up to {usual}; {share} in 100 are shortened."


def clipped_alt(result: NetworkResult) -> str:
    """Shares of clipped gradients in words."""
    first, *_, last = result.clipped_over_epochs[1][-1]
    return f"Gradients that the clip norm shortens: {in_hundred(first)} in 100 at first, {in_hundred(last)} at the end."


def lots_alt(result: NetworkResult) -> str:
    """Noise over lot sizes in words."""
    found = zip(result.noise_by_lot.size, result.noise_by_lot.noise_on_the_mean, strict=True)
    pairs = ", ".join(f"{size:.0f}: {number(noise)}" for size, noise in found if math.isfinite(noise))
    return f"Noise on the mean gradient by lot size, for the same epochs and budget: {pairs or 'still being computed'}."

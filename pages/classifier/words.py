"""The classifier in words: verdict, diagnostics, table, guarantee, method."""

from html import escape

from dpcore.data.own_rows import OwnRows
from dpcore.data.toy import DATASETS
from dpcore.training.recipes import EPSILONS, PUBLISHED, crossing, formula_epsilon, published_slips
from lab.settings import Spread
from pages.classifier.experiment import OWN, ClassifierResult, ClassifierSettings
from ui import outcomes, panels
from ui.outcomes import percent
from ui.panels import Number, in_hundred, number
from ui.plot import theme
from ui.plot.columns import Leading

VERSIONS_HELP = (
    "**Correct**: each person's gradient is clipped, and the Gaussian noise is calibrated to epsilon and delta. "
    "**As published**: the slides of Hoseinpour et al. (2023) clip the average gradient and use the textbook formula "
    "for the noise. **Non-private**: no clipping and no noise."
)

ACCURACY_ABOUT = (
    "How often models are right on people they have not seen, for each epsilon. A line is the middle run, the shaded "
    "area holds nine runs in ten, and the short strokes at the dotted line are the runs at today's epsilon. Look for "
    "where the line meets the one without privacy, and for how wide the area is before that."
)
MAP_ABOUT = (
    "Each line is where one model changes its mind; the ground has the colour of the class that most models choose, "
    "the stronger the more of them agree. Look for how far the lines fly apart, and where they leave the dotted line "
    "of the model without privacy."
)
WEIGHTS_ABOUT = (
    "What models go by: each dot is the weight that one private model gives a column, or a category of it. Look for "
    "dots that lie far from zero together, and for those that noise has scattered to both sides of it."
)
LOSS_ABOUT = (
    "What the training makes small, step by step, on the private rows: lower is better. Look for a line that has not "
    "come to rest: more steps would help it, with or without privacy."
)


def introduction(version: str) -> str:
    """What is to be seen, and what of it would be released."""
    line = "private model, trained just now with fresh noise" if version != "none" else "model, trained without noise"
    return (
        f"Each line is one {line}. **Drag epsilon.** Only the weights would be released, not the points, "
        "losses or accuracies."
    )


def numbers(result: ClassifierResult) -> list[Number]:
    """How often the middle run is right, beside a model without privacy; where runs land; and what is promised."""
    found, settings = result.summary()["scratch"], result.settings
    mine, plain = outcomes.apart(found.median, result.reference.accuracy)
    private = settings.version != "none"
    model = {"sound": "Private model is right", "published": "As published, right", "none": "Model is right"}
    said = [
        Number(
            model[settings.version],
            mine,
            f"middle of {outcomes.count(result.trained, 'run')}",
            tone="private",
            amount=float(mine.split()[0]),
            unit="points",
        ),
        Number("Without privacy", plain, outcomes.price(found.median, result.reference.accuracy) if private else ""),
        panels.runs("Nine runs in ten", result.focus.accuracy[0], low=found.low, high=found.high),
    ]
    held = result.guarantees
    match settings.version:
        case "sound" if settings.void:
            said.append(outcomes.void_attacker(settings))
        case "sound":
            said.append(panels.attacker(result.gaussian_attacker))
        case "published":
            real = held.bounded.epsilon
            said.append(
                Number(
                    "Epsilon really spent", number(real), f"claimed: {number(held.claimed)}", tone="bound", amount=real
                )
            )
        case _:
            said.append(panels.attacker(1.0))
    return said


def verdict(result: ClassifierResult) -> str:
    """What these settings cost, and where a published claim does not hold, that first."""
    promise = {"published": _published, "none": _nothing}.get(result.settings.version)
    if promise:
        return promise(result)
    beside = _one_answer(result), _disguised(result), outcomes.void(result.settings)
    return " ".join(filter(None, [*_cost(result), *beside]))


def _one_answer(result: ClassifierResult) -> str:
    found, labels = result.focus.accuracy[0], result.split.y_test
    return outcomes.one_answer(found, labels, lambda: result.held_out["scratch"], result.classes, model="model")


def _disguised(result: ClassifierResult) -> str:
    if not isinstance(result.settings.own, OwnRows):
        return ""
    return outcomes.disguised(result.reference.best_accuracy, result.split.best_constant[1])


def _nothing(result: ClassifierResult) -> str:
    return "<b>No privacy</b>: the weights follow the data exactly, and nothing is promised to anybody."


def _promise(result: ClassifierResult) -> str:
    """What the sound version promises to a person."""
    attacker = result.gaussian_attacker
    odds = panels.odds(result.guarantees.formula, exact=attacker)
    return f"With <b>epsilon {number(result.settings.epsilon)}</b>, {odds}.{panels.weak(attacker)}"


def _published(result: ClassifierResult) -> str:
    """What the slides claim, and what their noise supports with and without bounds on the rows."""
    held = result.guarantees
    claimed, bounded, unbounded = (number(e) for e in (held.claimed, held.bounded.epsilon, held.unbounded.epsilon))
    if held.bounded.epsilon > held.claimed:
        return (
            f"The slides' recipe claims epsilon {claimed}, but <b>does not give it</b>: it clips only the average, "
            f"which one person can still move. Its noise supports epsilon <b>{bounded}</b> with all rows inside their "
            f"public bounds, as here, and {unbounded} without."
        )
    return (
        f"The slides' recipe claims epsilon {claimed}. Clipping the average supports only epsilon {unbounded}; the "
        f"claim holds here just because all rows lie inside their public bounds, with epsilon <b>{bounded}</b>."
    )


def _cost(result: ClassifierResult) -> list[str]:
    """The accuracy of the middle run against that without privacy, how far runs differ, and the public start."""
    found, settings = result.summary()["scratch"], result.settings
    always, base = result.split.best_constant
    said = [outcomes.cost(found.median, result.reference.accuracy, baseline=(escape(always), base))]
    if found.high - found.low >= outcomes.WIDE:
        said.append(outcomes.landing(found.low, found.high))
    if result.gain:
        said.append(outcomes.start(settings.public_rows, result.gain))
    return said


def diagnostics(result: ClassifierResult) -> list[str]:
    """Why the picture looks as it does: clipping, noise against signal, convergence."""
    settings, focus = result.settings, result.focus
    sentences = []
    if settings.version != "none":
        ratio = focus.noise / max(float(focus.signal[0]), 1e-12)
        accuracy, base = result.summary()["scratch"].median, result.split.best_constant[1]
        said = outcomes.noise(ratio, steps=settings.steps, accuracy=accuracy, base=base)
        sizes = f"noise {number(focus.noise)}, signal {number(float(focus.signal[0]))}"
        sentences += [_clipping(result), f"{said}. (Lengths at the first step: {sizes}.)"]
        sentences.append(panels.large_delta(settings.delta, settings.rows, "people" if settings.by_person else "rows"))
    sure = outcomes.confidence(result.gain, pairs=settings.repeats) if result.gain else ""
    return list(filter(None, [*sentences, sure, _unfinished(result)]))


def _unfinished(result: ClassifierResult) -> str:
    """What is lost to the descent itself, which stops before it is done, or swings."""
    settings, reference = result.settings, result.reference
    if reference.best_accuracy - reference.accuracy <= 0.015:
        return ""
    mine, best = outcomes.apart(reference.accuracy, reference.best_accuracy)
    falls = bool((reference.loss[1:] < reference.loss[:-1]).all())
    advice = (
        "Its loss is still falling: more steps or a higher rate come first."
        if falls
        else "Its loss swings: a lower rate comes first."
    )
    lost = settings.version != "none" and result.summary()["scratch"].median < reference.accuracy
    part = " So part of what is lost here is not the price of privacy." if lost else ""
    return (
        f"Even without noise, the model is right {mine} of the time after {outcomes.count(settings.steps, 'step')} "
        f"at learning rate {number(settings.learning_rate)}; fitted to the end, {best}.{part} {advice}"
    )


def _clipping(result: ClassifierResult) -> str:
    norm, share = number(result.settings.clip_norm), float(result.focus.clipped[0])
    kind = "averaged gradient" if result.split.several else "gradient"
    if result.settings.version == "published":
        longer = f" Of single people's gradients, {in_hundred(share)} in 100 are longer, and stay so."
        return (
            f"Clip norm {norm} is put on the <i>average</i> gradient, which is then "
            f"{number(float(result.focus.signal[0]))} long at the start.{longer if share >= 0.005 else ''}"
        )
    if share == 0:
        return f"Clip norm {norm} shortens no {kind}, yet the noise is scaled to it: halve it, and the noise halves."
    if share < 0.01:
        return (
            f"Clip norm {norm} shortens fewer than 1 in 100 {kind}s, yet the noise is scaled to it: halve it, and "
            "the noise halves."
        )
    if share > 0.9:
        return (
            f"Clip norm {norm} shortens nearly all {kind}s (<b>{in_hundred(share)} in 100</b>). Noise and signal now "
            "shrink together: a lower bound acts like a lower learning rate."
        )
    return f"Clip norm {norm} shortens <b>{in_hundred(share)} in 100</b> {kind}s."


def by_class(result: ClassifierResult) -> str:
    """Who is taken for whom, from zero, beside who is without privacy."""
    found = result.held_out
    models = "private models" if result.settings.version == "sound" else "models"
    return outcomes.by_class(found["scratch"], {"without privacy": found["reference"]}, result.classes, models=models)


def table(result: ClassifierResult) -> str:
    """The nine epsilons of the slides, trained now beside the published figures."""
    columns, slips = result.columns(), published_slips()
    words = {"epsilon": number, "without": outcomes.tenths, "with": outcomes.tenths, "gain": _signed}
    shown = [
        {name: words.get(name, "{:.2f}".format)(value) for name, value in zip(columns, row, strict=True)}
        for row in zip(*columns.values(), strict=True)
    ]
    for row, epsilon in zip(shown, PUBLISHED, strict=True):
        row["published gain"] += "&nbsp;*" if epsilon in slips else ""
    now, printed = panels.badge("trained now"), panels.badge("published")
    return panels.table(
        shown,
        title="<b>Public pre-training: trained now, and as published by Hoseinpour et al. (2023)</b> (accuracy in %)",
        caption=(
            "Trained now: the middle run on held-out rows. Published: one run on the training rows of the authors' "
            f"own data. * At epsilon {_listed(slips)} the printed gain is not the difference of the printed "
            "accuracies. " + insight(result)
        ),
        heads={
            "epsilon": "epsilon",
            "without": f"from zero<br>{now}",
            "with": f"public start<br>{now}",
            "gain": f"gain<br>{now}",
            "published without": f"without<br>{printed}",
            "published with": f"with<br>{printed}",
            "published gain": f"gain<br>{printed}",
            "published gain computed": "difference",
        },
        now=number(result.settings.epsilon),
    )


def _listed(values) -> str:
    *first, last = map(number, values)
    return f"{', '.join(first)} and {last}" if first else last


def insight(result: ClassifierResult) -> str:
    """Where the public start helped most, once all is trained, and whether it lasts as it did in the slides."""
    gains, printed = result.gains, _signed(list(PUBLISHED.values())[-1][2])
    if gains is None or result.settings.version == "none":
        return ""
    if gains.most < 0.5:
        return "Here the public start adds half a point or more at no epsilon."
    best = f"Here the public start adds most at epsilon {number(gains.at)}: {_signed(gains.most)} points. "
    end = f"At epsilon {number(EPSILONS[-1])} it adds {_signed(gains.last)}"
    if gains.last >= gains.most / 2:
        return best + f"{end}: the gain stays to the end, as in the published table ({printed})."
    return best + f"{end}, while in the published table the gain stays to the end ({printed})."


def guarantee(result: ClassifierResult) -> str:
    """What is promised, under which assumptions, and what is not."""
    held, settings = result.guarantees, result.settings
    match settings.version:
        case "sound" if settings.void:
            text = outcomes.void_guarantee(settings)
        case "sound":
            text = (
                panels.note(_promise(result))
                + panels.guarantee(here=held.formula)
                + panels.note(
                    (outcomes.paid(settings) or f"This run spends exactly epsilon {number(settings.epsilon)}. ")
                    + outcomes.limit(result.gaussian_attacker, held.formula.attacker_accuracy, noise="Gaussian")
                )
            )
        case "published":
            text = panels.note(f"Claimed: epsilon {number(held.claimed)}. What the same noise really gives:")
            text += panels.guarantee(
                rows_unbounded=held.unbounded, rows_in_their_bounds=held.bounded, each_gradient_clipped=held.formula
            )
            text += panels.note(_formula_note(settings.delta))
        case _:
            text = panels.note("Nothing is guaranteed: a release without noise has no epsilon.")
    if isinstance(settings.own, OwnRows):
        return text + _apart(result) + outcomes.of_own(settings.own.roles, public="steps and rates", several=True)
    return text + panels.note(
        "Assumed: feature bounds, number of rows, steps and rates are public; each person has one row. <b>Not</b> "
        "protected: the points, losses and accuracies on this page, the public rows, and what other people's data "
        "reveals about you."
    )


def _apart(result: ClassifierResult) -> str:
    """The same promise with rows clipped one by one, for as many of a person as are declared."""
    settings = result.settings
    if settings.void or result.apart is None:
        return ""
    rows, found = settings.own.roles.most_rows, Spread.of(result.apart)
    theirs, mine = outcomes.apart(found.median, result.summary()["scratch"].median)
    right = f"right {theirs} of the time, as it is here" if theirs == mine else f"right {theirs} instead of {mine}"
    how = (
        "With one row of each person only, picked by chance,"
        if rows == 1
        else f"Clipping rows one by one, at most {rows} of each person, takes <b>{rows} times</b> the noise of one "
        "row, and with it"
    )
    return panels.note(f"{how} the middle run at this epsilon is {right}.")


def _formula_note(delta: float) -> str:
    claims = (5, 10, 150)
    return (
        "The noise formula alone, had each gradient been clipped: claimed &rarr; real epsilon "
        f"{_pairs(claims, delta, constant=1.25)} at delta {theme.delta(delta)}. Below a claim of "
        f"{number(crossing(delta))} it wastes accuracy; above, it promises more than it gives. It is the textbook "
        f"formula for a single release. Another of the slides has ln(2/delta) instead of ln(1.25/delta): "
        f"{_pairs(claims, delta, constant=2.0)}, kept up to "
        f"{number(crossing(delta, constant=2.0))}. The sound version's noise gives each claim exactly."
    )


def _pairs(claims: tuple[float, ...], delta: float, *, constant: float) -> str:
    real = (formula_epsilon(claim, delta=delta, constant=constant) for claim in claims)
    return ", ".join(f"{claim} &rarr; {number(one)}" for claim, one in zip(claims, real, strict=True))


def caption(result: ClassifierResult) -> str:
    """What the lines and points of the maps are."""
    kind = "model" if result.settings.version == "none" else "private model"
    return (
        f"Maps: each line is one {kind}, trained just now with noise of its own; dotted, the model without privacy. "
        "Points are some of the private rows, for the analyst only."
    )


def own_caption(result: ClassifierResult) -> str:
    """What the dots are, and how much of the file is used."""
    used = outcomes.learned_from(result.settings, tested=len(result.split.y_test), several=True)
    return f"Each dot is one private model's weight; grey, without privacy. {used}"


def weights_alt(result: ClassifierResult, found: Leading) -> str:
    """The weights in words."""
    return f"Weights of {result.trained} models by column, {outcomes.each_column(found)}."


def map_alt(result: ClassifierResult, arm: int | None) -> str:
    """What a screen reader says in place of a map."""
    if arm is None:
        return f"Decision regions without privacy: right {percent(result.reference.accuracy)} of the time."
    name = result.settings.arms[arm]
    part, title = result.summary()[name], theme.NAMES[result.settings.version][name]
    return (
        f"Decision regions, {title}: boundaries of {result.trained} models at epsilon "
        f"{number(result.settings.epsilon)}; the middle one is right {percent(part.median)} of the time."
    )


def accuracy_alt(result: ClassifierResult) -> str:
    """The accuracy curves in words."""
    said = []
    for arm, name in enumerate(result.settings.arms):
        epsilons, (_, medians, _) = result.quantiles(arm)
        found = ", ".join(f"{number(e)}: {in_hundred(median)}" for e, median in zip(epsilons, medians, strict=True))
        said.append(f"{theme.NAMES[result.settings.version][name]}: {found or 'being trained'}")
    said.append(f"without privacy: {in_hundred(result.reference.accuracy)}")
    if result.settings.dataset == OWN:
        always, base = result.split.best_constant
        said.append(f"always answering “{escape(always)}”: {in_hundred(base)}")
    return f"Middle accuracy on held-out rows, in percent, over epsilon. {'; '.join(said)}."


def loss_alt(result: ClassifierResult) -> str:
    """The loss curves in words."""
    names = theme.NAMES[result.settings.version]
    said = ", ".join(f"{names[name]} {number(end)}" for name, end in result.end_losses().items())
    return (
        f"Loss on the private rows after {outcomes.count(result.settings.steps, 'step')}: {said}, without privacy "
        f"{number(float(result.reference.loss[-1]))}."
    )


def _signed(value: float) -> str:
    return "…" if value != value else outcomes.signed(value / 100)


def program(settings: ClassifierSettings) -> str:
    """The sound version of these settings by the estimator, as a program that runs in a checkout."""
    source, public = DATASETS[settings.dataset], settings.model.public
    imported = f"from pages.classifier.work import {type(public).__name__}\n" if public else ""
    start = f"start = {public!r}.weights()  # from public rows alone\n" if public else ""
    given = ", coef_init=start[:, :-1], intercept_init=start[:, -1]" if public else ""
    return f"""from dpcore.data import toy
from dpcore.estimators.logistic import DPLogisticRegression
{imported}
split = toy.load({settings.dataset!r}, seed={settings.seed}, private_rows={settings.rows})
# As in the page's sound version, each gradient is clipped and the noise calibrated exactly. Not as on the page: rows
# are scaled to norm 1 at most, so clip_norm and learning_rate count in other units; and it is one model, no ensemble.
model = DPLogisticRegression(
    epsilon={settings.epsilon!r},
    delta={settings.delta!r},
    clip_norm={settings.clip_norm!r},
    data_norm={len(source.features)}**0.5,  # features lie in [-1, 1]
    classes=range({len(source.classes)}),
    steps={settings.steps},
    learning_rate={settings.learning_rate!r},
    average=False,
    adjacency={settings.adjacency!r},
    random_state={settings.seed},  # None for a release: who knows the seed knows the noise
)
{start}model.fit(split.X_private, split.y_private{given})
print("accuracy on held-out rows:", model.score(split.X_test, split.y_test))
print(model.guarantee_)
"""

"""The parties page in words: numbers, verdict, diagnostics, table, guarantee."""

from html import escape

from dpcore.parties import aggregation
from dpcore.training.erm import TOLERANCE
from lab import claims
from lab.claims import Case
from pages.parties import figures
from pages.parties.experiment import RECORDED, PartiesSettings
from pages.parties.own import OWN
from pages.parties.result import QUERIES, PartiesResult
from pages.parties.trust import spoken_trust
from pages.parties.words_statements import needed
from ui import outcomes, panels
from ui.outcomes import LEARNT, apart, count, landing, limit, percent, points
from ui.panels import Number, number
from ui.plot import theme
from ui.plot.theme import written

METHODS = {"soft": "Soft labels", "vote": "Vote", "average": "Average", "pate": "PATE"}
METHODS_HELP = (
    "What the aggregator releases. **Soft labels**: a model trained on public rows that are labelled with each "
    "class's share of the votes. **Vote**: the same with the majority class alone. **Average**: the average of "
    "the parties' weights. It needs no public rows, and all parties must train the same linear model. **PATE**: a "
    "student model trained on noisy majority votes for some public rows."
)
LEARNERS = {
    "logistic": "logistic regression",
    "bayes": "naive Bayes",
    "tree": "a small tree",
    "neighbours": "nearest neighbours",
    "mixed": "mixed kinds",
}
LABELS = {"votes": "vote shares", "probabilities": "class probabilities"}
CONSTANTS = {"published": "as published", "sharp": "tight for logistic loss", "norms": "with bounded weights"}
CONSTANTS_HELP = (
    "How far one party may move the weights, which sets the noise. **As published**: 2/lambda, or 2/(M lambda). "
    "**Tight for logistic loss**: half of that for two classes, times the mean norm of the public rows. **With "
    "bounded weights**: also uses an upper bound on the norm of the minimiser, which helps averages most."
)
DATA_HELP = (
    "Made-up classes, or scikit-learn's **digits**: of 1,797 images, 500 are public, 597 are for tests, and the other "
    "700 are dealt to the parties again and again. They are projected to 8 directions, found from the public images "
    "alone. **Activities**, **intrusions** and **addresses** are made up too, with the sizes of the published data: "
    "each subject, host or reader has a style of its own, and others are held out for tests. Or **your own table**, "
    "where a column says whose each row is."
)
KNOBS = {
    "epsilon": {
        "help": "The privacy budget for a whole party. Replacing all of its rows changes the probability of any "
        "outcome by a factor of at most e to the epsilon. A larger epsilon means less noise and weaker privacy."
    },
    "rows": {
        "label": "Rows per party",
        "help": "The number of rows that each party trains its classifier on. More rows make better classifiers.",
        "stops": 12,
    },
    "public_rows": {
        "label": "Public rows",
        "scale": "log",
        "stops": 12,
        "help": "Unlabelled rows that need no protection. With more of them the model follows the parties more "
        "closely, and the noise on the weights stays the same.",
        "symbol": "N",
    },
    "delta": {"label": "Delta (PATE)"},
    "repeats": {"help": "The number of draws of noise at each setting. Another seed draws other parties."},
    "seed": {"help": "Decides all rows and the noise. The same seed gives the same numbers."},
}
OWN_KNOBS = KNOBS | {
    "parties": {"help": "The number of the file's parties that take part, picked at random."},
    "rows": {
        "label": "Rows per party",
        "help": "The number of rows that a party learns from, picked at random. A party with fewer rows uses some more "
        "than once, so its number of rows stays private.",
        "stops": 12,
    },
    "public_rows": KNOBS["public_rows"]
    | {
        "help": "Made-up rows that all parties label, uniform within the public bounds. With more of them the model "
        "follows the parties more closely, and the noise on the weights stays the same.",
    },
    "seed": {
        "help": "Decides which parties are held out, the order of the others, made-up rows and the noise. The "
        "same seed gives the same numbers."
    },
}

CAPTION = (
    "Shaded: nine runs in ten; strokes: single runs. Map: each line is one release with noise of its own, points are "
    "private rows (analyst only)."
)
LEAD = (
    "Every party trains alone on a few rows. What can be released from all of them, so that even a **whole party** "
    "stays hidden? **Drag epsilon, then the number of parties**: the noise of soft labels shrinks with every party, "
    "that of a majority vote does not."
)
OVER_ABOUT = (
    "How often the middle run of each release is right on rows that it has not seen. The thick line is the release "
    "that you have chosen. Look for where it crosses the line of a party alone."
)
MAP_ABOUT = (
    "The ground has the colour of the class that most runs choose, the stronger the more of them agree; a line is "
    "where one run changes its mind. Look for lines that noise has turned away from the border between the classes."
)
WEIGHTS_ABOUT = (
    "What the released models go by: a line for each input. Look for dots that lie on both sides of 0: their sign is "
    "noise. The grey stroke is one model of all rows, without privacy, for you only."
)
ABOUT = {
    "weights": WEIGHTS_ABOUT,
    "epsilon": OVER_ABOUT,
    "parties": OVER_ABOUT,
    "one_party": (
        "How far the released weights move when one party turns around. Dots: some of these parties; diamonds: the "
        "worst case, all rows tied; strokes: the bounds that noise is made for, dotted as published. Look for the "
        "distance between votes and soft labels."
    ),
    "noise": (
        "Solid: how long the noise is on average, for each release. Dotted: how long the weights are that it is added "
        "to. Look for where a solid line falls below the dotted one of its colour."
    ),
    "bound": (
        "How much larger the loss of soft labels is than the least that is possible, measured, and the published bound "
        "on it; dotted, the bound's two main parts. The bound shows how fast the loss falls, not how large it is."
    ),
    "answers": (
        "The parties could answer questions one by one, each with a part of epsilon. The falling line shows how often "
        "such answers are right, the level one how often the released model is. Look for where they cross."
    ),
}
_TILES = {
    "soft": "Soft labels are right",
    "vote": "The vote is right",
    "average": "The average is right",
    "pate": "PATE's student is right",
}


def numbers(result: PartiesResult) -> list[Number]:
    """How often the chosen release is right, beside one model of all rows; where runs land; and what is promised."""
    method = result.settings.method
    spread, runs = result.summary[method], result.chosen
    mine, plain = apart(spread.median, result.batch_accuracy)
    note = f"middle of {count(len(runs), 'draw')} of noise"
    return [
        Number(_TILES[method], mine, note, tone="private", amount=float(mine.split()[0]), unit="points"),
        Number("All rows, no privacy", plain, _price(result)),
        panels.runs("Nine runs in ten", runs, low=spread.low, high=spread.high),
        outcomes.void_attacker(result.settings) if result.settings.void else panels.attacker(result.guarantee(method)),
    ]


def _price(result: PartiesResult) -> str:
    if not result.complete:
        return f"so far {result.asked:,} of {result.settings.parties:,} parties"
    runs = result.chosen
    return outcomes.price(runs, result.batch_accuracy, base=result.constant[1], runs=len(runs))


def verdict(result: PartiesResult) -> str:
    """Whether joining pays for a party, and whether another release would do better."""
    settings = result.settings
    said = [_joining(result) if result.complete else _so_far(result)]
    if settings.dataset == OWN:
        said += [outcomes.void(settings) or _too_few(result)]
    elif settings.dataset in RECORDED:
        said += [_too_few(result)]
    elif result.complete:
        said += [_rival(result)]
    return " ".join(filter(None, said))


def _joining(result: PartiesResult) -> str:
    """The chosen release beside a party alone, and beside one constant answer."""
    settings, right, local = result.settings, result.summary[result.settings.method].median, result.local.median
    always, base = result.constant
    if right <= base:
        return (
            f"The released model has <b>learnt nothing yet</b>: always answering “{escape(always)}” is right "
            f"{percent(base)} of the time, a party alone {percent(local)}."
        )
    name, who = figures.STYLES[settings.method][0], count(settings.parties, "party", "parties")
    if result.joining not in (Case.AHEAD, Case.BEHIND):
        mine, alone = apart(right, local)
        draws = count(len(result.chosen), "draw")
        return (
            f"<b>No difference can be shown</b> between {name} from {who} and a party alone, in {draws} of noise: "
            f"median accuracy {mine} and {alone}."
        )
    pays = "<b>Joining pays</b>" if result.joining == Case.AHEAD else "<b>Joining does not pay</b> here"
    are = "are" if settings.method in ("soft", "average") else "is"
    return (
        f"{pays}: {name} from {who}, each hidden as a whole, {are} right {_beside(right, local)} a party alone "
        f"({percent(local)})."
    )


def _too_few(result: PartiesResult) -> str:
    """Whether the noise is longer than what it hides, and how many parties of this kind, or which epsilon, would do."""
    settings, method = result.settings, result.settings.method
    if method == "pate":
        return f"PATE's noise is <b>{number(result.sigma)} votes</b>; there are {settings.parties:,} in all."
    if not (signal := result.signal_norm(method)):
        return ""
    times = result.noise_norm(method) / signal
    if times <= 1:
        return ""
    enough = f"epsilon {number(settings.spent + settings.left * times)}"
    if method != "vote":
        enough = f"about {number(settings.parties * times)} such parties, or {enough},"
    return (
        f"<b>{settings.parties:,} parties are few</b>: the noise is {panels.multiple(number(times))} as long as the "
        f"weights; {enough} would make it no longer."
    )


def _beside(mine: float, other: float) -> str:
    """By how much more or less often one is right than the other, in points as both are shown."""
    one, two = (float(text.split()[0]) for text in apart(mine, other))
    size = f"{abs(one - two):g} point{'s' * (abs(one - two) != 1)}"
    return f"{size} {'more' if mine > other else 'less'} often than"


def _rival(result: PartiesResult) -> str:
    """The best release, where it is shown to be; else those that cannot be told apart from it."""
    own, (best, *others) = result.settings.method, result.leaders
    if result.summary[best].median <= result.constant[1]:
        return "No other release does better than that answer."
    if own in result.leaders:
        return "No other release can be shown to do better." if others else "No other release does better."
    name, theirs = figures.STYLES[best][0], apart(result.summary[best].median, result.summary[own].median)[0]
    extra = f", at the price of delta {theme.delta(result.settings.delta)}" if best == "pate" else ""
    if not others:
        return f"Best here: {name}, {theirs}{extra}."
    alike = " and ".join(figures.STYLES[one][0] for one in others)
    return f"Ahead of it: {name}, {theirs}{extra}, which cannot be told apart from {alike}."


def _so_far(result: PartiesResult) -> str:
    """Of a crowd of which some are still to be asked, what is known, without a claim."""
    mine, alone = apart(result.summary[result.settings.method].median, result.local.median)
    asked = f"<b>So far {result.asked:,} of {result.settings.parties:,} parties</b> have been asked"
    return f"{asked}: median accuracy {mine}, a party alone {alone}."


def diagnostics(result: PartiesResult) -> list[str]:
    """Why the picture looks as it does: sensitivity against weights, votes, parties, questions."""
    sentences = [_noise(result), _one_party(result), _crowd(result), _answers(result)]
    more = (_recorded(result), _images(result), _averages(result), _theorem(result), _delta(result), _kept(result))
    return [sentence for sentence in (*sentences, *more) if sentence]


def _noise(result: PartiesResult) -> str:
    method, settings = result.settings.method, result.settings
    if method == "pate":
        return (
            f"Each of {settings.model.queries:,} questions gets noise of <b>{number(result.sigma)} votes</b> on each "
            f"class's count, of {settings.parties:,} votes in all; a party moves two counts by one. Fewer questions "
            "need less noise, but leave the student fewer rows."
        )
    noise, signal = result.noise_norm(method), result.signal_norm(method)
    start = (
        f"One party can move the weights by at most {number(result.sensitivity(method))}, so the noise in "
        f"{result.dimensions} dimensions is {number(noise)} long on average. "
    )
    if signal == 0:
        return f"{start}Without noise all weights would be 0: the parties tie on every public row."
    said = (
        f"{start}The weights are {number(signal)} long: the noise is "
        f"<b>{panels.multiple(number(noise / signal))}</b> as long"
    )
    exact = result.exact[method]
    match claims.compare(result.chosen, exact, constant=result.constant[1], complete=result.complete):
        case Case.SO_FAR:
            return f"{said}."
        case Case.BEHIND:
            return f"{said}, and costs {points(exact - result.summary[method].median)}."
    return f"{said}. No cost in accuracy can be shown."


def _one_party(result: PartiesResult) -> str:
    vote, soft = result.sensitivity("vote"), result.sensitivity("soft")
    return (
        f"Where all other votes are tied, one party decides every label: a majority vote can move by {number(vote)} "
        f"however many parties there are. A share of votes moves by 1/{result.settings.parties:,}, the weights by at "
        f"most <b>{number(soft)}</b>."
    )


def _crowd(result: PartiesResult) -> str:
    settings, exact = result.settings, result.exact["soft"]
    low, high = apart(result.local.low, result.local.high)
    alone = low if low == high else f"{low} to {high}"
    careless = f" On average {percent(settings.careless)} of them guess their labels." if settings.careless else ""
    return (
        f"Parties alone are right {alone} of the time.{careless} Together, before any noise, soft labels give "
        f"{percent(exact)} (analyst only)."
    )


def _answers(result: PartiesResult) -> str:
    if not result.complete:
        return ""
    if not result.worth:
        return "Not even a single question can be shown to be answered better with noise than by the released model."
    most = "more than" if result.worth == max(QUERIES) else "up to about"
    drowned = result.summary["soft"].median < result.constant[1] + LEARNT
    start = "The model of soft labels is hardly more accurate than one answer for all. " if drowned else ""
    return (
        f"{start}Answering one by one, each time with a part of epsilon, would be better for {most} "
        f"<b>{count(result.worth, 'question')}</b> within the same budget. The released model answers any number."
    )


def own_caption(result: PartiesResult) -> str:
    """How much of the file is used, and what takes the place of public rows."""
    settings = result.settings
    rows, held_out = settings.world.dataset.measured(settings.seed)
    of = f" of {settings.own.private:,}" if settings.parties < settings.own.private else ""
    measured = f"{count(rows, 'row')} of {count(held_out, 'other')}, held out"
    if not held_out:
        measured = f"{count(rows, 'row')} of all parties, as none of those held out has an answer"
    return (
        "Each dot is one released model's weight; grey, without privacy. Learned from "
        f"{settings.parties:,}{of} parties, {count(settings.rows, 'row')} of each; measured on {measured}, for the "
        "analyst only. No row is drawn. The "
        f"{settings.public_rows:,} rows that parties are asked about are <b>made up</b>, evenly within the public "
        "bounds: no row of a file is public, and yours may lie elsewhere."
    )


def lead(settings: PartiesSettings) -> str:
    """What is done, and with one's own table, who a party is."""
    mine = " Each value of the column that **says who** is a party, with all of its rows." * (settings.dataset == OWN)
    return LEAD + mine


def _recorded(result: PartiesResult) -> str:
    """Where parties record their rows: who is measured on, and what the noise needs."""
    if result.settings.dataset not in RECORDED:
        return ""
    who = {"activities": "subject", "intrusions": "host", "addresses": "reader"}[result.settings.dataset]
    return (
        f"A party is a <b>{who}</b> with a style of its own. Accuracy is that on 20 {who}s held out whole, and the "
        f"public rows are those of further ones. {needed(result)}"
    )


def _images(result: PartiesResult) -> str:
    kind = result.settings.world.kind
    if result.settings.dataset != "digits":
        return ""
    return (
        f"The images are projected to {kind.features} directions that were found from the <b>public</b> images; from "
        "private ones, the directions would be a release without noise. 700 private images are dealt to all parties, "
        "and one may lie with many of them: protected is a <b>party</b> with all it holds, not an image."
    )


def _kept(result: PartiesResult) -> str:
    """Of large crowds: how they are asked, and what is held of them."""
    chunks, size = result.kept
    if chunks < 20:
        return ""
    text = f"{size / 1e6:.2g} MB" if size < 1e7 else f"{size / 1e6:.0f} MB"
    return (
        f"The parties are asked in {chunks:,} chunks, and their votes are added up on the way: <b>{text}</b> are held "
        "of all of them together, and none of their rows."
    )


def _averages(result: PartiesResult) -> str:
    settings = result.settings
    if "average" not in result.methods:
        return "These parties have no common weights to average: what they say about public rows is all there is."
    if settings.constants != "norms":
        return ""
    longest = aggregation.longest(settings.ensemble.classes, settings.regularisation)
    return (
        f"With lambda {written(settings.regularisation)} no minimiser is longer than {number(longest)}. Averages gain "
        f"most from that: {number(result.sensitivity('average'))} instead of "
        f"{number(result.published_sensitivity('average'))}."
    )


def _theorem(result: PartiesResult) -> str:
    if result.bound is None or result.settings.method != "soft":
        return ""
    return (
        f"Theorem 4 bounds the excess risk by about {number(result.bound_now)} nats here: it shows how the error "
        "falls with M, epsilon and N; it does not forecast its size."
    )


def _delta(result: PartiesResult) -> str:
    settings = result.settings
    return panels.large_delta(settings.delta, settings.parties, "parties") if settings.method == "pate" else ""


def guarantee(result: PartiesResult) -> str:
    """What the chosen release promises, to whom, and what it leaves open."""
    if result.settings.void:
        return outcomes.void_guarantee(result.settings) + _of_own(result)
    held, pate = result.guarantee(result.settings.method), result.settings.method == "pate"
    text = panels.guarantee(here=held)
    text += panels.note(outcomes.paid(result.settings)) if result.settings.paid else ""
    text += panels.note(
        "The unit is a <b>whole party</b>: all of its rows may be others, and what is released stays nearly as likely. "
        f"So {panels.odds(held)}.{panels.weak(held)} {limit(held)}"
    )
    text += panels.note(
        "The aggregator is trusted: it sees every classifier. The guarantee is for one release; publishing two adds "
        "up. Assumed public: M, N, lambda, all public rows and their number, bounds on features. <b>Not</b> "
        "protected: accuracies, shares and private rows on this page (analyst only). Trying several settings would "
        "cost extra."
    )
    text += _of_own(result)
    if not pate:
        text += panels.note(
            f"The noise is made for the exact minimiser. The fits stop at a gradient of at most {TOLERANCE:.0e}, and "
            "what that leaves open is added to the sensitivity."
        )
    return text


def _of_own(result: PartiesResult) -> str:
    """What a file of one's own brings: who a party is, what is public of it, and what is not."""
    if result.settings.dataset != OWN:
        return ""
    return panels.note(
        "A party is <b>all rows of one name</b>. Assumed public: who takes part, and so how many; the bounds, "
        "categories and answers that were typed. How many rows a party has is <b>secret</b>: each picks as many by "
        "chance, some more than once if it has few. A party without any that has an answer always says the first one, "
        "and counts like the others. Who has rows with several parties is hidden in each of them only, not in all "
        "together."
    )


def by_class(result: PartiesResult) -> str:
    """Who is taken for whom by the chosen release, beside one model of all rows."""
    found = result.held_out
    others = {"all rows without privacy": found["batch"]}
    return outcomes.by_class(found[result.settings.method], others, result.classes, models="released models")


def table(result: PartiesResult) -> str:
    """All releases now."""
    frame = result.table()
    shown = frame.assign(
        method=[figures.STYLES[name][0] for name in frame["method"]],
        **{name: frame[name].map(_percent) for name in ("low", "median", "high", "without noise")},
        sensitivity=frame["sensitivity"].map(number),
        noise=[
            f"{number(value)} votes" if name == "pate" else number(value)
            for name, value in zip(frame["method"], frame["noise"], strict=True)
        ],
        epsilon=frame["epsilon"].map(number),
        delta=frame["delta"].map(theme.delta),
    )
    shown["band"] = shown["low"] + " to " + shown["high"]
    now, bound = panels.badge("trained now"), panels.badge("bound")
    return panels.table(
        shown,
        title="<b>All releases at these settings</b> (% right on test rows)",
        caption=(
            "Median and nine in ten of the draws of noise. Sensitivity: of the weights, for one replaced party; for "
            "PATE, of one question's counts. Noise: its mean length; for PATE, its standard deviation. Without noise: "
            "analyst only. Each guarantee is for one release alone."
        ),
        heads={
            "method": "release",
            "median": f"right<br>{now}",
            "band": "nine in ten",
            "without noise": "without noise",
            "sensitivity": f"sensitivity<br>{bound}",
            "noise": "noise",
            "epsilon": f"epsilon<br>{bound}",
            "delta": "delta",
            "unit": "protected: one",
        },
    )


def _percent(value: float) -> str:
    return "-" if value != value else f"{100 * value:.1f}"


def alts(result: PartiesResult) -> dict[str, str]:
    """What a screen reader says in place of each picture."""
    summary, settings = result.summary, result.settings
    middle = {figures.STYLES[name][0]: summary[name].median for name in result.methods}
    levels = {"all rows without privacy": result.batch_accuracy, "a party alone": result.local.median}
    said = ", ".join(f"{name} {percent(share)}" for name, share in (middle | levels).items())
    noise = ", ".join(
        f"{figures.STYLES[name][0]} {number(result.noise_norm(name))}" for name in result.methods if name != "pate"
    )
    moved = ", ".join(f"{figures.STYLES[row['release']][0]} at most {number(row['bound'])}" for row in result.movements)
    own, spread = figures.STYLES[settings.method][0], summary[settings.method]
    runs = f"{own.capitalize()}: {landing(spread.low, spread.high)}"
    maps = {
        name: f"Decision regions, {figures.STYLES[name][0]}: the middle run is right {percent(summary[name].median)}."
        for name in result.methods
    }
    return maps | {
        "epsilon": f"Accuracy over epsilon, middle runs. At epsilon {number(settings.epsilon)}: {said}. {runs}",
        "parties": f"Accuracy over the number of parties, middle runs. With {settings.parties:,}: {said}.",
        "batch": f"Regions of one model of all rows without privacy: right {percent(result.batch_accuracy)}.",
        "local": f"Where single parties agree; alone they are right {percent(result.local.median)} of the time.",
        "one_party": f"How far one party moves the weights: {moved}.",
        "noise": f"Mean length of the noise with {settings.parties:,} parties: {noise}.",
        "bound": (
            "The excess risk of soft labels over the number of parties, and the published bound on it"
            + (f": about {number(result.bound_now)} nats here." if result.bound else ", which is about two classes.")
        ),
        "answers": (
            f"Noisy answers one by one against the released model: better for {count(result.worth, 'question')}."
            if result.worth
            else "Noisy answers one by one against the released model: not shown better."
        ),
        "trust": spoken_trust(result),
    }


def weights_alt(result: PartiesResult) -> str:
    """The weights in words."""
    own = figures.STYLES[result.settings.method][0]
    return f"Weights by column, {own}, {outcomes.each_column(figures.leading(result))}."

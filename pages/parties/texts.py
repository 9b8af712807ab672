"""The parties page in words: numbers, verdict, diagnostics, table, guarantee."""

from html import escape

from dpcore.training.erm import TOLERANCE
from lab.statistics.claims import Case, leaders, too_few_to_lead
from pages.parties.charts import SAYS, STYLES
from pages.parties.charts_trust import trust
from pages.parties.result import PartiesResult
from pages.parties.settings import RECORDED
from pages.parties.texts_theorems import by_each, own_noise, shuffled
from ui.text import class_predictions, tiles
from ui.text import sentences as outcomes
from ui.text.guarantee_notes import attacker_limit
from ui.text.numbers import delta, format_number
from ui.text.tiles import Tile, distinct_percents, number, percent

ABOUT = SAYS.cases("about")


def numbers(result: PartiesResult) -> list[Tile]:
    settings, method = result.settings, result.settings.method
    spread, runs = result.summary[method], result.chosen
    mine, plain = distinct_percents(spread.median, result.batch_accuracy)
    price = outcomes.privacy_cost_note(
        runs, result.batch_accuracy, base=result.constant[1], runs=len(runs)
    )
    if not result.complete:
        price = SAYS("tiles.so_far", asked=result.asked, parties=settings.parties)
    label, draws = (
        SAYS("tiles.accuracy", release=STYLES[method][0]),
        SAYS("tiles.draws", draws=len(runs)),
    )
    return [
        Tile(label, mine, draws, tone="private", amount=float(mine.split()[0]), unit="points"),
        Tile(SAYS["tiles.plain"], plain, price),
        tiles.runs_tile(SAYS["tiles.runs"], runs.tolist(), low=spread.low, high=spread.high),
        tiles.attacker_tile(settings.guarantee_of(method)),
    ]


def verdict(result: PartiesResult) -> str:
    settings = result.settings
    more = ""
    if not settings.model.central:
        if result.complete:
            more = by_each(result)
    elif settings.dataset in RECORDED:
        more = _too_few(result)
    elif result.complete:
        more = _rival(result)
    return f"{_joining(result)} {more}".rstrip()


def _joining(result: PartiesResult) -> str:
    right, local, (always, base) = (
        result.summary[result.settings.method].median,
        result.local.median,
        result.constant,
    )
    if result.complete and right <= base:
        return SAYS(
            "joining.constant", answer=escape(always), base=percent(base), alone=percent(local)
        )
    mine, alone = distinct_percents(right, local)
    cases = {Case.AHEAD: "ahead", Case.BEHIND: "behind", Case.FEW: "few", Case.SO_FAR: "so_far"}
    return SAYS(
        f"joining.{cases.get(result.beside_alone(result.chosen), 'alike')}",
        release=STYLES[result.settings.method][0],
        draws=len(result.chosen),
        mine=mine,
        alone=alone,
        asked=result.asked,
        parties=result.settings.parties,
    )


def _too_few(result: PartiesResult) -> str:
    """Return whether the noise is longer than the weights, and how many parties, or which epsilon,
    would suffice.
    """
    settings, method = result.settings, result.settings.method
    if method == "pate":
        return SAYS("few.pate", noise=number(result.sigma), parties=settings.parties)
    signal = result.signal_norm(method)
    if not signal or (times := result.noise_norm(method) / signal) <= 1:
        return ""
    return SAYS(
        f"few.{'vote' if method == 'vote' else 'parties'}",
        parties=settings.parties,
        times=tiles.multiple_text(number(times)),
        enough=number(settings.parties * times),
        epsilon=number(settings.epsilon * times),
    )


def _rival(result: PartiesResult) -> str:
    """Return the best release, where it is shown to be; else those that cannot be told apart from
    it.
    """
    own, (best, *others) = result.settings.method, leaders(result.now.runs)
    if result.summary[best].median <= result.constant[1]:
        return SAYS["rival.constant"]
    if too_few_to_lead(result.now.runs):
        return SAYS("rival.few", draws=len(result.chosen))
    if own in (best, *others):
        return SAYS["rival.unshown" if others else "rival.none"]
    theirs = distinct_percents(result.summary[best].median, result.summary[own].median)[0]
    alike = " and ".join(STYLES[one][0] for one in others)
    said = SAYS(
        f"rival.{'ahead' if others else 'best'}",
        release=STYLES[best][0],
        accuracy=theirs,
        others=alike,
    )
    return (
        f"{said} {SAYS('rival.delta', delta=delta(result.settings.delta))}"
        if best == "pate"
        else said
    )


def diagnostics(result: PartiesResult) -> list[str]:
    """Explain the accuracy in at most three sentences, warnings first."""
    settings = result.settings
    sentences = []
    if settings.guarantee_of(settings.method).delta:
        sentences.append(tiles.large_delta_warning(settings.delta, settings.parties, "parties"))
    if settings.model.central:
        moved = {name: number(result.sensitivity(name)) for name in ("vote", "soft")}
        sentences += [_noise(result), SAYS("why.one_party", parties=settings.parties, **moved)]
    else:
        sentences += [own_noise(result), shuffled(result)]
    alone, together = percent(result.local.median), percent(result.exact["soft"])
    sentences.append(SAYS("why.alone", alone=alone, exact=together))
    return [sentence for sentence in sentences if sentence][:3]


def _noise(result: PartiesResult) -> str:
    settings, method = result.settings, result.settings.method
    if method == "pate":
        sizes = {"queries": settings.model.queries, "parties": settings.parties}
        return SAYS("noise.pate", noise=number(result.sigma), **sizes)
    noise, signal = result.noise_norm(method), result.signal_norm(method)
    holes = {
        "sensitivity": number(result.sensitivity(method)),
        "noise": number(noise),
        "dimensions": result.dimensions,
    }
    if signal == 0:
        return SAYS("noise.tied", **holes)
    return SAYS(
        "noise.length",
        times=tiles.multiple_text(number(noise / signal)),
        weights=number(signal),
        **holes,
    )


def caption(result: PartiesResult) -> str:
    return trust(result)


def guarantee(result: PartiesResult) -> str:
    settings = result.settings
    held, central = settings.guarantee_of(settings.method), settings.model.central
    whom = settings.trust_model if central or held.delta else "local"
    dealt = f" {SAYS['guarantee.dealt']}" if (whom, settings.method) == ("shuffle", "soft") else ""
    fitted = tiles.note(SAYS("guarantee.minimiser", tolerance=format_number(TOLERANCE)))
    parts = (
        tiles.guarantee_facts(here=held),
        tiles.note(f"{SAYS['guarantee.unit']} {tiles.meaning(held)} {attacker_limit(held)}"),
        tiles.note(
            f"{SAYS(f'guarantee.{whom}', one=number(result.one))}{dealt}"
            f" {SAYS['guarantee.assumed']}"
        ),
        fitted if central and settings.method != "pate" else "",
    )
    return "".join(parts)


def by_class(result: PartiesResult) -> str:
    found = result.held_out
    others = {SAYS["classes.batch"]: found["batch"]}
    return class_predictions.table(
        found[result.settings.method], others, result.classes, models=SAYS["classes.models"]
    )


def table(result: PartiesResult) -> str:
    found = result.table()
    ends, noise = zip(found["low"], found["high"], strict=True), found["noise"].map(number)
    found["range"] = [
        SAYS("table.range", low=_percent(low), high=_percent(high)) for low, high in ends
    ]
    central = result.settings.model.central
    found["noise"] = noise.where(
        found["method"] != "pate", [SAYS("table.votes", noise=one) for one in noise]
    )
    columns = (
        "method",
        "median",
        "range",
        "without noise",
        "sensitivity",
        "noise",
        "epsilon",
        "delta",
        "unit",
    )
    return tiles.table(
        found,
        title=SAYS["table.title"],
        caption=SAYS["table.caption" if central else "table.local"],
        heads=SAYS.heads(
            "table", columns, now=tiles.badge("trained now"), bound=tiles.badge("bound")
        ),
        formats={"method": lambda name: STYLES[name][0], "sensitivity": number, "epsilon": number}
        | {"median": _percent, "without noise": _percent, "delta": delta},
    )


def _percent(value: float) -> str:
    return "–" if value != value else f"{100 * value:.1f}"

"""The networks in words: which text of ``texts.md`` is said, and with which numbers."""

import math
from collections.abc import Iterator
from html import escape

from dpcore.training.dp_ftrl import ASSUMES, MECHANISMS
from dpcore.training.sgd_recipe import VARIANTS
from lab.data.classification import DATASETS
from lab.statistics.claims import Case
from lab.statistics.decision_regions import FEW
from pages.network.charts import SAYS
from pages.network.result import NetworkResult
from pages.network.settings import NetworkParameters
from pages.network.tasks import FRAMES, MOST_EACH
from ui.text import class_predictions, guarantee_notes, labels, tiles, upload_notes
from ui.text import sentences as outcomes
from ui.text.texts import count
from ui.text.tiles import Tile, number, out_of_hundred, percent

HELP, ABOUT = SAYS.cases("help"), SAYS.cases("about")
SLIDERS = {"shown": {"unit": f"/ {FRAMES}", "pace": 80}} | {
    name: {"help": HELP[name]} for name in ("epsilon", "learning_rate")
}


def lead(settings: NetworkParameters) -> str:
    batches = "sampled" if settings.by_chance else settings.mechanism
    cases = (
        batches,
        "people" if settings.by_person else "rows",
        "columns" if settings.private else "maps",
    )
    return " ".join(SAYS[f"lead.{case}"] for case in cases)


def numbers(result: NetworkResult) -> list[Tile]:
    found, private, plain = (
        result.summary("private"),
        result.accuracy["private"],
        result.accuracy["plain"],
    )
    mine, without = tiles.distinct_percents(found.median, result.summary("plain").median)
    title, median = (
        SAYS[f"tiles.{'private' if result.holds else 'network'}"],
        SAYS("tiles.median", networks=len(private)),
    )
    base = result.split.best_constant[1]
    price = outcomes.privacy_cost_note(
        private, plain, base=base, runs=result.settings.repeats, paired=False
    )
    return [
        Tile(title, mine, median, tone="private", amount=tiles.shown_number(mine), unit="points"),
        Tile(SAYS["tiles.plain"], without, price if result.step else ""),
        tiles.runs_tile(SAYS["tiles.range"], private, low=found.low, high=found.high),
        _promise(result),
    ]


def _promise(result: NetworkResult) -> Tile:
    """Return what is guaranteed at the step shown: before the first step nothing is released but
    bounds.
    """
    if result.settings.void:
        return guarantee_notes.void_attacker_tile(result.settings)
    if result.holds or not result.step:
        return tiles.attacker_tile(result.guarantee)
    amount = result.by_epochs.epsilon if result.settings.variant == "shuffled" else None
    proved = SAYS["tiles.unproved"] if amount is None else number(amount)
    claimed = SAYS("tiles.claimed", epsilon=_epsilon(result))
    return Tile(SAYS["tiles.proved"], proved, claimed, tone="bound", amount=amount)


def verdict(result: NetworkResult) -> str:
    """Return what is spent at the step shown and what it costs; where no theorem holds,
    that alone.
    """
    settings, held = result.settings, result.guarantee
    if not result.step:
        case = "start_paid" if settings.paid else "start"
        return SAYS(
            f"verdict.{case}",
            steps=settings.steps,
            accuracy=percent(result.summary("private").median),
        )
    holes = {"step": result.step, "steps": settings.steps, "epsilon": _epsilon(result)}
    if not result.holds:
        return f"{SAYS('verdict.unproved', **holes)} {SAYS[f'verdict.{settings.variant}']}"
    if settings.void:
        return f"{_cost(result)} {guarantee_notes.void_verdict(settings)}"
    case = "spent" if math.isfinite(held.epsilon) else "counting"
    return f"{SAYS(f'verdict.{case}', **holes)} {_cost(result)}"


def _cost(result: NetworkResult) -> str:
    """Return the median private network against the non-private one at the same step."""
    always, base = result.split.best_constant
    private, plain = result.accuracy["private"], result.accuracy["plain"]
    runs, baseline = result.settings.repeats, (escape(always), base)
    parts = [
        outcomes.privacy_cost(
            private, plain, baseline=baseline, runs=runs, model="network", paired=False
        )
    ]
    found, labels = lambda: result.held_out["private"], result.split.y_test
    parts.append(outcomes.constant_answer(private, labels, found, result.classes, model="network"))
    if result.settings.private:
        parts.append(outcomes.leak_warning(result.summary("plain").median, base))
    return " ".join(filter(None, parts))


def diagnostics(result: NetworkResult) -> list[str]:
    """Explain the accuracy in at most three sentences, warnings first."""
    settings = result.settings
    units = "people" if settings.by_person else "rows"
    sentences = [
        tiles.large_delta_warning(settings.delta, settings.people, units),
        _plain(result),
        _clipping(result),
        _noise(result),
        _budget(result),
    ]
    return [sentence for sentence in sentences if sentence][:3]


def _clipping(result: NetworkResult) -> str:
    shares, bounds, norm = result.clipped, result.bounds, number(result.bounds[0])
    if len(bounds) > 1:
        clipped = enumerate(map(out_of_hundred, shares[:-1]), 1)
        layers = ", ".join(
            SAYS("clipping.layer", share=share, place=place) for place, share in clipped
        )
        return SAYS("clipping.layers", layers=len(bounds), norm=norm, shares=layers)
    share = shares[-1]
    case = "none" if share == 0 else "few" if share < 0.01 else "nearly" if share > 0.9 else "some"
    return SAYS(f"clipping.{case}", norm=norm, share=out_of_hundred(share))


def _noise(result: NetworkResult) -> str:
    ratio = result.noise / max(result.signal, 1e-12)
    # Correlated noise does not fall with the square root of the number of steps
    steps = 0 if result.settings.mechanism == "toeplitz" else result.step
    return outcomes.noise_to_signal(ratio, steps=steps)


def _budget(result: NetworkResult) -> str:
    """Return the noise multiplier that the training needs."""
    settings = result.settings
    units = ("person", "people") if settings.by_person else ("row", "rows")
    return SAYS(
        "budget.left" if settings.paid else "budget.all",
        noise=number(settings.sigma),
        of=count(settings.people, *units),
        steps=settings.steps,
        lot=settings.lot,
        epsilon=number(settings.left),
    )


def _plain(result: NetworkResult) -> str:
    """Return what the non-private networks do not reach, so that it is no cost of privacy."""
    if result.diverged:
        return SAYS("plain.diverged", lost=result.diverged)
    if result.step and result.costs == Case.AHEAD:
        mine, theirs = tiles.distinct_percents(
            result.summary("private").median, result.summary("plain").median
        )
        return SAYS("plain.ahead", mine=mine, theirs=theirs)
    return ""


def guarantee(result: NetworkResult) -> str:
    settings = result.settings
    if settings.void:
        text = guarantee_notes.void_note(settings)
    elif result.holds:
        text = _spent(result) if math.isfinite(result.guarantee.epsilon) else tiles.note("…")
        text += tiles.note(guarantee_notes.spent_on_bounds(settings)) if settings.paid else ""
        so_far = f" {SAYS['guarantee.so_far']}" if result.frame < FRAMES else ""
        text += tiles.note(SAYS["guarantee.every"] + so_far)
    elif settings.variant == "shuffled":
        text = tiles.note(SAYS("guarantee.shuffled", epsilon=_epsilon(result)))
        text += tiles.guarantee_facts(here=result.by_epochs)
    else:
        text = tiles.note(SAYS("guarantee.claimed", epsilon=_epsilon(result)))
    secret = SAYS["guarantee.secret" if settings.by_chance else "guarantee.ordered"]
    if settings.roles:
        text += tiles.note(secret)
        return text + upload_notes.uploaded_scope(
            settings.roles, public=SAYS["guarantee.public"], several=True, most=MOST_EACH
        )
    assumed = SAYS["guarantee.assumed_people" if settings.by_person else "guarantee.assumed"]
    return text + tiles.note(f"{assumed} {secret} {SAYS['guarantee.uncovered']}")


def _spent(result: NetworkResult) -> str:
    spent = result.guarantee
    text = tiles.note(tiles.meaning(spent)) + tiles.guarantee_facts(here=spent)
    return text + tiles.note(guarantee_notes.attacker_limit(spent))


def _epsilon(result: NetworkResult) -> str:
    found = result.guarantee.epsilon
    return number(found) if math.isfinite(found) else "…"


def by_class(result: NetworkResult) -> str:
    found, models = result.held_out, "private networks" if result.holds else "networks"
    return class_predictions.table(
        found["private"], {"non-private": found["plain"]}, result.classes, models=models
    )


def caption(result: NetworkResult) -> str:
    if not result.settings.private:
        return SAYS["caption.many" if len(result.classes) > FEW else "caption.maps"]
    tested, along = len(result.split.y_test), SAYS["caption.along"]
    used = upload_notes.training_rows(
        result.settings, tested=tested, along=along, several=True, most=MOST_EACH
    )
    return f"{SAYS['caption.own']} {used}"


def _cases(result: NetworkResult) -> Iterator[str]:
    settings = result.settings
    if result.frame < FRAMES:
        yield "unfinished"
    if not result.holds:
        yield "variant"
    if not settings.by_chance:
        yield from ("ordered", "own_ordered") if settings.private else ("ordered",)
    if settings.rows_each > 1:
        yield "persons"


# The privacy label, of the training up to the step that is shown.
label = labels.label_of(
    "network",
    sources={name: one.title for name, one in DATASETS.items()},
    guarantee=lambda now: (
        now.settings.guarantee and (now.guarantee if now.frame < FRAMES else now.settings.guarantee)
    ),
    cases=_cases,
    holes=lambda now: {
        "step": now.step,
        "each": now.settings.rows_each,
        "batches": "Poisson-sampled batches" if now.settings.by_chance else ASSUMES,
        "assumes": ASSUMES,
        "variant": VARIANTS[now.settings.variant],
        "mechanism": MECHANISMS[now.settings.mechanism],
    },
)

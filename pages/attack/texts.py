"""The attack on one person: which text of ``texts.md`` is said, and with which numbers; and what
all parts share.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from dpcore.attacks.lower_bound import LowerBound
from lab.models.classifier_versions import crossing
from pages.attack.charts import allowed
from pages.attack.inputs import FORMS
from pages.attack.result import WorldsResult
from pages.attack.settings import PRESETS, AttackParameters
from ui.charts import attacker_icons
from ui.text import guarantee_notes, tiles
from ui.text.numbers import delta, format_number
from ui.text.sliders import in_sentence
from ui.text.texts import Texts
from ui.text.tiles import Tile, number, out_of_hundred

SAYS = Texts(__file__)
PARTS_HELP, VERSIONS_HELP = SAYS["parts"], SAYS["versions"]
ABOUT = {name.removeprefix("about."): SAYS[name] for name in SAYS if name.startswith("about.")}
SLIDERS: dict[str, dict[str, Any]] = {
    "repeats": {
        "label": "Models trained per data set",
        "scale": "log",
        "stops": 20,
        "help": SAYS["repeats"],
    }
}


def lead(settings: AttackParameters) -> str:
    """Return what is to be seen and done, and which settings the part brings, if any."""
    part, given = settings.part, PRESETS[settings.part]
    said = SAYS[f"lead.{part}"]
    names = ", ".join(
        f"{in_sentence(name)} {format_number(value)}" for name, value in given.items()
    )
    return f"{said} {SAYS('lead.given', given=names)}" if given else said


def budget(settings: AttackParameters) -> dict[str, str]:
    return {"epsilon": number(settings.epsilon), "delta": delta(settings.delta)}


def say(key: str, cases: Iterable[str], **holes: Any) -> list[str]:
    return [SAYS(f"{key}.{case}", **holes) for case in cases]


def tabled(
    key: str,
    rows: tiles.Rows,
    columns: Sequence[str],
    *,
    formats: Mapping[str, Callable[[Any], str]] = MappingProxyType({}),
    more: Mapping[str, str] = MappingProxyType({}),
    mark: str | None = None,
    **holes: Any,
) -> str:
    """Return the table whose title, caption and headings of ``columns`` are the texts under
    ``key``.

    more: headings of further columns. mark: the first column of the row that is marked.
    """
    title, caption, heads = say(
        key, ("title", "caption", "heads"), now=tiles.badge("trained now"), **holes
    )
    named = dict(zip(columns, heads.split(" | "), strict=True))
    return tiles.table(
        rows, title=title, caption=caption, heads={**named, **more}, formats=formats, marked=mark
    )


def best_attacker(settings: AttackParameters) -> Tile:
    """Return the best attacker against the correct recipe's noise."""
    return tiles.attacker_tile(settings.guarantees.formula)


def claimed(settings: AttackParameters) -> Tile:
    """Return what the claim leaves the best attacker: the correct noise's own limit, what a claim
    would allow, or no limit.
    """
    if settings.version != "published":
        return (
            best_attacker(settings) if settings.version == "correct" else tiles.attacker_tile(None)
        )
    allows = settings.claim.attacker_accuracy
    said = tiles.percent_rounded_up(allows) if allows <= 0.9995 else "100"
    note = SAYS["worlds.tiles.allows_note"]
    return Tile(
        SAYS["worlds.tiles.allows"], f"{said}\u00a0%", note, tone="bound", amount=float(said)
    )


def numbers(result: WorldsResult) -> list[Tile]:
    found, settings, tile = result.attack, result.settings, "worlds.tiles"
    right, least, version = out_of_hundred(found.accuracy), _least(result.shown), settings.version
    sure = SAYS(f"{tile}.interval", low=out_of_hundred(found.low), high=out_of_hundred(found.high))
    claim = "unclaimed" if version == "none" else "claimed"
    claim = SAYS(f"{tile}.{claim}", epsilon=number(settings.epsilon))
    said = [
        Tile(SAYS[f"{tile}.right"], f"{right}\u00a0%", sure, tone="private", amount=float(right)),
        claimed(settings),
        Tile(SAYS[f"{tile}.shown"], number(least), claim, tone="bound", amount=least),
    ]
    share = out_of_hundred(result.risk)
    if version == "correct":
        said.append(
            Tile(
                SAYS[f"{tile}.influence"],
                f"{share}\u00a0%",
                SAYS[f"{tile}.maximum"],
                amount=float(share),
            )
        )
    elif version == "published":
        said.append(
            Tile(
                SAYS[f"{tile}.influence"], f"{number(result.risk)} &times;", SAYS[f"{tile}.assumed"]
            )
        )
    return said


def verdict(result: WorldsResult) -> str:
    found, settings = result.attack, result.settings
    better = f"{settings.sees}_{'above' if found.low > 0.5 else 'chance'}"
    more = result.bounds["gaussian"].epsilon
    holes = {
        "trials": found.trials,
        "trainings": 2 * result.trainings,
        "right": out_of_hundred(found.accuracy),
        "least": number(_least(result.shown)),
    }
    match settings.version:
        case "none":
            cases = ["none_all" if found.accuracy == 1 else "none_some"]
        case "published" if result.caught:
            cases = ["caught", *["caught_more"] * (more > result.shown.epsilon)]
        case "published":
            cases = ["open_more" if more > settings.epsilon else "open"]
        case _ if result.caught:
            cases = ["chance"]
        case _ if found.low > result.ceiling:
            cases = ["above"]
        case _:
            cases = ["within"] * (found.low > 0.5)
    return " ".join(
        say("worlds.verdict", [better, *cases], more=number(more), **holes, **budget(settings))
    )


def _least(bound: LowerBound) -> float:
    """Return the epsilon that a bound shows; next to nothing as nothing, which a lower bound may
    be.
    """
    return bound.epsilon if bound.epsilon >= 0.001 else 0.0


def diagnostics(result: WorldsResult) -> list[str]:
    """Return this person's influence, and what the trainings show."""
    version = result.settings.version
    influence = number(result.risk) if version == "published" else out_of_hundred(result.risk)
    sentences = say(
        "worlds.why",
        (version, "shown"),
        mine=influence,
        people=len(result.risks),
        middle=out_of_hundred(result.usual_risk),
        most=out_of_hundred(float(result.risks.max())),
        trainings=result.trainings,
        **{form: number(_least(result.bounds[form])) for form in FORMS},
    )
    return [*sentences, SAYS["proved"]]


def caption(result: WorldsResult) -> str:
    return SAYS["worlds.caption"]


def guarantee(result: WorldsResult) -> str:
    settings, held, key = result.settings, result.settings.guarantees, "worlds.guarantee"
    holes = {"person": settings.person, "others": settings.rows - 1}
    worlds = tiles.note(" ".join(say(key, (settings.who, settings.against, "knows"), **holes)))
    match settings.version:
        case "correct":
            limit = tiles.note(guarantee_notes.attacker_limit(held.formula))
            return (
                attacker_icons.icons(held.formula)
                + tiles.guarantee_facts(here=held.formula)
                + limit
                + worlds
            )
        case "published":
            return (
                tiles.note(SAYS(f"{key}.claimed", epsilon=number(settings.epsilon)))
                + tiles.guarantee_facts(
                    rows_in_their_bounds=held.bounded, each_gradient_clipped=held.formula
                )
                + tiles.note(SAYS(f"{key}.weak", limit=number(crossing(settings.delta))))
                + worlds
            )
        case _:
            return tiles.note(SAYS[f"{key}.none"]) + worlds


def worlds_table(result: WorldsResult) -> str:
    limits = dict(reversed(allowed(result).items()))
    rows = [
        row | {"interval": (row["low"], row["high"])} for row in result.curve.to_dict("records")
    ]
    shares = dict.fromkeys(("accuracy", *limits), lambda share: f"{100 * share:.1f}")
    ends = {"interval": lambda ends: f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f}"}
    return tabled(
        "worlds.table",
        rows,
        ("epsilon", "accuracy", "interval", "trials"),
        formats={"epsilon": number, "trials": "{:,}".format} | shares | ends,
        more={name: f"{words}<br>{tiles.badge('bound')}" for name, words in limits.items()},
        mark=number(result.settings.epsilon),
        trials=result.attack.trials,
    )

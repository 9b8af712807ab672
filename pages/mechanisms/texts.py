"""One released number: which text of ``texts.md`` is said, and with which numbers."""

import math
from collections.abc import Mapping

from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import delta_rounded_up
from lab.number_text import with_minus
from pages.mechanisms.charts import FORMULA_NAMES
from pages.mechanisms.experiment import COUNT_NOISES, NUMBER_MECHANISMS, MechanismsResult
from ui.text import guarantee_notes, sentences, tiles
from ui.text.numbers import delta as delta_text
from ui.text.numbers import format_number
from ui.text.texts import Texts
from ui.text.tiles import Tile, number, out_of_hundred, percent

SAYS = Texts(__file__)
INTRODUCTION, MECHANISMS_HELP, RELEASED_HELP = (
    SAYS["introduction"],
    SAYS["mechanisms"],
    SAYS["released"],
)
ABOUT = SAYS.cases("about")
# From this probability on, a release that moves a guess farther than epsilon alone would let it is
# not rare.
_OFTEN = 0.1
# A likelihood ratio above this is not written out.
_LARGE = math.log(1e9)


def numbers(result: MechanismsResult) -> list[Tile]:
    """Return the error, this release, the posterior and the best attacker."""
    drawn, prior = result.drawn, result.settings.prior
    off, after = number(result.worlds.within), drawn["posterior"]
    then, release = _far(after, prior), SAYS("tiles.release_note", ratio=_ratio(drawn["log ratio"]))
    return [
        Tile(
            SAYS["tiles.error"],
            f"±{off}",
            SAYS["tiles.error_note"],
            tone="private",
            amount=tiles.shown_number(off),
        ),
        Tile(SAYS["tiles.release"], _released(drawn["output"]), release),
        Tile(
            SAYS["tiles.posterior"],
            then,
            _between(result, _far(prior, after)),
            "",
            tiles.shown_number(then),
            "points",
        ),
        tiles.attacker_tile(result.claim.guarantee),
    ]


def needs(delta: float) -> str:
    """Return the delta that noise needs, rounded up."""
    return tiles.small_chance(delta_rounded_up(delta, digits=2))


def _released(output: float) -> str:
    if abs(output) >= 1e4:
        return with_minus(f"{output:,.0f}")
    return format_number(output, digits=5)


def _ratio(log_ratio: float) -> str:
    return number(math.exp(log_ratio)) if log_ratio < _LARGE else SAYS["tiles.large"]


def _between(result: MechanismsResult, shown: str) -> str:
    """Return the limits of epsilon on the reader's posterior, and how often a release keeps
    them.
    """
    prior, outside = result.settings.prior, result.worlds.outside(result.settings.epsilon)
    low, high = (
        _far(float(end), prior).removesuffix("\u00a0%") for end in result.posterior_range(prior)
    )
    case = "always" if not outside else "mostly" if outside < _OFTEN else "seldom"
    case = case if result.claim.holds else "claimed"
    case = "any" if low.startswith("below") and high.startswith("above") else case
    return SAYS(f"tiles.{case}", prior=shown, low=low, high=high)


def verdict(result: MechanismsResult) -> str:
    """Return what one number tells an attacker, after an epsilon that differs from the one asked
    for.
    """
    claimed, evidence = _formula_gives(result), _evidence(result)
    return f"{claimed} {evidence}" if claimed else f"{evidence} {_odds(result)}"


def _formula_gives(result: MechanismsResult) -> str:
    """Return the epsilon that the textbook formula gives, where that is not the claimed one; ""
    else.
    """
    settings, holds = result.settings, result.claim.holds
    both = settings.epsilon, result.claim.guarantee.epsilon
    claimed, real = map(number, both)
    if not holds and real == claimed:
        claimed, real = (f"{epsilon:.8g}" for epsilon in both)
    if holds and (settings.mechanism != "classical" or real == claimed):
        return ""
    return SAYS("verdict.stronger" if holds else "verdict.weaker", claimed=claimed, real=real)


def _evidence(result: MechanismsResult) -> str:
    right = tiles.percent_rounded_up(best_attacker(result.claim.guarantee).right)
    times = number(result.worlds.within / result.worlds.sensitivity)
    error = SAYS("verdict.error_equal" if times == "1" else "verdict.error", times=times)
    return f"{SAYS('verdict.attacker', right=right)} {error}"


def _odds(result: MechanismsResult) -> str:
    """Return by how much a release may change the odds that somebody is in."""
    epsilon = result.settings.epsilon
    outside = result.worlds.outside(epsilon)
    case = "odds_delta" if outside >= _OFTEN else "odds_mostly" if outside else "odds"
    case = "odds_any" if epsilon >= _LARGE else case
    holes = {
        "factor": number(math.exp(epsilon)),
        "outside": tiles.small_chance(outside),
        "epsilon": number(epsilon),
    }
    return SAYS(f"verdict.{case}", **holes)


def _far(after: float, prior: float) -> str:
    """Return a posterior in percent, with enough decimals to tell it from the ``prior``, and never
    as certain.
    """
    if after < 0.0005:
        return "below 0.1\u00a0%"
    if after > 0.9995:
        return "above 99.9\u00a0%"
    digits = max(1 if min(after, 1 - after) < 0.01 else 0, tiles.distinct_digits(after, prior))
    return percent(after, digits=digits)


def caption(result: MechanismsResult) -> str:
    """Return what the marks are."""
    marks = SAYS["caption.holds" if result.claim.holds else "caption.broken"]
    shaded = math.isfinite(result.worlds.threshold(result.settings.epsilon))
    return f"{marks} {SAYS['caption.shaded']}" if shaded else marks


def this_release(result: MechanismsResult) -> str:
    """Return what the release that is drawn says about you."""
    settings, drawn = result.settings, result.drawn
    prior, after = settings.prior, drawn["posterior"]
    return " ".join(
        (
            SAYS(
                "release.shown",
                output=_released(drawn["output"]),
                truth=settings.value + settings.sensitivity,
            ),
            _likely(drawn, "release"),
            SAYS("release.posterior", prior=_far(prior, after), after=_far(after, prior)),
        )
    )


def _likely(release: Mapping[str, float], section: str) -> str:
    """Return with which data a release is likelier, and how many times."""
    size = release["log ratio"]
    ratio = _ratio(abs(size))
    case = "equal" if ratio == "1" else "with" if size > 0 else "without"
    return SAYS(f"{section}.{case}", ratio=ratio, output=_released(release["output"]))


def diagnostics(result: MechanismsResult) -> list[str]:
    """Return the explanation, three sentences: the sensitivity, the best attacker, the
    mechanism.
    """
    settings = result.settings
    return [
        SAYS("why.sensitivity", sensitivity=number(settings.sensitivity)),
        _attack(result),
        _mechanism(result),
    ]


def _mechanism(result: MechanismsResult) -> str:
    """Return what is particular to the mechanism."""
    settings = result.settings
    if settings.mechanism == "laplace":
        return SAYS["why.laplace"]
    if settings.mechanism == "classical":
        case = "formula_holds" if result.claim.holds else "formula_broken"
        exact = settings.claim("gaussian").worlds.scale
        return SAYS(f"why.{case}", difference=number(100 * abs(result.worlds.scale / exact - 1)))
    beyond = tiles.small_chance(result.worlds.beyond(settings.epsilon)[1])
    needed = needs(result.claim.needed_delta)
    return SAYS("why.gaussian", beyond=beyond, needed=needed, delta=delta_text(settings.delta))


def _attack(result: MechanismsResult) -> str:
    """Return what the best attacker with the reader's prior does."""
    alarms, misses, right = result.worlds.attacker(result.settings.prior)
    always = min(alarms, misses) < 1e-12 and max(alarms, misses) > 0.5
    case = (
        "attack" if not always else "attack_hardly" if math.isfinite(result.cut) else "attack_never"
    )
    rates = {
        "right": out_of_hundred(right),
        "alarms": out_of_hundred(alarms),
        "misses": out_of_hundred(misses),
    }
    says = "out" if misses > alarms else "in"
    return SAYS(
        f"why.{case}", prior=percent(result.settings.prior), cut=result.cut, says=says, **rates
    )


def choosing(result: MechanismsResult) -> str:
    """Return report-noisy-max in words."""
    settings, most, epsilon = (
        result.settings,
        result.largest_change,
        number(result.settings.epsilon),
    )
    wins, (before, after) = (
        map(out_of_hundred, result.chances[:, 0]),
        map(tiles.small_chance, result.chances[:, settings.voted]),
    )
    allowed = (
        {}
        if most >= 700
        else {"most": number(math.exp(most)), "allowed": number(math.exp(settings.epsilon))}
    )
    leader, mine = result.choice["option"][0], result.choice["option"][settings.voted]
    said = (
        SAYS("choice.noise", noise=COUNT_NOISES[settings.noise]),
        SAYS(
            "choice.ahead" if settings.lead else "choice.level", option=leader, lead=settings.lead
        ),
        SAYS("choice.wins", **dict(zip(("without", "with_you"), wins, strict=True))),
        SAYS(
            "choice.stays" if before == after else "choice.moves",
            option=mine,
            before=before,
            after=after,
        ),
        SAYS("choice.factor" if allowed else "choice.within", epsilon=epsilon, **allowed),
    )
    return tiles.note(" ".join(said)) + tiles.note(SAYS("choice.cost", epsilon=epsilon))


def guarantee(result: MechanismsResult) -> str:
    """Return the guarantee, its assumptions and its limits."""
    settings, held = result.settings, result.claim.guarantee
    claim = {"epsilon": number(settings.epsilon), "delta": delta_text(settings.delta)}
    said = (
        tiles.note(SAYS("guarantee.claimed", **claim)) if settings.mechanism == "classical" else ""
    )
    return said + guarantee_notes.guarantee_with_notes(held, assumed=SAYS["guarantee.assumed"])


def findings(result: MechanismsResult) -> dict[str, str]:
    """Return what each picture shows, for its title."""
    settings, drawn, needed = result.settings, result.drawn, result.claim.needed_delta
    prior, after = settings.prior, drawn["posterior"]
    kept = (claim for claim in map(settings.claim, NUMBER_MECHANISMS) if claim.holds)
    least = min(kept, key=lambda claim: claim.worlds.within).mechanism
    before, then = (float(chance) for chance in result.chances[:, settings.voted])
    profile = "finding.profile" if needed else "finding.profile_none"
    given = [
        f"{number(result.formulas[name].real)} by {FORMULA_NAMES[name]}"
        for name in ("slide", "classical")
    ]
    option, gain = result.choice["option"][settings.voted], sentences.points_text(then - before)
    return {
        "release": _likely(drawn, "finding"),
        "posterior": SAYS("finding.posterior", prior=_far(prior, after), after=_far(after, prior)),
        "trade": SAYS("finding.trade", right=out_of_hundred(result.worlds.attacker(prior)[2])),
        "profile": SAYS(profile, needed=needs(needed), delta=delta_text(result.claim.delta)),
        "errors": SAYS("finding.errors", mechanism=NUMBER_MECHANISMS[least]),
        "dots": SAYS("finding.dots", error=number(result.worlds.within)),
        "formulas": SAYS(
            "finding.formulas", epsilon=number(settings.epsilon), given=", ".join(given)
        ),
        "choice": SAYS("finding.choice", points=gain, option=option),
    }

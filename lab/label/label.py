"""The privacy label of an experiment: who is protected, how much, how that was counted, and what is
not covered.

Its fields are those of ``schema.json``, after NIST SP 800-226, in the sections of OpenDP's
deployments registry. What nobody said is "not stated", never left out. Of a person's own file a
label holds names of columns, bounds that
were typed, and where bounds come from: no cell, no answer, no bound that was read off or paid for.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from dpcore import privacy
from dpcore.accountants.mu import Fitting
from dpcore.cache import CACHE
from dpcore.privacy import Guarantee
from lab.experiment.settings import Settings
from lab.number_text import with_minus
from lab.uploads.rows import Column, OwnRows, Roles

# What an analyst has said of a person's rows: that there is one, that there may be several, or
# nothing.
_ONE_ROW = {
    True: "one row per person",
    False: "a person may have several rows, each of which is protected alone",
    None: "the analyst has not said whether a person has one row or several",
}
SCHEMA = Path(__file__).with_name("schema.json")
NOT_STATED, NOTHING = "not stated", "nothing guaranteed"
_LIMITS = {
    "noise": "seeded, so that it can be repeated: who has the seed can subtract it",
    "arithmetic": "floating point, whose last digits are not protected",
    "timing": "not protected",
    "others": "what other people's data reveals about you is not protected",
}


@dataclass(frozen=True, kw_only=True)
class Stated:
    """What a page says of a result on it.

    promise: what is guaranteed; None: nothing, and ``nothing`` may say why. void: why what is
        claimed does not hold.
    claimed: the epsilon that was asked for. said: field -> text; of an access to private rows it
    begins with "paid", "public", "none", "not released" (kept from all but the analyst) or "not
    covered".
    """

    promise: Guarantee | None = None
    nothing: str = ""
    void: str = ""
    claimed: float | None = None
    said: Mapping[str, str] = field(default_factory=dict)


@cache
def sections() -> dict[str, dict[str, str]]:
    """Return section -> field -> its name in words."""
    known = json.loads(SCHEMA.read_text("utf-8"))["properties"]
    named = {section: one["properties"] for section, one in known.items() if section != "void"}
    return {
        section: {name: one["title"] for name, one in fields.items()}
        for section, fields in named.items()
    }


@dataclass(frozen=True)
class Label:
    """Section -> field -> text or number; ``void``: why nothing holds, or ""."""

    void: str
    fields: Mapping[str, Mapping[str, str | float]]

    def __getitem__(self, name: str) -> str | float:
        """Return what a field says."""
        return next(fields[name] for fields in self.fields.values() if name in fields)

    def json(self) -> str:
        return json.dumps({"void": self.void, **self.fields}, indent=2, ensure_ascii=False) + "\n"

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Return (section, name, what is said) of every field, in words."""
        for section, names in sections().items():
            title = section.replace("_", " ").capitalize().replace("Dp", "DP")
            for name, words in names.items():
                said = self[name]
                yield title, words, said if isinstance(said, str) else number(said)


def label(settings: Settings, stated: Stated, **said: str) -> Label:
    """Return the label of these settings. ``said``: more fields, such as date and link."""
    promise, claimed, void = stated.promise, stated.claimed, why_void(settings, stated)
    known = (
        _LIMITS
        | (_promised(promise) if promise else {})
        | {**stated.said}
        | said
        | _of_file(settings, stated)
    )
    if promise:
        known["assumptions"] = _with_assumptions(str(known.get("assumptions", "")), promise)
    if promise and "mechanism" in stated.said:
        known["mechanism"] = f"{stated.said['mechanism']}: {_happened(promise.event)}"
    if void or promise is None:
        why = NOTHING if void or stated.nothing else ""
        known |= {
            "epsilon": why,
            "delta": why,
            "mu": why,
            "groups": why,
            "attacker": stated.nothing or why,
        }
    if claimed is not None:
        shown = NOTHING if void or promise is None else f"epsilon {number(promise.epsilon)}"
        known["claimed"] = f"claimed: epsilon {number(claimed)}; shown: {shown}"
    known = {name: value for name, value in known.items() if value not in (None, "")}
    return Label(
        void,
        {
            one: {name: known.get(name, NOT_STATED) for name in names}
            for one, names in sections().items()
        },
    )


def _with_assumptions(text: str, promise: Guarantee) -> str:
    """Return the assumptions in ``text``, and those of the guarantee that it leaves out."""
    parts = [text] if text else []
    parts += [assumption for assumption in promise.assumes if assumption not in text]
    return "; ".join(parts)


def why_void(settings: Settings, stated: Stated) -> str:
    """Return why nothing of what is stated holds, or ""."""
    promise, claimed = stated.promise, stated.claimed
    if settings.void or stated.void:
        return settings.void or stated.void
    if promise is not None and claimed is not None and promise.epsilon > claimed * (1 + 1e-6):
        return f"epsilon {number(claimed)} is claimed, and {number(promise.epsilon)} is spent"
    known = {**stated.said} | _of_file(settings, stated)
    return "; ".join(
        f"{name.replace('_', ' ')} {one}"
        for name, one in known.items()
        if one.startswith("not covered")
    )


def searched(settings: Settings) -> int:
    """Return how many settings, of any page, were compared on the private rows of a person's own
    file.
    """
    own = getattr(settings, "own", None)
    return len(own.table.compared) if isinstance(own, OwnRows) and not own.gone else 0


def roles_of(settings: Settings) -> Roles | None:
    """Return the roles of the columns of a person's own file, where there is one."""
    own = getattr(settings, "own", None)
    return own.roles if isinstance(own, OwnRows) else None


def _promised(promise: Guarantee) -> dict[str, str | float]:
    groups = {people: privacy.for_group(promise, people=people) for people in (2, 5, 10)}
    return {
        "unit": f"one {promise.unit}",
        "neighbours": f"{promise.adjacency}, one {promise.unit}",
        "epsilon": float(f"{promise.epsilon:.6g}") if math.isfinite(promise.epsilon) else NOTHING,
        "delta": promise.delta,
        "mu": _mu(promise) if math.isfinite(promise.epsilon) else NOTHING,
        "groups": "; ".join(f"{people}: {_pair(one)}" for people, one in groups.items()),
        "mechanism": _happened(promise.event),
        "basis": promise.basis,
        "assumptions": "; ".join(promise.assumes),
    }


def _mu(promise: Guarantee) -> str | float:
    work = Fitting(promise.event, promise.adjacency)
    found = CACHE.answer(work, work.run)
    return work.why_none(found) or found.shown


def _happened(event: privacy.Event) -> str:
    return "; ".join(
        f"{count:,} × {_release(one)}" for one, count in privacy.releases(event).items()
    )


def _release(one: privacy.Release) -> str:
    if isinstance(one, privacy.PoissonSampled):
        inner = ", ".join(map(_release, privacy.releases(one.event)))
        return f"Poisson sample at rate {number(one.rate)}, {inner}"
    if isinstance(one, privacy.GaussianRelease | privacy.LaplaceRelease):
        return (
            f"{type(one).__name__.removesuffix('Release')} noise, multiplier"
            f" {number(one.noise_multiplier)}"
        )
    return (
        f"a release of epsilon {number(one.epsilon)}"
        if hasattr(one, "epsilon")
        else "the best of several tries"
    )


def _pair(one: Guarantee) -> str:
    if one.delta >= 1:
        return "nothing"
    delta = number(privacy.delta_rounded_up(one.delta, digits=3))
    return f"epsilon {number(one.epsilon)}" + (f", delta {delta}" if one.delta else "")


def _of_file(settings: Settings, stated: Stated) -> dict[str, str]:
    """Return where the bounds of a person's own file come from, and what its analyst has said of a
    person's rows.
    """
    roles = roles_of(settings)
    if roles is None:
        return {}
    assumed = [
        one
        for one in stated.said.get("assumptions", "").split("; ")
        if one and one != _ONE_ROW[True]
    ]
    assumed = assumed if roles.person else [_ONE_ROW[roles.one_row], *assumed]
    columns = "; ".join(_column(one) for one in (*roles.columns, roles.target) if one)
    found = {"columns": columns, "assumptions": "; ".join(assumed)}
    if roles.void:
        return found | {"bounds": "not covered: read off private rows"}
    spent = f"paid: epsilon {number(roles.spent)}; the others typed" if roles.spent else ""
    return found | {"bounds": spent or "public: typed by the analyst"}


def _column(column: Column) -> str:
    if column.kind == "category":
        return f"{column.name}: {len(column.values)} categories, typed"
    if column.read_off or column.paid:
        return f"{column.name}: " + ("read off private rows" if column.read_off else "paid for")
    low, high = column.inputs[column.name]
    return f"{column.name}: {number(low)} to {number(high)}, typed"


def number(value: float) -> str:
    """Return a number as one would write it: 0.5, 1e-5, 12,000."""
    if 999.5 <= abs(value) < 1e9:
        return with_minus(f"{value:,.0f}")
    return with_minus(f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e+"))

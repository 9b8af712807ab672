"""The privacy label of an experiment, which states who is protected, how much, by what, and what is
not covered.

Its fields are those of ``schema.json``, after NIST SP 800-226, in the sections of OpenDP's
deployments registry. A field without a statement is "not stated", never left out. For an uploaded
file a label holds names of columns, bounds that were typed, and the origin of bounds: no cell, no
answer, no bound that was read off or paid for.
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
from lab.uploads.column_roles import Column, Roles
from lab.uploads.rows import OwnRows

# The analyst's statement on whether a person has one row -> its text.
_ONE_ROW = {
    True: "one row per person",
    False: "a person may have several rows, each of which is protected alone",
    None: "the analyst has not said whether a person has one row or several",
}
SCHEMA = Path(__file__).with_name("schema.json")
NOT_STATED = "not stated"
NOTHING = "nothing guaranteed"
# Sizes of the groups of which a label states the guarantee.
_GROUPS = (2, 5, 10)
# An epsilon that exceeds the claimed one by this part is a rounding error.
_ROUNDING_ERROR = 1e-6
_LIMITS = {
    "noise": "seeded, so that it can be repeated: who has the seed can subtract it",
    "arithmetic": "floating point, whose last digits are not protected",
    "timing": "not protected",
    "others": "what other people's data reveals about you is not protected",
}


@dataclass(frozen=True, kw_only=True)
class Stated:
    """The statements of a page about a result.

    Attributes:
        guarantee: Of one run; None if nothing is guaranteed.
        nothing: Why nothing is guaranteed, which may be "".
        void: Why the claim does not hold; "" if it does.
        claimed: The epsilon that was asked for.
        said: Field -> text. A text on an access to private rows begins with "paid", "public",
            "none", "not released" (kept from all but the analyst) or "not covered".
    """

    guarantee: Guarantee | None = None
    nothing: str = ""
    void: str = ""
    claimed: float | None = None
    said: Mapping[str, str] = field(default_factory=dict)


@cache
def sections() -> dict[str, dict[str, str]]:
    """Return section -> field -> title."""
    properties = json.loads(SCHEMA.read_text("utf-8"))["properties"]
    titles: dict[str, dict[str, str]] = {}
    for section, schema in properties.items():
        if section == "void":
            continue
        fields = schema["properties"]
        titles[section] = {field: described["title"] for field, described in fields.items()}
    return titles


@dataclass(frozen=True)
class Label:
    """The fields of a label.

    Attributes:
        void: Why nothing holds; "" if the label holds.
        fields: Section -> field -> text or number.
    """

    void: str
    fields: Mapping[str, Mapping[str, str | float]]

    def __getitem__(self, name: str) -> str | float:
        """Return the text or number of a field."""
        for fields in self.fields.values():
            if name in fields:
                return fields[name]
        raise KeyError(name)

    def json(self) -> str:
        """Return the label as JSON text, "void" first, then its sections."""
        return json.dumps({"void": self.void, **self.fields}, indent=2, ensure_ascii=False) + "\n"

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield (title of the section, title of the field, text) for every field."""
        for section, titles in sections().items():
            section_title = section.replace("_", " ").capitalize().replace("Dp", "DP")
            for name, title in titles.items():
                value = self[name]
                if isinstance(value, str):
                    yield section_title, title, value
                else:
                    yield section_title, title, number(value)


def label(settings: Settings, stated: Stated, **more: str) -> Label:
    """Return the label of these settings.

    Args:
        settings: The settings of the result.
        stated: The statements of the page.
        more: More fields, such as date and link.
    """
    guarantee = stated.guarantee
    void = why_void(settings, stated)
    values: dict[str, str | float] = {**_LIMITS}
    if guarantee:
        values.update(_guarantee_fields(guarantee))
    values.update(stated.said)
    values.update(more)
    values.update(_file_fields(settings, stated))
    if guarantee:
        values["assumptions"] = _with_assumptions(str(values.get("assumptions", "")), guarantee)
        if "mechanism" in stated.said:
            values["mechanism"] = f"{stated.said['mechanism']}: {_releases_text(guarantee.event)}"
    if void or guarantee is None:
        nothing = ""
        if void or stated.nothing:
            nothing = NOTHING
        for name in ("epsilon", "delta", "mu", "groups"):
            values[name] = nothing
        values["attacker"] = stated.nothing or nothing
    if stated.claimed is not None:
        shown = NOTHING
        if guarantee is not None and not void:
            shown = f"epsilon {number(guarantee.epsilon)}"
        values["claimed"] = f"claimed: epsilon {number(stated.claimed)}; shown: {shown}"
    return Label(void, _in_sections(values))


def _in_sections(values: Mapping[str, str | float]) -> dict[str, dict[str, str | float]]:
    """Return section -> field -> value, "not stated" for fields without a value."""
    fields: dict[str, dict[str, str | float]] = {}
    for section, titles in sections().items():
        fields[section] = {}
        for name in titles:
            value = values.get(name)
            if value is None or value == "":
                value = NOT_STATED
            fields[section][name] = value
    return fields


def _with_assumptions(text: str, guarantee: Guarantee) -> str:
    """Return the assumptions in ``text``, and those of the guarantee that it leaves out."""
    parts = []
    if text:
        parts.append(text)
    for assumption in guarantee.assumes:
        if assumption not in text:
            parts.append(assumption)
    return "; ".join(parts)


def why_void(settings: Settings, stated: Stated) -> str:
    """Return why no statement of the page holds, or ""."""
    if settings.void or stated.void:
        return settings.void or stated.void
    guarantee = stated.guarantee
    claimed = stated.claimed
    if guarantee is not None and claimed is not None and _exceeds(guarantee.epsilon, claimed):
        return f"epsilon {number(claimed)} is claimed, and {number(guarantee.epsilon)} is spent"
    texts = {**stated.said, **_file_fields(settings, stated)}
    reasons = []
    for name, text in texts.items():
        if text.startswith("not covered"):
            reasons.append(f"{name.replace('_', ' ')} {text}")
    return "; ".join(reasons)


def _exceeds(epsilon: float, claimed: float) -> bool:
    """Return whether an epsilon is above the claimed one by more than rounding."""
    return epsilon > claimed * (1 + _ROUNDING_ERROR)


def roles_of(settings: Settings) -> Roles | None:
    """Return the roles of the columns of an uploaded file; None without a file."""
    own = getattr(settings, "own", None)
    if not isinstance(own, OwnRows):
        return None
    return own.roles


def _guarantee_fields(guarantee: Guarantee) -> dict[str, str | float]:
    """Return the fields of a label that follow from the guarantee."""
    epsilon: str | float = NOTHING
    mu: str | float = NOTHING
    if math.isfinite(guarantee.epsilon):
        epsilon = float(f"{guarantee.epsilon:.6g}")
        mu = _mu(guarantee)
    groups = []
    for people in _GROUPS:
        group = privacy.for_group(guarantee, people=people)
        groups.append(f"{people}: {_epsilon_and_delta(group)}")
    return {
        "unit": f"one {guarantee.unit}",
        "neighbours": f"{guarantee.adjacency}, one {guarantee.unit}",
        "epsilon": epsilon,
        "delta": guarantee.delta,
        "mu": mu,
        "groups": "; ".join(groups),
        "mechanism": _releases_text(guarantee.event),
        "basis": guarantee.basis,
        "assumptions": "; ".join(guarantee.assumes),
    }


def _mu(guarantee: Guarantee) -> str | float:
    """Return the mu of Gaussian differential privacy, or why none is stated."""
    fitting = Fitting(guarantee.event, guarantee.adjacency)
    fit = CACHE.answer(fitting, fitting.run)
    if fit is None or not fit.fits:
        return fitting.why_none(fit)
    return fit.shown


def _releases_text(event: privacy.Event) -> str:
    """Return each kind of release in ``event`` with its count, in words."""
    parts = []
    for release, count in privacy.releases(event).items():
        parts.append(f"{count:,} × {_release_text(release)}")
    return "; ".join(parts)


def _release_text(release: privacy.Release) -> str:
    """Return a release in words."""
    if isinstance(release, privacy.PoissonSampled):
        inner = ", ".join(_release_text(one) for one in privacy.releases(release.event))
        return f"Poisson sample at rate {number(release.rate)}, {inner}"
    if isinstance(release, privacy.GaussianRelease | privacy.LaplaceRelease):
        law = type(release).__name__.removesuffix("Release")
        return f"{law} noise, multiplier {number(release.noise_multiplier)}"
    if hasattr(release, "epsilon"):
        return f"a release of epsilon {number(release.epsilon)}"
    return "the best of several tries"


def _epsilon_and_delta(guarantee: Guarantee) -> str:
    """Return epsilon and, if there is one, delta in words."""
    if guarantee.delta >= 1:
        return "nothing"
    text = f"epsilon {number(guarantee.epsilon)}"
    if guarantee.delta:
        delta = privacy.delta_rounded_up(guarantee.delta, digits=3)
        text += f", delta {number(delta)}"
    return text


def _file_fields(settings: Settings, stated: Stated) -> dict[str, str]:
    """Return the fields on an uploaded file: the origin of bounds, and the analyst's statement on a
    person's rows.
    """
    roles = roles_of(settings)
    if roles is None:
        return {}
    assumptions = []
    if not roles.person:
        assumptions.append(_ONE_ROW[roles.one_row])
    for assumption in stated.said.get("assumptions", "").split("; "):
        if assumption and assumption != _ONE_ROW[True]:
            assumptions.append(assumption)
    return {
        "columns": "; ".join(_column_text(column) for column in roles.bounded_columns),
        "assumptions": "; ".join(assumptions),
        "bounds": _bounds_text(roles),
    }


def _bounds_text(roles: Roles) -> str:
    """Return where the bounds of the columns come from, in words."""
    if roles.void:
        return "not covered: read off private rows"
    if roles.spent:
        return f"paid: epsilon {number(roles.spent)}; the others typed"
    return "public: typed by the analyst"


def _column_text(column: Column) -> str:
    """Return the bounds of a column and where they come from, in words."""
    if column.kind == "category":
        return f"{column.name}: {len(column.values)} categories, typed"
    if column.read_off:
        return f"{column.name}: read off private rows"
    if column.paid:
        return f"{column.name}: paid for"
    low, high = column.inputs[column.name]
    return f"{column.name}: {number(low)} to {number(high)}, typed"


def number(value: float) -> str:
    """Format a number with three digits, such as 0.5, 1e-5 and 12,000."""
    if 999.5 <= abs(value) < 1e9:
        return with_minus(f"{value:,.0f}")
    return with_minus(f"{value:.3g}".replace("e-0", "e-").replace("e+0", "e+"))

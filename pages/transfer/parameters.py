"""The parameters of the transfer page, and what follows from them: data, models, and what each of them promises."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeGuard

import numpy as np

from dpcore.accountants import BASES
from dpcore.privacy import Adjacency, Guarantee, Sequence
from dpcore.training import frank_wolfe as fw
from dpcore.transfer import NARROWEST, RADIUS
from lab.files import file_handles, own_rows, own_table
from lab.files.own_rows import OwnRows
from lab.settings import Measure
from lab.sources import OWN, SourceSettings, of_sources
from pages.transfer import own as own_file
from pages.transfer import published
from pages.transfer.work import EPSILONS, MIGRATED, Claim, Data, Model

NOISES = ("gumbel", "laplace", "printed")
POLYTOPES = ("diamond", "corners")

# Field -> (lowest, highest) value that the settings accept.
LIMITS = {
    "epsilon": (0.05, 50.0),
    "delta": (1e-9, 1e-2),
    "sources": (1, 12),
    "difference": (0.0, 4.0),
    "h": (0.02, 20.0),
    "q": (0.0, 1.0),
    "target_rows": (100, 5000),
    "dimension": (2, 500),
    "migrated": (MIGRATED[0], MIGRATED[-1]),
    "detection_share": (0.02, 0.9),
    "penalty": (0.0, 0.5),
    "loop_penalty": (0.0, 1.0),
    "repeats": (2, 40),
    "seed": (0, 9999),
}
# What makes the noise of a walk smaller.
_LESS_NOISE = ("epsilon", "delta", "target_rows")
# Private rows times coefficients, at most: what a walk takes goes with them.
_MOST_CELLS = 250_000
# Private rows of a file, at least.
_FEWEST = 50
# What decides which rows there are.
_ROWS = ("dataset", "own", "sources", "difference", "target_rows", "dimension", "seed")
# What a file has of each, all of which it starts with.
_SIZES = ("target_rows", "sources", "dimension", "migrated")
# Of a file: what only made-up data have a meaning for.
_FIXED = {"q": (1.0, 1.0), "difference": (1.6, 1.6), "penalty": (0.0, 0.0), "loop_penalty": (published.PENALTY,) * 2}


@dataclass(frozen=True, kw_only=True)
class TransferParameters(SourceSettings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    dataset: "made", made-up rows whose truth is known, or "own".
    own: with dataset "own", an ``OwnRows`` with a column that says the source; of a plain string, the mere name of one,
    nothing can be computed.
    epsilon: of the claim, in nats, for one row.
    delta: of the claim.
    sources: K.
    difference: L1 norm of the largest contrast.
    h: the threshold up to which a contrast is small: which sources are transferable, and how far the correction may go.
    q: of the norm of a contrast; 0 counts its entries.
    target_rows: n, private.
    dimension: d, coefficients.
    migrated: public rows of all sources together.
    detection_share: of the budget, where the sources are detected.
    penalty, penalty_q: lambda and q of lambda ||w||_q, which the walks add to the mean of squares; q = 2 is squared.
    loop_penalty: lambda of the published table's loop, which is printed with the same q.
    repeats: models a setting.
    seed: of rows and noise.
    selection: the transferable sources are "known", or "detected" privately.
    noise: "gumbel" (exponential mechanism), "laplace", or "printed", Laplace as printed for a nominal epsilon.
    adjacency: "replace-one" or "add/remove".
    polytope: what the walk in the plane goes over.
    """

    CHOICES: ClassVar = {
        "dataset": ("made", OWN),
        "selection": ("known", "detected"),
        "noise": NOISES,
        "adjacency": list(Adjacency),
        "polytope": POLYTOPES,
        "penalty_q": fw.NORMS,
    }
    LIMITS: ClassVar = LIMITS
    MEASURES: ClassVar = {
        "transfer": Measure(
            "excess risk, sources corrected privately", "lower", lambda now: now.risk[3], rises=_LESS_NOISE
        ),
        "target": Measure("excess risk, target rows only", "lower", lambda now: now.risk[0], rises=_LESS_NOISE),
        "source": Measure("excess risk, sources only", "lower", lambda now: now.risk[1]),
        "pooled": Measure("excess risk, all rows pooled", "lower", lambda now: now.risk[2], rises=_LESS_NOISE[:2]),
    }
    TUNED: ClassVar = {"h": (0.05, 5.0), "detection_share": (0.05, 0.5)}
    PEOPLE: ClassVar = "target_rows"
    CURVE: ClassVar = EPSILONS
    OF_NUMBERS: ClassVar = True
    FOLLOWS: ClassVar = {"target_rows": ("dimension",)}
    COMMON: ClassVar = (*_ROWS, "selection", "noise", "repeats")

    dataset: str = "made"
    own: str = file_handles.NONE
    epsilon: float = 1.0
    delta: float = 1e-6
    sources: int = 6
    difference: float = 1.6
    h: float = 0.7
    q: float = 1.0
    target_rows: int = 1000
    dimension: int = 20
    migrated: int = 2500
    detection_share: float = 0.2
    penalty: float = 0.0
    loop_penalty: float = published.PENALTY
    repeats: int = 24
    seed: int = 3
    selection: str = "known"
    noise: str = "gumbel"
    adjacency: str = "replace-one"
    polytope: str = "diamond"
    penalty_q: str = "1"

    @classmethod
    def fits(cls, own: OwnRows) -> bool:
        return of_sources(own)

    def starts(self, dataset: str, own: str) -> dict[str, Any]:
        """Return all that a file has, unless a link has said how much of it, and the usual sizes after one."""
        if dataset != OWN:
            return {name: getattr(type(self), name) for name in _SIZES} if self.private else {}
        return {name: _limits_of(own)[name][1] for name in _SIZES} if _usable(own) and not self.awaits(dataset) else {}

    @property
    def choices(self) -> Mapping[str, Any]:
        """Return the values of each field: noise that is not calibrated is shown on data of ours only."""
        return self.CHOICES | ({"noise": NOISES[:2]} if self.private else {})

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the (lowest, highest) value of each field, with what a file or the private rows leave of them."""
        low, widest = LIMITS["dimension"]
        if isinstance(self.target_rows, int):
            widest = int(np.clip(_MOST_CELLS // max(self.target_rows, 1), low, widest))
        return {**super().limits, **(_limits_of(self.own) if self.private else {"dimension": (low, widest)})}

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Return the measures with what they rise along."""
        found = {**self.MEASURES}
        if self.private:
            for name, one in found.items():
                found[name] = one._replace(label=one.label.replace("excess risk", "error on held-out rows"))
        # With less noise a penalty pulls more, and a detection is stricter, also with sources that would have helped
        unclear = [*found] if self.private or self.penalty else ["transfer"] * (self.selection == "detected")
        return found | {name: found[name]._replace(rises=()) for name in unclear}

    @property
    def tuned(self) -> Mapping[str, tuple[float, float]]:
        """Return what one may tune. Known sources need no detection; detected ones only limit the correction by h."""
        found = super().tuned
        return found if self.selection == "detected" else {"h": found["h"]}

    @property
    def radius(self) -> float:
        """Return the L1 radius of the correction.

        ||v||_1 <= ||v||_q for q in (0, 1]; for q = 0, h entries of the largest size.
        """
        reach = self.h if self.q > 0 else self.h * self.difference / NARROWEST
        return min(max(reach, LIMITS["h"][0]), RADIUS)

    @property
    def data(self) -> Data | own_file.OwnData:
        """Return the made-up data, or those of a file. Raises RefusedError for one that is only named."""
        if self.private:
            return own_file.OwnData(own=file_handles.key(self.own), seed=self.seed, rows=self.target_rows)
        return self.part(Data, rows=self.target_rows)

    @cached_property
    def model(self) -> Model:
        """Return what the candidates depend on at every epsilon, whatever is migrated."""
        share = self.detection_share if self.selection == "detected" else 0.0
        return self.part(Model, claim=self.part(Claim), detection_share=share)

    @property
    def promise(self) -> Guarantee | None:
        return None if self.void else self.guarantee("transfer")

    def guarantee(self, name: str) -> Guarantee:
        """Return the guarantee of a candidate that walks, by concentrated privacy, with what bounds have cost."""
        return self.whole(self.model.guarantee(name, self.epsilon, self.migrated))

    @property
    def source_guarantee(self) -> Guarantee | None:
        """Return the guarantee of using only the sources; None where that never sees a private row.

        If bounds were paid for, they were drawn from those rows too.
        """
        found = self.model.detection_guarantee(self.epsilon)
        if found or not self.paid:
            return found and self.whole(found)
        return Guarantee(
            epsilon=self.spent,
            delta=0.0,
            adjacency=Adjacency(self.adjacency),
            unit=self.unit,
            event=Sequence(events=tuple(one.event for one in self.paid)),
            basis=BASES["naive"],
        )


def _usable(held: str) -> TypeGuard[OwnRows]:
    """Return whether it is a file with sources, and not only the name of one."""
    return isinstance(held, OwnRows) and bool(held.sizes)


def _limits_of(held: str) -> dict[str, tuple[float, float]]:
    """Return what a file leaves of ``LIMITS``; of one that is only named, nothing is known."""
    most = LIMITS["target_rows"][1]
    if not _usable(held):
        rows = {"target_rows": (_FEWEST, most), "migrated": (1, own_table.MOST_ROWS)}
        return _FIXED | rows | {"dimension": (2, own_rows.MOST_COLUMNS + 1)}
    _, *sizes = held.sizes
    d, pot = own_file.dimension(held), sum(sizes)
    exact = {"sources": (len(sizes), len(sizes)), "dimension": (d, d)}
    rows = {"target_rows": (_FEWEST, min(own_file.private_rows(held), most)), "migrated": (min(MIGRATED[0], pot), pot)}
    return _FIXED | exact | rows

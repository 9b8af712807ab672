"""Results of the page of hypotheses: weights, accuracies, curves and a table."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from dpcore.parties import source_releases
from lab.data import domains
from lab.experiment.settings import Spread, quantiles_of
from lab.statistics.claims import Case, compare, leaders, too_few_to_lead, trailing_start
from lab.statistics.confusion import ByClass
from pages.hypotheses.settings import HypothesesParameters
from pages.hypotheses.tasks import METHODS, Outcome

# The sizes of the paper's two data sets: features.
PUBLISHED_FEATURES = {"20 Newsgroups": 5588, "Amazon reviews": 2969}
_DIMENSIONS = np.unique(np.geomspace(2, 6000, 40).round().astype(int))

# A curve's name, or "table" and a mixture, and the place on it.
Question = tuple[Any, ...]


class QuantileCurve(NamedTuple):
    """Places (m,), and the 5 %, 50 % and 95 % quantiles of the repeats (3, m)."""

    at: np.ndarray
    quantiles: np.ndarray


@dataclass(frozen=True, eq=False)
class Found:
    """The answers to a question that are done, of ``asked`` repeats."""

    done: Sequence[Outcome]
    asked: int

    @classmethod
    def of(cls, tasks: Iterable[Any], outcomes: Mapping[Any, Outcome]) -> Self:
        return cls(
            [outcomes[task] for task in tasks if task in outcomes],
            sum(task.count for task in tasks),
        )

    def runs(self, name: str) -> np.ndarray:
        """Return one array (R, ...) of all repeats: a method's accuracy, or a field of the
        outcomes.
        """
        parts = [one.of(name) if name in METHODS else getattr(one, name) for one in self.done]
        return np.concatenate(parts)

    def middle(self, name: str) -> np.ndarray:
        """Return the median over the repeats, (...); NaN where none is done yet."""
        return np.median(self.runs(name), axis=0) if self.done else np.array(math.nan)

    @property
    def repeats(self) -> int:
        return sum(len(one.repeats) for one in self.done)

    @property
    def complete(self) -> bool:
        return self.repeats == self.asked

    @property
    def constant(self) -> float:
        """Return the accuracy of the best constant answer on the target's test rows."""
        rows = self.runs("counts")[:, 0].sum(axis=(0, 2))
        return float(rows.max() / rows.sum())

    def compare(self, method: str = "transfer", other: str = "weak") -> Case:
        return compare(
            self.runs(method), self.runs(other), constant=self.constant, complete=self.complete
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class HypothesesResult:
    """The settings, and question -> what is found so far."""

    settings: HypothesesParameters
    found: Mapping[Question, Found]

    @property
    def now(self) -> Found:
        return self.found["share", self.settings.label_share]

    @property
    def plain(self) -> Found:
        """Return the same without noise."""
        return self.found["epsilon", math.inf]

    @property
    def repeats(self) -> int:
        return self.now.repeats

    @cached_property
    def accuracy(self) -> dict[str, np.ndarray]:
        """Return method -> accuracy (R,) on the target's test rows."""
        return {name: self.now.runs(name) for name in METHODS}

    @cached_property
    def summary(self) -> dict[str, Spread]:
        return {name: Spread.of(values) for name, values in self.accuracy.items()}

    @cached_property
    def gain(self) -> dict[str, Spread]:
        """Return method -> what it gains over the target's own few labels, repeat by repeat."""
        return {
            name: Spread.of(values - self.accuracy["weak"])
            for name, values in self.accuracy.items()
        }

    @property
    def classes(self) -> tuple[str, str]:
        """Return what the two classes are called."""
        return "class 1", "class 2"

    @cached_property
    def held_out(self) -> dict[str, ByClass]:
        """Return what "transfer", the few labels alone ("weak") and, once it is trained, "transfer
        without noise" do on the target's test rows, class by class.
        """
        models = {"transfer": (self.now, 0), "weak": (self.now, 1)}
        if self.plain.done:
            models["transfer without noise"] = self.plain, 0
        return {
            name: ByClass(
                counts=found.runs("counts")[:, which], loss=found.runs("losses")[:, which]
            )
            for name, (found, which) in models.items()
        }

    def now_beside(self, other: str, method: str = "transfer") -> Case:
        return self.now.compare(method, other)

    @cached_property
    def noiseless(self) -> Case:
        if not (self.now.complete and self.plain.complete):
            return Case.SO_FAR
        return compare(
            self.accuracy["transfer"], self.plain.runs("transfer"), constant=self.now.constant
        )

    @cached_property
    def weighing(self) -> Case:
        """Return what may be said of the found weights beside the same weight for all, by their
        mean squared error.
        """
        return compare(
            self.now.runs("error"), self.equal_error, better="lower", complete=self.now.complete
        )

    @property
    def harmed(self) -> float:
        return float((self.accuracy["transfer"] < self.accuracy["weak"]).mean())

    @cached_property
    def weight_spread(self) -> np.ndarray:
        """Return quantiles (3, K) of the hypothesis weights."""
        return quantiles_of(self.now.runs("weights"), axis=0)

    def places(self, *over: Any) -> list[tuple[float, Found]]:
        """Return (place, what is found there) where anything is, over "epsilon", "share" of labels,
        "dimension", "plain dimension" (without noise), or over epsilon with one "law" of noise and
        0 (all words) or a few public directions.
        """
        there = [
            (place, found)
            for (*what, place), found in self.found.items()
            if what == [*over] and found.done
        ]
        return sorted((one for one in there if math.isfinite(one[0])), key=lambda one: one[0])

    def curve(self, name: str, *over: Any) -> QuantileCurve:
        """Return the accuracy of a method, or the "error" of the weights, over ``places``."""
        places = self.places(*over)
        found = np.array([quantiles_of(found.runs(name)) for _, found in places]).reshape(-1, 3).T
        return QuantileCurve(np.array([place for place, _ in places]), found)

    def helps_from(self, noise: str) -> float | None:
        """Return the epsilon from which on transfer with all words is shown to beat the few labels.

        It is inf where that is not shown at the highest epsilon, and None until all is measured.
        """
        found = {key[-1]: one for key, one in self.found.items() if key[:-1] == ("law", noise, 0)}
        if not found or not all(one.complete for one in found.values()):
            return None
        since = trailing_start([one.compare() for one in found.values()])
        return [*found, math.inf][since]

    @cached_property
    def best_dimensions(self) -> tuple[int, ...]:
        """Return places on the curve over numbers of features: the best median, and those that
        cannot be told apart from it; nothing until all are measured.
        """
        arms = self._over_dimensions
        return tuple(map(int, leaders(arms))) if arms else ()

    @property
    def too_few_for_dimensions(self) -> bool:
        """Return whether there are too few runs to show any number of features to be the best."""
        arms = self._over_dimensions
        return bool(arms) and too_few_to_lead(arms)

    @property
    def _over_dimensions(self) -> dict[str, np.ndarray]:
        """Return place on the curve over numbers of features -> accuracies of as many runs each; {}
        until all are measured.
        """
        places = [found for _, found in self.places("dimension")]
        if len(places) < self.settings.widths or not all(found.complete for found in places):
            return {}
        fewest = min(found.repeats for found in places)
        return {str(place): found.runs("transfer")[:fewest] for place, found in enumerate(places)}

    @property
    def noise_share(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (numbers of features, the noise's share of a released margin): noise^2 / (noise^2
        + signal^2), the median.
        """
        places, shares = self.places("dimension"), []
        for _, found in places:
            signal, noise = found.runs("margins").T
            squares, total = (
                noise**2,
                noise**2 + signal**2,
            )  # both 0 where no text has a word that counts
            shares.append(
                float(
                    np.median(np.divide(squares, total, out=np.zeros_like(total), where=total > 0))
                )
            )
        return np.array([place for place, _ in places]), np.array(shares)

    @property
    def measured_noise(self) -> float:
        """Return what the noise does to a margin now (root of the mean square), whatever kind of
        noise it is.
        """
        return float(self.now.middle("margins")[1])

    @property
    def equal_error(self) -> float:
        """Return the mean squared error of the same weight for all sources."""
        return float(np.mean((np.array(self.settings.shares) - 1 / len(self.settings.shares)) ** 2))

    @property
    def labels(self) -> int:
        """Return how many rows of the target have a label: two at least."""
        return max(2, round(self.settings.label_share * self.settings.target_rows))

    @cached_property
    def sensitivities(self) -> tuple[float, float]:
        model = self.settings.model
        return (
            source_releases.hypothesis_sensitivity(model.labelled, model.lambda_lr),
            source_releases.tilt_sensitivity(model.unlabelled, model.lambda_iw),
        )

    def noise_at(self, dimension: int) -> tuple[float, float]:
        """Return the sd of the noise on the margin of a row of length 1, and on the logarithm of
        its weight.

        With noise in the objective there is no such formula: the first is then that of noise on the
        answer.
        """
        own = self.settings.budget
        budget = replace(own, noise="exponential") if own.noise == "objective" else own
        margin, weight = (
            budget.coordinate_sd(each, dimension=dimension) for each in self.sensitivities
        )
        return margin, weight

    @cached_property
    def noise(self) -> pd.DataFrame:
        """Return a row per number of features: ``noise_at`` it."""
        margin, weight = zip(*(self.noise_at(int(one)) for one in _DIMENSIONS), strict=True)
        return pd.DataFrame({"dimension": _DIMENSIONS, "margin": margin, "weight": weight})

    @property
    def world(self) -> domains.DomainData:
        return self.settings.model.world

    @property
    def dimension(self) -> int:
        """Return the number of features that the sources work with."""
        return self.world.public.shape[1]

    def curves(self) -> pd.DataFrame:
        """Return a row per place, method and quantile: accuracy over epsilon, share of labels,
        number of features.
        """
        parts = []
        for over in ("epsilon", "share", "dimension", "plain dimension"):
            for method in METHODS:
                at, quantiles = self.curve(method, over)
                columns = dict(zip(Spread._fields, quantiles, strict=True))
                parts.append(pd.DataFrame({"over": over, "at": at, "method": method} | columns))
        return pd.concat(parts, ignore_index=True)

    def table(self) -> pd.DataFrame:
        """Return a row per mixture and level of privacy: median accuracy in 100 by method, and the
        best of the first five where one is shown to be.

        Epsilon inf is without noise. NaN where it is still to be computed.
        """
        rows = []
        for question, found in self.found.items():
            if question[0] == "table":
                arms = {name: found.runs(name) for name in METHODS[:-1]} if found.complete else {}
                best = leaders(arms) if arms else ()
                medians = {name: 100 * float(found.middle(name)) for name in METHODS}
                row = {"mixture": question[1], "epsilon": question[2]} | medians
                rows.append(row | {"best": best[0] if len(best) == 1 else ""})
        return pd.DataFrame(rows)

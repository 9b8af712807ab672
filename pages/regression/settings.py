"""Settings of the regression: their ranges, the problem and methods, and the guarantees."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from dpcore.estimators.linear import REGRESSIONS, mechanism
from dpcore.privacy import Guarantee
from dpcore.regression.descent import Descent
from dpcore.regression.functional import best_share, published_best_share
from lab.data import regression as regression_data
from lab.experiment.data_settings import OWN, SourceSettings
from lab.uploads import handles
from lab.uploads.column_roles import MOST_COLUMNS
from lab.uploads.limits import MOST_ROWS
from lab.uploads.rows import OwnRows
from pages.regression.tasks import EPSILONS, Method, Problem

# The mechanisms that split epsilon, with the share of least noise by number of inputs.
SPLITTERS: Mapping[str, Callable[[int], float]] = {
    "published": published_best_share,
    "functional": best_share,
}
# The options of each mechanism that can be set by hand.
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "descent": ("clip_norm", "steps", "radius"),
    "published": ("share",),
    "functional": ("share",),
}
_FEWEST_ROWS = 50
# Rows of a batch of gradient descent. A step on more rows takes too long while a slider moves.
_ROWS_PER_BATCH = 5000
# The only label bound that a file allows. It stands for the declared one, which is in no link.
_DECLARED = 200.0


@dataclass(frozen=True, kw_only=True)
class RegressionSettings(SourceSettings):
    """Settings of private linear regression.

    Raises RefusedError, with the name of the field, if a value is not allowed.

    dataset: a key of ``regression_data.SOURCES``, or "own" for an uploaded file.
    own: the handle of the uploaded file.
    mechanism: the key of ``REGRESSIONS`` that is shown in detail.
    epsilon: of the guarantee.
    delta: of the guarantee of the Gaussian mechanisms.
    rows: number of private rows, or of people in a file.
    features: number of features, which are the first ones of the data set.
    label_top: upper bound to which labels are clipped, in their unit. A file declares its own.
    repeats: number R of fits per mechanism and epsilon.
    seed: of the noise and, unless the data set is fixed, of the held-out rows.
    tuning: "rule" sets the options of each mechanism from public numbers. "own" sets those of the
        chosen mechanism by the following fields, which otherwise have no effect.
    clip_norm, steps, radius: of the mechanism "descent".
    share: share of epsilon for the quadratic, of the mechanisms that split epsilon.
    """

    EXPERIMENT: ClassVar = "pages.regression.experiment.RegressionExperiment"
    CHOICES: ClassVar = {
        "dataset": (*regression_data.SOURCES, OWN),
        "mechanism": REGRESSIONS,
        "tuning": ("rule", "own"),
    }
    LIMITS: ClassVar = {
        "epsilon": (0.01, 100.0),
        "delta": (1e-9, 1e-3),
        "repeats": (2, 100),
        "seed": (0, 9999),
        "clip_norm": (0.01, 10.0),
        "steps": (2, 200),
        "radius": (0.1, 5.0),
        "share": (0.02, 0.98),
    }
    TUNED: ClassVar = {"clip_norm": (0.05, 5.0), "radius": (0.5, 5.0), "share": (0.05, 0.95)}
    PEOPLE: ClassVar = "rows"
    CURVE: ClassVar = EPSILONS
    OF_NUMBERS: ClassVar = True

    dataset: str = "us"
    own: str = handles.NONE
    mechanism: str = "descent"
    epsilon: float = 0.5
    delta: float = 1e-6
    rows: int = 296_000
    features: int = 13
    label_top: float = 200.0
    repeats: int = 50
    seed: int = 4
    tuning: str = "rule"
    clip_norm: float = 1.0
    steps: int = Descent.steps
    radius: float = 3.0
    share: float = 0.9

    # Ranges

    def change(self, **changes: Any) -> Self:
        """Return these settings with ``changes``, and dependent fields brought into their range.

        Options by hand start with those of the rule, and go back to their defaults.
        """
        changed = super().change(**changes)
        if changed.options == self.options or changed.source is None:
            return changed
        defaults = {name: getattr(type(self), name) for name in self.options}
        return super().change(**{**defaults, **changed.rule_options, **changes})

    def initial_values(self, dataset: str, own: str) -> dict[str, Any]:
        """Return the fields that a change of the data set resets.

        A data set starts with all of its rows and its usual label bound. A file starts with all of
        its rows and inputs, unless a link has named it and thereby set their numbers.
        """
        source = _source(dataset, own)
        if source is None:
            return {"rows": MOST_ROWS, "features": MOST_COLUMNS}
        if dataset != OWN:
            return {"rows": source.train_rows, "label_top": source.label_top}
        if self.is_missing_file(dataset):
            return {}
        return {"rows": source.train_rows, "features": len(source.features)}

    @property
    def limits(self) -> Mapping[str, tuple[float, float]]:
        """Return the range of each field, which for some depends on the data set."""
        source = self.source
        rows = MOST_ROWS
        features = MOST_COLUMNS
        label_tops = (_DECLARED, _DECLARED)
        if source is not None:
            rows = source.train_rows
            features = len(source.features)
            if not self.uses_file:
                label_tops = source.label_tops
        limits = dict(super().limits)
        limits["rows"] = (_FEWEST_ROWS, rows)
        limits["features"] = (2, features)
        limits["label_top"] = label_tops
        return limits

    @property
    def tuned(self) -> Mapping[str, tuple[float, float]]:
        """Return the tuning ranges of the options by hand."""
        ranges = super().tuned
        return {name: ranges[name] for name in self.options if name in ranges}

    # The data set

    @property
    def source(self) -> regression_data.Source | None:
        """Return the data set, or None for a file known only by its name."""
        return _source(self.dataset, self.own)

    @property
    def common_variance(self) -> float:
        """Return the number of held-out rows over that of private ones, or 0 for fixed rows."""
        source = self.problem.source
        if source.fixed:
            return 0.0
        return 1 / source.train_share - 1

    @cached_property
    def problem(self) -> Problem:
        """Return the least-squares problem that all mechanisms solve."""
        label_top = self.label_top
        if self.uses_file:
            label_top = regression_data.source(self.dataset_key).label_top
        return Problem(
            dataset=self.dataset_key,
            rows=self.rows,
            features=self.features,
            label_top=label_top,
            seed=self.seed,
        )

    # The mechanisms and their guarantees

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options of the chosen mechanism, as fields, if they are set by hand."""
        if self.tuning == "rule":
            return ()
        return OPTIONS.get(self.mechanism, ())

    @property
    def rule_options(self) -> dict[str, float]:
        """Return what the rule would set in place of the options by hand, to two digits."""
        if not self.options:
            return {}
        rule = replace(self, tuning="rule")
        if self.mechanism in SPLITTERS:
            share = rule.options_of(self.mechanism)["share"]
            return {"share": round(share, 2)}
        options = rule.descent_options
        lowest, highest = self.LIMITS["clip_norm"]
        clip_norm = float(f"{options['clip_norm']:.2g}")
        options["clip_norm"] = min(max(clip_norm, lowest), highest)
        return options

    @property
    def descent_options(self) -> dict[str, float]:
        """Return the clipping norm, steps and radius of gradient descent at the set epsilon."""
        descent = self.mechanism_of("descent")
        public = {"inputs": self.problem.inputs, "rows": self.problem.most_rows}
        epsilon = self.remaining_epsilon
        return {
            "clip_norm": descent.chosen_clip_norm(epsilon, **public),
            "steps": descent.steps,
            "radius": descent.chosen_radius(epsilon, **public),
        }

    def options_of(self, name: str) -> dict[str, Any]:
        """Return the options of a mechanism, by hand if it is the chosen one, else by rule.

        Gradient descent chooses those that are left out by its rule. The share of epsilon for the
        quadratic is that of the least noise.
        """
        by_hand = {}
        if name == self.mechanism:
            by_hand = {option: getattr(self, option) for option in self.options}
        if name == "descent":
            # Batches stay quick for any number of rows.
            steps = by_hand.get("steps", Descent.steps)
            batches = math.ceil(self.problem.most_rows / _ROWS_PER_BATCH)
            return {"steps": steps, "batches": min(batches, steps), **by_hand}
        if name in SPLITTERS:
            return {"share": SPLITTERS[name](self.features + 1), **by_hand}
        return {}

    def mechanism_of(self, name: str) -> Any:
        """Return the mechanism with this key of ``REGRESSIONS``."""
        source = self.problem.source
        return mechanism(
            name,
            delta=self.delta,
            rows_each=source.rows_each,
            gaps=source.gaps,
            **self.options_of(name),
        )

    def method(self, name: str) -> Method:
        """Return a mechanism, as of ``mechanism_of``, that solves the problem."""
        return Method(problem=self.problem, mechanism=self.mechanism_of(name))

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of one fit by the chosen mechanism, or None if there is none."""
        if self.void:
            return None
        return self.guarantee_of(self.mechanism)

    def guarantee_of(self, name: str) -> Guarantee:
        """Return the guarantee of one fit by a mechanism.

        Guarantee: that of the mechanism's class with the epsilon that is left, after the payments
            for bounds.
        """
        problem = self.problem
        fit = self.mechanism_of(name).guarantee(
            self.remaining_epsilon, inputs=problem.inputs, rows=problem.most_rows
        )
        if self.by_person:
            fit = replace(fit, unit="person")
        return self.after_payments(fit)


def _source(dataset: str, own: str) -> regression_data.Source | None:
    """Return the data set, or None for a file known only by its name.

    own: the name of the file, or its rows, which are a text too.
    """
    if dataset != OWN:
        return regression_data.SOURCES[dataset]
    if isinstance(own, OwnRows):
        return own.regression_source
    return None

"""Result of membership inference: how many members are found, and what a guarantee allows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from lab.statistics.claims import Case, compare
from pages.attack.membership import attacks
from pages.attack.membership.attacks import LIKELIHOOD_RATIO, LOSS_THRESHOLD, RATES
from pages.attack.membership.tasks import ShadowModels
from pages.attack.settings import AttackSettings

# The two kinds of models that are compared, private and non-private ones, and how many of each.
ARMS = ("private", "plain")
MODELS = 128
# The false-positive rate at which the page states how many members are found, and its index.
RATE = 0.01
_INDEX_OF_RATE = int(np.abs(RATES - RATE).argmin())


@dataclass(frozen=True, kw_only=True, eq=False)
class MembershipResult:
    """Result of membership inference.

    private, plain: the private and the non-private models that are trained.
    """

    settings: AttackSettings
    private: ShadowModels
    plain: ShadowModels

    def shadows(self, arm: str) -> ShadowModels:
        """Return the models of an arm, "private" or "plain"."""
        if arm == "private":
            return self.private
        return self.plain

    @property
    def complete(self) -> bool:
        """Return whether all models are trained."""
        return len(self.private.members) == MODELS and len(self.plain.members) == MODELS

    # Members found

    @cached_property
    def ratios(self) -> dict[str, np.ndarray]:
        """Return the likelihood ratios (R, n) of the models of each arm."""
        ratios = {}
        for arm in ARMS:
            shadows = self.shadows(arm)
            ratios[arm] = attacks.likelihood_ratios(shadows.members, shadows.margins)
        return ratios

    @cached_property
    def curves(self) -> dict[tuple[str, str], np.ndarray]:
        """Return the true-positive rate at each of ``RATES``, by arm and attack."""
        curves = {}
        for arm in ARMS:
            shadows = self.shadows(arm)
            curves[arm, LIKELIHOOD_RATIO] = attacks.roc(self.ratios[arm], shadows.members)
            curves[arm, LOSS_THRESHOLD] = attacks.roc(shadows.margins, shadows.members)
        return curves

    @cached_property
    def bounds(self) -> np.ndarray:
        """Return the largest true-positive rate that the noise allows at each of ``RATES``."""
        return attacks.bound(RATES, epsilon=self.settings.epsilon, delta=self.settings.delta)

    def true_positive_rate(self, arm: str, attack: str = LIKELIHOOD_RATIO) -> float:
        """Return the share of members that an attack finds at the false-positive rate ``RATE``."""
        return float(self.curves[arm, attack][_INDEX_OF_RATE])

    @property
    def bound(self) -> float:
        """Return the bound of the noise at the false-positive rate ``RATE``."""
        return float(self.bounds[_INDEX_OF_RATE])

    def advantage(self, arm: str, attack: str = LIKELIHOOD_RATIO) -> float:
        """Return the largest difference of true- and false-positive rate."""
        return float((self.curves[arm, attack] - RATES).max())

    # Claims

    def true_positive_rates_by_model(self, arm: str) -> np.ndarray:
        """Return the share of its members (R,) that the likelihood ratio finds in each model.

        The false-positive rate is ``RATE`` over all models together.
        """
        shadows = self.shadows(arm)
        ratios = self.ratios[arm]
        other_ratios = np.sort(ratios[~shadows.members])
        others_above = int(RATE * len(other_ratios))
        is_above = ratios > other_ratios[-1 - others_above]
        members_above = (is_above & shadows.members).sum(axis=1)
        return members_above / np.maximum(shadows.members.sum(axis=1), 1)

    @cached_property
    def detection_claim(self) -> Case:
        """Return the claim about members found without privacy, compared with private models."""
        plain = self.true_positive_rates_by_model("plain")
        private = self.true_positive_rates_by_model("private")
        return compare(plain, private, complete=self.complete)

    @cached_property
    def memorisation_claim(self) -> Case:
        """Return the claim about non-private accuracy on members, compared with others."""
        on_members, on_others = self.plain.accuracies.T
        return compare(on_members, on_others, complete=self.complete)

    # Accuracy and margins

    def accuracy(self, arm: str) -> tuple[float, float]:
        """Return the median accuracy on members and on others."""
        on_members, on_others = np.median(self.shadows(arm).accuracies, axis=0)
        return float(on_members), float(on_others)

    def margins(self, arm: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the logits of the true class, of members and of others."""
        shadows = self.shadows(arm)
        return shadows.margins[shadows.members], shadows.margins[~shadows.members]

    # Downloads

    def table(self) -> pd.DataFrame:
        """Return what each attack finds, with a row per arm and attack."""
        rows = []
        for arm, attack in self.curves:
            on_members, on_others = self.accuracy(arm)
            row = {
                "model": arm,
                "attack": attack,
                "found at 1 %": self.true_positive_rate(arm, attack),
                "advantage": self.advantage(arm, attack),
                "right on members": on_members,
                "right on others": on_others,
            }
            rows.append(row)
        return pd.DataFrame(rows)

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the name of each download, and the function that makes its data frame."""
        return {"Attacks": self.table}

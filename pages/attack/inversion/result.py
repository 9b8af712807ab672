"""Result of model inversion: the reconstructions, and how well they match the truth."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from pages.attack.inversion.tasks import Reconstructions
from pages.attack.settings import AttackSettings

# Rows of ``Reconstructions.match``.
CLASS_MATCH = 0
RECORD_MATCH = 1


class Match(NamedTuple):
    """The median correlation of reconstructions with the truth, private and without privacy."""

    private: float
    plain: float


@dataclass(frozen=True, kw_only=True, eq=False)
class InversionResult:
    """Result of model inversion.

    private, plain: what is reconstructed at the set epsilon, and without privacy.
    """

    settings: AttackSettings
    private: Reconstructions
    plain: Reconstructions

    @property
    def class_match(self) -> Match:
        """Return how well the classes match their mean pictures."""
        return self._match(CLASS_MATCH)

    @property
    def record_match(self) -> Match:
        """Return how well the planted record matches the true one."""
        return self._match(RECORD_MATCH)

    def _match(self, index: int) -> Match:
        """Return the median correlations in a row of ``Reconstructions.match``."""
        private = float(np.median(self.private.match[index]))
        return Match(private, float(self.plain.match[index, 0]))

    def table(self) -> pd.DataFrame:
        """Return the median correlations of the classes and of the record."""
        rows = [self.class_match, self.record_match]
        return pd.DataFrame(rows, index=["classes", "record"]).reset_index(names="picture")

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the name of each download, and the function that makes its data frame."""
        return {"Match": self.table}

"""Result of the search for the best configuration."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lab.experiment.settings import Settings
from lab.statistics.claims import LEAST, Case, classify_difference
from lab.sweeps.sweep import best, difference_of_settings
from pages.what_if.measurements import Winner
from pages.what_if.retest import OTHER_SEEDS
from pages.what_if.settings import WhatIfSettings


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchResult:
    """Result of the search, as far as it is done.

    tries: the configurations that are done, each with its median.
    retests: runs of the best configuration and of the topic's settings, on each other split that is
        done.
    """

    settings: WhatIfSettings
    tries: Sequence[tuple[Settings, float]]
    retests: Sequence[tuple[np.ndarray, np.ndarray]]

    @cached_property
    def winner(self) -> Winner | None:
        """Return the best configuration and its retests, or None until all are done."""
        is_tried = len(self.tries) == len(self.settings.candidates) > 0
        if not is_tried or len(self.retests) < OTHER_SEEDS:
            return None
        medians = [median for _, median in self.tries]
        settings, selected = self.tries[best(medians, self.settings.asked_measure)]
        return Winner(
            settings=settings,
            selected=selected,
            retested=np.array([np.median(runs) for runs, _ in self.retests]),
            base=np.array([np.median(base_runs) for _, base_runs in self.retests]),
            gain=self._gain(settings),
        )

    def _gain(self, winner: Settings) -> Case:
        """Compare the winner with the topic's settings on the retests."""
        winner_runs = np.concatenate([runs for runs, _ in self.retests])
        base_runs = np.concatenate([base_runs for _, base_runs in self.retests])
        difference = difference_of_settings(
            winner,
            self.settings.topic_settings,
            winner_runs,
            base_runs,
            splits=len(self.retests),
        )
        measure = self.settings.asked_measure
        # A point or, if the measure is not in percent, 1 % of the base's median.
        least = LEAST
        if measure.unit != "%":
            least = LEAST * abs(float(np.median(base_runs)))
        return classify_difference(difference, better=measure.better, least=least)

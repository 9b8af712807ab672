"""The best attacker against a Gaussian mechanism, as epsilon changes."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from dpcore.accountants import gdp
from dpcore.cache import cached

# Between these epsilons, mu is computed at so many points and is straight over log epsilon on a log
# scale, which is exact to 1 part in 1,000.
_EPSILONS = (0.005, 300.0)
_POINTS = 81


@dataclass(frozen=True)
class RightGuesses:
    """The largest share of right guesses about one person, by the epsilon of a mu-GDP mechanism.

    It is Phi(mu / 2), and 1/2 for a coin toss. ``attacker.best_attacker`` gives it for one event.

    delta: at which the mechanism has its epsilon.
    """

    delta: float

    def __call__(self, epsilons: np.ndarray) -> np.ndarray:
        """Return the share at each epsilon, (n,)."""
        log_epsilons, log_mus = _mus(self.delta)
        return ndtr(np.exp(np.interp(np.log(epsilons), log_epsilons, log_mus)) / 2)


@cached
def _mus(delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the logarithms of epsilons and of their mu, (``_POINTS``,) each."""
    epsilons = np.geomspace(*_EPSILONS, _POINTS)
    mus = [gdp.mu_of(float(epsilon), delta=delta) for epsilon in epsilons]
    return np.log(epsilons), np.log(mus)

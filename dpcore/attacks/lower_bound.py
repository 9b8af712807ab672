"""The result of an audit, a lower bound on epsilon that can refute a guarantee.

A ``LowerBound`` and a ``Guarantee`` are never interchangeable.
"""

from dataclasses import dataclass

from dpcore.privacy import Adjacency, Guarantee

# Assumption of an audit bound that uses both error rates: the worst pair of data sets is exactly as
# hard to distinguish as two normal distributions. It holds for Gaussian releases whose shift is
# independent of earlier ones.
GAUSSIAN_CURVE = "Gaussian trade-off curve"


class IncomparableError(TypeError):
    """Raised when guarantees or bounds have different adjacency relations, units or deltas."""


@dataclass(frozen=True, kw_only=True)
class LowerBound:
    """The result of an audit, which can refute a claimed guarantee but never proves one.

    Attributes:
        epsilon: With probability ``confidence`` the mechanism spends at least this much.
        delta: The delta at which ``epsilon`` is measured.
        adjacency: The relation between the audited data sets.
        unit: The unit of privacy, as in ``Guarantee``.
        confidence: Probability that the bound holds.
        trials: Number of runs.
        assumes: What the bound assumes about the mechanism; "" if nothing.
    """

    epsilon: float
    delta: float
    adjacency: Adjacency
    unit: str
    confidence: float
    trials: int
    assumes: str = ""

    def refutes(self, claim: Guarantee, *, proved: str = "") -> bool:
        """Return whether the bound exceeds the epsilon of ``claim``.

        Args:
            claim: A guarantee whose delta is at most that of the bound.
            proved: The assumption that the caller has proved for this mechanism. A bound with any
                other assumption refutes nothing.

        Raises:
            IncomparableError: If adjacency, unit or delta do not match.
        """
        # A LowerBound has similar fields, but it is not a claim.
        if not isinstance(claim, Guarantee):
            raise IncomparableError(f"a guarantee is needed here, not {claim!r}")
        if (self.adjacency, self.unit) != (claim.adjacency, claim.unit):
            raise IncomparableError(
                f"measured under {self.adjacency}, claimed under {claim.adjacency}"
            )
        if claim.delta > self.delta:
            raise IncomparableError(
                f"measured at delta {self.delta:g}, claimed at the larger {claim.delta:g}"
            )
        if self.assumes not in ("", proved):
            return False
        return self.epsilon > claim.epsilon

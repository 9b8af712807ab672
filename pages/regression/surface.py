"""The quadratic that is minimised, as a function of two coefficients: the true one, and what noise makes of it."""

from dataclasses import dataclass

import numpy as np

# Points along each side of a surface, and how far it reaches on either side, on the scale of the learners.
SIDE, REACH = 64, 0.6


@dataclass(frozen=True, kw_only=True)
class Surface:
    """J(a, b) = min or, on a saddle, the stationary value over all other coefficients of (w^T G w - 2 m^T w) / n.

    hessian (2, 2) and centre (2,): J(a, b) - J(centre) = (z - centre)^T hessian (z - centre).
    negative: how many directions of G curve down; ``seen``: how many of them do so in this plane.
    """

    hessian: np.ndarray
    centre: np.ndarray
    negative: int

    @property
    def seen(self) -> int:
        """Directions of this plane that curve down."""
        return int((np.linalg.eigvalsh(self.hessian) <= 0).sum())

    def values(self, middle: np.ndarray) -> np.ndarray:
        """J - J(centre) on the grid (SIDE, SIDE) about ``middle`` (2,): rows from below, b upwards."""
        steps = np.linspace(-REACH, REACH, SIDE)
        a, b = middle[0] + steps[None, :] - self.centre[0], middle[1] + steps[:, None] - self.centre[1]
        (aa, ab), (_, bb) = self.hessian
        return aa * a**2 + 2 * ab * a * b + bb * b**2


def surface(gram: np.ndarray, moment: np.ndarray, *, rows: int, pair: tuple[int, int]) -> Surface:
    """Return the surface of gram (p, p) and moment (p,) over the inputs numbered ``pair``.

    The hessian is the Schur complement of the other coefficients, the inverse of the block of the inverse; so its
    centre is where the whole quadratic is stationary. Signs add up: directions that curve down in G are those of the
    plane and those of the others (Haynsworth).
    """
    inverse = np.linalg.pinv(gram, hermitian=True)
    block = np.ix_(pair, pair)
    return Surface(
        hessian=np.linalg.pinv(inverse[block], hermitian=True) / rows,
        centre=(inverse @ moment)[list(pair)],
        negative=int((np.linalg.eigvalsh(gram) <= 0).sum()),
    )

"""Three movements to try on the home page, each done once its outcome has been on the screen."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pages.home.charts import SAYS
from pages.home.result import PersonResult
from pages.home.settings import ANA
from pages.home.texts import points
from ui.text.numbers import format_number
from ui.text.tiles import percent_rounded_up

# The first movement is done where no spy is right in a larger share of guesses.
_HIDDEN_LIMIT = 0.55
# The second one finds the epsilon from which fewer points of accuracy are lost, between two values
# that differ by this factor at most.
_CHEAP_POINTS = 2
_CLOSE_FACTOR = 1.5


class Observation(NamedTuple):
    """What the page has shown at one epsilon, about one person.

    Attributes:
        epsilon: The epsilon.
        person: The number of the person.
        name: The person's name.
        right: Right guesses of the spy in 100.
        limit: Largest share of right guesses of any spy.
        cost: Points of accuracy that privacy costs.
    """

    epsilon: float
    person: int
    name: str
    right: int
    limit: float
    cost: float

    @classmethod
    def of(cls, result: PersonResult) -> "Observation":
        """Return what the page shows of a result."""
        settings = result.settings
        return cls(
            settings.epsilon,
            settings.person,
            result.name,
            result.right_guesses,
            result.limit,
            result.cost,
        )


# The observations of a session in their order.
Observations = list[Observation]
Outcome = Mapping[str, Any]


def _ana_is_hidden(observations: Observations) -> Outcome | None:
    """Return the newest epsilon at which the guarantee hides Ana, with its cost."""
    for observation in reversed(observations):
        if observation.person == ANA and observation.limit <= _HIDDEN_LIMIT:
            return {
                "epsilon": format_number(observation.epsilon),
                "limit": percent_rounded_up(observation.limit),
                "cost": points(max(0.0, observation.cost)),
            }
    return None


def _price_is_found(observations: Observations) -> Outcome | None:
    """Return the two values of epsilon between which the cost falls, if they are close."""
    cheap = []
    for observation in observations:
        if observation.cost < _CHEAP_POINTS:
            cheap.append(observation.epsilon)
    if not cheap:
        return None
    smallest_cheap = min(cheap)
    expensive_below = []
    for observation in observations:
        if observation.cost >= _CHEAP_POINTS and observation.epsilon < smallest_cheap:
            expensive_below.append(observation.epsilon)
    if not expensive_below:
        return None
    largest_expensive = max(expensive_below)
    if smallest_cheap > _CLOSE_FACTOR * largest_expensive:
        return None
    return {"good": format_number(smallest_cheap), "bad": format_number(largest_expensive)}


def _somebody_else_was_asked_about(observations: Observations) -> Outcome | None:
    """Return the newest outcome for another person than Ana."""
    for observation in reversed(observations):
        if observation.person != ANA:
            return {
                "epsilon": format_number(observation.epsilon),
                "right": observation.right,
                "name": observation.name,
                "limit": percent_rounded_up(observation.limit),
            }
    return None


# Name of a movement -> function that returns its outcome from the observations; None until then.
MOVES: Mapping[str, Callable[[Observations], Outcome | None]] = {
    "hide": _ana_is_hidden,
    "pay": _price_is_found,
    "other": _somebody_else_was_asked_about,
}


def outcomes(observations: Observations) -> dict[str, str]:
    """Return the text of each movement that is done, by its name."""
    texts = {}
    for name, outcome_of in MOVES.items():
        outcome = outcome_of(observations)
        if outcome is not None:
            texts[name] = SAYS(f"moves.{name}_done", **outcome)
    return texts

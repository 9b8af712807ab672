"""The numbers that one can guess in a lesson."""

from dataclasses import dataclass

# A range is wide if its ends differ by more than this factor; in it one guesses two digits.
_WIDE_FACTOR = 20


@dataclass(frozen=True, kw_only=True)
class GuessRange:
    """The numbers that a guess may be, on the vertical axis of the chart.

    Attributes:
        low: The smallest one.
        high: The largest one.
        step: Difference of two neighbours.
        unit: Their unit.
        tone: "private", "public" or "bound", for the colour of the outcome.
    """

    low: float
    high: float
    step: float = 1.0
    unit: str = ""
    tone: str = "private"

    def nearest(self, value: float) -> float:
        """Round a value as one would type it: to two digits in a wide range, else to a step."""
        if self.low > 0 and self.high > _WIDE_FACTOR * self.low:
            typed = float(f"{value:.2g}")
        else:
            typed = round(round(value / self.step) * self.step, 6)
        return float(min(max(typed, self.low), self.high))

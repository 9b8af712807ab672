"""Roles of an uploaded file's columns, with everything that its owner declares about them.

All declarations (bounds, categories, classes) are public. They are judged without reading a cell.
"""

import math
from collections import Counter
from dataclasses import dataclass

from dpcore import check
from dpcore.mechanisms.private_bounds import Payment
from dpcore.normal_form import normal_form

KINDS = ("number", "category")
MOST_COLUMNS = 64
MOST_VALUES = 50
MOST_CLASSES = 20
# Largest bounds that charts can show in single precision.
_LARGEST_BOUND = 1e30


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column used as input.

    Attributes:
        name: Name in the file.
        kind: One of ``KINDS``.
        low: Public lower bound of a number.
        high: Public upper bound of a number.
        values: Declared categories; any other cell counts as none of them.
        decimal: "." or ",", declared if the file is ambiguous.
        read_off: Whether the bounds were taken from the private rows, which voids every guarantee.
        paid: Epsilon spent on the bounds; 0 if they are public.
    """

    name: str
    kind: str = "number"
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] = ()
    decimal: str = ""
    read_off: bool = False
    paid: float = 0.0

    def fault(self) -> str:
        """Return a sentence on a missing or invalid declaration, or ""."""
        check.choice(KINDS, kind=self.kind)
        if self.kind == "category":
            return _values_fault(self.name, self.values, what="category", least=1, most=MOST_VALUES)
        if self.low is None or self.high is None:
            return f"{self.name} has no bounds"
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            return f"the lowest value of {self.name} must be below the highest"
        if max(-self.low, self.high) > _LARGEST_BOUND:
            return f"the bounds of {self.name} must lie within {_LARGEST_BOUND:g} of 0"
        return ""

    @property
    def inputs(self) -> dict[str, tuple[float, float]]:
        """Return the bounds of each input, which are scaled to -1 and 1.

        The bounds of a category are already (-1, 1), so its inputs stay 0 or 1.
        """
        if self.kind == "number":
            # ``fault`` requires both bounds.
            return {self.name: (float(self.low), float(self.high))}  # type: ignore[arg-type]
        return {f"{self.name}: {value}": (-1.0, 1.0) for value in self.values}

    @property
    def reference_categories(self) -> int:
        """Return how many of the first inputs a regression leaves out, 0 or 1.

        It is 1 for several categories: all of them together would be collinear with the constant,
        and noise would make their coefficients arbitrary.
        """
        if len(self.values) > 1:
            return 1
        return 0


def regression_bounds(columns: tuple[Column, ...]) -> dict[str, tuple[float, float]]:
    """Return the bounds of each input of a regression, which are scaled to -1 and 1.

    Those of a category are (0, 1), so its inputs use the whole range.
    """
    bounds = {}
    for column in columns:
        inputs = list(column.inputs.items())
        for name, ends in inputs[column.reference_categories :]:
            if column.kind == "number":
                bounds[name] = ends
            else:
                bounds[name] = (0.0, 1.0)
    return bounds


def _values_fault(name: str, values: tuple[str, ...], *, what: str, least: int, most: int) -> str:
    """Return why ``values`` cannot be the declared values of a column, or ""."""
    if not values:
        return f"{name} has no {what}"
    if len(values) < least:
        return f"{name} has one {what}, and needs two"
    if len(values) > most:
        return f"{name} has {len(values)} values, more than {most}"
    counts = Counter(normal_form(value) for value in values)
    if counts[""] > 0 or max(counts.values()) > 1:
        return f"{name} has an empty {what}, or one twice"
    return ""


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Roles of a file's columns; columns without a role are not read.

    Attributes:
        answer: The column with the label.
        classes: Declared values of the label; a row with another value is ignored.
        columns: The inputs.
        person: The column that identifies the person of a row; "" if each row is protected alone.
        one_row: Whether a person has one row, as the analyst has said; None if not said.
        test_share: Share of the rows, or people, held out.
        payments: Everything spent on bounds of this file, used or not.
        target: Instead of classes, the bounds of a numeric label.
        rows_each: With a numeric label, the largest number of random rows used per person.
        gaps: With a numeric label, whether labels may be missing. A row without a label is then
            ignored, and the number of such rows is secret. Without gaps, a missing label becomes
            the middle of its bounds.
    """

    answer: str
    classes: tuple[str, ...]
    columns: tuple[Column, ...]
    person: str = ""
    one_row: bool | None = None
    test_share: float = 0.2
    payments: tuple[Payment, ...] = ()
    target: Column | None = None
    rows_each: int = 1
    gaps: bool = True

    def faults(self) -> tuple[str, ...]:
        """Return sentences on missing or invalid declarations."""
        faults = [self._label_fault()]
        faults += self._columns_faults()
        if self.person and any(payment.person != self.person for payment in self.payments):
            faults.append(
                "bounds were paid for before a column identified the persons, so upload the file"
                " again"
            )
        for column in self.columns:
            faults.append(column.fault())
        found = tuple(fault for fault in faults if fault)
        if found:
            return found
        return self._inputs_faults()

    def _label_fault(self) -> str:
        """Return what is missing in the declaration of the predicted column, or ""."""
        if not self.answer:
            return "no column to predict is chosen"
        if self.target is not None:
            return self.target.fault()
        return _values_fault(self.answer, self.classes, what="answer", least=2, most=MOST_CLASSES)

    def _columns_faults(self) -> list[str]:
        """Return sentences on columns that are missing, too many or used twice."""
        names = Counter(column.name for column in self.columns)
        faults = []
        if not names:
            faults.append("no input column is chosen")
        if len(names) > MOST_COLUMNS:
            faults.append(f"{len(names)} columns are chosen, more than {MOST_COLUMNS}")
        faults += [f"{name} is chosen twice" for name, count in names.items() if count > 1]
        if self.answer in names:
            faults.append(f"{self.answer} is the column to predict, so it cannot be an input")
        if self.person and self.person in (*names, self.answer):
            faults.append(
                f"{self.person} identifies the persons, so it cannot be an input or predicted"
            )
        return faults

    def _inputs_faults(self) -> tuple[str, ...]:
        """Return sentences on a number of inputs that a regression does not allow."""
        if self.target is None:
            return ()
        inputs = len(regression_bounds(self.columns))
        if inputs < 2:
            return ("one input is chosen, and a regression needs two",)
        if inputs > MOST_COLUMNS:
            return (f"the columns make {inputs} inputs, more than {MOST_COLUMNS}",)
        return ()

    @property
    def inputs(self) -> dict[str, tuple[float, float]]:
        """Return the bounds of each input of all columns, which are scaled to -1 and 1."""
        inputs = {}
        for column in self.columns:
            inputs.update(column.inputs)
        return inputs

    @property
    def bounded_columns(self) -> tuple[Column, ...]:
        """Return the inputs and the numeric label, if there is one."""
        if self.target is None:
            return self.columns
        return (*self.columns, self.target)

    @property
    def void(self) -> tuple[str, ...]:
        """Return the columns with bounds read off private rows, each of which voids the
        guarantee.
        """
        return tuple(column.name for column in self.bounded_columns if column.read_off)

    @property
    def spent(self) -> float:
        """Return the total epsilon spent on bounds, which training cannot use.

        The epsilons of pure releases add up.
        """
        return math.fsum(payment.epsilon for payment in self.payments)

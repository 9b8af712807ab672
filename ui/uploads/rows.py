"""Rows of a visitor: the file of this session, the roles of its columns, and its choice for pages.

The file is in the state of its session and nowhere else: a link has only the random name of an
``OwnRows``, which is resolved here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from dpcore import check
from dpcore.check import RefusedError
from dpcore.mechanisms.private_bounds import Payment
from lab.experiment.data_settings import RowsSettings
from lab.uploads import column_bounds, column_roles, rows
from lab.uploads.column_roles import Column, Roles
from lab.uploads.column_types import Kind
from lab.uploads.handles import NONE, release
from lab.uploads.rows import OwnRows
from lab.uploads.table import Table
from ui.session import page_links
from ui.session.page_state import PageState
from ui.text.escaping import plain
from ui.text.texts import SAYS
from ui.uploads.lifetime import SessionFile, present
from ui.uploads.samples import Sample

USES = {
    "out": "Leave out",
    "number": "Number",
    "category": "Category",
    "answer": "To predict",
    "amount": "Predict number",
    "person": "Says who",
}
# Epsilon that all bounds of a file may cost together; beyond it, nothing is left to guarantee.
MOST_SPENT = 5.0
ANSWERS = ("answer", "amount")
# Groups of uses that one column has at most.
_UNIQUE = (ANSWERS, ("person",))
_BROUGHT = "data.brought"
# Refusals with a text of their own.
_REFUSALS = ("file", "epsilon", "rows", "decimal")


@dataclass(eq=False, repr=False)
class Draft:
    """The entries of *My data* so far.

    Attributes:
        file: Name of the file, shown to its visitor only.
        uses: Column -> one of ``USES``.
        columns: Column -> its bounds or categories.
        classes: The classes that were typed.
        one_row, rows_each, gaps: As in ``Roles``.
        kinds: Column -> its guessed kind.
        payments: All that bounds have cost.
    """

    file: str
    uses: dict[str, str] = field(default_factory=dict)
    columns: dict[str, Column] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    one_row: bool | None = None
    rows_each: int = 1
    gaps: bool = True
    kinds: dict[str, Kind] = field(default_factory=dict)
    payments: tuple[Payment, ...] = ()

    @classmethod
    def for_table(cls, table: Table, file: str) -> "Draft":
        """Return a draft that leaves out every column; only kinds are guessed."""
        kinds = {name: table.kind(name) for name in table.columns}
        return cls(file=file, uses=dict.fromkeys(kinds, "out"), kinds=kinds)

    def set_use(self, name: str, use: str) -> None:
        """Set the use of a column, and leave out another one of a use that is unique."""
        for uses in _UNIQUE:
            for other, other_use in self.uses.items():
                if use in uses and other_use in uses:
                    self.uses[other] = "out"
        if use == "answer" and self.uses[name] != use:
            self.classes = ()
        if use == "amount":
            self.columns[name] = Column(name=name, kind="number")
        elif use in column_roles.KINDS:
            self.columns[name] = Column(name=name, kind=use)
        self.uses[name] = use

    def set_values(self, name: str, **parts: Any) -> None:
        """Set bounds, categories or decimals of a column."""
        self.columns[name] = replace(self.columns[name], **parts)

    def set_bound(self, name: str, end: str, value: float | None) -> None:
        """Set the "low" or "high" bound of a column."""
        self.set_values(name, **{end: value})

    def apply_notes(self, sample: Sample) -> None:
        """Set all entries to the notes of a sample."""
        self.uses = dict.fromkeys(self.uses, "out")
        for column in sample.columns:
            self.uses[column.name] = column.kind
            self.columns[column.name] = column
        self.uses[sample.answer] = "answer"
        self.classes = sample.classes
        if sample.target:
            self.uses[sample.answer] = "amount"
            self.columns[sample.answer] = sample.target

    def matches_notes(self, sample: Sample) -> bool:
        """Return whether the entries are those of the notes of a sample."""
        roles = self.roles
        return (
            roles.columns == sample.columns
            and roles.answer == sample.answer
            and roles.classes == sample.classes
            and roles.target == sample.target
        )

    def buy_bounds(self, table: Table, name: str, epsilon: float) -> None:
        """Draw new bounds of a column, which costs epsilon whatever comes out.

        Raises:
            RefusedError: The bounds would cost too much; nothing was spent.
        """
        person = self.column_used_as("person")
        spent = sum(payment.epsilon for payment in self.payments)
        check.between(0, MOST_SPENT, epsilon=spent + epsilon)
        column = column_bounds.buy(table, self.columns[name], epsilon=epsilon, person=person)
        self.payments += (Payment(epsilon=epsilon, person=person),)
        self.columns[name] = column

    def column_used_as(self, use: str) -> str:
        """Return the column with this use; "" if there is none."""
        for name, column_use in self.uses.items():
            if column_use == use:
                return name
        return ""

    @property
    def roles(self) -> Roles:
        """Return the roles of the columns, with what does not apply left out."""
        person = self.column_used_as("person")
        amount = self.column_used_as("amount")
        columns = []
        for name, use in self.uses.items():
            if use in column_roles.KINDS:
                columns.append(self.columns[name])
        answer = self.column_used_as("answer")
        classes = self.classes
        target = None
        gaps = True
        if amount:
            answer = amount
            classes = ()
            target = self.columns[amount]
            gaps = self.gaps
        one_row = self.one_row
        rows_each = 1
        if person:
            one_row = None
            if amount:
                rows_each = self.rows_each
        return Roles(
            answer=answer,
            classes=classes,
            columns=tuple(columns),
            person=person,
            one_row=one_row,
            payments=self.payments,
            target=target,
            rows_each=rows_each,
            gaps=gaps,
        )


@dataclass(eq=False, repr=False, kw_only=True)
class UploadedTable(SessionFile):
    """An uploaded file in its session.

    Attributes:
        draft: The roles of its columns so far.
        confirmed: Its confirmed choices of roles, by name; the newest is the last.
    """

    draft: Draft
    confirmed: dict[str, OwnRows] = field(default_factory=dict)

    def has_choice(self, own: str) -> bool:
        """Return whether this is a choice of this file, which has not been released."""
        return isinstance(own, OwnRows) and own in self.confirmed and bool(self.table.columns)


def store_file(table: Table, file: str) -> None:
    """Store a file in this session, in place of the one before."""
    remove_file()
    st.session_state[_BROUGHT] = UploadedTable(table=table, draft=Draft.for_table(table, file))


def remove_file() -> None:
    """Release the file of this session now."""
    previous = st.session_state.pop(_BROUGHT, None)
    if previous is not None:
        release(previous.table)


def current_file() -> UploadedTable | None:
    """Return the file of this session; each run of a page that uses it has to call this."""
    file = st.session_state.get(_BROUGHT)
    if not present(None, file):
        return None
    return file


def confirm(file: UploadedTable) -> OwnRows | None:
    """Return the file with the roles as entered; None if an entry is missing.

    Raises:
        RefusedError: The rows do not suffice.
    """
    roles = file.draft.roles
    if roles.faults():
        return None
    own = None
    for earlier in file.confirmed.values():
        if earlier.roles == roles:
            own = earlier
            break
    if own is None:
        own = rows.choose(file.table, roles)
    # Inserted anew, so that the newest is the last.
    file.confirmed.pop(str(own), None)
    file.confirmed[str(own)] = own
    return own


def ready(state: PageState) -> bool:
    """Return whether there are rows to learn from, and show what is missing.

    Settings take up the choice that a link names, or the newest one of this session if they name
    none.
    """
    if not state.settings.uses_file:
        return True
    file = current_file()
    if file is not None and not are_available(state):
        _take_up_choice(state, file)
    missing = _missing(state, file)
    if missing:
        st.markdown(SAYS[f"own-rows.{missing}"])
        st.page_link(page_links.page_for("data"), label="My data", icon=":material/table:")
        return False
    void = state.settings.own.roles.void
    if void:
        _warn_of_void_bounds(void)
    return True


def _take_up_choice(state: PageState, file: UploadedTable) -> None:
    """Set the settings to a choice of the file that fits the page, if there is one."""
    fitting = {name: own for name, own in file.confirmed.items() if state.settings.fits(own)}
    chosen = fitting.get(state.settings.own)
    if chosen is None and state.settings.own == NONE and fitting:
        chosen = list(fitting.values())[-1]
    if chosen is not None:
        state.settings = state.settings.change(own=chosen)


def _warn_of_void_bounds(columns: Iterable[str]) -> None:
    """Warn that bounds were read off the rows; the bounds themselves are not shown."""
    names = ", ".join(plain(column) for column in columns)
    with st.container(key="void", horizontal=True, vertical_alignment="center"):
        st.error(SAYS("own-rows.void", columns=names), icon=":material/warning:")
        st.page_link(
            page_links.page_for("data"), label="Type public bounds", icon=":material/edit:"
        )


def _missing(state: PageState, file: UploadedTable | None) -> str:
    """Return the name of the text on what is missing to learn from a file; "" if nothing is."""
    if are_available(state):
        return ""
    has_choice = file is not None and len(file.confirmed) > 0
    if state.settings.own != NONE and not has_choice:
        return "elsewhere"
    if file is None:
        return "nothing"
    return "unready"


def are_available(state: PageState) -> bool:
    """Return whether the rows of the settings are there and fit the page."""
    if not state.settings.uses_file:
        return True
    file: UploadedTable | None = st.session_state.get(_BROUGHT)
    own = state.settings.own
    return file is not None and file.has_choice(own) and state.settings.fits(own)


def offer_all_rows(state: PageState) -> None:
    """Show the button that trains on all rows of a large file, or goes back to fewer.

    A large file has more rows than sliders can move with.
    """
    settings = state.settings
    if not (settings.uses_file and isinstance(settings, RowsSettings)):
        return
    if settings.live_rows == settings.most_rows:
        return
    if settings.exceeds_live_rows:
        target_rows = settings.live_rows
        label = f"Stop, back to {target_rows:,}"
        icon = ":material/undo:"
    else:
        target_rows = settings.most_rows
        label = f"Train on {target_rows:,}"
        if target_rows == settings.file.private:
            label = f"Train on all {target_rows:,}"
        icon = ":material/all_inclusive:"

    def switch() -> None:
        state.apply_movement()
        state.replace_settings(state.settings.of_rows(target_rows))

    st.button(
        label,
        key=f"{state.page}.part",
        icon=icon,
        help=SAYS["own-rows.part"],
        on_click=switch,
        width="stretch",
    )


def refusal_text(refusal: RefusedError) -> str:
    """Return why a file, or an entry about it, was refused."""
    case = "other"
    if refusal.name in _REFUSALS:
        case = refusal.name
    text = SAYS(f"own-rows.{case}", value=refusal.value, allowed=refusal.allowed, most=MOST_SPENT)
    return plain(text)

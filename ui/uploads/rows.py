"""A visitor's own rows: the file of this session, what its columns are for, and what a page that
trains makes of it.

The file lives in the state of its session and nowhere else: a link has only the random name of an
``OwnRows``, which is resolved here.
"""

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
# Epsilon that all bounds of a file may cost together: beyond it nothing would be left to promise.
MOST_SPENT = 5.0
# Of which there is one each.
ANSWERS, _SINGLE = ("answer", "amount"), ("person",)
_BROUGHT = "data.brought"


@dataclass(eq=False, repr=False)
class Draft:
    """What the boxes of *My data* say so far. file: its name, for its visitor only. uses: column ->
    one of ``USES``;
    columns: its bounds or categories; classes: the answers that were typed; payments: all that
    bounds have cost; one_row, most_rows, rows_each, gaps, own_source, sources: as in ``Roles``.
    """

    file: str
    uses: dict[str, str] = field(default_factory=dict)
    columns: dict[str, Column] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    one_row: bool | None = None
    most_rows: int | None = None
    rows_each: int = 1
    gaps: bool = True
    kinds: dict[str, Kind] = field(default_factory=dict)
    payments: tuple[Payment, ...] = ()

    @classmethod
    def of(cls, table: Table, file: str) -> "Draft":
        """Leave out every column; only kinds are guessed."""
        kinds = {name: table.kind(name) for name in table.columns}
        return cls(file=file, uses=dict.fromkeys(kinds, "out"), kinds=kinds)

    def use(self, name: str, use: str) -> None:
        """Use a column so.

        There is one answer, and one column each that says who and which source.
        """
        for other, its in self.uses.items():
            if (its == use and use in _SINGLE) or (its in ANSWERS and use in ANSWERS):
                self.uses[other] = "out"
        if use == "answer" and self.uses[name] != use:
            self.classes = ()
        if use in (*column_roles.KINDS, "amount"):
            self.columns[name] = Column(name=name, kind="number" if use == "amount" else use)
        self.uses[name] = use

    def say(self, name: str, **parts: Any) -> None:
        """Say bounds, categories or decimals of a column."""
        self.columns[name] = replace(self.columns[name], **parts)

    def bound(self, name: str, end: str, value: float | None) -> None:
        """Say the "low" or "high" bound of a column."""
        self.say(name, **{end: value})

    def fill(self, sample: Sample) -> None:
        """Say what the notes of a sample say."""
        self.uses = dict.fromkeys(self.uses, "out") | {
            column.name: column.kind for column in sample.columns
        }
        self.columns |= {column.name: column for column in sample.columns}
        self.uses[sample.answer], self.classes = (
            "amount" if sample.target else "answer",
            sample.classes,
        )
        if sample.target:
            self.columns[sample.answer] = sample.target

    def filled(self, sample: Sample) -> bool:
        """Return whether what the notes say is said already."""
        said = self.roles
        theirs = (sample.columns, sample.answer, sample.classes, sample.target)
        return (said.columns, said.answer, said.classes, said.target) == theirs

    def pay(self, table: Table, name: str, epsilon: float) -> None:
        """Draw bounds of a column anew, which costs epsilon whatever comes out.

        Raises RefusedError, for nothing.
        """
        person = self.the("person")
        check.between(0, MOST_SPENT, epsilon=sum(one.epsilon for one in self.payments) + epsilon)
        bought = column_bounds.buy(table, self.columns[name], epsilon=epsilon, person=person)
        self.payments += (Payment(epsilon=epsilon, person=person),)
        self.columns[name] = bought

    def the(self, use: str) -> str:
        """Return the column that is used so, or ""."""
        return next((name for name, its in self.uses.items() if its == use), "")

    @property
    def roles(self) -> Roles:
        person, amount = map(self.the, ("person", "amount"))
        return Roles(
            answer=amount or self.the("answer"),
            classes=() if amount else self.classes,
            columns=tuple(
                self.columns[name] for name, use in self.uses.items() if use in column_roles.KINDS
            ),
            person=person,
            one_row=None if person else self.one_row,
            most_rows=self.most_rows if person else None,
            payments=self.payments,
            target=self.columns[amount] if amount else None,
            rows_each=self.rows_each if amount and person else 1,
            gaps=self.gaps or not amount,
        )


@dataclass(eq=False, repr=False, kw_only=True)
class Brought(SessionFile):
    """An uploaded file in its session. draft: the roles of its columns so far. owns: its choices of
    roles, by name.
    """

    draft: Draft
    owns: dict[str, OwnRows] = field(default_factory=dict)

    def has(self, own: str) -> bool:
        """Return whether this is a choice of this file, which is still here."""
        return isinstance(own, OwnRows) and own in self.owns and bool(self.table.columns)


def bring(table: Table, file: str) -> None:
    """Hold a file for this session, in place of the one before."""
    drop()
    st.session_state[_BROUGHT] = Brought(table=table, draft=Draft.of(table, file))


def drop() -> None:
    """Let go of this session's file now."""
    before = st.session_state.pop(_BROUGHT, None)
    if before is not None:
        release(before.table)


def brought() -> Brought | None:
    """Return this session's file, to be asked in each run of a page that uses it."""
    file = st.session_state.get(_BROUGHT)
    if not present(None, file):
        return None
    return file


def settled(brought: Brought) -> OwnRows | None:
    """Return the file as the boxes have it; None where something is missing.

    Raises RefusedError if it does not do.
    """
    roles = brought.draft.roles
    if roles.faults():
        return None
    known = next((one for one in brought.owns.values() if one.roles == roles), None)
    own = known or rows.choose(brought.table, roles)
    brought.owns.pop(str(own), None)
    brought.owns[str(own)] = own  # the newest is the last
    return own


def ready(state: PageState) -> bool:
    """Return whether there are rows to learn from: those of the lab, or of a file that is here;
    show what is missing.

    Settings take up this session's newest choice where they name none, and that which a link names.
    """
    if not state.settings.private:
        return True
    here = brought()
    if here is not None and not holds(state):
        owns = {name: one for name, one in here.owns.items() if state.settings.fits(one)}
        newest = next(reversed(owns.values()), None) if state.settings.own == NONE else None
        chosen = owns.get(state.settings.own, newest)
        if chosen is not None:
            state.settings = state.settings.change(own=chosen)
    missing = _missing(state, here)
    if missing:
        st.markdown(SAYS[f"own-rows.{missing}"])
        st.page_link(page_links.page_for("data"), label="My data", icon=":material/table:")
    elif void := state.settings.own.roles.void:  # the bounds themselves are not said
        with st.container(key="void", horizontal=True, vertical_alignment="center"):
            st.error(
                SAYS("own-rows.void", columns=", ".join(map(plain, void))),
                icon=":material/warning:",
            )
            st.page_link(
                page_links.page_for("data"), label="Type public bounds", icon=":material/edit:"
            )
    return not missing


def _missing(state: PageState, here: Brought | None) -> str:
    """Return the name of the text on what is missing to learn from a file, or ""."""
    if holds(state):
        return ""
    if state.settings.own != NONE and not (here and here.owns):
        return "elsewhere"
    return "nothing" if here is None else "unready"


def holds(state: PageState) -> bool:
    """Return whether the settings are about rows of the lab, or of a file of this session that is
    still there and fits the page.
    """
    if not state.settings.private:
        return True
    here: Brought | None = st.session_state.get(_BROUGHT)
    own = state.settings.own
    return here is not None and here.has(own) and state.settings.fits(own)


def looks(state: PageState) -> bool:
    """Return whether this session lets the questions of a page read the private rows of its
    file.
    """
    own = getattr(state.settings, "own", None)
    return isinstance(own, OwnRows) and not own.expired and state.page in own.table.opened


def look(state: PageState, reads: bool) -> None:
    """Let the questions of a page read private rows from now on, or made-up ones."""
    opened = state.settings.own.table.opened
    opened.discard(state.page)
    if reads:
        opened.add(state.page)


def part(state: PageState) -> None:
    """Show a button over the sliders to train on all rows of a file that has more than sliders can
    move with, and back.
    """
    settings = state.settings
    if (
        not (settings.private and isinstance(settings, RowsSettings))
        or settings.live_rows == settings.most_rows
    ):
        return
    other = settings.live_rows if settings.exceeds_live_rows else settings.most_rows
    some = "all " * (other == settings.file.private)

    def switch() -> None:
        state.apply_movement()
        state.replace_settings(state.settings.of_rows(other))

    st.button(
        f"Stop, back to {other:,}" if settings.exceeds_live_rows else f"Train on {some}{other:,}",
        key=f"{state.page}.part",
        icon=":material/undo:" if settings.exceeds_live_rows else ":material/all_inclusive:",
        help=SAYS["own-rows.part"],
        on_click=switch,
        width="stretch",
    )


def refused(refusal: RefusedError) -> str:
    """Return why a file, or what is said of it, was not taken."""
    case = refusal.name if refusal.name in ("file", "epsilon", "rows", "decimal") else "other"
    said = SAYS(f"own-rows.{case}", value=refusal.value, allowed=refusal.allowed, most=MOST_SPENT)
    return plain(said)

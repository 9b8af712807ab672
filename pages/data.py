"""Rows of one's own: bring a file, say what its columns are for, and give bounds that anybody could know."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from dpcore.check import RefusedError
from dpcore.data import own_rows, own_table
from dpcore.data.own_rows import Column, OwnRows
from ui import doors, my_rows
from ui.my_rows import USES, Draft, refused
from ui.outcomes import count
from ui.own_session import Brought, present
from ui.panels import number
from ui.plain import plain

QUESTION = "What would privacy cost on your own data?"
SAMPLE = Path(__file__).parents[1] / "sample_data" / "customers.csv"
_MEGABYTES = own_table.MOST_BYTES // 10**6
# Rows that knobs can move with at once.
_MOST_LIVE = 20_000
# Of a column's name, its use, its bounds and a note.
_WIDTHS = (1.2, 1.1, 2.4, 2)
_EMPTY = (
    "**There is no file yet.** Bring a table with a row for each person, or try the sample: 3,000 made-up customers, "
    "some of whom leave."
)
_KEPT = (
    "The file stays in this server's memory, for this session only: two minutes after the page is closed or reloaded "
    "it is gone. Nothing is written to a disk, and no link, picture or download holds a cell of it. What pages show of "
    "it is for you, the analyst: it is no way to publish."
)
_VOID = (
    "**The guarantee would be void.** The bounds of {names} came from the rows, so they reveal the lowest and the "
    "highest value. You may train and look; the result must not be released. To restore the promise, type bounds that "
    "anybody could know."
)
_KINDS = {"number": "numbers", "category": "categories"}
_DECIMALS = {".": "1,234 is a thousand", ",": "1,234 is 1.234"}


def show() -> None:
    """The whole page."""
    st.title(QUESTION)
    here = _file()
    if here is None:
        st.caption(_KEPT)
        return
    table, side = st.columns([2.6, 1], gap="medium")
    with table:
        for place, head in zip(st.columns(_WIDTHS), ("Column", "Used as", "Public bounds or values", ""), strict=True):
            place.caption(head)
        for name in list(here.table.columns):
            _row(here, name)
        if void := here.draft.roles.void:
            st.error(_VOID.format(names=", ".join(map(plain, void))), icon=":material/warning:")
    with side:
        _before(here)
        _seen(here.draft)
    st.caption(_KEPT)


def _file() -> Brought | None:
    """This session's file, and what there is to bring one."""
    here = my_rows.brought()
    with st.container(border=True):
        if here is None:
            st.markdown(_EMPTY)
        else:
            _bar(here)
        _upload(here)
    return my_rows.brought()


def _bar(here: Brought) -> None:
    left, right = st.columns([5, 1], vertical_alignment="center")
    about = f"{here.table.rows:,} rows · {len(here.table.columns)} columns"
    left.markdown(f":material/table: **{plain(here.draft.file)}** · {about}")
    for note in here.table.notes:
        left.caption(plain(note))
    right.button("Remove", key="data.remove", on_click=_remove, icon=":material/delete:")


def _remove() -> None:
    my_rows.drop()
    st.session_state["data.round"] = st.session_state.get("data.round", 0) + 1  # another box, which is empty


def _upload(here: Brought | None) -> None:
    """A file to choose; below it why the last was not taken, and a sample where there is none yet."""
    state = st.session_state
    file = st.file_uploader(
        "A table (CSV, TSV or Parquet)",
        type=["csv", "tsv", "txt", "parquet"],
        key=f"data.file.{state.get('data.round', 0)}",
        max_upload_size=_MEGABYTES,
        label_visibility="collapsed" if here else "visible",
    )
    present(file, here)
    if file is not None and state.get("data.read") != file.file_id:
        state["data.read"] = file.file_id
        _take(file.name, file.getvalue())
        st.rerun()
    if file is not None and here is not None and here.table.head is None:
        st.radio(
            own_table.HEAD_ASKED,
            ["names", "a row"],
            key="data.head",
            horizontal=True,
            on_change=lambda: _take(file.name, file.getvalue(), head=state["data.head"] == "names"),
            index=None,
        )
    if state.get("data.refused"):
        st.error(state["data.refused"])
    if here is None:
        st.button("Try the sample", key="data.sample", type="primary", on_click=_take_sample)


def _take_sample() -> None:
    _take(SAMPLE.name, SAMPLE.read_bytes())


def _take(name: str, data: bytes, *, head: bool | None = None) -> None:
    """Read a file for this session; one that cannot be read leaves the one before in place."""
    try:
        my_rows.bring(own_table.read(data, head=head), name)
        st.session_state["data.refused"] = ""
    except RefusedError as refusal:
        st.session_state["data.refused"] = refused(refusal)


def _row(here: Brought, name: str) -> None:
    """A column: how it is used, its public bounds or values, and a note."""
    draft, key = here.draft, f"data.use.{name}"
    _holds(key, draft.uses[name])
    called, used, bounds, note = st.columns(_WIDTHS, vertical_alignment="center")
    called.markdown(f"**{plain(name)}**")
    used.selectbox(
        f"{name} is used as",
        list(USES),
        key=key,
        format_func=USES.get,
        on_change=lambda: draft.use(name, st.session_state[key]),
        label_visibility="collapsed",
    )
    with bounds:
        match draft.uses[name]:
            case "number":
                _bounds(here, draft.columns[name])
            case "category":
                _values(
                    f"Categories of {name}", name, draft.columns[name].values, lambda new: draft.say(name, values=new)
                )
            case "answer":
                _values(f"Answers in {name}", name, draft.classes, lambda new: setattr(draft, "classes", new))
            case "person":
                _most_rows(draft)
            case _:
                st.caption("not read")
    with note:
        _note(here, name)


def _holds(key: str, value: Any) -> None:
    """Put a value into a box that has another: what is put into a box takes away what is being typed there."""
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def _values(label: str, name: str, values: tuple[str, ...], say: Callable[[tuple[str, ...]], None]) -> None:
    """Values that are typed, none of which is looked up in the file."""
    key = f"data.values.{name}"
    _holds(key, list(values))
    st.multiselect(
        label,
        [],  # always the same: another list would be another box, without what is being typed
        key=key,
        accept_new_options=True,
        placeholder="type one, then Enter",
        on_change=lambda: say(tuple(st.session_state[key])),
        label_visibility="collapsed",
    )


def _most_rows(draft: Draft) -> None:
    """How many rows a person has at most, which is not looked up: for what clipping them one by one would cost."""
    key = "data.most_rows"
    _holds(key, draft.most_rows)
    st.number_input(
        "Rows of one person, at most",
        key=key,
        value=None,
        min_value=1,
        max_value=own_rows.MOST_EACH,
        step=1,
        placeholder="not needed",
        on_change=lambda: setattr(draft, "most_rows", st.session_state[key]),
    )


def _bounds(here: Brought, column: Column) -> None:
    draft = here.draft
    for place, end in zip(st.columns(2), ("low", "high"), strict=True):
        key = f"data.{end}.{column.name}"
        _holds(key, getattr(column, end))
        place.number_input(
            f"{column.name}, {'lowest' if end == 'low' else 'highest'}",
            key=key,
            value=None,
            placeholder="lowest" if end == "low" else "highest",
            disabled=column.read_off,
            on_change=lambda end=end, key=key: draft.say(column.name, **{end: st.session_state[key]}),
            label_visibility="collapsed",
            format="%g",
        )
    if not own_rows.decimal(here.table, column.name):
        key = f"data.decimal.{column.name}"
        _holds(key, column.decimal or None)
        st.segmented_control(
            f"Decimals of {column.name}",
            list(_DECIMALS),
            key=key,
            format_func=_DECIMALS.get,
            on_change=lambda: draft.say(column.name, decimal=st.session_state[key] or ""),
            label_visibility="collapsed",
        )


def _note(here: Brought, name: str) -> None:
    draft, use = here.draft, here.draft.uses[name]
    column = draft.columns.get(name)
    if use == "number" and column.read_off:
        st.markdown(":orange[**Read off the private rows.**]")
        _button("Type my own", name, lambda: draft.say(name, low=None, high=None, read_off=False))
    elif use == "number" and (column.low is None or column.high is None):
        st.markdown(":red[**Bounds needed.**]")
        _button("Read them off the file", name, lambda: _read_off(here, name))
    elif use == "out":
        kind = draft.kinds[name]
        st.caption(plain(f"Left out: {kind.reason}." if kind.reason else f"Seems to hold {_KINDS[kind.kind]}."))
    else:
        st.caption(_said(draft, name, use))


def _said(draft: Draft, name: str, use: str) -> str:
    if use in own_rows.KINDS and name in draft.roles.disguised:
        return "Is this the answer under another name? Then it gives the answer away."
    return {
        "number": "Beyond the bounds, the bound. Missing: their middle.",
        "category": "Any other value: none of these.",
        "answer": "Typed by you. A row with another answer stays, and adds nothing.",
        "person": "A person counts as one, however many rows they have. The number is for a comparison only.",
    }[use]


def _button(label: str, name: str, act) -> None:
    st.button(label, key=f"data.{label}.{name}", type="tertiary", on_click=act)


def _read_off(here: Brought, name: str) -> None:
    """What voids the guarantee, and is said to."""
    try:
        low, high = own_rows.read_off(here.table, name, said=here.draft.columns[name].decimal)
        here.draft.say(name, low=low, high=high, read_off=True)
        st.session_state["data.refused"] = ""
    except RefusedError as refusal:
        st.session_state["data.refused"] = refused(refusal)


def _before(here: Brought) -> None:
    """What is said and what is missing before anything is trained; and the way on."""
    roles, own = here.draft.roles, None
    with st.container(border=True):
        st.markdown("**Before anything is trained**")
        missing = list(map(plain, roles.lacks()))
        try:
            own = my_rows.settled(here)
        except RefusedError as refusal:
            missing = [refused(refusal)]
        who = "One person is all rows of one name" if roles.person else "One person is one row"
        done = ["File read; only kinds were guessed", who]
        if roles.answer and roles.classes:
            done.append(f"{plain(roles.answer)} is predicted: {' or '.join(map(plain, roles.classes))}")
        lines = [f":green[✓] {line}" for line in done] + [f":red[✕] {line}" for line in missing]
        lines += [f":orange[⚠] {plain(name)}: bounds void the guarantee" for name in roles.void]
        st.markdown("  \n".join(lines))
        _on(own)
        if missing:
            st.caption(f"Waits: {missing[0].removesuffix('.')}.")


def _on(own: OwnRows | None) -> None:
    """To the classifier, once nothing is missing."""
    query = {"dataset": "own", "own": str(own), "rows": str(min(own.private, _MOST_LIVE))} if own is not None else None
    look = {"icon": ":material/scatter_plot:", "type": "primary", "width": "stretch"}
    if st.button("Classifier with these rows", key="data.classifier", disabled=own is None, **look):
        st.switch_page(doors.to("classifier"), query_params=query)


def _seen(draft: Draft) -> None:
    """What becomes of a cell, from the declared bounds alone."""
    with st.container(border=True):
        st.markdown("**What a model will see**")
        st.caption("Made of what you typed; no cell is shown.")
        st.markdown("  \n".join(f"{plain(column.name)}: {_becomes(column)}" for column in draft.roles.columns))


def _becomes(column: Column) -> str:
    if column.lacks():
        return f":red[{'needs bounds' if column.kind == 'number' else 'needs categories'}]"
    if column.kind == "category":
        return f"{count(len(column.values), 'input')}, 1 if so, else 0"
    if column.read_off:
        return "its own lowest → −1, highest → 1"
    middle = (column.low + column.high) / 2
    return f"{number(column.low)} → −1, {number(middle)} → 0, {number(column.high)} → 1"

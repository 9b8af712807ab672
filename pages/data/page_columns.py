"""The columns of *My data*: the use of each, its public bounds or values, and a note."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from dpcore.check import RefusedError
from dpcore.mechanisms import private_bounds
from lab.uploads import column_bounds
from lab.uploads import rows as own_rows
from lab.uploads.column_roles import Column
from ui.session.widget_state import on_change, set_widget
from ui.text.escaping import plain
from ui.text.texts import Texts
from ui.uploads import rows as my_rows
from ui.uploads.rows import USES, Draft, refusal_text

SAYS = Texts(__file__, "texts.md")
# Widths of a column's name, use, bounds and note.
_WIDTHS = (1.2, 1.35, 2.3, 1.9)
# The least and the most epsilon that one draw of bounds may cost.
_MIN_SHARE = 0.01
_MAX_SHARE = 1.0


def show_columns(upload: my_rows.UploadedTable) -> None:
    """Show all columns of the file, under headings."""
    with st.container(key="heads"):
        heads = st.columns(_WIDTHS)
    for box, head in zip(heads, ("column", "use", "bounds"), strict=False):
        box.caption(SAYS[f"head.{head}"])
    for index, name in enumerate(list(upload.table.columns)):
        with st.container(key=f"column-{index}"):
            _show_column(upload, name)


def _show_column(upload: my_rows.UploadedTable, name: str) -> None:
    """Show a column: its use, its public bounds or values, and a note."""
    draft = upload.draft
    key = f"data.use.{name}"
    use = set_widget(key, draft.uses[name])
    name_area, use_area, bounds_area, note_area = st.columns(_WIDTHS, vertical_alignment="center")
    name_area.markdown(f"**{plain(name)}**")
    use_area.selectbox(
        SAYS("box.use", name=name),
        list(USES),
        list(USES).index(use),
        key=key,
        format_func=USES.__getitem__,
        on_change=on_change(key, partial(draft.set_use, name)),
        label_visibility="collapsed",
    )
    with bounds_area:
        _show_inputs(upload, name)
    with note_area:
        _show_note(upload, name)


def _show_inputs(upload: my_rows.UploadedTable, name: str) -> None:
    """Show the inputs that the use of a column needs."""
    draft = upload.draft
    use = draft.uses[name]
    if use in ("number", "amount"):
        _show_bounds(upload, draft.columns[name])
        if use == "amount":
            draft_input(draft, "gaps", st.toggle, SAYS["box.gaps"])
    elif use == "category":
        _show_values(
            SAYS("box.categories", name=name),
            name,
            draft.columns[name].values,
            lambda values: draft.set_values(name, values=values),
        )
    elif use == "answer":
        _show_values(
            SAYS("box.classes", name=name), name, draft.classes, partial(setattr, draft, "classes")
        )
    elif use == "person" and draft.column_used_as("amount"):
        draft_input(
            draft,
            "rows_each",
            st.number_input,
            SAYS["box.rows_each"],
            min_value=1,
            max_value=own_rows.MOST_ROWS_EACH,
        )
    elif use != "person":
        st.caption(SAYS["box.out"])


def draft_input(
    draft: Draft, name: str, widget: Callable[..., Any], label: str, **properties: Any
) -> None:
    """Show a widget that sets a field of the draft."""
    key = f"data.{name}"
    set_widget(key, getattr(draft, name))
    widget(label, key=key, on_change=on_change(key, partial(setattr, draft, name)), **properties)


def _show_values(
    label: str,
    name: str,
    values: tuple[str, ...],
    set_values: Callable[[tuple[str, ...]], None],
) -> None:
    """Show an input for typed values. None of them is looked up in the file.

    name: of the column.
    values: those that have been typed.
    set_values: function that stores them.
    """
    key = f"data.values.{name}"
    set_widget(key, list(values))
    st.multiselect(
        label,
        [],  # always the same: another list would be another box, without what is being typed
        key=key,
        accept_new_options=True,
        placeholder=SAYS["box.type_one"],
        on_change=on_change(key, lambda values: set_values(tuple(values))),
        label_visibility="collapsed",
    )


def _show_bounds(upload: my_rows.UploadedTable, column: Column) -> None:
    """Show inputs for the bounds of a column, and for its decimal separator if it is unclear."""
    draft = upload.draft
    for area, end in zip(st.columns(2), ("low", "high"), strict=True):
        key = f"data.{end}.{column.name}"
        set_widget(key, getattr(column, end))
        area.number_input(
            f"{column.name}, {SAYS[f'box.{end}']}",
            key=key,
            value=None,
            placeholder=SAYS[f"box.{end}"],
            disabled=column.read_off or bool(column.paid),
            on_change=on_change(key, partial(draft.set_bound, column.name, end)),
            label_visibility="collapsed",
            format="%g",
        )
    if upload.table.decimal(column.name):
        return
    separators = {".": SAYS["box.point"], ",": SAYS["box.comma"]}
    key = f"data.decimal.{column.name}"
    set_widget(key, column.decimal or None)
    st.segmented_control(
        SAYS("box.decimals", name=column.name),
        list(separators),
        key=key,
        format_func=separators.__getitem__,
        on_change=on_change(key, lambda mark: draft.set_values(column.name, decimal=mark or "")),
        label_visibility="collapsed",
    )


def _show_note(upload: my_rows.UploadedTable, name: str) -> None:
    """Show what is missing of a column, what its bounds cost, or what its use means."""
    draft = upload.draft
    use = draft.uses[name]
    column = draft.columns.get(name, Column(name=name))
    has_bounds = use in ("number", "amount")
    if has_bounds and column.read_off:
        st.markdown(SAYS["note.read_off"])
        _button("type", name, lambda: draft.set_values(name, low=None, high=None, read_off=False))
    elif has_bounds and column.paid:
        note = "note.paid"
        if column.low is None:
            note = "note.paid_in_vain"
        st.markdown(SAYS(note, paid=column.paid))
        with st.container(horizontal=True, gap="small"):
            _button("type", name, lambda: draft.set_values(name, low=None, high=None, paid=0.0))
            _offer_private_bounds(upload, name, SAYS["button.draw_again"])
    elif has_bounds and (column.low is None or column.high is None):
        _show_number_fault(upload, name, use)
        st.markdown(SAYS["note.bounds_needed"])
        with st.container(horizontal=True, gap="small"):
            _button("read_off", name, lambda: _read_off(upload, name))
            _offer_private_bounds(upload, name, SAYS["button.pay"])
    elif use == "out":
        kind = draft.kinds[name]
        if kind.reason:
            note = SAYS("note.out", reason=kind.reason)
        else:
            note = SAYS[f"note.guess_{kind.kind}"]
        st.caption(plain(note))
    else:
        _show_number_fault(upload, name, use)
        st.caption(SAYS(_explanation(draft, use), rows=draft.roles.rows_each))


def _show_number_fault(upload: my_rows.UploadedTable, name: str, use: str) -> None:
    """Warn that a column used as a number has other cells, or state that a unit is dropped."""
    if use not in ("number", "amount"):
        return
    fault = upload.table.number_fault(name)
    if fault:
        st.markdown(SAYS("note.no_numbers", fault=fault))
    elif upload.table.units(name) != {""}:
        st.caption(SAYS["note.units"])


def _explanation(draft: Draft, use: str) -> str:
    """Return the name of the text on what the use of a column means.

    use: a key of ``USES`` other than "out".
    """
    roles = draft.roles
    predicts_number = roles.target is not None
    if use == "category":
        if predicts_number:
            return "note.category_of_number"
        return "note.category_of_class"
    if use == "amount":
        if draft.gaps:
            return "note.amount_missing"
        return "note.amount_complete"
    if use == "person":
        if not predicts_number:
            return "note.person_counts"
        if roles.rows_each > 1:
            return "note.person_several"
        return "note.person_one"
    return f"note.{use}"


def _button(case: str, name: str, action: Callable[[], None]) -> None:
    """Show a button about a column."""
    st.button(SAYS[f"button.{case}"], key=f"data.{case}.{name}", type="tertiary", on_click=action)


def _offer_private_bounds(upload: my_rows.UploadedTable, name: str, label: str) -> None:
    """Show the epsilon that private bounds cost, and the button that draws them."""
    key = f"data.share.{name}"
    with st.popover(label, type="tertiary"):
        share = st.number_input(
            SAYS("pay.share", name=name),
            _MIN_SHARE,
            _MAX_SHARE,
            value=0.1,
            step=0.05,
            key=key,
            format="%g",
        )
        least_rows = private_bounds.least_rows(share)
        has_too_few = upload.table.rows < least_rows
        st.caption(SAYS["pay.how"])
        if has_too_few:
            st.markdown(SAYS("pay.too_few", share=share, least=least_rows, rows=upload.table.rows))

        def draw() -> None:
            upload.draft.buy_bounds(upload.table, name, st.session_state[key])

        st.button(
            SAYS["pay.draw"],
            key=f"data.draw.{name}",
            disabled=has_too_few,
            on_click=lambda: _with_refusal(draw),
        )


def _read_off(upload: my_rows.UploadedTable, name: str) -> None:
    """Read the bounds off the rows, which voids the guarantee."""

    def read_off() -> None:
        low, high = column_bounds.read_off(upload.table, upload.draft.columns[name])
        upload.draft.set_values(name, low=low, high=high, read_off=True)

    _with_refusal(read_off)


def _with_refusal(action: Callable[[], None]) -> None:
    """Run an action, and store why it was refused."""
    try:
        action()
        st.session_state["data.refused"] = ""
    except RefusedError as refusal:
        st.session_state["data.refused"] = refusal_text(refusal)

"""My data: upload a table, choose what its columns are used for, and enter public bounds."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dpcore.check import RefusedError
from dpcore.mechanisms import private_bounds
from lab.experiment.data_settings import of_classes, of_numbers
from lab.uploads import cells, column_bounds, column_roles
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.column_roles import Column, Roles
from pages.data import page_links
from ui.server import upload_limits
from ui.session.widget_state import on_change, set_widget
from ui.text.escaping import plain
from ui.text.texts import Texts
from ui.text.tiles import number
from ui.uploads import rows as my_rows
from ui.uploads import samples
from ui.uploads.lifetime import present
from ui.uploads.rows import USES, Draft, refused
from ui.uploads.samples import SAMPLES, TEMPLATE

SAYS = Texts(__file__, "texts.md")
QUESTION = SAYS["question"]
_MEGABYTES = own_table.MOST_BYTES // 10**6
# Widths of a column's name, use, bounds and note.
_WIDTHS = (1.2, 1.35, 2.3, 1.9)
# The least and the most epsilon that one draw of bounds may cost.
_SHARES = (0.01, 1.0)


def show() -> None:
    """Show the page."""
    st.title(QUESTION)
    here = _file()
    if here is None:
        st.caption(SAYS["stored"])
        return
    with (
        st.container()
    ):  # also where there is nothing to say: what moves up is seen twice until the run has ended
        _notes(here)
    with st.container():
        _asks_who(here.draft)
    table, side = st.columns([2.6, 1], gap="medium")
    with table:
        with st.container(key="heads"):
            heads = st.columns(_WIDTHS)
        for box, head in zip(heads, ("column", "use", "bounds"), strict=False):
            box.caption(SAYS[f"head.{head}"])
        for place, name in enumerate(list(here.table.columns)):
            with st.container(key=f"column-{place}"):
                _row(here, name)
        if void := here.draft.roles.void:
            st.error(SAYS("void", names=", ".join(map(plain, void))), icon=":material/warning:")
    with side:
        _checklist(here)
        _preview(here.draft)
    st.caption(SAYS["stored"])


def _notes(here: my_rows.Brought) -> None:
    """Offer to fill in what a sample's notes say."""
    sample = samples.of(here.table.columns)
    if sample is None:
        return
    if here.draft.filled(sample):
        return
    with st.container(key="notes", horizontal=True, vertical_alignment="center"):
        st.caption(SAYS["notes.bounds"], width="stretch")
        label, key, act = SAYS["notes.fill"], "data.notes", here.draft.fill
        st.button(label, key=key, on_click=lambda: act(sample), icon=":material/menu_book:")


def _asks_who(draft: Draft) -> None:
    """Ask whether a person has one row, unless a column says who."""
    answers = {True: SAYS["who.one"], False: SAYS["who.several"]}
    if draft.the("person"):
        return
    with st.container(key="who", horizontal=True, vertical_alignment="center"):
        st.markdown(SAYS["who.asked"], width="content")
        look: dict[str, Any] = {"format_func": answers.__getitem__, "label_visibility": "collapsed"}
        _box(draft, "one_row", st.segmented_control, SAYS["who.label"], options=[*answers], **look)


def _file() -> my_rows.Brought | None:
    """Show this session's file, or the ways to upload one."""
    here = my_rows.brought()
    with st.container(border=True):
        if here is None:
            st.markdown(SAYS["empty"])
        else:
            _bar(here)
        _upload(here)
        if here is None:
            _samples()
    return my_rows.brought()


def _samples() -> None:
    for place, sample in zip(st.columns(len(SAMPLES), gap="small"), SAMPLES, strict=True):
        with place.container(border=True, height="stretch", vertical_alignment="distribute"):
            st.markdown(f"{sample.icon} **{sample.title}.** {sample.about}")
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                key, act = (
                    f"data.sample.{sample.file}",
                    partial(_use_sample, sample.file, sample.data),
                )
                st.button(
                    SAYS("samples.use", title=sample.title.lower()),
                    key=key,
                    type="primary",
                    on_click=act,
                )
                _download(sample.file, sample.data)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(SAYS["samples.template"], width="content")
        _download(TEMPLATE.name, TEMPLATE.read_bytes())


def _download(name: str, data: bytes) -> None:
    key, icon = f"data.download.{name}", ":material/download:"
    st.download_button(
        name, data, name, "text/csv", key=key, type="tertiary", icon=icon, on_click="ignore"
    )


def _bar(here: my_rows.Brought) -> None:
    left, right = st.columns([5, 1], vertical_alignment="center")
    left.markdown(
        SAYS(
            "file.size",
            name=plain(here.draft.file),
            rows=here.table.rows,
            columns=len(here.table.columns),
        )
    )
    for note in here.table.notes:
        left.caption(plain(note))
    with right.container(horizontal=True, horizontal_alignment="right"):
        st.button(
            SAYS["file.remove"], key="data.remove", on_click=_remove, icon=":material/delete:"
        )


def _remove() -> None:
    my_rows.drop()
    st.session_state["data.round"] = (
        st.session_state.get("data.round", 0) + 1
    )  # another box, which is empty


def _upload(here: my_rows.Brought | None) -> None:
    """Show the uploader, and below it why the last file was refused."""
    state = st.session_state
    key, hidden = f".{state.get('data.round', 0)}", here is not None
    file, new = upload_limits.ask(
        "data", SAYS["file.uploader"], megabytes=_MEGABYTES, key=key, hidden=hidden
    )
    present(file, here)
    if file is not None and new:
        _read(file)
        st.rerun()
    refusal = _refusal_of(file)
    if file is not None and here is not None and here.table.head is None and not refusal:
        st.radio(
            own_table.HEAD_ASKED,
            ["names", "a row"],
            key="data.head",
            horizontal=True,
            on_change=lambda: _read(file, head=state["data.head"] == "names"),
            index=None,
        )
    for message in filter(None, (refusal, state.get("data.refused"))):
        st.error(message)


def _refusal_of(file: UploadedFile | None) -> str:
    """Return why this file was refused, or "".

    The refusal of an earlier file is none of this one.
    """
    file_id, message = st.session_state.get("data.file_refused", ("", ""))
    return message if file is not None and file.file_id == file_id else ""


def _read(file: UploadedFile, *, head: bool | None = None) -> None:
    """Read an upload. Free it, unless the answer on its first line requires a second reading."""
    refusal = _take(file.name, file.getvalue(), head=head)
    st.session_state["data.file_refused"] = (file.file_id, refusal)
    here = my_rows.brought()
    is_asked = here is not None and here.table.head is None
    if refusal or not is_asked:
        upload_limits.release(file)


def _take(name: str, data: bytes, *, head: bool | None = None) -> str:
    """Read a file for this session; return why it was refused, or "".

    The previous one then stays.
    """
    st.session_state["data.refused"] = ""
    try:
        my_rows.bring(own_table.read(data, head=head), name)
    except RefusedError as refusal:
        return refused(refusal)
    return ""


def _use_sample(name: str, data: bytes) -> None:
    st.session_state["data.refused"] = _take(name, data)


def _row(here: my_rows.Brought, name: str) -> None:
    """Show a column: its use, its public bounds or values, and a note."""
    draft, key = here.draft, f"data.use.{name}"
    use = set_widget(key, draft.uses[name])
    called, used, bounds, note = st.columns(_WIDTHS, vertical_alignment="center")
    called.markdown(f"**{plain(name)}**")
    used.selectbox(
        SAYS("box.use", name=name),
        list(USES),
        list(USES).index(use),
        key=key,
        format_func=USES.__getitem__,
        on_change=on_change(key, partial(draft.use, name)),
        label_visibility="collapsed",
    )
    with bounds:
        match draft.uses[name]:
            case "number" | "amount" as use:
                _bounds(here, draft.columns[name])
                if use == "amount":
                    _box(draft, "gaps", st.toggle, SAYS["box.gaps"])
            case "person" if draft.the("amount"):
                most = {"min_value": 1, "max_value": own_rows.MOST_ROWS_EACH}
                _box(draft, "rows_each", st.number_input, SAYS["box.rows_each"], **most)
            case "category":
                label, values = SAYS("box.categories", name=name), draft.columns[name].values
                _values(label, name, values, lambda new: draft.say(name, values=new))
            case "answer":
                _values(
                    SAYS("box.classes", name=name),
                    name,
                    draft.classes,
                    partial(setattr, draft, "classes"),
                )
            case "person":
                _most_rows(draft)
            case _:
                st.caption(SAYS["box.out"])
    with note:
        _note(here, name)


def _box(draft: Draft, name: str, box: Callable[..., Any], label: str, **how: Any) -> None:
    key = f"data.{name}"
    set_widget(key, getattr(draft, name))
    box(label, key=key, on_change=on_change(key, partial(setattr, draft, name)), **how)


def _values(
    label: str,
    name: str,
    values: tuple[str, ...],
    say: Callable[[tuple[str, ...]], None],
    placeholder: str = SAYS["box.type_one"],
) -> None:
    """Show an input for typed values. None of them is looked up in the file."""
    key = f"data.values.{name}"
    set_widget(key, list(values))
    st.multiselect(
        label,
        [],  # always the same: another list would be another box, without what is being typed
        key=key,
        accept_new_options=True,
        placeholder=placeholder,
        on_change=on_change(key, lambda values: say(tuple(values))),
        label_visibility="collapsed",
    )


def _most_rows(draft: Draft) -> None:
    """Show an input for the most rows of a person, which prices clipping them one by one.

    It is not looked up.
    """
    whole = {"value": None, "min_value": 1, "max_value": own_rows.MOST_EACH, "step": 1}
    _box(
        draft,
        "most_rows",
        st.number_input,
        SAYS["box.most_rows"],
        placeholder=SAYS["box.optional"],
        **whole,
    )


def _bounds(here: my_rows.Brought, column: Column) -> None:
    draft = here.draft
    for place, end in zip(st.columns(2), ("low", "high"), strict=True):
        key = f"data.{end}.{column.name}"
        set_widget(key, getattr(column, end))
        place.number_input(
            f"{column.name}, {SAYS[f'box.{end}']}",
            key=key,
            value=None,
            placeholder=SAYS[f"box.{end}"],
            disabled=column.read_off or bool(column.paid),
            on_change=on_change(key, partial(draft.bound, column.name, end)),
            label_visibility="collapsed",
            format="%g",
        )
    if not cells.decimal_separator(here.table, column.name):
        key = f"data.decimal.{column.name}"
        set_widget(key, column.decimal or None)
        st.segmented_control(
            SAYS("box.decimals", name=column.name),
            [".", ","],
            key=key,
            format_func=lambda mark: SAYS["box.point" if mark == "." else "box.comma"],
            on_change=on_change(key, lambda mark: draft.say(column.name, decimal=mark or "")),
            label_visibility="collapsed",
        )


def _note(here: my_rows.Brought, name: str) -> None:
    draft, use = here.draft, here.draft.uses[name]
    column = draft.columns.get(name, Column(name=name))
    bounded = use in ("number", "amount")
    if bounded and column.read_off:
        st.markdown(SAYS["note.read_off"])
        _button("type", name, lambda: draft.say(name, low=None, high=None, read_off=False))
    elif bounded and column.paid:
        st.markdown(
            SAYS("note.paid" if column.low is not None else "note.paid_in_vain", paid=column.paid)
        )
        with st.container(horizontal=True, gap="small"):
            _button("type", name, lambda: draft.say(name, low=None, high=None, paid=0.0))
            _paying(here, name, SAYS["button.draw_again"])
    elif bounded and (column.low is None or column.high is None):
        _number_fault(here, name, use)
        st.markdown(SAYS["note.bounds_needed"])
        with st.container(horizontal=True, gap="small"):
            _button("read_off", name, lambda: _read_off(here, name))
            _paying(here, name, SAYS["button.pay"])
    elif use == "out":
        kind = draft.kinds[name]
        guess = (
            SAYS("note.out", reason=kind.reason) if kind.reason else SAYS[f"note.guess_{kind.kind}"]
        )
        st.caption(plain(guess))
    else:
        _number_fault(here, name, use)
        st.caption(SAYS(_explanation(draft, name, use), rows=draft.roles.rows_each))


def _number_fault(here: my_rows.Brought, name: str, use: str) -> None:
    """Warn that a column that is used as a number does not read as numbers, or say that a unit is
    dropped.
    """
    if use not in ("number", "amount"):
        return
    fault = here.table.number_fault(name)
    if fault:
        st.markdown(SAYS("note.no_numbers", fault=fault))
    elif here.table.units(name) != {""}:
        st.caption(SAYS["note.units"])


def _explanation(draft: Draft, name: str, use: str) -> str:
    roles = draft.roles
    if use in column_roles.KINDS and name in roles.disguised:
        return "note.disguised"
    case = {
        "category": "of_number" if roles.target is not None else "of_class",
        "amount": "missing" if draft.gaps else "complete",
        "person": "counts" if roles.target is None else "several" if roles.rows_each > 1 else "one",
    }.get(use)
    return f"note.{use}_{case}" if case else f"note.{use}"


def _button(case: str, name: str, act) -> None:
    st.button(SAYS[f"button.{case}"], key=f"data.{case}.{name}", type="tertiary", on_click=act)


def _paying(here: my_rows.Brought, name: str, label: str) -> None:
    """Offer private bounds: how much epsilon they cost, and the button that draws them."""
    key = f"data.share.{name}"
    with st.popover(label, type="tertiary"):
        share = st.number_input(
            SAYS("pay.share", name=name), *_SHARES, value=0.1, step=0.05, key=key, format="%g"
        )
        least = private_bounds.least_rows(share)
        few = here.table.rows < least
        st.caption(SAYS["pay.how"])
        if few:
            st.markdown(SAYS("pay.too_few", share=share, least=least, rows=here.table.rows))
        st.button(
            SAYS["pay.draw"],
            key=f"data.draw.{name}",
            disabled=few,
            on_click=lambda: _try(lambda: here.draft.pay(here.table, name, st.session_state[key])),
        )


def _read_off(here: my_rows.Brought, name: str) -> None:
    """Take the bounds from the rows, which voids the guarantee."""

    def look() -> None:
        low, high = column_bounds.read_off(here.table, here.draft.columns[name])
        here.draft.say(name, low=low, high=high, read_off=True)

    _try(look)


def _try(act: Callable[[], None]) -> None:
    try:
        act()
        st.session_state["data.refused"] = ""
    except RefusedError as refusal:
        st.session_state["data.refused"] = refused(refusal)


def _checklist(here: my_rows.Brought) -> None:
    """Show what is settled, what is missing, and the pages that can train on these rows."""
    roles, own = here.draft.roles, None
    with st.container(border=True):
        st.markdown(SAYS["checklist.title"])
        missing = list(map(plain, roles.faults()))
        try:
            own = my_rows.settled(here)
        except RefusedError as refusal:
            missing = [refused(refusal)]
        lines = [f":green[✓] {line}" for line in _settled(roles)] + [
            f":red[✕] {line}" for line in missing
        ]
        if not roles.person and not roles.one_row:
            lines += [
                ":orange[⚠]"
                f" {SAYS['checklist.unasked' if roles.one_row is None else 'checklist.several']}"
            ]
        lines += [f":orange[⚠] {SAYS('checklist.void', name=plain(name))}" for name in roles.void]
        for column in (*roles.columns, *filter(None, [roles.target])):
            if column.kind == "number" and here.table.number_fault(column.name):
                lines.append(f":orange[⚠] {SAYS('checklist.no_numbers', name=plain(column.name))}")
        if roles.payments:
            spent, releases = number(roles.spent), len(roles.payments)
            lines += [f":blue[●] {SAYS('checklist.spent', spent=spent, releases=releases)}"]
        st.markdown("  \n".join(lines))
        page_links.show(own, roles, SAYS)
        if own is not None and not of_classes(own) and not of_numbers(own):
            st.caption(SAYS("checklist.few", people=own.answered, least=own_rows.LEAST_ROWS))
        if missing:
            st.caption(SAYS("checklist.waits", missing=missing[0].removesuffix(".")))


def _settled(roles: Roles) -> list[str]:
    done = [SAYS["checklist.read"]]
    if roles.person or roles.one_row:
        done += [SAYS["checklist.person" if roles.person else "checklist.row"]]
    if roles.target is not None and not roles.target.fault():
        done += [SAYS("checklist.number", answer=plain(roles.answer))]
    if roles.answer and roles.classes:
        classes = " or ".join(map(plain, roles.classes))
        done += [SAYS("checklist.classes", answer=plain(roles.answer), classes=classes)]
    return done


def _preview(draft: Draft) -> None:
    """Show how cells are encoded, from the declared bounds alone."""
    with st.container(border=True):
        st.markdown(SAYS["encoding.title"])
        st.caption(SAYS["encoding.source"])
        of_number = draft.roles.target is not None
        lines = (
            f"{plain(column.name)}: {_encoding(column, of_number=of_number)}"
            for column in draft.roles.columns
        )
        st.markdown("  \n".join(lines))


def _encoding(column: Column, *, of_number: bool) -> str:
    if column.fault():
        return SAYS[f"encoding.needs_{column.kind}"]
    if column.kind == "category" and of_number and len(column.values) > 1:
        return SAYS(
            "encoding.contrast", inputs=len(column.values) - 1, first=plain(column.values[0])
        )
    if column.kind == "category":
        return SAYS("encoding.one_hot", inputs=len(column.values))
    if column.read_off:
        return SAYS["encoding.read_off"]
    low, high = column.inputs[column.name]
    return SAYS(
        "encoding.bounds", low=number(low), middle=number((low + high) / 2), high=number(high)
    )

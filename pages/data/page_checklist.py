"""The side of *My data*: what is settled and missing, and the pages that can train on it."""

import streamlit as st

from dpcore.check import RefusedError
from lab.experiment.data_settings import of_classes, of_numbers
from lab.uploads import rows as own_rows
from lab.uploads.column_roles import Roles
from pages.data import page_links
from pages.data.page_columns import SAYS
from ui.text.escaping import plain
from ui.text.tiles import number
from ui.uploads import rows as my_rows
from ui.uploads.rows import refusal_text


def show_checklist(upload: my_rows.UploadedTable) -> None:
    """Show what is settled, what is missing, and the pages that can train on these rows."""
    roles = upload.draft.roles
    own = None
    missing = [plain(fault) for fault in roles.faults()]
    try:
        own = my_rows.confirm(upload)
    except RefusedError as refusal:
        missing = [refusal_text(refusal)]
    lines = [f":green[✓] {line}" for line in _settled(roles)]
    lines += [f":red[✕] {line}" for line in missing]
    lines += [f":orange[⚠] {line}" for line in _warnings(upload, roles)]
    if roles.payments:
        spent = SAYS("checklist.spent", spent=number(roles.spent), releases=len(roles.payments))
        lines.append(f":blue[●] {spent}")
    with st.container(border=True):
        st.markdown(SAYS["checklist.title"])
        st.markdown("  \n".join(lines))
        page_links.show(own, roles, SAYS)
        if own is not None and not of_classes(own) and not of_numbers(own):
            st.caption(SAYS("checklist.few", people=own.answered, least=own_rows.LEAST_ROWS))
        if missing:
            st.caption(SAYS("checklist.waits", missing=missing[0].removesuffix(".")))


def _settled(roles: Roles) -> list[str]:
    """Return what is settled."""
    lines = [SAYS["checklist.read"]]
    if roles.person:
        lines.append(SAYS["checklist.person"])
    elif roles.one_row:
        lines.append(SAYS["checklist.row"])
    if roles.target is not None and not roles.target.fault():
        lines.append(SAYS("checklist.number", answer=plain(roles.answer)))
    if roles.answer and roles.classes:
        classes = " or ".join(plain(name) for name in roles.classes)
        lines.append(SAYS("checklist.classes", answer=plain(roles.answer), classes=classes))
    return lines


def _warnings(upload: my_rows.UploadedTable, roles: Roles) -> list[str]:
    """Return what weakens the guarantee or the model, but does not stop it."""
    lines = []
    if not roles.person and not roles.one_row:
        if roles.one_row is None:
            lines.append(SAYS["checklist.unasked"])
        else:
            lines.append(SAYS["checklist.several"])
    for name in roles.void:
        lines.append(SAYS("checklist.void", name=plain(name)))
    columns = list(roles.columns)
    if roles.target is not None:
        columns.append(roles.target)
    for column in columns:
        if column.kind == "number" and upload.table.number_fault(column.name):
            lines.append(SAYS("checklist.no_numbers", name=plain(column.name)))
    return lines

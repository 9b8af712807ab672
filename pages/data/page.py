"""My data: upload a table, choose what its columns are used for, and enter public bounds."""

from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dpcore.check import RefusedError
from lab.uploads import table as own_table
from pages.data.page_checklist import show_checklist
from pages.data.page_columns import SAYS, draft_input, show_columns
from ui.text.escaping import plain
from ui.uploads import rows as my_rows
from ui.uploads import samples, uploader
from ui.uploads.lifetime import present
from ui.uploads.rows import Draft, refusal_text
from ui.uploads.samples import SAMPLES, TEMPLATE, Sample

QUESTION = SAYS["question"]
_MEGABYTES = own_table.MOST_BYTES // 10**6


def show() -> None:
    """Show the page."""
    st.title(QUESTION)
    upload = _show_file()
    if upload is None:
        st.caption(SAYS["stored"])
        return
    # Containers also where there is nothing to show: an element that moves up is seen twice until
    # the run has ended.
    with st.container():
        _offer_notes(upload)
    with st.container():
        _ask_rows_per_person(upload.draft)
    columns_area, side_area = st.columns([2.6, 1], gap="medium")
    with columns_area:
        show_columns(upload)
        void = upload.draft.roles.void
        if void:
            names = ", ".join(plain(name) for name in void)
            st.error(SAYS("void", names=names), icon=":material/warning:")
    with side_area:
        show_checklist(upload)
    st.caption(SAYS["stored"])


def _offer_notes(upload: my_rows.UploadedTable) -> None:
    """Offer to fill in the notes of a sample."""
    sample = samples.of(upload.table.columns)
    if sample is None or upload.draft.matches_notes(sample):
        return
    with st.container(key="notes", horizontal=True, vertical_alignment="center"):
        st.caption(SAYS["notes.bounds"], width="stretch")
        st.button(
            SAYS["notes.fill"],
            key="data.notes",
            on_click=upload.draft.apply_notes,
            args=(sample,),
            icon=":material/menu_book:",
        )


def _ask_rows_per_person(draft: Draft) -> None:
    """Ask whether a person has one row, unless a column identifies persons."""
    if draft.column_used_as("person"):
        return
    answers = {True: SAYS["who.one"], False: SAYS["who.several"]}
    with st.container(key="who", horizontal=True, vertical_alignment="center"):
        st.markdown(SAYS["who.asked"], width="content")
        draft_input(
            draft,
            "one_row",
            st.segmented_control,
            SAYS["who.label"],
            options=list(answers),
            format_func=answers.__getitem__,
            label_visibility="collapsed",
        )


def _show_file() -> my_rows.UploadedTable | None:
    """Show the file of this session, or the ways to upload one.

    Returns the file, which the uploader may just have replaced.
    """
    upload = my_rows.current_file()
    with st.container(border=True):
        if upload is None:
            st.markdown(SAYS["empty"])
        else:
            _show_file_bar(upload)
        _show_uploader(upload)
        if upload is None:
            _show_samples()
    return my_rows.current_file()


def _show_samples() -> None:
    """Show the sample files, and the download of an empty template."""
    columns = st.columns(len(SAMPLES), gap="small")
    for column, sample in zip(columns, SAMPLES, strict=True):
        with column.container(border=True, height="stretch", vertical_alignment="distribute"):
            _show_sample(sample)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(SAYS["samples.template"], width="content")
        _download(TEMPLATE.name, TEMPLATE.read_bytes())


def _show_sample(sample: Sample) -> None:
    """Show a sample file, with buttons to use and to download it."""
    st.markdown(f"{sample.icon} **{sample.title}.** {sample.about}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            SAYS("samples.use", title=sample.title.lower()),
            key=f"data.sample.{sample.file}",
            type="primary",
            on_click=partial(_use_sample, sample.file, sample.data),
        )
        _download(sample.file, sample.data)


def _download(name: str, data: bytes) -> None:
    """Show the button that downloads a file."""
    st.download_button(
        name,
        data,
        name,
        "text/csv",
        key=f"data.download.{name}",
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
    )


def _show_file_bar(upload: my_rows.UploadedTable) -> None:
    """Show name and size of the file, notes on how it was read, and the button to remove it."""
    left, right = st.columns([5, 1], vertical_alignment="center")
    size = SAYS(
        "file.size",
        name=plain(upload.draft.file),
        rows=upload.table.rows,
        columns=len(upload.table.columns),
    )
    left.markdown(size)
    for note in upload.table.notes:
        left.caption(plain(note))
    with right.container(horizontal=True, horizontal_alignment="right"):
        st.button(
            SAYS["file.remove"], key="data.remove", on_click=_remove, icon=":material/delete:"
        )


def _remove() -> None:
    """Remove the file from the session."""
    my_rows.remove_file()
    # The uploader of another round is a new one, which is empty.
    st.session_state["data.round"] = st.session_state.get("data.round", 0) + 1


def _show_uploader(upload: my_rows.UploadedTable | None) -> None:
    """Show the uploader, and below it why the last file was refused."""
    state: Any = st.session_state
    file, is_new = uploader.show_uploader(
        SAYS["file.uploader"],
        megabytes=_MEGABYTES,
        number=state.get("data.round", 0),
        hidden=upload is not None,
    )
    present(file, upload)
    if file is not None and is_new:
        _read(file)
        st.rerun()
    refusal = _refusal_of(file)
    if file is not None and upload is not None and upload.table.head is None and not refusal:
        st.radio(
            own_table.HEAD_ASKED,
            ["names", "a row"],
            key="data.head",
            horizontal=True,
            on_change=lambda: _read(file, head=state["data.head"] == "names"),
            index=None,
        )
    for message in (refusal, state.get("data.refused")):
        if message:
            st.error(message)


def _refusal_of(file: UploadedFile | None) -> str:
    """Return why this file was refused; "" if it was not, or if an earlier file was."""
    file_id, message = st.session_state.get("data.file_refused", ("", ""))
    if file is None or file.file_id != file_id:
        return ""
    return message


def _read(file: UploadedFile, *, head: bool | None = None) -> None:
    """Read an upload, and free its bytes unless they may be read once more.

    They may if it is unclear whether the first line has the names of the columns.

    head: whether the first line has them; None leaves it to the reader.
    """
    refusal = _take(file.name, file.getvalue(), head=head)
    st.session_state["data.file_refused"] = (file.file_id, refusal)
    upload = my_rows.current_file()
    asks_for_head = upload is not None and upload.table.head is None
    if refusal or not asks_for_head:
        uploader.free_bytes(file)


def _take(name: str, data: bytes, *, head: bool | None = None) -> str:
    """Read a file for this session; return why it was refused, or "" if it was not.

    After a refusal the previous file stays.
    """
    st.session_state["data.refused"] = ""
    try:
        my_rows.store_file(own_table.read(data, head=head), name)
    except RefusedError as refusal:
        return refusal_text(refusal)
    return ""


def _use_sample(name: str, data: bytes) -> None:
    """Read a sample file, and store why it was refused."""
    st.session_state["data.refused"] = _take(name, data)

"""A CSV file of the user's own: brought, read, its columns chosen; and in words what is asked, refused and known.

The file lives in the session that has brought it. A page's settings hold an ``own_texts.Own`` as a word, which becomes
another one only when the file allows what the boxes say; until then the page stays as it was.
"""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from dpcore import own_texts
from dpcore.check import RefusedError
from dpcore.own_texts import NONE, Own, Table
from ui import controls

_MEGABYTES = own_texts.MOST_BYTES // 10**6
_UPLOAD = f"A CSV file: a line of column names, then texts, labels and perhaps sources (up to {_MEGABYTES} MB)"
_KEPT = (
    "The file stays in the memory of this server while your session lasts, and numbers made from it until newer ones "
    "need the room. Nothing is written to a disk, and no link holds a row. This page also shows what the rows give "
    "*without* noise: it is a demonstration, and no way to publish."
)
_NOTHING = "Choose a file above. Until then there is nothing to show."
_HEADS = {
    "text": "Text",
    "label": "Label",
    "yes": "Which label is asked for",
    "source": "Source",
    "public": "Public rows",
}
_HELP = {
    "text": "The column whose words are counted. Which words count is decided by the public rows only.",
    "label": "The column that says what a text is.",
    "yes": "The model tells this label from all others together.",
    "source": "The column that says whose row it is: each value is a source. Without one the rows are dealt out at "
    "random, so that all sources are alike.",
    "public": "Rows that everybody may see. You say which they are, for the whole file: no row decides it.",
}
_NAMES = {name: f"“{head}”" for name, head in _HEADS.items()}
_SPLIT, _SHARE = "none: split at random", "a share of each source"
# Columns with more values than this may still be chosen, to be told why they do not do.
_SHOWN = 60


def ready(desk: controls.Desk, *, public_rows: Callable[[], int]) -> bool:
    """Show what there is to choose; whether the settings are about a file that is here.

    ``public_rows`` counts the rows that are public, which reads the file's words and may take a moment.
    """
    with st.container(border=True):
        table = _brought(desk.page)
        if table is None:
            st.info(_wanted(desk.settings.own))
            return False
        if not _columns(desk, _draft(desk, table)):
            return False
        with st.spinner("Counting words"):
            st.caption(_known(desk, public_rows()))
        st.caption(_KEPT)
    return True


def _brought(page: str) -> Table | None:
    """The newest file that could be read; one that could not leaves the one before in place, and says why."""
    state, read, said, kept = st.session_state, f"{page}.read", f"{page}.refused", f"{page}.table"
    file = st.file_uploader(_UPLOAD, type=["csv", "tsv", "txt"], key=f"{page}.file", max_upload_size=_MEGABYTES)
    if file is not None and state.get(read) != file.file_id:
        state[read], state[said] = file.file_id, None
        try:
            state[kept] = own_texts.read(file.getvalue())
        except RefusedError as refusal:
            state[said] = refused(refusal)
    if file is not None and state.get(said):
        st.error(state[said])
    return state.get(kept)


def _draft(desk: controls.Desk, table: Table) -> Own:
    """What the boxes show: what the settings say of this file, else a guess, and then what is chosen."""
    key, word = f"{desk.page}.draft", desk.settings.own
    known, draft = st.session_state.get(key, (None, None))
    if known != word or draft.file != table.digest:
        linked = word != NONE and Own.read(word).file == table.digest
        if word != NONE and not linked:
            st.warning(_another(word, table))
        draft = Own.read(word) if linked else own_texts.guess(table)
    st.session_state[key] = word, draft
    return draft


def _columns(desk: controls.Desk, draft: Own) -> bool:
    """A box for each part; what the file does not allow is said under its box, and changes nothing."""
    refusal = None
    try:
        checked = own_texts.checked(draft)
        if checked.word != desk.settings.own:
            desk.settings = desk.settings.change(own=checked.word)
        st.session_state[f"{desk.page}.draft"] = desk.settings.own, checked
    except RefusedError as error:
        refusal = error
    for place, (name, choices) in zip(st.columns(len(_HEADS)), _options(draft).items(), strict=True):
        with place:
            _box(desk.page, name, choices, getattr(draft, name))
            if refusal is not None and refusal.name == name:
                st.error(refused(refusal))
    standing = desk.settings.own != NONE and Own.read(desk.settings.own).file == draft.file
    if refusal is not None and standing:
        st.caption("What is shown below is still the choice before.")
    return standing


def _options(draft: Own) -> dict[str, dict[str, str]]:
    """Part -> its choices, and how they are shown."""
    columns = {name: name for name in own_texts.find(draft.file).columns}
    labels = own_texts.values(draft, draft.label, most=_SHOWN)
    sources = own_texts.values(draft, draft.source, most=own_texts.MOST_SOURCES + 1) if draft.source else []
    return {
        "text": columns,
        "label": columns,
        "yes": {value: value[:_SHOWN] for value in labels},
        "source": {"": _SPLIT} | columns,
        "public": {"": _SHARE} | {value: f"all of {value[:_SHOWN]}" for value in sources if value.strip()},
    }


def _box(page: str, name: str, choices: dict[str, str], value: str) -> None:
    """One of the boxes. Another label column has other labels, another source column other sources."""
    key = f"{page}.own.{name}"
    st.session_state[key] = value if value in choices else next(iter(choices))

    def changed() -> None:
        word, draft = st.session_state[f"{page}.draft"]
        draft = replace(draft, **{name: st.session_state[key]})
        if name == "label":
            draft = replace(draft, yes=own_texts.usual_label(own_texts.find(draft.file), draft.label))
        if name == "source":
            draft = replace(draft, public="")
        st.session_state[f"{page}.draft"] = word, draft

    shown = choices.get
    st.selectbox(_HEADS[name], list(choices), key=key, format_func=shown, on_change=changed, help=_HELP[name])


def refused(refusal: RefusedError) -> str:
    """The sentence for the control that asked: what it was given, and what it takes."""
    if refusal.name == "file":
        return f"The file was not taken. It has {refusal.value}; it must have {refusal.allowed}."
    asked = _NAMES.get(refusal.name, refusal.name)
    return f"{asked} cannot be {refusal.value or 'empty'}: it must be {refusal.allowed}."


def _wanted(own: str) -> str:
    """What to bring: any file, or the one that a link is about."""
    if own == NONE:
        return _NOTHING
    asked = Own.read(own)
    columns = ", ".join(f"“{name}”" for name in (asked.text, asked.label, asked.source) if name)
    return (
        f"This link is about a file with the fingerprint **{asked.file}** and the columns {columns}. A link cannot "
        "hold a file: choose the same one above, and the same numbers come back."
    )


def _another(own: str, table: Table) -> str:
    """Where the file is not the one of the link."""
    return (
        f"This file has the fingerprint {table.digest}, and what was shown or linked before was about "
        f"{Own.read(own).file}. The columns are chosen anew, and the numbers will differ."
    )


def _known(desk: controls.Desk, public_rows: int) -> str:
    """One line on what the file has become."""
    own, count = Own.read(desk.settings.own), desk.settings.sources
    named = own_texts.names(own, count)
    who = ", ".join(f"{place} {name[:30]}" for place, name in enumerate(named, 1))
    return (
        f"File {own.file}, {own_texts.find(own.file).rows:,} rows. Sources: {who if own.source else 'a random split'}; "
        f"the smallest has {own.room(count):,} private rows. {public_rows:,} rows are public: the words that count, "
        "their weights and the projection come from these."
    )

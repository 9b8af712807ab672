"""A file of the user's own: brought, read, its columns chosen; and in words what is asked, refused and known.

The file lives in the state of the session that has brought it, and nowhere else: a link, and so any other session, has
only the random name of an ``own_texts.Own``, which is resolved here. Settings become another ``Own``'s only when the
file allows what the boxes say; until then the page stays as it was.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from dpcore.check import RefusedError
from lab.files import own_texts
from lab.files.file_handles import NONE, forget
from lab.files.own_texts import Columns, Own
from ui import controls, uploads
from ui.escaping import plain
from ui.own_session import Brought, present
from ui.texts import SAYS

_MEGABYTES = own_texts.MOST_BYTES // 10**6
_HEADS = {
    "text": "Text",
    "label": "Label",
    "yes": "Which label is asked for",
    "source": "Source",
    "public": "Public rows",
}
_NAMES = {name: f"“{head}”" for name, head in _HEADS.items()}
_SPLIT, _SHARE = "none: split at random", "a share of each source"
# Columns with more values than this may still be chosen, to be told why they do not do.
_SHOWN = 60

_File = Brought[Own, Columns]
# Settings -> how many of their rows are public; reads the file's words, and refuses where they do not do.
PublicRows = Callable[[Any], int]


def ready(desk: controls.Desk, *, public_rows: PublicRows) -> bool:
    """Show what there is to choose, folded once it is settled; whether the settings are about a file that is here."""
    state, settled = st.session_state, f"{desk.page}.settled"
    with st.expander("Your file", expanded=not state.get(settled), icon=":material/upload_file:"):
        left, right = st.columns([1, 4])
        with left:
            brought = _brought(desk.page)
        with right:
            refusal = _choose(desk, brought, public_rows)
            st.caption(SAYS["own-texts.kept"])
    here = holds(desk, public_rows=public_rows)
    settles = here and refusal is None and brought is not None and not brought.awaited
    if settles != state.get(settled, False):
        state[settled] = settles
        st.rerun()
    if here:
        st.caption(_known(desk, public_rows(desk.settings)))
    return here


def _choose(desk: controls.Desk, brought: _File | None, public_rows: PublicRows) -> RefusedError | None:
    """Return what the file's columns are, or that there is none; why the settings cannot be about what is chosen, if
    so."""
    if brought is None:
        case = "nothing" if desk.settings.own == NONE else "elsewhere"
        st.markdown(SAYS(f"own-texts.{case}", megabytes=_MEGABYTES))
        return None
    brought.awaited |= desk.settings.own != NONE and desk.settings.own not in brought.owns
    _recall(desk, brought)
    with st.spinner("Counting words"):
        refusal = _adopt(desk, brought, public_rows)
    _boxes(desk.page, brought, refusal)
    if refusal is not None and holds(desk, public_rows=public_rows):
        st.caption("The results below are still those of the previous choice.")
    elif refusal is None and brought.awaited:
        st.info(SAYS["own-texts.anew"])
    return refusal


def holds(desk: controls.Desk, *, public_rows: PublicRows) -> bool:
    """Return whether the settings are about a file of this session whose rows can be made.

    Asked before anything is computed. Settings that leave too little of the file go back to the last that left enough,
    and say so at the slider of the public rows.
    """
    brought: _File | None = st.session_state.get(_key(desk.page))
    own = desk.settings.own
    if brought is None or not brought.has(own):
        return False
    try:
        public_rows(desk.settings)
        brought.standing = desk.settings
    except RefusedError as refusal:
        if brought.standing is None or brought.standing.own is not own:
            return False
        desk.settings = brought.standing
        desk.errors["public_rows"] = refused(refusal)
    return True


def _key(page: str) -> str:
    return f"{page}.brought"


def _brought(page: str) -> _File | None:
    """Return the newest file that could be read; one that could not leaves the one before in place, and says why."""
    state, said = st.session_state, f"{page}.refused"
    file, new = uploads.ask(page, "A table", megabytes=_MEGABYTES)
    if file is not None and new:
        state[said] = None
        try:
            table = own_texts.read(file.getvalue())
            before = state.get(_key(page))
            state[_key(page)] = Brought(table=table, draft=own_texts.guess(table))
            if before is not None:
                forget(before.table)
        except RefusedError as refusal:
            state[said] = refused(refusal)
        finally:
            uploads.release(file)
    if file is not None and state.get(said):
        st.error(state[said])
    return present(file, state.get(_key(page)))


def _recall(desk: controls.Desk, brought: _File) -> None:
    """Give the name that an address has, of a choice of this session, its file again; the boxes follow."""
    own = brought.owns.get(desk.settings.own)
    if own is None or own == brought.seen:
        return
    desk.settings, brought.draft = desk.settings.change(own=own), own.columns


def _adopt(desk: controls.Desk, brought: _File, public_rows: PublicRows) -> RefusedError | None:
    """Let the settings be about what the boxes say; a refusal is handed back, and changes nothing."""
    try:
        own = next((one for one in brought.owns.values() if one.columns == brought.draft), None)
        own = own or own_texts.choose(brought.table, brought.draft)
        if own is not desk.settings.own:
            settings = desk.settings.change(own=own)
            public_rows(settings)
            desk.settings, brought.owns[str(own)] = settings, own
    except RefusedError as refusal:
        return refusal
    finally:
        brought.seen = str(desk.settings.own)
    return None


def _boxes(page: str, brought: _File, refusal: RefusedError | None) -> None:
    """Show a box for each part, and under it what the file does not allow."""
    for place, (name, choices) in zip(st.columns(len(_HEADS)), _options(brought).items(), strict=True):
        with place:
            _box(page, brought, name, choices)
            if refusal is not None and refusal.name == name:
                st.error(refused(refusal))
    if refusal is not None and refusal.name not in _HEADS:
        st.error(refused(refusal))


def _options(brought: _File) -> dict[str, dict[str, str]]:
    """Return part -> its choices, and how they are shown."""
    table, draft = brought.table, brought.draft
    columns = {name: name for name in table.columns}
    labels = own_texts.values(table, draft.label, most=_SHOWN)
    sources = own_texts.values(table, draft.source, most=own_texts.MOST_SOURCES + 1) if draft.source else []
    return {
        "text": columns,
        "label": columns,
        "yes": {value: value[:_SHOWN] for value in labels},
        "source": {"": _SPLIT} | columns,
        "public": {"": _SHARE} | {value: f"all of {value[:_SHOWN]}" for value in sources if value.strip()},
    }


def _box(page: str, brought: _File, name: str, choices: dict[str, str]) -> None:
    """Show one of the boxes. Another label column has other labels, another source column other sources."""
    key, value = f"{page}.own.{name}", getattr(brought.draft, name)
    shown = controls.hold(key, value if value in choices else next(iter(choices)))

    def changed() -> None:
        draft = replace(brought.draft, **{name: st.session_state[key]})
        if name == "label":
            draft = replace(draft, yes=own_texts.usual_label(brought.table, draft.label))
        if name == "source":
            draft = replace(draft, public="")
        brought.draft = draft

    st.selectbox(
        _HEADS[name],
        list(choices),
        list(choices).index(shown),
        key=key,
        format_func=lambda value: choices[value],
        on_change=changed,
        help=SAYS[f"own-texts.{name}"],
    )


def refused(refusal: RefusedError) -> str:
    """Return the sentence for the control that asked: what it was given, and what it takes."""
    if refusal.name == "file":
        return plain(SAYS("own-rows.file", value=refusal.value, allowed=refusal.allowed))
    asked = _NAMES.get(refusal.name, refusal.name)
    return plain(f"{asked} cannot be {refusal.value or 'empty'}: it must be {refusal.allowed}.")


def _known(desk: controls.Desk, public_rows: int) -> str:
    own, count = desk.settings.own, desk.settings.sources
    said = "".join(f"{note} " for note in own.table.notes)
    who = ", ".join(f"{place} {plain(name[:30])}" for place, name in enumerate(own.names(count), 1))
    text, label, yes = map(_quoted, (own.columns.text, own.columns.label, own.columns.yes))
    return SAYS(
        "own-texts.known",
        rows=own.table.rows,
        text=text,
        label=label,
        yes=yes,
        notes=said,
        sources=who if own.columns.source else "a random split",
        least=own.smallest_source(count),
        public=public_rows,
    )


def _quoted(text: str) -> str:
    return f"“{plain(text[:30])}”"

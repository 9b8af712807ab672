"""Rows of one's own: bring a file, say what its columns are for, and give bounds that anybody could know."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dpcore.check import RefusedError
from dpcore.data import own_rows, own_table, paid_bounds
from dpcore.data.own_rows import Column, OwnRows, Roles
from lab.links import versioned
from lab.own_settings import MOST_LIVE
from ui import bounds_leak_demo, my_rows, page_links, samples, uploads
from ui.controls import hold
from ui.escaping import plain
from ui.my_rows import USES, Draft, refused
from ui.outcomes import count
from ui.own_session import Brought, present
from ui.panels import number
from ui.samples import SAMPLES, TEMPLATE, Sample

QUESTION = "What would privacy cost on your own data?"
_MEGABYTES = own_table.MOST_BYTES // 10**6
# Page that learns classes, numbers, or from parties -> what its button says, and how that looks.
_OF_CLASSES = {
    "classifier": ("Classifier", "scatter_plot", "primary"),
    "network": ("Neural network", "hub", "secondary"),
}
_OF_ATTACK = {"attack": ("Attacks and audits", "my_location", "secondary")}
_OF_PARTIES = {"parties": ("Learning across parties", "groups", "secondary")}
_OF_NUMBERS = {"regression": ("Regression", "show_chart", "primary")}
# The same where a column says the source, too.
_OF_SOURCES = {"transfer": ("Public-to-private transfer", "move_up", "secondary")}
# Of a column's name, its use, its bounds and a note.
_WIDTHS = (1.2, 1.35, 2.3, 1.9)
_EMPTY = "**Upload a table** with a row for each person, or try one of these made-up examples."
_SOURCES = (
    "For *Public-to-private transfer*, the notes let {name} say the source. The rows of {own} are private. Those of "
    "{others} are public, as their salaries stand in the town's budget."
)
_NOTES = (
    "This table has notes that say which bounds are public, and why: what anybody could know without the file. With "
    "yours, you type them."
)
_KEPT = (
    "The file stays in this server's memory, for this session only: two minutes after the page is closed or reloaded "
    "it is gone. Nothing is written to a disk, and no link, picture or download holds a cell of it. What pages show of "
    "it is for you, the analyst: it is no way to publish."
)
_VOID = (
    "**The guarantee would be void.** The bounds of {names} came from the rows, so they reveal the lowest and the "
    "highest value. You may train and look, but do not release the result. To restore the guarantee, type bounds that "
    "anybody could know."
)
# Epsilon that the bounds of a column may cost.
_SHARES = (0.01, 1.0)
_BOUGHT = (
    "Rows are counted by their scale, in bins that end at powers of two, and the counts get Laplace noise. The bounds "
    "are the ends of the outermost bins that hold more than noise can. **Each press costs this much**, kept or not."
)
_TOO_FEW = (
    "At epsilon {share:g} there must be at least {least:,} rows, or noise may cut off values that 1 row in 200 has; "
    "there are {rows:,}. Type bounds that anybody could know."
)
# Where a page begins with a file. A regression's own start is one of a larger table; a party of a file has more rows
# than one of the lab's own worlds, and how many is not told.
_STARTS = {"regression": {"mechanism": "gaussian", "epsilon": "1"}, "parties": {"rows": "100"}}
_FEW = (
    "There are {people:,} people with an answer; to learn from people one by one takes {least}. As parties, each "
    "with all of its rows, fewer can be asked."
)
_KINDS = {"number": "numbers", "category": "categories"}
_DECIMALS = {".": "1,234 is a thousand", ",": "1,234 is 1.234"}


def show() -> None:
    """The whole page."""
    st.title(QUESTION)
    here = _file()
    if here is None:
        bounds_leak_demo.panel()
        st.caption(_KEPT)
        return
    _notes(here)
    table, side = st.columns([2.6, 1], gap="medium")
    with table:
        with st.container(key="heads"):
            heads = st.columns(_WIDTHS)
        for place, head in zip(heads, ("Column", "Used as", "Public bounds or values", ""), strict=True):
            place.caption(head)
        for place, name in enumerate(list(here.table.columns)):
            with st.container(key=f"column-{place}"):
                _row(here, name)
        if void := here.draft.roles.void:
            st.error(_VOID.format(names=", ".join(map(plain, void))), icon=":material/warning:")
    with side:
        _before(here)
        _seen(here.draft)
    bounds_leak_demo.panel()
    st.caption(_KEPT)


def _notes(here: Brought) -> None:
    """What a sample's notes say, filled in by one click."""
    sample = samples.of(here.table.columns)
    if sample is None:
        return
    filled = here.draft.filled(sample)
    if filled and (not sample.source or here.draft.the("source")):
        return
    with st.container(key="notes", horizontal=True, vertical_alignment="center"):
        if filled:
            others = ", ".join(sample.sources)
            st.caption(_SOURCES.format(name=sample.source, own=sample.own_source, others=others), width="stretch")
            label, key, act = f"Let {sample.source} say the source", "data.notes.source", here.draft.fill_source
        else:
            st.caption(_NOTES, width="stretch")
            label, key, act = "Use the bounds from the sample's notes", "data.notes", here.draft.fill
        st.button(label, key=key, on_click=lambda: act(sample), icon=":material/menu_book:")


def _file() -> Brought | None:
    """This session's file, and what there is to bring one."""
    here = my_rows.brought()
    with st.container(border=True):
        if here is None:
            st.markdown(_EMPTY)
        else:
            _bar(here)
        _upload(here)
        if here is None:
            _samples()
    return my_rows.brought()


def _samples() -> None:
    """Tables to try at once, or to take away and bring back."""
    for place, sample in zip(st.columns(len(SAMPLES), gap="small"), SAMPLES, strict=True):
        with place.container(border=True, height="stretch", vertical_alignment="distribute"):
            st.markdown(f"{sample.icon} **{sample.title}.** {sample.about}")
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                key, act = f"data.sample.{sample.file}", partial(_take_sample, sample)
                st.button(f"Use the {sample.title.lower()} table", key=key, type="primary", on_click=act)
                _download(sample.file, sample.data)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("A table that says what each of its lines is for:", width="content")
        _download(TEMPLATE.name, TEMPLATE.read_bytes())


def _download(name: str, data: bytes) -> None:
    look = {"type": "tertiary", "icon": ":material/download:", "mime": "text/csv", "on_click": "ignore"}
    st.download_button(name, data, file_name=name, key=f"data.download.{name}", **look)


def _bar(here: Brought) -> None:
    left, right = st.columns([5, 1], vertical_alignment="center")
    about = f"{here.table.rows:,} rows · {len(here.table.columns)} columns"
    left.markdown(f":material/table: **{plain(here.draft.file)}** · {about}")
    for note in here.table.notes:
        left.caption(plain(note))
    with right.container(horizontal=True, horizontal_alignment="right"):
        st.button("Remove", key="data.remove", on_click=_remove, icon=":material/delete:")


def _remove() -> None:
    my_rows.drop()
    st.session_state["data.round"] = st.session_state.get("data.round", 0) + 1  # another box, which is empty


def _upload(here: Brought | None) -> None:
    """A file to choose; below it why the last was not taken, and a sample where there is none yet."""
    state = st.session_state
    file = None
    if uploads.possible():
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
        _read(file)
        st.rerun()
    if file is not None and here is not None and here.table.head is None and not state.get("data.refused"):
        st.radio(
            own_table.HEAD_ASKED,
            ["names", "a row"],
            key="data.head",
            horizontal=True,
            on_change=lambda: _read(file, head=state["data.head"] == "names"),
            index=None,
        )
    if state.get("data.refused"):
        st.error(state["data.refused"])


def _read(file: UploadedFile, *, head: bool | None = None) -> None:
    """Read an upload, and free it unless it has to be read again once the question on its first line is answered."""
    _take(file.name, file.getvalue(), head=head)
    if st.session_state["data.refused"] or my_rows.brought().table.head is not None:
        uploads.release(file)


def _take_sample(sample: Sample) -> None:
    _take(sample.file, sample.data)


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
    hold(key, draft.uses[name])
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
            case "amount":
                _bounds(here, draft.columns[name])
                _say(draft, "gaps", st.toggle, "Answers may be missing")
            case "person" if draft.the("amount"):
                most = {"min_value": 1, "max_value": own_rows.MOST_ROWS_EACH}
                _say(draft, "rows_each", st.number_input, "Rows of a person, at most", **most)
            case "category":
                _values(
                    f"Categories of {name}", name, draft.columns[name].values, lambda new: draft.say(name, values=new)
                )
            case "answer":
                _values(f"Answers in {name}", name, draft.classes, lambda new: setattr(draft, "classes", new))
            case "person":
                _most_rows(draft)
            case "source":
                _sources(draft, name)
            case _:
                st.caption("not read")
    with note:
        _note(here, name)


def _say(draft: Draft, name: str, box: Callable[..., Any], label: str, **how: Any) -> None:
    """A box for what the draft calls ``name``."""
    key = f"data.{name}"
    hold(key, getattr(draft, name))
    box(label, key=key, on_change=lambda: setattr(draft, name, st.session_state[key]), **how)


def _values(
    label: str,
    name: str,
    values: tuple[str, ...],
    say: Callable[[tuple[str, ...]], None],
    placeholder: str = "type one, then Enter",
) -> None:
    """Values that are typed, none of which is looked up in the file."""
    key = f"data.values.{name}"
    hold(key, list(values))
    st.multiselect(
        label,
        [],  # always the same: another list would be another box, without what is being typed
        key=key,
        accept_new_options=True,
        placeholder=placeholder,
        on_change=lambda: say(tuple(st.session_state[key])),
        label_visibility="collapsed",
    )


def _most_rows(draft: Draft) -> None:
    """How many rows a person has at most, which is not looked up: for what clipping them one by one would cost."""
    key = "data.most_rows"
    hold(key, draft.most_rows)
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


def _sources(draft: Draft, name: str) -> None:
    """The value whose rows are private, and those whose rows somebody declares public: typed, as categories are."""
    look = {"placeholder": "whose rows are private: one value", "label_visibility": "collapsed"}
    _say(draft, "own_source", st.text_input, f"Value of {name} whose rows are private", **look)
    label, others = f"Values of {name} whose rows are public", "whose rows are public: type one, then Enter"
    _values(label, name, draft.sources, partial(setattr, draft, "sources"), placeholder=others)


def _bounds(here: Brought, column: Column) -> None:
    draft = here.draft
    for place, end in zip(st.columns(2), ("low", "high"), strict=True):
        key = f"data.{end}.{column.name}"
        hold(key, getattr(column, end))
        place.number_input(
            f"{column.name}, {'lowest' if end == 'low' else 'highest'}",
            key=key,
            value=None,
            placeholder="lowest" if end == "low" else "highest",
            disabled=column.read_off or bool(column.paid),
            on_change=lambda end=end, key=key: draft.say(column.name, **{end: st.session_state[key]}),
            label_visibility="collapsed",
            format="%g",
        )
    if not own_rows.decimal(here.table, column.name):
        key = f"data.decimal.{column.name}"
        hold(key, column.decimal or None)
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
    bounded = use in ("number", "amount")
    if bounded and column.read_off:
        st.markdown(":orange[**Read off the private rows.**]")
        _button("Type my own", name, lambda: draft.say(name, low=None, high=None, read_off=False))
    elif bounded and column.paid:
        left = "" if column.low is not None else " Noise hid everything."
        st.markdown(f":blue[**Paid: {column.paid:g} of epsilon.**]{left}")
        with st.container(horizontal=True, gap="small"):
            _button("Type my own", name, lambda: draft.say(name, low=None, high=None, paid=0.0))
            _paying(here, name, "Draw again")
    elif bounded and (column.low is None or column.high is None):
        st.markdown(":red[**Bounds needed.**]")
        with st.container(horizontal=True, gap="small"):
            _button("Read them off the file", name, lambda: _read_off(here, name))
            _paying(here, name, "Pay for them")
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
        "category": "Any other value: none of these."
        if draft.roles.target is None
        else "Any other value: as the first.",
        "answer": "Typed by you. A row with another answer stays, and adds nothing.",
        "amount": "Beyond the bounds, the bound. "
        + ("Missing: the row stays, and adds nothing." if draft.gaps else "Missing after all: the middle."),
        "person": _of_each(draft.roles),
        "source": "One value's rows are private. The others' you declare **public**, with their answers: they get "
        "no protection in *Public-to-private transfer*. Other pages do not read this column.",
    }[use]


def _of_each(roles: Roles) -> str:
    if roles.target is None:
        return "A person counts as one, however many rows they have. The number is for a comparison only."
    if roles.rows_each > 1:
        return f"Of each person up to {roles.rows_each} rows are used, picked by chance; the noise is made for as many."
    return "Of each person one row is used, picked by chance."


def _button(label: str, name: str, act) -> None:
    st.button(label, key=f"data.{label}.{name}", type="tertiary", on_click=act)


def _paying(here: Brought, name: str, label: str) -> None:
    """Bounds for a share of epsilon: how much, from how many rows on, and the button that draws them."""
    key = f"data.share.{name}"
    with st.popover(label, type="tertiary"):
        share = st.number_input(
            f"Epsilon for the bounds of {name}", *_SHARES, value=0.1, step=0.05, key=key, format="%g"
        )
        least = paid_bounds.least_rows(share)
        few = here.table.rows < least
        st.caption(_BOUGHT)
        if few:
            st.markdown(f":red[**Too few rows.**] {_TOO_FEW.format(share=share, least=least, rows=here.table.rows)}")
        st.button(
            "Draw bounds",
            key=f"data.draw.{name}",
            disabled=few,
            on_click=lambda: _told(lambda: here.draft.pay(here.table, name, st.session_state[key])),
        )


def _read_off(here: Brought, name: str) -> None:
    """What voids the guarantee, and is said to."""

    def look() -> None:
        low, high = own_rows.read_off(here.table, name, said=here.draft.columns[name].decimal)
        here.draft.say(name, low=low, high=high, read_off=True)

    _told(look)


def _told(act: Callable[[], None]) -> None:
    """Do it, or say why not."""
    try:
        act()
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
        if roles.target is not None and not roles.target.lacks():
            done.append(f"{plain(roles.answer)} is predicted, a number")
        if roles.source and roles.own_source and roles.sources:
            others = ", ".join(map(plain, roles.sources))
            done.append(f"{plain(roles.source)}: {plain(roles.own_source)} is private; public: {others}")
        if roles.answer and roles.classes:
            done.append(f"{plain(roles.answer)} is predicted: {' or '.join(map(plain, roles.classes))}")
        lines = [f":green[✓] {line}" for line in done] + [f":red[✕] {line}" for line in missing]
        lines += [f":orange[⚠] {plain(name)}: bounds void the guarantee" for name in roles.void]
        if roles.payments:
            times = count(len(roles.payments), "release")
            lines += [f":blue[●] Bounds have cost {number(roles.spent)} of epsilon ({times}); training has the rest"]
        st.markdown("  \n".join(lines))
        _on(own, roles)
        if own is not None and not my_rows.of_classes(own) and not my_rows.of_numbers(own):
            st.caption(_FEW.format(people=own.answered, least=own_rows.LEAST_ROWS))
        if missing:
            st.caption(f"Waits: {missing[0].removesuffix('.')}.")


def _on(own: OwnRows | None, roles: Roles) -> None:
    """To the pages that learn such answers, once nothing is missing."""
    number = roles.target is not None
    for page, (called, icon, look) in (_OF_NUMBERS if number else _OF_CLASSES).items():
        rows = str(own and (own.private if number else min(own.private, MOST_LIVE)))
        fits = my_rows.of_numbers if number else my_rows.of_classes
        _way(own, page, called, icon, look, fits=fits, start={"rows": rows})
    others = {} if number else dict.fromkeys(_OF_ATTACK.items(), my_rows.of_classes)
    if roles.source and number:
        others = dict.fromkeys(_OF_SOURCES.items(), my_rows.of_sources)
    elif roles.person and not number:
        others |= dict.fromkeys(_OF_PARTIES.items(), my_rows.of_parties)
    for (page, look), fits in others.items():
        _way(own, page, *look, fits=fits, start={})


def _way(own: OwnRows | None, page: str, called: str, icon: str, look: str, *, fits, start: dict[str, str]) -> None:
    """A button to a page, which it opens with this file."""
    waits = own is None or not fits(own)
    how = {"icon": f":material/{icon}:", "type": look, "width": "stretch", "disabled": waits}
    if st.button(f"{called} with these rows", key=f"data.{page}", **how):
        query = {"dataset": "own", "own": str(own)} | start | _STARTS.get(page, {})
        st.switch_page(page_links.to(page), query_params=versioned(query))


def _seen(draft: Draft) -> None:
    """What becomes of a cell, from the declared bounds alone."""
    with st.container(border=True):
        st.markdown("**What a model will see**")
        st.caption("Made of what you typed; no cell is shown.")
        sums = draft.roles.target is not None
        said = (f"{plain(column.name)}: {_becomes(column, sums=sums)}" for column in draft.roles.columns)
        st.markdown("  \n".join(said))


def _becomes(column: Column, *, sums: bool) -> str:
    if column.lacks():
        return f":red[{'needs bounds' if column.kind == 'number' else 'needs categories'}]"
    if column.kind == "category" and sums and len(column.values) > 1:
        others = count(len(column.values) - 1, "input")
        return f"{others}, 1 if so, else −1; {plain(column.values[0])} or another: −1 in each"
    if column.kind == "category":
        return f"{count(len(column.values), 'input')}, 1 if so, else 0"
    if column.read_off:
        return "its own lowest → −1, highest → 1"
    middle = (column.low + column.high) / 2
    return f"{number(column.low)} → −1, {number(middle)} → 0, {number(column.high)} → 1"

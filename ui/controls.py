"""The vocabulary of controls, and the desk that keeps a page's settings, its controls and its link in step.

A desk holds one frozen Settings value. Every control changes it through ``settings.change``; what the settings refuse
is shown beside the control that asked, and nothing else moves. The whole value is written into the address.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import streamlit as st

from dpcore.check import RefusedError
from ui import live
from ui.vocabulary import KNOBS


def knob(name: str, limits: Mapping[str, tuple[float, float]], *, group: str = "main", **changes: Any) -> live.Knob:
    """The knob of a settings field over its range in ``limits``."""
    low, high = limits[name]
    return live.Knob(name=name, low=low, high=high, group=group, **(dict(KNOBS[name]) | changes))


@dataclass(eq=False)
class Desk:
    """One page's settings in one session.

    ``errors`` maps a field to the sentence that refused its last entry; ``notices`` says what a link held that was
    ignored; ``ack`` is the number of the newest movement that the settings contain, ``moving`` says that this very run
    answers one, so that the next may be waiting. ``told``: (settings, whether all of their work was done) that the page
    around the live part shows. ``clicked`` is the number of the newest click on a chart that the settings contain.
    ``ahead``: (value, settings) that a knob that plays comes to next, if this run answers one. ``choices``: field ->
    (label, options) of what the page lets one choose.
    """

    page: str
    settings: Any
    errors: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    ack: int = 0
    moving: bool = False
    link: dict[str, str] = field(default_factory=dict)
    told: tuple[Any, bool] | None = None
    clicked: int = 0
    ahead: tuple[tuple[float, Any], ...] = ()
    choices: dict[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)

    def change(self, **change: Any) -> None:
        """Change one field, or remember why it was refused."""
        ((name, _),) = change.items()
        self.errors.pop(name, None)
        try:
            self.settings = self.settings.change(**change)
        except RefusedError as refusal:
            self.errors[refusal.name if refusal.name in KNOBS else name] = _sentence(refusal)

    def look_ahead(self, move: live.Movement) -> None:
        """Note what the settings will be where the knob of this movement goes next; a value they refuse is left out."""
        for value in move.ahead:
            with suppress(RefusedError):
                there = self.settings.change(**{move.name: _typed(type(self.settings), move.name, value)})
                self.ahead += ((value, there),)

    def take(self, settings: Any) -> None:
        """Go over to other settings as a whole; what was refused before is forgotten."""
        self.settings = settings
        self.errors.clear()

    def choose(self, name: str, label: str, options: Mapping[str, str], *, wide: bool = False, help: str = "") -> None:
        """A choice among the keys of ``options``, each shown by its text: a row of buttons if ``wide``, else a list."""
        key = f"{self.page}.{name}"
        self.choices[name] = label, options
        st.session_state[key] = getattr(self.settings, name)
        widget = st.segmented_control if wide else st.selectbox
        more = {"required": True, "width": "stretch"} if wide else {}
        widget(
            label,
            list(options),
            key=key,
            format_func=lambda option: options[option],
            on_change=lambda: self.change(**{name: st.session_state[key]}),
            help=help or None,
            **more,
        )
        if name in self.errors:
            st.error(self.errors[name])

    def panel(
        self,
        *,
        hero: str,
        play: str | None = None,
        main: Sequence[str] = (),
        more: Sequence[str] = (),
        done: float,
        changes: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Mount the knobs of these fields, last in the fragment; ``more`` are folded away, and ``play`` can run by
        itself.

        ``done`` below 1 asks the browser to call for the next slice of work. What stands outside of the live part,
        tables and the address, follows when nothing has moved for a moment, and again when all is done. ``changes``:
        how a page's knob differs from ``KNOBS``.
        """
        groups = {"hero": [hero], "play": [play] if play else [], "main": main, "more": more}
        knobs = [
            knob(name, self.settings.limits, group=group, play=name == play, **(changes or {}).get(name, {}))
            for group, names in groups.items()
            for name in names
        ]
        live.panel(
            knobs,
            {one.name: getattr(self.settings, one.name) for one in knobs},
            key=f"{self.page}.knobs",
            ack=self.ack,
            pending=done < 1,
            behind=self.told != (self.settings, done == 1),
            progress=done,
            errors={one.name: self.errors[one.name] for one in knobs if one.name in self.errors},
        )

    def tell(self, *, done: float) -> None:
        """For the page around the live part, which has come to rest: put the whole setting into the address."""
        self.told = self.settings, done == 1
        self.link = {name: str(value) for name, value in asdict(self.settings).items()}
        if st.query_params.to_dict() != self.link:
            st.query_params.from_dict(self.link)


def desk(page: str, settings_type: type) -> Desk:
    """The page's desk in this session, brought up to date with the address and with the newest movement.

    Called by the page and by its live part. Where the panel asks for it, its call starts a run of the whole page
    instead.
    """
    key = f"{page}.desk"
    if key not in st.session_state:
        st.session_state[key] = Desk(page=page, settings=settings_type())
    here = st.session_state[key]
    address = st.query_params.to_dict()
    if address and address != here.link:
        here.settings, here.notices = from_link(settings_type, address)
        here.errors, here.link = {}, address
    move = live.movement(f"{page}.knobs", after=here.ack)
    here.moving, here.ahead = move is not None and not move.tick, ()
    if move is not None:
        here.ack = move.seq
        if move.page:
            st.rerun()
        if move.name in KNOBS and hasattr(here.settings, move.name):
            here.change(**{move.name: _typed(settings_type, move.name, move.value)})
            here.look_ahead(move)
    click = live.movement(f"{page}.board", after=here.clicked)
    if click is not None and not click.tick:
        here.clicked = click.seq
        here.moving = here.moving or not click.final
        if click.name in getattr(settings_type, "CLICKS", ()):
            here.change(**{click.name: _typed(settings_type, click.name, click.value)})
    return here


def from_link(settings_type: type, address: Mapping[str, str]) -> tuple[Any, list[str]]:
    """(the settings that a link holds, a sentence for each part of it that was ignored)."""
    settings, notices = settings_type(), []
    known = {one.name: one for one in fields(settings_type)}
    for name in known:
        if name not in address:
            continue
        try:
            settings = settings.change(**{name: _typed(settings_type, name, address[name])})
        except RefusedError as refusal:
            notices.append(f"{_quoted(name, address[name])} was ignored: it must be {refusal.allowed}.")
    unknown = [name for name in address if name not in known]
    notices += [f"{_quoted(name, address[name])} was ignored: this page has no such setting." for name in unknown]
    return settings, notices


def _quoted(name: str, value: str) -> str:
    """A part of the link as it was, shown as code so that nothing in it is taken for formatting."""
    return "In the link, `" + f"{name}={value}"[:60].replace("`", "'") + "`"


def _typed(settings_type: type, name: str, value: float | str) -> Any:
    """``value`` as the field's type where it can be read as one; else as it is, for the settings to refuse."""
    kind = next((one.type for one in fields(settings_type) if one.name == name), "str")
    kind = kind if isinstance(kind, str) else kind.__name__
    try:
        number = float(value)
    except ValueError:
        return value
    if kind == "int":
        return int(number) if number.is_integer() else number
    return number if kind == "float" else value


def _label(name: str) -> str:
    return KNOBS[name]["label"] if name in KNOBS else name


def _sentence(refusal: RefusedError) -> str:
    """The refusal in the words of the page: the knob, the value and the range."""
    value = refusal.value if isinstance(refusal.value, str) else f"{refusal.value:.6g}"
    return f"{_label(refusal.name)} cannot be {value or 'empty'}: it must be {refusal.allowed}."

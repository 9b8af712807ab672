"""The vocabulary of controls, and the page state that keeps a page's settings, its controls and its
link in step.

A page state holds one frozen Settings value. Every control changes it through ``settings.change``;
what the settings refuse is shown beside the control that asked, and nothing else moves. The whole
value is written into the address.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from html import escape
from secrets import token_hex
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpcore.check import RefusedError
from lab.experiment import links
from lab.experiment.settings import Settings
from ui import widgets
from ui.compute import debounce, scheduler
from ui.session.widget_state import heard, hold
from ui.text.escaping import plain, quoted
from ui.text.numbers import format_number
from ui.text.sliders import SLIDERS
from ui.text.texts import SAYS

# Of the address, what holds no setting: ``PIN`` is what was pinned (``ui.page.pin``), ``ASK`` is
# what the tab of questions asks, and ``SHOWN`` say how the page is shown, or to whom.
PIN, ASK, TAB, MORE = "pin", "what_if", "tab", "more"
SHOWN = ("present", "lesson", "step", "only", TAB, MORE)
# What ``present`` says where it names no picture.
FIRST_PICTURE = "1"
# Of each of these in an address: longer ones are nobody's that a page has made.
LONGEST = 800
MOST_UNDONE = 50
_VISITED = "lab.visited"


class SliderLayout(NamedTuple):
    """The fields that have a slider: the ``hero``, the ``main`` ones, ``more`` that are folded
    away, and one that can ``play`` by itself. ``changes``: how a slider differs from
    ``ui.text.sliders.SLIDERS`` on this page.
    """

    hero: str
    main: Sequence[str] = ()
    more: Sequence[str] = ()
    play: str | None = None
    changes: Mapping[str, Mapping[str, Any]] = MappingProxyType({})

    @property
    def apart(self) -> list[str]:
        """Return the one that plays, unless it is the hero."""
        return [self.play] if self.play and self.play != self.hero else []

    @property
    def shown(self) -> list[str]:
        """Return those that are not folded away, the hero first."""
        return [self.hero, *self.main, *self.apart]


def slider(name: str, limits: Mapping[str, tuple[float, float]], **changes: Any) -> widgets.Slider:
    """Return the slider of a settings field over its range in ``limits``."""
    low, high = limits[name]
    return widgets.Slider(name=name, low=low, high=high, **(SLIDERS[name] | changes))


@dataclass(eq=False)
class PageState:
    """One page's settings in one session.

    ``errors`` maps a field to the sentence that refused its last entry; ``notices`` says what a
    link held that was ignored; ``ack`` is the number of the newest movement that the settings
    contain, ``moving`` says that this very run answers one, so that the next may be waiting.
    ``name`` differs between sessions, so that the browser notices a restart.
    ``link``: the address that the settings were read from or written to. ``replaced``: the
    addresses before it in this visit of the page, which a message may still hold that the browser
    sent before it heard of the new one. ``late``: whether the newest message was one.
    ``told``: (settings, whether all of their work was done) that the page around the live part
    shows. ``clicked`` is the number of the newest click on a chart that the settings contain.
    ``choices``: field -> (label, options) of what the page lets one choose. ``before``: the
    settings at earlier rests, the newest last; ``undone``: whether these are such again. ``pin``:
    pinned settings as the address holds them (``ui.page.pin``); ``ask``: what is asked about these
    settings, in the same way (``ui.page.page.Asked``);
    ``shown``: of the words ``SHOWN``, those that the address holds; ``followed``: whether the page
    has yet to open the tab of a link; ``own_pin``: pinned settings about a visitor's own file,
    which no address holds; ``tries``: the mean number of tries of which the best is released, 0 for
    one model. ``changed`` is called after each change.
    """

    page: str
    settings: Any
    errors: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    ack: int = 0
    moving: bool = False
    name: str = field(default_factory=partial(token_hex, 4))
    link: dict[str, str] = field(default_factory=dict)
    replaced: deque[dict[str, str]] = field(default_factory=lambda: deque(maxlen=MOST_UNDONE))
    late: bool = False
    told: tuple[Any, bool] | None = None
    clicked: int = 0
    choices: dict[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)
    before: list[Any] = field(default_factory=list)
    undone: bool = False
    pin: str | None = None
    ask: str = ""
    shown: dict[str, str] = field(default_factory=dict)
    followed: bool = False
    own_pin: Any = None
    tries: int = 0
    changed: Callable[[], None] | None = None

    def change(self, **change: Any) -> None:
        """Change one field, or remember why it was refused."""
        ((name, value),) = change.items()
        self.errors.pop(name, None)
        self.settings, refusals = _tried(self.settings, name, value)
        self.errors |= refusals
        if self.changed:
            self.changed()

    def follow(self) -> widgets.Movement | None:
        """Apply the newest movement of the panel. Callbacks that read or replace the settings begin
        with it, because one run may receive a movement together with the press that followed it.
        """
        move = widgets.movement(f"{self.page}.sliders", after=self.ack)
        if move is not None:
            self.ack = move.seq
            if _movable(self.settings, move.name):
                self.change(**{move.name: move.value})
            elif move.name == MORE:
                self.shows(MORE, "1" if move.value else "")
        return move

    def take(self, settings: Any) -> None:
        """Go over to other settings as a whole; what was moved or refused before is forgotten."""
        self.follow()
        self.settings = settings
        self.errors.clear()

    def choose(
        self,
        name: str,
        label: str,
        options: Mapping[Any, str],
        *,
        wide: bool = False,
        help: str = "",
    ) -> None:
        """Show a choice among the keys of ``options`` that the settings allow, each shown by its
        text: a row of buttons if ``wide``, else a list.
        """
        key = f"{self.page}.{name}"
        allowed = self.settings.choices.get(name, options)
        options = {one: text for one, text in options.items() if one in allowed}
        self.choices[name] = label, options
        value = hold(key, getattr(self.settings, name))
        widget: Any = st.segmented_control if wide else st.selectbox
        more = {"required": True, "default": value} if wide else {"index": [*options].index(value)}
        with self._labelled(name, label):
            widget(
                label,
                list(options),
                key=key,
                format_func=lambda option: options[option],
                on_change=heard(key, lambda value: self.change(**{name: value})),
                help=help or None,
                label_visibility="collapsed",
                **more,
            )

    def number(self, name: str, *, label: str, unit: str = "") -> None:
        """Show a field for a number between its limits."""
        key, (low, high) = f"{self.page}.{name}", map(float, self.settings.limits[name])
        value = hold(key, float(getattr(self.settings, name)))
        with self._labelled(name, label, unit):
            st.number_input(
                label,
                low,
                high,
                value,
                key=key,
                format="%.6g",
                step=5 * low
                if low > 0
                else 0.01 * (high - low),  # of the limits alone: another makes another field
                on_change=heard(key, lambda value: self.change(**{name: value})),
                label_visibility="collapsed",
                width=140,
            )

    @contextmanager
    def _labelled(self, name: str, label: str, unit: str = "") -> Iterator[None]:
        """Make a place for a control with its label before it, its unit behind, and below why its
        value was refused.
        """
        with st.container(
            key=f"choice-{name}", horizontal=True, vertical_alignment="center", width="content"
        ):
            st.html(
                f'<span class="lab-label" aria-hidden="true">{escape(label)}</span>',
                width="content",
            )
            yield
            if unit:
                st.html(f'<span class="lab-label">{escape(unit)}</span>', width="content")
            if name in self.errors:
                st.error(plain(self.errors[name]))

    def panel(
        self,
        shown: SliderLayout,
        *,
        done: float,
        marks: Mapping[str, Sequence[tuple[float, str]]] | None = None,
        channel: Mapping[str, Any] | None = None,
        stage: bool = False,
        selectors: bool = False,
        move: Mapping[str, object] | None = None,
    ) -> None:
        """Mount the sliders that are ``shown``, last in the fragment.

        ``done`` below 1 asks the browser to call for the next slice of work. What stands outside of
        the live part, tables and the address, follows when nothing has moved for a moment, and
        again when all is done. ``channel``: what a question on the channel is about (``place``), if
        one may be asked. Others as in ``live.panel``.
        """
        groups = {"hero": [shown.hero], "play": shown.apart, "main": shown.main, "more": shown.more}
        sliders = [
            slider(
                name,
                self.settings.limits,
                group=group,
                play=name == shown.play,
                **shown.changes.get(name, {}),
            )
            for group, names in groups.items()
            for name in names
        ]
        widgets.panel(
            sliders,
            {one.name: getattr(self.settings, one.name) for one in sliders},
            key=f"{self.page}.sliders",
            ack=self.ack,
            state=self.name,
            pending=done < 1,
            behind=self.told != (self.settings, done == 1) or self.link != self.address,
            rest=debounce.delay(),
            progress=done,
            errors={one.name: self.errors[one.name] for one in sliders if one.name in self.errors},
            marks=marks,
            channel=channel,
            stage=stage,
            selectors=selectors,
            move=move,
            unfolded=MORE in self.shown,
        )

    @property
    def as_link(self) -> dict[str, str]:
        """Return the whole setting as an address holds it."""
        return {name: str(value) for name, value in asdict(self.settings).items()}

    def place(self, tab: str) -> dict[str, Any]:
        """Return the page, its whole setting, its pin, the tab that is open and what is asked
        there: what a question on the channel is about, and what pictures are of.
        """
        about = {
            "page": self.page,
            "settings": self.as_link,
            "pin": self.pin,
            "tab": tab,
            "ask": self.ask,
        }
        if self.presents:
            about |= {"pin": None, "present": self.presents}
        return about

    @property
    def presents(self) -> str:
        """Return the name of the picture that this screen presents, or ``FIRST_PICTURE``; "" where
        it shows the whole page.
        """
        asked = self.shown.get("present", "").partition(links.APART)[0]
        return "" if asked == "0" else asked

    def reset_menu(self) -> None:
        """Show a menu that undoes the last change, restores the defaults and draws new noise."""
        with st.popover("Undo or reset", icon=":material/undo:", key=f"{self.page}/resets"):
            self._menu_item(
                "Undo", "undo", "Undo the last change", self._undo, disabled=not self.before
            )
            defaults = type(self.settings)()
            self._menu_item(
                "Reset",
                "restart_alt",
                "Restore the default settings",
                lambda: self.take(defaults),
                disabled=self.settings == defaults,
            )
            if "seed" in self.settings.limits:
                self._menu_item("Resample", "casino", SAYS["resample"], self._resample)

    def _menu_item(
        self, label: str, icon: str, help: str, act: Callable[[], None], *, disabled: bool = False
    ) -> None:
        st.button(
            label,
            key=f"{self.page}/{label.lower()}",
            icon=f":material/{icon}:",
            help=help,
            on_click=act,
            disabled=disabled,
            type="tertiary",
            width="stretch",
        )

    def _resample(self) -> None:
        low, high = self.settings.limits["seed"]
        seed = self.settings.seed
        self.change(seed=seed + 1 if seed < high else low)

    def _undo(self) -> None:
        self.follow()
        self.remember()
        if self.before:
            self.take(self.before.pop())
            self.undone = True

    @property
    def address(self) -> dict[str, str]:
        """Return what the address of the page should hold: of the settings, what differs from the
        defaults.
        """
        return links.versioned({**links.brief(self.settings), **self.beside})

    @property
    def beside(self) -> dict[str, str]:
        """Return what of the address holds no setting of the page."""
        found = dict(self.shown)
        if self.pin is not None:
            found[PIN] = self.pin
        if self.ask:
            found[ASK] = self.ask
        return found

    def shows(self, name: str, value: str) -> None:
        """Hold one of ``SHOWN`` in the address; "" where it needs no word, as the first tab and a
        closed drawer.
        """
        self.shown.pop(name, None)
        if value:
            self.shown[name] = value

    def tell(self, *, done: float) -> None:
        """Write the settings to the address, once the live part of the page is at rest."""
        self.told = self.settings, done == 1
        address = self.address
        if (self.link if self.late else st.query_params.to_dict()) != address:
            self.replaced.append(self.link)
            st.query_params.from_dict(address)
        self.link = (
            address  # at last: a newer run may end this one wherever it reads or writes the address
        )

    def hears(self, address: dict[str, str], *, history: bool) -> bool:
        """Return whether a message with this ``address`` asks for other settings: not if the
        address was replaced, of which the browser had not heard, unless it went back or forward in
        its ``history``.
        """
        other = bool(address) and address != self.link
        self.late = other and not history and address in self.replaced
        return other and not self.late

    def remember(self) -> None:
        """Record the settings at a new rest, so that Undo can return to the previous ones."""
        last = self.told[0] if self.told else self.settings
        if last not in (self.settings, *self.before[-1:]) and not self.undone:
            self.before = [*self.before, replace(last)][
                -MOST_UNDONE:
            ]  # without the tasks that settings hold
        self.undone = False


def _goes_back() -> bool:
    run = get_script_run_ctx()
    return run is not None and run.is_history_navigation


def visit(page: str) -> None:
    """Note which page this run shows.

    On a page that has just been opened each address is a link, and none is late.
    """
    if st.session_state.get(_VISITED) != page:
        st.session_state[_VISITED] = page
        for kept in st.session_state.values():
            if isinstance(kept, PageState):
                kept.replaced.clear()


def current_state(page: str, settings_type: type) -> PageState:
    """Return the page's state in this session, brought up to date with the address and with the
    newest movement; where the panel asks for it, start a run of the whole page instead.
    """
    key = f"{page}.state"
    if key not in st.session_state:
        st.session_state[key] = PageState(page=page, settings=settings_type())
    here = st.session_state[key]
    address = st.query_params.to_dict()
    if here.hears(address, history=_goes_back()):
        here.followed = True
        own = {name: text for name, text in address.items() if name not in (PIN, ASK, *SHOWN)}
        here.settings, here.notices = from_link(settings_type, own)
        here.errors = {}
        here.link = address
        here.pin = address.get(PIN)
        here.ask = address.get(ASK, "")
        here.shown = {name: address[name] for name in SHOWN if name in address}
        here.notices = [*here.notices, *_long(here)]
    heed(here)
    click = widgets.movement(f"{page}.board", after=here.clicked)
    if click is not None and not click.tick:
        here.clicked = click.seq
        here.moving = here.moving or not click.final
        if click.name in getattr(settings_type, "CLICKS", ()):
            here.change(**{click.name: click.value})
    return here


def heed(here: PageState) -> None:
    """Take the newest movement of the page state's panel; where the panel asks for it, start a run
    of the whole page.
    """
    move = here.follow()
    here.moving = move is not None and not move.tick
    if move is not None:
        if not move.tick:
            debounce.record_activity(here)
        elif not move.page:
            scheduler.demote()
        if move.page:
            debounce.rerun_page()


def _long(state: PageState) -> list[str]:
    """Forget what nobody asks at such length; a sentence for each."""
    told = []
    for name, text in ({ASK: state.ask} | state.shown).items():
        if len(text) > LONGEST:
            state.shown.pop(name, None)
            state.ask = "" if name == ASK else state.ask
            what = "The link's question" if name == ASK else f"In the link, {name}"
            told.append(f"{what} was ignored. It must have at most {LONGEST} characters.")
    return told


def from_link(settings_type: type[Settings], address: Mapping[str, str]) -> tuple[Any, list[str]]:
    """Return (the settings that a link holds, a sentence for each part of it that was ignored)."""
    settings, refused = links.read(settings_type, address)
    notices = []
    for name, refusal in refused.items():
        notices.append(
            ignored(name, address[name], plain(refusal.allowed)) + _two_ways(refusal.value)
        )
    known = {one.name for one in fields(settings_type)} | {links.VERSION_NAME}
    unknown = [name for name in address if name not in known and not links.is_tracking(name)]
    notices += [
        f"{_quoted(name, address[name])} was ignored, as this page has no such setting."
        for name in unknown
    ]
    return settings, notices


def moved(settings: Any, name: str, value: float | str) -> tuple[Any, dict[str, str]]:
    """Return (``settings`` after a movement, as a page state takes it; the field -> the sentence
    that refused it).
    """
    return _tried(settings, name, value) if _movable(settings, name) else (settings, {})


def _movable(settings: Any, name: str) -> bool:
    return (name in SLIDERS and name in settings.limits) or name in getattr(settings, "CLICKS", ())


def _tried(settings: Any, name: str, value: Any) -> tuple[Any, dict[str, str]]:
    """Return (``settings`` with one field as asked, or as they were; the field -> the sentence that
    says why).
    """
    try:
        return links.changed(settings, name, value), {}
    except RefusedError as refusal:
        return settings, {refusal.name if refusal.name in SLIDERS else name: _sentence(refusal)}


def ignored(name: str, value: str, allowed: str) -> str:
    """Return the sentence on a part of the link that is not ``allowed``."""
    return f"{_quoted(name, value)} was ignored. It must be {allowed}."


def _quoted(name: str, value: str) -> str:
    """Return a part of the link as it was, shown as code so that nothing in it is taken for
    formatting.
    """
    return f"In the link, {quoted(f'{name}={value}')}"


def _two_ways(refused: object) -> str:
    """Return a further sentence for a number whose comma or point may separate thousands, or
    decimals.
    """
    readings = links.two_readings(refused)
    if readings is None:
        return ""
    separator, thousands, decimal = readings
    return f" Its {separator} can be read in two ways. Write {thousands} or {decimal}."


def _sentence(refusal: RefusedError) -> str:
    value = (
        format_number(refusal.value)
        if isinstance(refusal.value, (int, float))
        else str(refusal.value)
    )
    why = f"it must be {refusal.allowed}.{_two_ways(refusal.value)}"
    label = SLIDERS[refusal.name]["label"] if refusal.name in SLIDERS else refusal.name
    return f"{label} cannot be {value or 'empty'}: {why}"

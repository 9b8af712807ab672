"""Keep the settings of a page, its controls and its link in step.

The state holds one frozen Settings value. Every control changes it through ``settings.change``.
Refused values are explained beside the control that sent them, and nothing else moves.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from html import escape
from secrets import token_hex
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lab.experiment import links
from ui import widgets
from ui.compute import debounce, scheduler
from ui.session.address import MORE, PRESENT, Address, setting_params
from ui.session.entries import from_link, is_movable, try_change
from ui.session.widget_state import on_change, set_widget
from ui.text.escaping import plain
from ui.text.sentences import capitalise

_VISITED = "lab.visited"
_NUMBER_WIDTH = 140


@dataclass(eq=False)
class PageState:
    """One page's settings in one session.

    Attributes:
        page: The name of the page.
        settings: The settings.
        errors: Field -> the sentence that refuses its last value.
        notices: Sentences (markdown) on the parts of the link that were ignored.
        address: The page's address in the browser.
        token: A name of this state. It differs between sessions, so that the browser notices a
            restart.
        ack: The number of the newest movement that the settings contain.
        click_ack: The number of the newest click on a chart that they contain.
        moving: Whether this run answers a movement, so that the next one may be waiting.
        rendered: What the page around the live part shows: the settings, and whether all of their
            work was done.
        choices: Field -> (label, value -> its text) of the choices on the page.
        opens_tab: Whether the page has yet to open the tab of a link.
        after_change: Is called after each change.
    """

    page: str
    settings: Any
    errors: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    address: Address = field(default_factory=Address)
    token: str = field(default_factory=partial(token_hex, 4))
    ack: int = 0
    click_ack: int = 0
    moving: bool = False
    rendered: tuple[Any, bool] | None = None
    choices: dict[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)
    opens_tab: bool = False
    after_change: Callable[[], None] | None = None

    def change(self, name: str, value: Any) -> None:
        """Change a field, or record why its value is refused."""
        self.errors.pop(name, None)
        self.settings, refusals = try_change(self.settings, name, value)
        self.errors |= refusals
        if self.after_change is not None:
            self.after_change()

    def apply_movement(self) -> widgets.Movement | None:
        """Apply the newest movement of the slider panel, and return it if it is new.

        Callbacks that read or replace the settings begin with this, because one run may receive a
        movement together with the press that followed it.
        """
        movement = widgets.movement(f"{self.page}.sliders", after=self.ack)
        if movement is None:
            return None
        self.ack = movement.seq
        if is_movable(self.settings, movement.name):
            self.change(movement.name, movement.value)
        elif movement.name == MORE:
            unfolded = ""
            if movement.value:
                unfolded = "1"
            self.address.set_view_param(MORE, unfolded)
        return movement

    def replace_settings(self, settings: Any) -> None:
        """Replace the settings as a whole, and forget what was moved or refused before."""
        self.apply_movement()
        self.settings = settings
        self.errors.clear()

    def open_link(self, params: dict[str, str]) -> None:
        """Take over the settings and the view of a link."""
        self.opens_tab = True
        self.settings, ignored = from_link(type(self.settings), setting_params(params))
        self.errors = {}
        self.notices = [*ignored, *self.address.read(params)]

    @property
    def address_params(self) -> dict[str, str]:
        """Return the parameters for the address; of the settings those that are no defaults."""
        return links.versioned({**links.minimal_texts(self.settings), **self.address.view_params})

    def write_address(self, *, done: float) -> None:
        """Write the settings to the address, once the live part of the page is at rest.

        done: The share of the work that is done.
        """
        self.rendered = (self.settings, done == 1)
        self.address.write(self.address_params)

    @property
    def presented_chart(self) -> str:
        """Return what the address presents, the name of a chart; "" for the whole page."""
        return self.address.view.get(PRESENT, "")

    def request_state(self, tab: str) -> dict[str, Any]:
        """Return what a request on the channel is about, and what the page's charts are of.

        tab: The name of the tab that is open.
        """
        state = {
            "page": self.page,
            "settings": links.all_texts(self.settings),
            "pin": self.address.pin,
            "tab": tab,
            "ask": self.address.ask,
        }
        if self.presented_chart:
            state["pin"] = None
            state["present"] = self.presented_chart
        return state

    def choose(
        self,
        name: str,
        label: str,
        options: Mapping[Any, str],
        *,
        wide: bool = False,
        help: str = "",
    ) -> None:
        """Show a choice of a field's value.

        Args:
            name: The field.
            label: Stands before the choice.
            options: Value -> its text. Those that the settings do not allow are left out.
            wide: Whether to show a row of buttons in place of a list.
            help: Explains the choice.
        """
        key = f"{self.page}.{name}"
        allowed = self.settings.choices.get(name, options)
        options = {value: text for value, text in options.items() if value in allowed}
        self.choices[name] = (label, options)
        value = set_widget(key, getattr(self.settings, name))
        shared: dict[str, Any] = {
            "key": key,
            "format_func": lambda option: capitalise(options[option]),
            "on_change": on_change(key, partial(self.change, name)),
            "help": help or None,
            "label_visibility": "collapsed",
        }
        with self._labelled(name, label):
            if wide:
                st.segmented_control(label, list(options), required=True, default=value, **shared)
            else:
                st.selectbox(label, list(options), index=list(options).index(value), **shared)

    def number(self, name: str, *, label: str, unit: str = "") -> None:
        """Show a field for a number between its limits."""
        key = f"{self.page}.{name}"
        low, high = self.settings.limits[name]
        # A function of the limits alone, because another step makes another field.
        step = 0.01 * (float(high) - float(low))
        if low > 0:
            step = 5 * float(low)
        value = set_widget(key, float(getattr(self.settings, name)))
        with self._labelled(name, label, unit):
            st.number_input(
                label,
                float(low),
                float(high),
                value,
                key=key,
                format="%.6g",
                step=step,
                on_change=on_change(key, partial(self.change, name)),
                label_visibility="collapsed",
                width=_NUMBER_WIDTH,
            )

    @contextmanager
    def _labelled(self, name: str, label: str, unit: str = "") -> Iterator[None]:
        """Place a control between its label and its unit, with the refusal of its value below."""
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


def register_visit(page: str) -> None:
    """Record which page this run shows. After another page, no message of it can be late."""
    if st.session_state.get(_VISITED) == page:
        return
    st.session_state[_VISITED] = page
    for value in st.session_state.values():
        if isinstance(value, PageState):
            value.address.replaced.clear()


def current_state(page: str, settings_type: type) -> PageState:
    """Return the page's state in this session, after the newest link, movement and click.

    Where the slider panel asks for a run of the whole page, start it and do not return
    (``apply_panel_event``).
    """
    key = f"{page}.state"
    if key not in st.session_state:
        st.session_state[key] = PageState(page=page, settings=settings_type())
    state = st.session_state[key]
    params = st.query_params.to_dict()
    if state.address.is_new_link(params, from_history=_is_history_navigation()):
        state.open_link(params)
    apply_panel_event(state)
    _apply_click(state)
    return state


def _is_history_navigation() -> bool:
    run = get_script_run_ctx()
    return run is not None and run.is_history_navigation


def apply_panel_event(state: PageState) -> None:
    """Apply the newest movement or tick of the page's slider panel.

    Where the panel asks for a run of the whole page, start it and do not return.
    """
    movement = state.apply_movement()
    if movement is None:
        state.moving = False
        return
    state.moving = not movement.tick
    if not movement.tick:
        debounce.record_activity(state)
    elif not movement.page:
        scheduler.demote()
    if movement.page:
        debounce.rerun_page()


def _apply_click(state: PageState) -> None:
    """Apply the newest click on a chart of the first board."""
    click = widgets.movement(f"{state.page}.board", after=state.click_ack)
    if click is None or click.tick:
        return
    state.click_ack = click.seq
    if not click.final:
        state.moving = True
    if click.name in getattr(state.settings, "CLICKS", ()):
        state.change(click.name, click.value)

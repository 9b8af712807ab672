"""Keep in step the address of a page in the browser and in the session.

The address holds the settings that differ from the defaults, the pinned settings, the question that
is asked, and how the page is shown.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

# Parameters that are no settings: the pinned settings (``ui.page.pin``), the question in the tab of
# questions, and those of ``VIEW_PARAMS``, which tell how the page is shown, or to whom.
PIN = "pin"
ASK = "what_if"
PRESENT = "present"
TAB = "tab"
MORE = "more"
VIEW_PARAMS = (PRESENT, "lesson", "step", "only", TAB, MORE)
# Characters of each of these parameters. No page writes longer ones.
LONGEST = 800
# Addresses that a late message may still hold.
_MOST_REPLACED = 50


@dataclass(eq=False)
class Address:
    """The address of a page, as far as the session knows it.

    Attributes:
        link: The parameters that the settings were read from or last written to.
        replaced: Those before it, since the page was opened. A message still holds them if the
            browser sent it before it heard of the new ones.
        late: Whether the newest message was such a one.
        view: The present values of ``VIEW_PARAMS``, by name.
        pin: The pinned settings.
        ask: The question that is asked about the settings.
    """

    link: dict[str, str] = field(default_factory=dict)
    replaced: deque[dict[str, str]] = field(default_factory=lambda: deque(maxlen=_MOST_REPLACED))
    late: bool = False
    view: dict[str, str] = field(default_factory=dict)
    pin: str | None = None
    ask: str = ""

    @property
    def view_params(self) -> dict[str, str]:
        """Return all parameters that are no settings."""
        params = dict(self.view)
        if self.pin is not None:
            params[PIN] = self.pin
        if self.ask:
            params[ASK] = self.ask
        return params

    def set_view_param(self, name: str, value: str) -> None:
        """Set one of ``VIEW_PARAMS``, or remove it with "", which stands for its default."""
        self.view.pop(name, None)
        if value:
            self.view[name] = value

    def is_new_link(self, params: dict[str, str], *, from_history: bool) -> bool:
        """Return whether a message with these parameters asks for other settings.

        Replaced parameters do not, as the browser had not heard of the new ones, unless it went
        back or forward in its history. ``late`` notes that a message had replaced parameters.
        """
        differs = bool(params) and params != self.link
        was_replaced = params in self.replaced and not from_history
        self.late = differs and was_replaced
        return differs and not was_replaced

    def read(self, params: dict[str, str]) -> list[str]:
        """Take over a link; return a notice for each parameter that is ignored as too long."""
        self.link = params
        self.pin = params.get(PIN)
        self.ask = ""
        self.view = {}
        notices = []
        for name in (ASK, *VIEW_PARAMS):
            if name not in params:
                continue
            value = params[name]
            if len(value) > LONGEST:
                notices.append(_too_long(name))
            elif name == ASK:
                self.ask = value
            else:
                self.view[name] = value
        return notices

    def write(self, params: dict[str, str]) -> None:
        """Write the parameters into the browser's address, if it has others."""
        if self.late:
            in_browser = self.link
        else:
            in_browser = st.query_params.to_dict()
        if in_browser != params:
            self.replaced.append(self.link)
            st.query_params.from_dict(params)
        # At last, because a newer run may end this one wherever it reads or writes the address.
        self.link = params


def setting_params(params: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a link that are settings."""
    return {name: value for name, value in params.items() if name not in (PIN, ASK, *VIEW_PARAMS)}


def _too_long(name: str) -> str:
    subject = f"In the link, {name}"
    if name == ASK:
        subject = "The link's question"
    return f"{subject} was ignored. It must have at most {LONGEST} characters."

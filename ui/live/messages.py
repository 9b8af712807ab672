"""Parse and validate the messages of browsers on the channel."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import orjson

from lab.experiment.settings import Settings
from ui.page.page import Page
from ui.page.presenter_page import presenter_page
from ui.session.address import LONGEST
from ui.session.entries import apply_move, from_link

# Limits of a message: movements, values wanted ahead, characters of a value or a chart's name, and
# the number of a request.
MOST_MOVES = 64
MOST_AHEAD = 256
LONGEST_TEXT = 64
LARGEST_NUMBER = 2**53

# (field, value): a slider's field and the value that it was moved to.
Move = tuple[str, float | str]
Moves = tuple[Move, ...]


class MalformedError(ValueError):
    """A message that no panel sends."""


class MovedSettings(NamedTuple):
    """Settings after movements.

    Attributes:
        settings: The settings as a page state would hold them.
        errors: Field -> the sentence that refuses its value.
        side_effects: Field -> new value of fields that have changed without being moved.
    """

    settings: Settings
    errors: dict[str, str]
    side_effects: dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A browser's request for what a page shows.

    Attributes:
        about: What the answer repeats: the request's number, and the value for a request ahead.
        page: The page.
        link: Its settings before the movements, as a link holds them.
        tab: The name of the tab that is open.
        moves: What was moved since, in order.
        pin: The pinned settings, as a link holds them.
        ask: The question that is asked in the tab, as a link holds it.
    """

    about: Mapping[str, Any]
    page: Page
    link: Mapping[str, str]
    tab: str = ""
    moves: Moves = ()
    pin: str | None = None
    ask: str = ""

    def after(self, move: Move) -> "Request":
        """Return the request that follows if the slider makes this move."""
        _, value = move
        about = {"number": self.about["number"], "value": value}
        return replace(self, about=about, moves=(*self.moves, move))

    @cached_property
    def moved(self) -> MovedSettings:
        """Apply the movements to the settings of the link."""
        before, _ = from_link(self.page.settings, self.link)
        settings: Settings = before
        errors: dict[str, str] = {}
        for name, value in self.moves:
            settings, refusals = apply_move(settings, name, value)
            errors |= refusals
        values_before = asdict(before)
        moved_names = {name for name, _ in self.moves}
        side_effects = {}
        for name, value in asdict(settings).items():
            if name not in moved_names and value != values_before[name]:
                side_effects[name] = value
        return MovedSettings(settings, errors, side_effects)


def parse_message(text: str, pages: Mapping[str, Page]) -> tuple[Request, Moves | None]:
    """Return the request in a message, and the moves to make frames for ahead, if it has some.

    Args:
        text: The message.
        pages: Name -> page.

    Raises:
        MalformedError: If no panel sends such a message.
    """
    try:
        message = orjson.loads(text)
    except orjson.JSONDecodeError as fault:
        raise MalformedError("a message is no question") from fault
    complete = isinstance(message, dict) and {"number", "page", "settings", "moves"} <= set(message)
    _require(complete, "a message is no question")
    return _request(message, pages), _moves_ahead(message)


def _request(message: Mapping[str, Any], pages: Mapping[str, Page]) -> Request:
    number = message["number"]
    name = message["page"]
    link = message["settings"]
    tab = message.get("tab", "")
    ask = message.get("ask", "")
    pin = message.get("pin")
    presented_chart = message.get("present", "")
    _require(
        type(number) is int and 0 <= number < LARGEST_NUMBER,
        "a question has a number",
    )
    _require(isinstance(name, str) and name in pages, "a question has a page of the lab")
    _require(
        isinstance(link, dict) and _are_texts(link.values()),
        "settings are texts by name",
    )
    _require(isinstance(tab, str), "a tab is a name")
    _require(
        isinstance(ask, str) and len(ask) <= LONGEST,
        "what is asked in a tab is a text",
    )
    _require(pin is None or isinstance(pin, str), "a pin is a text")
    _require(
        isinstance(presented_chart, str) and len(presented_chart) <= LONGEST_TEXT,
        "a picture that is presented is a name",
    )
    page = pages[name]
    if presented_chart:
        page = presenter_page(page, presented_chart)
    moves = _moves(message["moves"])
    return Request({"number": number}, page, link, tab, moves, pin, ask)


def _moves(sent: Any) -> Moves:
    _require(
        isinstance(sent, list) and len(sent) <= MOST_MOVES and all(map(_is_move, sent)),
        "movements are a list of names and values, a number or a short text each",
    )
    return tuple((name, value) for name, value in sent)


def _moves_ahead(message: Mapping[str, Any]) -> Moves | None:
    name = message.get("name")
    values = message.get("ahead")
    if values is None:
        return None
    _require(
        isinstance(name, str)
        and isinstance(values, list)
        and len(values) <= MOST_AHEAD
        and all(map(_is_value, values)),
        "what is wanted ahead is a name and a list of values",
    )
    return tuple((str(name), value) for value in values)


def _require(holds: bool, rule: str) -> None:
    if not holds:
        raise MalformedError(rule)


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_move(sent: Any) -> bool:
    if not isinstance(sent, list) or len(sent) != 2:
        return False
    name, value = sent
    return isinstance(name, str) and _is_value(value)


def _is_value(sent: Any) -> bool:
    if isinstance(sent, str):
        return len(sent) <= LONGEST_TEXT
    # JSON's true and false are of type bool, which is no number here.
    return type(sent) in (int, float) and math.isfinite(sent)

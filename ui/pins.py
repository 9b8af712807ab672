"""Settings put aside to hold today's against: up to three, one of them shown as a ghost, all of them in the link.

In the address each is a text, ``pin=name~field~value~field~value``, with what differs from the page's defaults; the one
that is shown has another ``~`` before it. A text comes from whoever wrote the link, and is read like one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from lab.links import APART, word
from lab.settings import Settings
from ui.controls import LONGEST, from_link
from ui.escaping import quoted

# More would not be compared but searched.
MOST = 3
LONGEST_NAME = 40


@dataclass(frozen=True)
class Pin:
    """Settings that were put aside; ``name``: what the person calls them."""

    settings: Settings
    name: str = ""

    @cached_property
    def text(self) -> str:
        """Return the pin as an address holds it."""
        name, settings = called(self.name), word(self.settings)
        return f"{name}{APART}{settings}" if settings else name


@dataclass(frozen=True)
class Pins:
    """What is ``kept``, and the place of the one that is shown."""

    kept: tuple[Pin, ...] = ()
    at: int = 0

    @property
    def ghost(self) -> Pin | None:
        """Return the one that is shown."""
        return self.kept[self.at] if self.kept else None

    @property
    def texts(self) -> tuple[str, ...]:
        """Return all of them as an address holds them."""
        return tuple((APART if place == self.at else "") + pin.text for place, pin in enumerate(self.kept))

    def takes(self, settings: Settings) -> bool:
        """Return whether there is room for these settings, which are not among them yet."""
        return len(self.kept) < MOST and all(pin.settings != settings for pin in self.kept)

    def add(self, settings: Settings, name: str = "") -> "Pins":
        """Return the pins with these settings, shown from now on; unchanged where there is no room."""
        return Pins((*self.kept, Pin(settings, called(name))), len(self.kept)) if self.takes(settings) else self

    def show(self, place: int) -> "Pins":
        return replace(self, at=max(0, min(place, len(self.kept) - 1)))

    def unpin(self) -> "Pins":
        """Return the pins without the one that is shown; the one before it is shown then."""
        return Pins(self.kept[: self.at] + self.kept[self.at + 1 :]).show(self.at - 1)

    def where(self, holds: Callable[[Pin], bool]) -> "Pins":
        """Return those pins of which this holds."""
        return self if all(map(holds, self.kept)) else Pins(tuple(filter(holds, self.kept)))

    def rename(self, name: str) -> "Pins":
        """Return the pins, with the one that is shown called so."""
        return self._with(replace(self.kept[self.at], name=called(name)))

    def swap(self, settings: Settings) -> tuple[Settings, "Pins"]:
        """Return (those of the one that is shown, the pins with ``settings`` in its place)."""
        return self.kept[self.at].settings, self._with(Pin(settings))

    def _with(self, pin: Pin) -> "Pins":
        return replace(self, kept=(*self.kept[: self.at], pin, *self.kept[self.at + 1 :]))


def called(name: str) -> str:
    """Return a name as it is kept: short, on one line, and without what parts a text."""
    seen = "".join(letter if letter.isprintable() and letter != APART else " " for letter in name)
    return " ".join(seen.split())[:LONGEST_NAME].strip()


@lru_cache(maxsize=256)
def read(kind: type[Settings], texts: tuple[str, ...]) -> tuple[Pins, tuple[str, ...]]:
    """Return (the pins of a link to the page of these settings, a sentence (markdown) for each part of them that was
    ignored).

    Settings that need what only one visitor has are no pin.
    """
    pins, at, notices = Pins(), 0, []
    for text in texts:
        pin, shown, why = _read(kind, text)
        notices += [f"A pin in the link: {sentence}" for sentence in why]
        if pin and not pins.takes(pin.settings):
            same = any(pin.settings == other.settings for other in pins.kept)
            notices += [] if same else [f"A pin in the link was ignored, because at most {MOST} are possible."]
        elif pin:
            pins = pins.add(pin.settings, pin.name)
            at = pins.at if shown else at
    return pins.show(at), tuple(dict.fromkeys(notices))


def _read(kind: type[Settings], text: str) -> tuple[Pin | None, bool, list[str]]:
    """Return (the pin in a text, whether it is the one that is shown, what of it was ignored)."""
    parts = text.split(APART) if len(text) <= LONGEST else []
    shown = len(parts) % 2 == 0  # a name and pairs are an odd number
    if shown and parts[:1] != [""]:
        return None, False, [f"{quoted(text)} was ignored. It must be a name, then fields and values."]
    name, *parts = parts[shown:]
    settings, notices = from_link(kind, dict(zip(parts[::2], parts[1::2], strict=True)))
    if settings.private:
        return None, False, ["settings with your own file are not pinned."]
    return Pin(settings, called(name)), shown, notices


def texts_of(sent: Iterable[Any]) -> tuple[str, ...]:
    """Return what an address holds of pins, as far as anybody would read it."""
    return tuple(text for text in sent if isinstance(text, str))[: 2 * MOST]

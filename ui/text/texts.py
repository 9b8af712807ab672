"""Read the texts of a topic from the Markdown file beside it: sentences by name, with named holes.

    ## verdict

    - `learnt` Median accuracy is {accuracy} after {steps:step|steps}.
    - `nothing` The model has learnt nothing yet.

``Texts(__file__)("verdict.learnt", accuracy="83 %", steps=1)`` fills the first one. A section
without cases is a text by its own name. A hole with two words, ``{steps:step|steps}``, writes an
amount and the word that goes with it.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import Formatter
from typing import Any

_CASE = re.compile(r"^- `([\w.-]+)` ", re.MULTILINE)


class TextError(Exception):
    """A text is missing or lacks a number; the message names the file, the text and the hole."""


def count(amount: int, singular: str, plural: str = "") -> str:
    """Return "1 step" or "1,500 steps"; a missing plural is the singular with an s."""
    if amount == 1:
        return f"{amount:,} {singular}"
    return f"{amount:,} {plural or singular + 's'}"


def sections(text: str, level: int = 2) -> Iterator[tuple[str, str]]:
    """Yield each heading of a level, and the text under it."""
    heading = re.compile(rf"^{'#' * level} (.+)$", re.MULTILINE)
    # What stands before the first heading, then heading and text in turn.
    _, *parts = heading.split(text)
    for index in range(0, len(parts), 2):
        yield parts[index].strip(), parts[index + 1].strip()


def flowing(text: str) -> str:
    """Join the lines of a text, with a no-break space before each percent sign."""
    return " ".join(text.split()).replace(" %", "\u00a0%")


class _Formatter(Formatter):
    """A formatter that writes ``{steps:step|steps}`` as an amount with its word."""

    def format_field(self, value: Any, spec: str) -> str:
        if "|" not in spec:
            return super().format_field(value, spec)
        singular, plural = spec.split("|")
        return count(value, singular, plural)


class Texts:
    """The texts of the Markdown file ``name`` beside a module, read once."""

    def __init__(self, module: str, name: str = "texts.md"):
        self.file = Path(module).parent / name
        self._texts: dict[str, str] = {}
        repeated = []
        for heading, body in sections(self.file.read_text("utf-8")):
            for key, text in _named_texts(heading, body):
                if key in self._texts:
                    repeated.append(key)
                self._texts[key] = text
        if repeated:
            raise TextError(f"{self.file}: {', '.join(sorted(set(repeated)))} stands there twice")

    def __call__(self, key: str, /, **holes: Any) -> str:
        """Return the text of this name with its holes filled."""
        try:
            return _Formatter().vformat(self[key], (), holes)
        except KeyError as missing:
            hole = missing.args[0]
            raise TextError(f"{self.file}: the text {key!r} has no value for {{{hole}}}") from None

    def __getitem__(self, key: str) -> str:
        if key not in self._texts:
            raise TextError(f"{self.file} has no text {key!r}")
        return self._texts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def cases(self, section: str) -> dict[str, str]:
        """Return the texts of a section by case."""
        cases = {}
        for key in self:
            if key.startswith(f"{section}."):
                _, _, case = key.partition(".")
                cases[case] = self[key]
        return cases

    def heads(self, section: str, columns: Iterable[str], /, **holes: Any) -> dict[str, str]:
        """Return the headings of a table by column, in the order of the section's case "heads"."""
        headings = self(f"{section}.heads", **holes).split(" | ")
        return dict(zip(columns, headings, strict=True))


def _named_texts(heading: str, body: str) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of a section: the section itself, and its cases."""
    # What stands before the first case, then case and text in turn.
    text, *parts = _CASE.split(body)
    if text.strip():
        yield heading, flowing(text)
    for index in range(0, len(parts), 2):
        yield f"{heading}.{parts[index]}", flowing(parts[index + 1])


# The texts that several pages share, and those of the frame around a page.
SAYS = Texts(__file__, "shared.md")

"""Read the texts of a topic from the Markdown file beside it: whole sentences by name, with named
holes.

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
    """A text that is not there, or that lacks a number; names the file, the text and the hole."""


def count(amount: int, one: str, many: str = "") -> str:
    """Return "1 step" or "1,500 steps"; ``many`` where the plural is not ``one`` with an s."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"


def sections(text: str, level: int = 2) -> Iterator[tuple[str, str]]:
    """Yield each heading of this level and the text under it."""
    parts = re.split(rf"^{'#' * level} (.+)$", text, flags=re.MULTILINE)[1:]
    return zip(map(str.strip, parts[::2]), map(str.strip, parts[1::2]), strict=True)


def flowing(text: str) -> str:
    """Return the lines of a text as one, with a no-break space before each percent sign."""
    return " ".join(text.split()).replace(" %", "\u00a0%")


class _Filled(Formatter):
    def format_field(self, value: Any, spec: str) -> str:
        return count(value, *spec.split("|")) if "|" in spec else super().format_field(value, spec)


class Texts:
    """The texts of the Markdown file ``name`` beside a module, read once."""

    def __init__(self, module: str, name: str = "texts.md"):
        self.file = Path(module).parent / name
        found = [
            one
            for head, body in sections(self.file.read_text("utf-8"))
            for one in _cases(head, body)
        ]
        self._texts = dict(found)
        if twice := {key for key, _ in found if [one for one, _ in found].count(key) > 1}:
            raise TextError(f"{self.file}: {', '.join(sorted(twice))} stands there twice")

    def __call__(self, key: str, /, **holes: Any) -> str:
        """Return the text of this name with its holes filled."""
        try:
            return _Filled().vformat(self[key], (), holes)
        except KeyError as missing:
            raise TextError(
                f"{self.file}: the text {key!r} has no value for {{{missing.args[0]}}}"
            ) from None

    def __getitem__(self, key: str) -> str:
        if key not in self._texts:
            raise TextError(f"{self.file} has no text {key!r}")
        return self._texts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def cases(self, section: str) -> dict[str, str]:
        """Return the texts of a section by case."""
        return {key.partition(".")[2]: self[key] for key in self if key.startswith(f"{section}.")}

    def heads(self, section: str, columns: Iterable[str], /, **holes: Any) -> dict[str, str]:
        """Return the headings of a table by column, which the case "heads" of a section holds in
        this order.
        """
        return dict(zip(columns, self(f"{section}.heads", **holes).split(" | "), strict=True))


def _cases(head: str, body: str) -> Iterator[tuple[str, str]]:
    plain, *cases = _CASE.split(body)
    if plain.strip():
        yield head, flowing(plain)
    yield from (
        (f"{head}.{case}", flowing(text))
        for case, text in zip(cases[::2], cases[1::2], strict=True)
    )


# The texts that several pages share, and those of the frame around a page.
SAYS = Texts(__file__, "shared.md")

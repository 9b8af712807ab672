"""Which texts of a Markdown file some page has read in this process, to test that each of its cases is reached.

Record from the start (``tests/conftest.py``): fixed texts are read once, when a page is imported.
"""

from collections import defaultdict
from pathlib import Path

from ui.texts import Texts

_READ: dict[Path, set[str]] = defaultdict(set)
_text = Texts.__getitem__


def _recorded(texts: Texts, key: str) -> str:
    found = _text(texts, key)
    _READ[texts.file].add(key)
    return found


def record() -> None:
    """Record each text that is read from now on."""
    Texts.__getitem__ = _recorded


def unread(texts: Texts) -> list[str]:
    """Return the names of the file's texts that nothing has read."""
    return [key for key in texts if key not in _READ[texts.file]]

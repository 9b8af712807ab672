"""Which texts of a Markdown file some page has read in this process, to test that each of its cases
is reached.
"""

from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

from ui.page.page import Page
from ui.text.texts import Texts

_READ: dict[Path, set[str]] = defaultdict(set)
_text = Texts.__getitem__


def _recorded(texts: Texts, key: str) -> str:
    """Return a text, and note that it was read; stands for the look-up of ``Texts``."""
    found = _text(texts, key)
    _READ[texts.file].add(key)
    return found


def record() -> None:
    """Note each text that is read from now on, for the rest of the process."""
    Texts.__getitem__ = _recorded


def show(page: Page, result: Any) -> Any:
    """Draw and say all that a page shows of a result, and return it."""
    here = page.at(result.settings)
    here.content.lead(result.settings)
    view = here.view(result)
    for made in (view.texts, view.boards):
        dict(made)
    return result


def unread(texts: Texts) -> list[str]:
    """Return the names of the file's texts that nothing has read, no page either as it was
    imported.
    """
    import_module("pages.topics")
    return [key for key in texts if key not in _READ[texts.file]]

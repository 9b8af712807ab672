"""Escape text from links and files, so that it is shown as it stands and nothing in it acts.

What acts on a page is Markdown, HTML, Streamlit's own directives (`:red[...]`, `:material/home:`,
`$...$`), addresses, which become links by themselves, and characters that cannot be seen.
"""

import re
import unicodedata

# Characters of a text that are quoted.
_MOST_QUOTED = 60
# They hold the letters of some scripts, and the parts of some emoji, together.
_JOINERS = "\u200c\u200d"
# Control characters, formatting characters and surrogates.
_INVISIBLE_CATEGORIES = ("Cc", "Cf", "Cs")
# Characters of markup; an underscore within a word is none.
_MARKUP = re.compile(r"""[\\`*\[\]<>{}#+|~$!&"'^]|(?<![^\W_])_|_(?![^\W_])""")
# Written as a reference, a character is no markup. But addresses and short names such as :smile:
# are looked for once references are resolved, so that a character without width has to split them.
_NAME_OR_ADDRESS = re.compile(r":(?=\S)|@|(?<=www)(?=\.)", re.IGNORECASE)
_WORD_JOINER = "&#8288;"
_LIST_START = re.compile(r"^(\d*)([-.)])")


def plain(text: str) -> str:
    """Return text on one line for Markdown and HTML, with active characters as references."""
    escaped = _MARKUP.sub(lambda match: _references(match[0]), _one_line(text))
    escaped = _NAME_OR_ADDRESS.sub(lambda match: _references(match[0]) + _WORD_JOINER, escaped)
    return _LIST_START.sub(lambda match: match[1] + _references(match[2]), escaped)


def quoted(text: str) -> str:
    """Return the first characters of text on one line, as Markdown code."""
    line = _one_line(text)[:_MOST_QUOTED]
    return "`" + line.replace("`", "'") + "`"


def _one_line(text: str) -> str:
    """Return text without line breaks and invisible characters."""
    visible = "".join(char for char in text if _is_visible(char))
    return " ".join(visible.split())


def _is_visible(char: str) -> bool:
    if char.isspace() or char in _JOINERS:
        return True
    return unicodedata.category(char) not in _INVISIBLE_CATEGORIES


def _references(chars: str) -> str:
    return "".join(f"&#{ord(char)};" for char in chars)

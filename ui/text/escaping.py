"""Foreign text, out of a link or a file, made plain: it is shown as it stands, and nothing in it
acts.

What acts on a page: Markdown, HTML, Streamlit's own directives (`:red[...]`, `:material/home:`,
`$...$`), addresses, which become links by themselves, and characters that cannot be seen.
"""

import re
import unicodedata

# They hold the letters of some scripts, and the parts of some emoji, together.
_JOINERS = "\u200c\u200d"
_ACTIVE = re.compile(r"""[\\`*\[\]<>{}#+|~$!&"'^]|(?<![^\W_])_|_(?![^\W_])""")
# Written as a reference, a character is no markup; but addresses and short names such as :smile:
# are looked for once references are resolved, and only a character in between, one without width,
# keeps them apart.
_APART = re.compile(r":(?=\S)|@|(?<=www)(?=\.)", re.IGNORECASE)
_FIRST = re.compile(r"^(\d*)([-.)])")  # begins a list


def plain(text: str) -> str:
    """Return ``text`` on one line, for Markdown and for HTML alike: every character that could act
    as a numeric reference.
    """
    safe = _ACTIVE.sub(lambda found: _reference(found[0]), _line(text))
    safe = _APART.sub(lambda found: _reference(found[0]) + "&#8288;", safe)
    return _FIRST.sub(lambda found: found[1] + _reference(found[2]), safe)


def quoted(text: str, *, most: int = 60) -> str:
    """Return at most so many characters of ``text`` on one line, as Markdown code."""
    return "`" + _line(text)[:most].replace("`", "'") + "`"


def _line(text: str) -> str:
    """Return ``text`` without line breaks and without what cannot be seen."""
    seen = (
        char
        for char in text
        if char.isspace()
        or char in _JOINERS
        or unicodedata.category(char) not in ("Cc", "Cf", "Cs")
    )
    return " ".join("".join(seen).split())


def _reference(chars: str) -> str:
    return "".join(f"&#{ord(char)};" for char in chars)

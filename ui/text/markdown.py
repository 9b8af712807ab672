"""Markdown as HTML, as much of it as the lab's own texts use, for pages that Streamlit does not
show.
"""

import re
from collections.abc import Callable
from html import escape

_FORMULA = re.compile(r"\$([^$]+)\$")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_STYLES = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*(\S(?:.*?\S)?)\*"), r"<i>\1</i>"),
)
_CODE = re.compile(r"`([^`]+)`")
_SIGNS = {
    "varepsilon": "ε",
    "delta": "δ",
    "lambda": "λ",
    "sigma": "σ",
    "theta": "θ",
    "omega": "ω",
    "alpha": "α",
}
_SIGNS |= {
    "Omega": "Ω",
    "Delta": "Δ",
    "lVert": "‖",
    "rVert": "‖",
    "ge": "≥",
    "le": "≤",
    "ln": "ln ",
    "log": "log",
}
_SIGNS |= {"exp": "exp"}
_COMMAND = re.compile(r"\\([A-Za-z]+)")
# In this order: fractions and roots, whose parts have no braces within, then what is raised and
# lowered.
_PARTS = (
    (re.compile(r"\\frac(\d)(\d)"), r"\1/\2"),
    (re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}"), r"(\1)/(\2)"),
    (re.compile(r"\\binom\{([^{}]*)\}\{([^{}]*)\}"), r"C(\1, \2)"),
    (
        re.compile(r"\\sqrt(?:\{([^{}]*)\}| ?(\w))"),
        lambda found: f"√({found[1]})" if found[1] else f"√{found[2]}",
    ),
    (re.compile(r"\^(?:\{([^{}]*)\}|(\w))"), lambda found: f"<sup>{found[1] or found[2]}</sup>"),
    (re.compile(r"_(?:\{([^{}]*)\}|(\w))"), lambda found: f"<sub>{found[1] or found[2]}</sub>"),
)


def formula(tex: str) -> str:
    r"""Return a short formula on one line (HTML). Raises KeyError for a command that is not known
    here.

    >>> formula(r"\sigma \ge c_2 q\sqrt{T\ln(1/\delta)}/\varepsilon")
    'σ ≥ c<sub>2</sub> q√(Tln (1/δ))/ε'
    """
    text = escape(tex)
    for pattern, form in _PARTS:
        text = pattern.sub(form, text)
    return _COMMAND.sub(lambda found: _SIGNS[found[1]], text).replace("-", "−")


def line(text: str, link: Callable[[str], str]) -> str:
    """Return one paragraph, without the element around it; link: address in the text -> that of the
    page, "" where there is none.
    """
    kept: list[str] = []

    def keep(html: str) -> str:
        kept.append(html)
        return f"\0{len(kept) - 1}\0"

    def linked(words: str, address: str) -> str:
        return keep(f'<a href="{escape(address)}">') + words + keep("</a>") if address else words

    text = _CODE.sub(lambda found: keep(f"<code>{escape(found[1])}</code>"), text)
    text = _FORMULA.sub(lambda found: keep(f"<span class=formula>{formula(found[1])}</span>"), text)
    text = _LINK.sub(lambda found: linked(found[1], link(found[2])), text)
    text = escape(text, quote=False)
    for pattern, form in _STYLES:
        text = pattern.sub(form, text)
    return re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], text)


def html(text: str, link: Callable[[str], str]) -> str:
    """Return paragraphs."""
    return "".join(f"<p>{line(part, link)}</p>" for part in text.split("\n\n"))

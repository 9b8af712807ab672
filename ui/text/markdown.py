"""Convert the lab's own Markdown to HTML, for pages that Streamlit does not show."""

import re
from collections.abc import Callable
from html import escape

_FORMULA = re.compile(r"\$([^$]+)\$")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_ITALIC = re.compile(r"\*(\S(?:.*?\S)?)\*")
_CODE = re.compile(r"`([^`]+)`")
# HTML that is done is replaced by its number between null characters until the end.
_PLACEHOLDER = re.compile("\0(\\d+)\0")

_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SYMBOLS = {
    "varepsilon": "ε",
    "delta": "δ",
    "lambda": "λ",
    "sigma": "σ",
    "theta": "θ",
    "omega": "ω",
    "alpha": "α",
    "Omega": "Ω",
    "Delta": "Δ",
    "lVert": "‖",
    "rVert": "‖",
    "ge": "≥",
    "le": "≤",
    "ln": "ln ",
    "log": "log",
    "exp": "exp",
}
_SHORT_FRACTION = re.compile(r"\\frac(\d)(\d)")
_FRACTION = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
_BINOMIAL = re.compile(r"\\binom\{([^{}]*)\}\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\{([^{}]*)\}")
_SHORT_ROOT = re.compile(r"\\sqrt ?(\w)")
_SUPERSCRIPT = re.compile(r"\^\{([^{}]*)\}|\^(\w)")
_SUBSCRIPT = re.compile(r"_\{([^{}]*)\}|_(\w)")


def formula(tex: str) -> str:
    r"""Return a short formula on one line (HTML).

    Raises:
        KeyError: A command has no symbol in this module.

    >>> formula(r"\sigma \ge c_2 q\sqrt{T\ln(1/\delta)}/\varepsilon")
    'σ ≥ c<sub>2</sub> q√(Tln (1/δ))/ε'
    """
    text = escape(tex)
    # Fractions and roots first: no braces may be left in what is raised and lowered.
    text = _SHORT_FRACTION.sub(r"\1/\2", text)
    text = _FRACTION.sub(r"(\1)/(\2)", text)
    text = _BINOMIAL.sub(r"C(\1, \2)", text)
    text = _ROOT.sub(r"√(\1)", text)
    text = _SHORT_ROOT.sub(r"√\1", text)
    text = _SUPERSCRIPT.sub(lambda match: f"<sup>{match[1] or match[2]}</sup>", text)
    text = _SUBSCRIPT.sub(lambda match: f"<sub>{match[1] or match[2]}</sub>", text)
    text = _COMMAND.sub(lambda match: _SYMBOLS[match[1]], text)
    return text.replace("-", "−")


def line(text: str, link: Callable[[str], str]) -> str:
    """Return one paragraph, without the element around it.

    Args:
        text: The paragraph (Markdown).
        link: Address in the text -> address on the page, or "" to leave out the link.
    """
    kept: list[str] = []

    def keep(html: str) -> str:
        kept.append(html)
        return f"\0{len(kept) - 1}\0"

    def keep_code(match: re.Match[str]) -> str:
        return keep(f"<code>{escape(match[1])}</code>")

    def keep_formula(match: re.Match[str]) -> str:
        return keep(f"<span class=formula>{formula(match[1])}</span>")

    def keep_link(match: re.Match[str]) -> str:
        address = link(match[2])
        if not address:
            return match[1]
        return keep(f'<a href="{escape(address)}">') + match[1] + keep("</a>")

    text = _CODE.sub(keep_code, text)
    text = _FORMULA.sub(keep_formula, text)
    text = _LINK.sub(keep_link, text)
    text = escape(text, quote=False)
    text = _BOLD.sub(r"<b>\1</b>", text)
    text = _ITALIC.sub(r"<i>\1</i>", text)
    return _PLACEHOLDER.sub(lambda match: kept[int(match[1])], text)


def html(text: str, link: Callable[[str], str]) -> str:
    """Return the paragraphs of a text; ``link`` as in ``line``."""
    paragraphs = text.split("\n\n")
    return "".join(f"<p>{line(paragraph, link)}</p>" for paragraph in paragraphs)

"""Find the texts that a visitor may read: strings of the code, and the Markdown and TOML files.

Tests of the texts use it.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MARKUP = re.compile(r"<[^<>]*>|&\w+;|\]\([^)]*\)|\$[^$]*\$|`[^`]*`|[*_#|\[\]]")
_SENTENCE_END = re.compile(r"(?<=[.?!])[\s”\"')]+(?=[“\"(]?[A-Z0-9…])|\n\s*\n|<br>|\n(?=[-|])")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in HTML, Markdown or plain letters, without headings and
    labels.
    """
    found = []
    for part in _SENTENCE_END.split(text):
        sentence = " ".join(_MARKUP.sub(" ", part).split())
        ended = sentence.rstrip("”\"') ").endswith((".", "?", "!"))
        if ended and len(_WORD.findall(sentence)) >= 5:
            found.append(sentence)
    return found


def has_inner_colon(sentence: str) -> bool:
    """Return whether a colon stands inside the sentence, outside times and addresses."""
    return bool(re.search(r":\s", sentence.rstrip(".:")))


def literals(file: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each string of a module, without docstrings and with 7 for a hole of a
    template.
    """
    tree = ast.parse(file.read_text("utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(child) for child in ast.walk(node)}
            yield node.lineno, _template(node)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in skipped
        ):
            yield node.lineno, node.value


def _template(node: ast.JoinedStr) -> str:
    text = ""
    for value in node.values:
        if isinstance(value, ast.Constant):
            text += str(value.value)
        else:
            text += "7"
    return text


def toml_strings(value: object) -> Iterator[str]:
    """Yield each string of a TOML document, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for child in value.values():
            yield from toml_strings(child)
    elif isinstance(value, list):
        for child in value:
            yield from toml_strings(child)


def code_texts(folder: str) -> list[str]:
    """Return the strings of the modules of a folder."""
    return [text for file in sorted((ROOT / folder).rglob("*.py")) for _, text in literals(file)]


def file_texts(folder: str, *, method: bool = False) -> dict[str, str]:
    """Return "file:line" and text of the Markdown and TOML of a folder.

    method: only the pages *How it works*; without it all others.
    """
    found = {}
    for file in sorted((ROOT / folder).rglob("*")):
        if file.suffix not in (".md", ".toml") or (file.name == "method.md") != method:
            continue
        text = file.read_text("utf-8")
        name = str(file.relative_to(ROOT))
        if file.suffix == ".toml":
            for number, string in enumerate(toml_strings(tomllib.loads(text))):
                found[f"{name}:{number}"] = string
            continue
        for block in re.finditer(r"(?:.+\n?)+", text):
            line = text.count("\n", 0, block.start()) + 1
            found[f"{name}:{line}"] = _without_marks(block[0])
    return found


def _without_marks(block: str) -> str:
    """Return a paragraph or a list without the names of its cases; nothing for a heading."""
    if block.startswith("#"):
        return ""
    return re.sub(r"^- `[\w.-]+` |^- ", "\n\n", block, flags=re.MULTILINE)

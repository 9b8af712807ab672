"""Measure how the lab writes: colons, semicolons, openers and length of its sentences, by place or by page.

    python -m scripts.fingerprints                        # the texts in the code and in files beside it
    python -m scripts.fingerprints http://localhost:8501  # what each page of a running lab shows, in Chromium

A sentence is five words or more with an end mark. The first screen is 1440 by 900 pixels without navigation, icons and
chart ticks. CHROME names another Chromium than Playwright's own.
"""

import argparse
import ast
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_TAG = re.compile(r"<[^<>]*>|&\w+;|\]\([^)]*\)|\$[^$]*\$|`[^`]*`|[*_#|\[\]]")
_END = re.compile(r"(?<=[.?!])[\s”\"')]+(?=[“\"(]?[A-Z0-9…])|\n\s*\n|<br>|\n(?=[-|])")
_HEADLESS = re.compile(r"(?:What|Who|Whoever|Whose|Where|That (?:an?|the|it|they|no|one|each|every))\b[^?]*$")
_OWN = re.compile(r"\bof (?:its|their|his|her|our|your|my|one's) own\b|\bof ours\b")
_PEOPLE = re.compile(r"\b(?:you|your|yours|we|us|our|ours)\b", re.IGNORECASE)


class Fingerprint(NamedTuple):
    """Shares of sentences in percent, rates per 1,000 words, and the 90th percentile of words per sentence."""

    words: int
    sentences: int
    colons: float
    semicolons: float
    headless: float
    own: float
    people: float
    length: int


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in HTML, Markdown or plain letters."""
    found = (" ".join(_TAG.sub(" ", part).split()) for part in _END.split(text))
    return [one for one in found if len(_WORD.findall(one)) >= 5 and one.rstrip("”\"') ").endswith((".", "?", "!"))]


def has_colon(sentence: str) -> bool:
    """Whether a colon stands inside of the sentence, and not in a time or an address."""
    return bool(re.search(r":\s", sentence.rstrip(".:")))


def headless(sentence: str) -> bool:
    """Whether a statement opens with a relative clause as its subject, such as "Who waits is told ..."."""
    return bool(_HEADLESS.match(sentence.lstrip('“"(')))


def fingerprint(texts: Sequence[str]) -> Fingerprint:
    """Return the measures of all texts together."""
    found = [sentence for text in texts for sentence in sentences(text)]
    whole = " ".join(_TAG.sub(" ", text) for text in texts)
    words, most = len(_WORD.findall(whole)), max(1, len(found))
    lengths = sorted(len(_WORD.findall(one)) for one in found) or [0]
    return Fingerprint(
        words=words,
        sentences=len(found),
        colons=100 * sum(map(has_colon, found)) / most,
        semicolons=100 * sum(";" in one for one in found) / most,
        headless=100 * sum(map(headless, found)) / most,
        own=1000 * len(_OWN.findall(whole)) / max(1, words),
        people=1000 * len(_PEOPLE.findall(whole)) / max(1, words),
        length=lengths[int(0.9 * (len(lengths) - 1))],
    )


def literals(file: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each string of a module that is no docstring; a hole of a template is a 7."""
    tree = ast.parse(file.read_text("utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [one.value if isinstance(one, ast.Constant) else "7" for one in node.values]
            skipped |= {id(one) for one in ast.walk(node)}
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def in_code(folder: str) -> list[str]:
    """Return the strings of the modules of a folder."""
    return [text for file in sorted((ROOT / folder).rglob("*.py")) for _, text in literals(file)]


def beside(folder: str, *, method: bool = False) -> dict[str, str]:
    """Return "file:line" and text of what stands in Markdown and TOML; ``method``: only of How it works."""
    found = {}
    for file in sorted(one for one in (ROOT / folder).rglob("*") if one.suffix in (".md", ".toml")):
        if (file.name == "method.md") != method:
            continue
        text, name = file.read_text("utf-8"), str(file.relative_to(ROOT))
        if file.suffix == ".toml":
            found |= {f"{name}:{place}": one for place, one in enumerate(_strings(tomllib.loads(text)))}
        else:
            blocks = re.finditer(r"(?:.+\n?)+", text)
            found |= {f"{name}:{text.count(chr(10), 0, one.start()) + 1}": _block(one[0]) for one in blocks}
    return found


def _block(text: str) -> str:
    """Return a paragraph or a list without its marks: a name of a case, a heading."""
    return "" if text.startswith("#") else re.sub(r"^- `[\w.-]+` |^- ", "\n\n", text, flags=re.MULTILINE)


def on_screen(address: str) -> Iterator[tuple[str, int, str]]:
    """Yield (page, number of words of its first screen, all its letters) of a running lab."""
    from playwright.sync_api import sync_playwright

    from pages.table import PAGES

    names = ["", *(page.name for page in PAGES), "data", "lessons", "glossary", "works", "deployments", "choosing"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROME"), args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1440, "height": 900})
        for name in names:
            opened.goto(f"{address.rstrip('/')}/{name}")
            opened.get_by_role("heading", level=1).first.wait_for(timeout=60_000)
            opened.wait_for_timeout(8_000)
            yield name or "home", seen(opened), opened.get_by_test_id("stMain").first.inner_text()
        browser.close()


def seen(opened, height: int = 900) -> int:
    """Return the number of words of a Playwright page whose boxes begin above ``height`` pixels."""
    return len(_WORD.findall(opened.evaluate(_SEEN, height)))


# The letters of the main part whose boxes begin above a height, without icons and the ticks of charts.
_SEEN = """height => {
    const walk = document.createTreeWalker(document.querySelector("[data-testid=stMain]"), NodeFilter.SHOW_TEXT);
    const found = [];
    while (walk.nextNode()) {
        const around = document.createRange();
        around.selectNodeContents(walk.currentNode);
        const box = around.getBoundingClientRect(), inside = walk.currentNode.parentElement;
        const shown = box.width > 1 && box.height > 1 && inside.checkVisibility({visibilityProperty: true});
        const besides = inside.closest(".xtick, .ytick, style, script, [data-testid=stIconMaterial]");
        if (shown && box.top < height && box.bottom > 0 && !besides) found.push(walk.currentNode.textContent);
    }
    return found.join(" ");
}"""


def row(name: str, first: int | None, found: Fingerprint) -> str:
    """Return a line of the table."""
    return (
        f"| {name} | {'' if first is None else first} | {found.words:,} | {found.sentences} | {found.colons:.0f} % "
        f"| {found.semicolons:.0f} % | {found.headless:.1f} % | {found.own:.1f} | {found.people:.0f} | {found.length} |"
    )


HEAD = (
    "| place | first screen | words | sentences | colon | semicolon | headless | of its own per 1,000 "
    "| you/we per 1,000 | words in 9 of 10 sentences |\n|---|---|---|---|---|---|---|---|---|---|"
)


def run() -> None:
    parser = argparse.ArgumentParser(description="How the lab writes.")
    parser.add_argument("address", nargs="?", help="of a running lab; without it the files are read")
    address = parser.parse_args().address
    print(HEAD)
    if address:
        for name, first, whole in on_screen(address):
            print(row(name, first, fingerprint([whole])), flush=True)
        return
    folders = sorted(f"pages/{one.name}" for one in (ROOT / "pages").iterdir() if (one / "__init__.py").exists())
    for folder in [*folders, "pages", "ui"]:
        print(row(f"{folder}, code", None, fingerprint(in_code(folder))))
    for folder in ("pages", "ui"):
        print(row(f"{folder}, texts", None, fingerprint([*beside(folder).values()])))
    print(row("How it works", None, fingerprint([*beside("pages", method=True).values()])))


if __name__ == "__main__":
    run()

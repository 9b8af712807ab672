"""Describe the public functions of dpcore and lab as web pages, by pdoc.

    make docs   # into site/api/

pdoc makes a heading of every "Raises:" of a docstring, with the same anchor each time. Here they
are bold lines. What scrolls can be reached by the keyboard, and links to names have a label.
"""

import re
from pathlib import Path

import pdoc

PACKAGES = ("dpcore", "lab")
FOLDER = Path("site/api")
TEMPLATES = Path(__file__).parent / "api_pages"
# Pattern in pdoc's HTML -> its replacement.
REPLACEMENTS = {
    r'<h([1-6]) id="[^"]*">(.*?)</h\1>': r"<p><b>\2</b></p>",
    r"<h5>Inherited Members</h5>": "<p><b>Inherited members</b></p>",
    r'<a class="headerlink" href="#([^"]*)"></a>': (
        r'<a class="headerlink" href="#\1" aria-label="Link to \1"></a>'
    ),
    r"<pre>": '<pre tabindex="0">',
    # A default value may name what is private, and so has no anchor.
    r'<a href="#_[^"]*">(.*?)</a>': r"\1",
}


def corrected(html: str) -> str:
    """Return a page with all ``REPLACEMENTS`` made."""
    for pattern, replacement in REPLACEMENTS.items():
        html = re.sub(pattern, replacement, html)
    return html


def main() -> None:
    """Write the pages, and print how many there are."""
    pdoc.render.configure(docformat="google", show_source=False, template_directory=TEMPLATES)
    pdoc.pdoc(*PACKAGES, output_directory=FOLDER)
    pages = sorted(FOLDER.rglob("*.html"))
    for page in pages:
        html = page.read_text("utf-8")
        page.write_text(corrected(html), "utf-8")
    print(f"{FOLDER}: {len(pages)} pages")


if __name__ == "__main__":
    main()

"""Describe the public functions of dpcore and lab as web pages, by pdoc.

    make docs   # into site/api/
    make docs ARGS="--address https://site.example.edu/lab"   # with whole addresses in previews

pdoc makes a heading of every "Raises:" of a docstring, with the same anchor each time. Here they
are bold lines. What scrolls can be reached by the keyboard, and links to names have a label.
"""

import argparse
import re
import shutil
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


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--address", default="", help="absolute address of the site")
    return parser.parse_args()


def corrected(html: str, address: str) -> str:
    """Return a page with all ``REPLACEMENTS`` made.

    Args:
        html: The page.
        address: Absolute address of the site, for the picture of the preview; "" if unknown.
    """
    if address:
        html = re.sub(r'content="[./]+/preview\.png"', f'content="{address}/preview.png"', html)
    for pattern, replacement in REPLACEMENTS.items():
        html = re.sub(pattern, replacement, html)
    return html


def main() -> None:
    """Write the pages instead of those of an earlier run, and print how many there are."""
    address = parse_arguments().address.rstrip("/")
    shutil.rmtree(FOLDER, ignore_errors=True)
    pdoc.render.configure(docformat="google", show_source=False, template_directory=TEMPLATES)
    pdoc.pdoc(*PACKAGES, output_directory=FOLDER)
    pages = sorted(FOLDER.rglob("*.html"))
    for page in pages:
        html = page.read_text("utf-8")
        page.write_text(corrected(html, address), "utf-8")
    print(f"{FOLDER}: {len(pages)} pages")


if __name__ == "__main__":
    main()

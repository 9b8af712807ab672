"""The file of all sentences, for an editor: each page's words at some settings, and the fixed texts."""

import re

from pages.table import PAGES
from scripts import all_sentences


def test_a_page_is_printed_with_what_it_says_at_several_settings():
    page = next(page for page in PAGES if page.name == "mechanisms")
    printed = "\n".join(all_sentences.of_page(page, 3))
    assert printed.startswith(f"# {page.title} (mechanisms)")
    wanted = {"tiles", *page.words, "chart posterior, in words", "chart posterior, help"}
    assert wanted <= set(re.findall(r"^## (.+)$", printed, re.MULTILINE))
    assert "(the defaults)" in printed
    assert re.search(r"\((?:\w+=[^)]*&)+\w+=[^)]*\)$", printed, re.MULTILINE), "other settings are named by their link"
    assert "<" not in re.sub(r" < ", "", printed)


def test_fixed_texts_follow_by_file():
    printed = "\n".join(all_sentences.fixed())
    assert "## pages/learn/works.md:" in printed
    assert "## pages/accounting/method.md:" in printed
    assert "- **Epsilon" in printed

"""Citations: what the engine cites is in PAPERS, and what is in PAPERS is cited."""

import re
from pathlib import Path

from lab.papers import PAPERS
from lab.papers import cited as linked

ROOT = Path(__file__).parents[1]
SOURCES = [
    path for top in ("dpcore", "lab", "pages") for path in (ROOT / top).rglob("*") if path.suffix in (".py", ".md")
]
# [key] or [key, Theorem 1]; several keys in one bracket are separated by semicolons.
KEY = re.compile(r"[\[;]\s*([a-z]+\d{4}[a-z]?)(?=[\],;])")


def test_every_citation_has_its_paper_and_every_paper_is_cited():
    cited = {path: set(KEY.findall(path.read_text("utf-8"))) for path in SOURCES}
    assert {path: keys - PAPERS.keys() for path, keys in cited.items() if keys - PAPERS.keys()} == {}
    assert PAPERS.keys() <= set().union(*(keys for path, keys in cited.items() if path.name != "papers.py"))


def test_a_key_is_its_first_author_and_year():
    for key, reference in PAPERS.items():
        author, year = re.fullmatch(r"([a-z]+)(\d{4})", key).groups()
        assert re.match(r"(?:[A-Z]\.[ -]?)+(\w+)", reference).group(1).lower() == author
        assert year in reference


def test_a_citation_leads_to_where_the_paper_is():
    assert linked("[mcsherry2007]").startswith("[McSherry and Talwar 2007](https://doi.org/10.1109/FOCS.2007.66)\n")
    assert linked("[balle2018]").startswith("[Balle and Wang 2018](https://arxiv.org/abs/1805.06530)\n")

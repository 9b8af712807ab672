"""A handout: one page about a result, which opens without any request and prints on an A4 sheet.

Its charts are the page's own, painted as in a recording, in the light theme. The full privacy label
comes with it, as HTML and JSON.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import pandas as pd

from lab.experiment.settings import Settings
from lab.label import registry
from lab.label.label import NOT_STATED, SCHEMA, Label, Stated, label, roles_of
from ui.charts import attacker_icons
from ui.export import recording, single_file
from ui.page.page import Page
from ui.page.view import FIRST, View
from ui.text import labels, mu_text
from ui.text.numbers import delta as delta_text
from ui.text.numbers import format_number, number
from ui.text.texts import SAYS
from ui.text.tiles import rare_guess_text
from ui.widgets import Chart

# Rows of a table on the page; the files hold all.
_MAX_ROWS = 40
# Field of the label that is on the sheet -> its name there. Delta, mu and the neighbours stand
# beside epsilon.
_ON_SHEET = {
    "summary": "Summary",
    "released": "Would be released",
    "epsilon": "Guarantee",
    "unit": "Protected",
    "mechanism": "Mechanism",
    "basis": "Accountant",
    "trust": "Trusted",
    "public": "Taken as public",
    "bounds": "Bounds",
    "tuning": "Configurations tried",
    "analyst_only": "Analyst only",
}


@dataclass(frozen=True, kw_only=True)
class Handout:
    """The handout of a result.

    Attributes:
        page: The page.
        result: The result.
        settings_text: Its settings in words.
        link: Address of the page.
        code: The address as a QR code (HTML); "" if it does not lead to the same numbers.
        version: Fingerprint of the program beside it.
        date: Date of today (ISO).
    """

    page: Page
    result: Any
    settings_text: str
    link: str
    code: str
    version: str
    date: str

    @property
    def settings(self) -> Settings:
        return self.result.settings

    @cached_property
    def stated(self) -> Stated:
        return labels.complete(self.page.exports.label(self.result), self.settings)

    @cached_property
    def label(self) -> Label:
        return label(
            self.settings, self.stated, date=self.date, version=self.version, link=self.link
        )

    def files(self) -> dict[str, Callable[[], str]]:
        """Return name of a file -> function that makes it.

        The files of the same settings and the same day are the same.
        """
        files = {
            "index.html": self.html,
            "label.html": self.label_html,
            "label.json": self.label.json,
            "label.schema.json": lambda: SCHEMA.read_text("utf-8"),
        }
        if self.registry_record():
            files["registry.yaml"] = self.registry_record
        return files

    def registry_record(self) -> str:
        """Return a draft for the deployments registry (YAML); "" if nothing is guaranteed."""
        guarantee = self.stated.guarantee
        if self.label.void or guarantee is None or not math.isfinite(guarantee.epsilon):
            return ""
        product = registry.MODEL
        if self.page.name == "mechanisms":
            product = registry.STATISTICS
        return registry.record(
            self.label,
            guarantee,
            slug=f"epsilon-lab-{self.page.name}-{self.date}",
            name=f"Epsilon Lab: {self.page.info.title}",
            product=product,
        )

    def html(self) -> str:
        """Return the sheet, and more for the screen."""
        view = self.page.view(self.result)
        if "guarantee" in view.texts:
            mu_text.compute(view.texts, ["guarantee"])
        charts = self._charts(view)
        figures = {chart.name: dict(chart.figure) | {"alt": chart.alt} for chart in charts}
        sheet = self._head(view) + self._columns(view, charts) + self._foot()
        return _document(
            self.page.info.question,
            f'<main class="sheet">{sheet}</main>'
            f'<article class="more">{self._screen_only(view)}</article>'
            f"{single_file.data(figures, name='first')}"
            f"{single_file.program('handout.js')}",
        )

    def label_html(self) -> str:
        """Return the full privacy label as a page."""
        title = (
            f'<h1>Privacy label</h1><p class="lead">{escape(self.page.info.question)}'
            f" {escape(self.settings_text)}.</p>"
        )
        content = title + _void_html(self.label) + _full_label(self.label)
        return _document("Privacy label", f'<article class="more alone">{content}</article>')

    def _charts(self, view: View) -> list[Chart]:
        """Return the charts of the first screen.

        There is none if their axes would show bounds that were read off private rows.
        """
        roles = roles_of(self.settings)
        if roles and roles.void:
            return []
        return list(view.charts(FIRST).values())

    def _head(self, view: View) -> str:
        """Return verdict, QR code, notes, tiles and the attacker."""
        tiles = ""
        for tile in view.tiles:
            tiles += (
                f'<div class="tile {tile.tone}"><b>{tile.value}</b>'
                f"<span>{tile.label}</span><small>{tile.note}</small></div>"
            )
        notes = _void_html(self.label)
        if self.settings.uses_file:
            notes += f"<p class=own>{SAYS['handout.own']}</p>"
        if notes:
            notes = f"<div class=notes>{notes}</div>"
        code = ""
        if self.code:
            caption = "<figcaption>open these settings</figcaption>"
            code = f'<figure class="code">{self.code}{caption}</figure>'
        return (
            '<header><div><p class="brand"><b>ε</b> Epsilon Lab · handout</p>'
            f"<h1>{escape(self.page.info.question)}</h1>"
            f'<p class="lead">{view.texts["verdict"]}</p></div>{code}</header>'
            f'{notes}<section class="tiles" aria-label="Numbers">{tiles}</section>'
            f"{attacker_icons.icons_of_label(self.stated, self.settings)}{self._rare_guess()}"
        )

    def _rare_guess(self) -> str:
        """Return what becomes of a rare guess (HTML); "" if nothing is guaranteed."""
        if self.stated.guarantee is None or self.label.void:
            return ""
        return f"<p>{rare_guess_text(self.stated.guarantee)}</p>"

    def _columns(self, view: View, charts: Sequence[Chart]) -> str:
        """Return two columns: the charts with their caption, and the label."""
        figures = "".join(recording.chart_place(chart) for chart in charts)
        caption = SAYS["handout.left-out"]
        if charts:
            caption = recording.without_live_requests(view.texts.get("caption", ""))
        return (
            f'<div class="columns"><div>{figures}<div class="caption">{caption}</div></div>'
            f"<div>{_short_label(self.label)}</div></div>"
        )

    def _foot(self) -> str:
        """Return the settings, and the link that opens them again."""
        again = SAYS["handout.again"]
        if self.settings.uses_file:
            again = SAYS["handout.settings-again"]
        return (
            f"<footer><p><b>Settings.</b> {escape(self.settings_text)}.</p>"
            f"<p><b>{again}:</b> {escape(self.link)} · script and tables are in the same download"
            f' · <span class="day">{self.date}</span></p></footer>'
        )

    def _screen_only(self, view: View) -> str:
        """Return what is not printed: table, guarantee and the full label."""
        frame = pd.DataFrame(self.result.table())
        more_rows = ""
        if len(frame) > _MAX_ROWS:
            more_rows = f" The first {_MAX_ROWS} of {len(frame):,} rows."
        for name in frame.select_dtypes("bool"):
            frame = frame.assign(**{str(name): frame[name].map({True: "yes", False: "no"})})
        table = frame.head(_MAX_ROWS).to_html(
            index=False, border=0, na_rep="–", float_format=_four_digits
        )
        return (
            '<p class="lead">Print this page, and you get the sheet above, on one A4. What follows'
            " is on the screen only.</p>"
            f"<h2>Table</h2><p>What <code>script.py</code> prints.{more_rows}"
            f' More in <code>tables/</code>.</p><div class="scroll">{table}</div>'
            f"<h2>Guarantee</h2>{view.texts.get('guarantee', '')}"
            f"<h2>Privacy label in full</h2>{_full_label(self.label)}"
        )


def _document(title: str, body: str) -> str:
    sheets = (single_file.CHART_RULES, single_file.HERE / "handout.css", attacker_icons.RULES)
    # As wide as an A4 sheet at 96 pixels an inch.
    return single_file.document(title, body, style=single_file.joined(sheets), width="794")


def _void_html(label: Label) -> str:
    """Return the warning that nothing is guaranteed; "" if something is."""
    if not label.void:
        return ""
    return f'<p class="void">{SAYS("handout.void", why=escape(label.void))}</p>'


def _short_label(label: Label) -> str:
    """Return the label on the sheet."""
    texts = {field: escape(str(label[field])) for field in _ON_SHEET}
    texts["epsilon"] = f"<b>{_guarantee_text(label)}</b>"
    if label["neighbours"] != NOT_STATED:
        texts["epsilon"] += f"; {escape(str(label['neighbours']))}"
    if label["columns"] == NOT_STATED:
        del texts["bounds"]
    facts = [(_ON_SHEET[field], text) for field, text in texts.items()]
    facts.append(("Not covered", SAYS["handout.open"]))
    kind = "label"
    if label.void:
        kind = "label voided"
    return f'<section class="{kind}"><h2>Privacy label</h2>{_facts_html(facts)}</section>'


def _guarantee_text(label: Label) -> str:
    """Return epsilon, delta and mu of a label, or why there is none."""
    epsilon = label["epsilon"]
    delta = label["delta"]
    mu = label["mu"]
    if not isinstance(epsilon, float) or not isinstance(delta, float):
        # In place of a number stands the reason why there is none.
        return str(epsilon)
    text = f"epsilon {number(epsilon)}, delta {delta_text(delta)}"
    if isinstance(mu, float):
        text += f", mu {number(mu)}"
    return text


def _full_label(label: Label) -> str:
    """Return all facts of a label, in its sections."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for section, title, text in label.rows():
        sections.setdefault(section, []).append((title, escape(text)))
    html = ""
    for section, facts in sections.items():
        html += f"<h3>{section}</h3>{_facts_html(facts)}"
    return html


def _facts_html(facts: Iterable[tuple[str, str]]) -> str:
    """Return a list of titles and texts (HTML)."""
    rows = "".join(f"<div><dt>{title}</dt><dd>{text}</dd></div>" for title, text in facts)
    return f"<dl>{rows}</dl>"


def _four_digits(value: float) -> str:
    if value == math.inf:
        return "∞"
    return format_number(value, digits=4)

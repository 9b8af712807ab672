"""A handout: what a result shows, as one page that opens from a file without any request, and
prints on one A4 sheet.

Its figures are the page's own, painted as in a recording, in the light theme. The privacy label in
full comes with it, as HTML and JSON.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from lab.experiment.settings import Settings
from lab.label import registry
from lab.label.label import NOT_STATED, SCHEMA, Label, Stated, label
from ui.charts import attacker_icons
from ui.export import recording, single_file
from ui.page import differences
from ui.page.page import FIRST, Page, View
from ui.text import labels, mu_text
from ui.text import tiles as panels
from ui.text.numbers import delta as delta_text
from ui.text.sliders import SLIDERS
from ui.text.texts import SAYS
from ui.widgets import Chart

_TAG = re.compile(r"<[^>]*>")
# Rows of a table on the page; the files hold all. Letters that the explanations of words may have.
_ROWS, _LETTERS = 40, 460
_BLANK, _LINE = '<i class="blank"></i>', '<i class="blank long"></i>'
# Of the label, what is on the sheet: field -> its name there.
_ON_SHEET = {
    "summary": "Summary",
    "released": "Would be released",
    "unit": "Protected",
    "mechanism": "Mechanism",
    "basis": "Accountant",
    "trust": "Trusted",
    "public": "Taken as public",
    "tuning": "Configurations tried",
    "analyst_only": "Analyst only",
}


@dataclass(frozen=True, kw_only=True)
class Handout:
    """What is handed out. told: the settings in words. link, code: of the page; the same as a
    drawing. version: of the
    program beside it. date: ISO. tries: on average so many are made, of which the best is released;
    0 for one model.
    code: "" where a link does not lead to the same numbers.
    """

    page: Page
    result: Any
    told: str
    link: str
    code: str
    version: str
    date: str
    tries: int = 0

    @property
    def settings(self) -> Settings:
        return self.result.settings

    @property
    def stated(self) -> Stated:
        return labels.complete(self.page.label(self.result), self.settings, tries=self.tries)

    @property
    def label(self) -> Label:
        return label(
            self.settings, self.stated, date=self.date, version=self.version, link=self.link
        )

    def files(self) -> dict[str, Callable[[], str]]:
        """Name of a file -> what makes it.

        Those of the same settings and the same day are the same.
        """
        return {
            "index.html": self.html,
            "label.html": self.label_html,
            "label.json": self.label.json,
            "label.schema.json": lambda: SCHEMA.read_text("utf-8"),
            **({"registry.yaml": self.record} if self.record() else {}),
        }

    def record(self) -> str:
        """Return the draft of a record of the deployments registry (YAML), or "" where nothing is
        guaranteed.
        """
        found, guarantee = self.label, self.stated.guarantee
        if found.void or guarantee is None or not math.isfinite(guarantee.epsilon):
            return ""
        product = registry.STATISTICS if self.page.name == "mechanisms" else registry.MODEL
        slug, name = f"epsilon-lab-{self.page.name}-{self.date}", f"Epsilon Lab: {self.page.title}"
        return registry.record(found, guarantee, slug=slug, name=name, product=product)

    def html(self) -> str:
        view, found = self.page.view(self.result, tries=self.tries), self.label
        if "guarantee" in view.words:
            mu_text.compute(view.words, ["guarantee"])
        pictures = self._pictures(view)
        first, others = (
            "".join(map(recording.place, some)) for some in (pictures[:1], pictures[1:])
        )
        caption = (
            recording.alone(view.words.get("caption", "")) if pictures else SAYS["handout.left-out"]
        )
        caption = f'<p class="caption">{caption}</p>'
        left, right = (
            (caption, "") if len(pictures) != 2 else ("", caption)
        )  # where there is more room
        exercises = "".join(f"<li>{one}</li>" for one in self.exercises(view))
        again = SAYS["handout.settings-again" if self.settings.private else "handout.again"]
        figures = {
            picture.name: dict(picture.figure) | {"alt": picture.alt} for picture in pictures
        }
        return _document(
            self.page.question,
            f'<main class="sheet">{self._head(view, found)}<div'
            f' class="columns"><div>{first}{left}{_short(found)}</div>'
            f"<div>{others}{right}{_section('To try', f'<ol>{exercises}</ol>', 'try')}</div></div>"
            f"{self._words()}"
            f"<footer><p><b>Settings.</b> {escape(self.told)}.</p><p><b>{again}:</b>"
            f" {escape(self.link)} "
            "· script and tables are in the same download · <span"
            f' class="day">{self.date}</span></p></footer>'
            f'</main><article class="more">{self._more(view, found)}</article>'
            f"{single_file.data(figures, name='first')}"
            f"{single_file.program('handout.js')}",
        )

    def label_html(self) -> str:
        found = self.label
        title = (
            f'<h1>Privacy label</h1><p class="lead">{escape(self.page.question)}'
            f" {escape(self.told)}.</p>"
        )
        return _document(
            "Privacy label",
            f'<article class="more alone">{title}{_void(found)}{_full(found)}</article>',
        )

    def _pictures(self, view: View) -> list[Chart]:
        """Return those of the first screen; none where their axes would show bounds that were read
        off private rows.
        """
        roles = getattr(getattr(self.settings, "own", None), "roles", None)
        return [] if roles and roles.void else list(view.pictures(FIRST).values())

    def _head(self, view: View, found: Label) -> str:
        tiles = "".join(
            f'<div class="tile {one.tone}"><b>{one.value}</b>'
            f"<span>{one.label}</span><small>{one.note}</small></div>"
            for one in view.numbers
        )
        own = f"<p class=own>{SAYS['handout.own']}</p>"
        notes = _void(found) + own * bool(self.settings.private)
        code = ""
        if self.code:
            code = (
                f'<figure class="code">{self.code}<figcaption>open these'
                " settings</figcaption></figure>"
            )
        return (
            '<header><div><p class="brand"><b>ε</b> Epsilon Lab · handout</p>'
            f"<h1>{escape(self.page.question)}</h1><p"
            f' class="lead">{view.words["verdict"]}</p></div>'
            f"{code}</header>"
            f"{f'<div class=notes>{notes}</div>' if notes else ''}"
            f'<section class="tiles" aria-label="Numbers">{tiles}</section>'
            f"{attacker_icons.icons_of_label(self.stated, self.result)}"
        )

    def exercises(self, view: View) -> Iterator[str]:
        """Yield something to predict, to look up and to explain, with places to write (HTML)."""
        sliders, settings = self.page.slider_layout(self.settings), self.settings
        first = view.numbers[0]
        # a target is what one moves
        shown = f"“{re.sub(' for [0-9].*', '', _TAG.sub('', first.label))}”"

        def said(name: str, value: Any) -> str:
            return escape(" ".join(differences.slider_texts(name, value, sliders.changes) or ()))

        hero = sliders.hero
        there = elsewhere(settings, hero, sliders.changes)[0]
        spread = any("lab-dots" in one.mark for one in view.numbers)
        yield SAYS("exercise.guess", setting=said(hero, there), shown=shown, blank=_BLANK)
        yield SAYS("exercise.spread" if spread else "exercise.read", blank=_BLANK)
        for name in sliders.main[:1]:
            one, other = (said(name, value) for value in elsewhere(settings, name, sliders.changes))
            back = said(hero, getattr(settings, hero))
            yield SAYS("exercise.others", back=back, one=one, other=other, line=_LINE)
        if first.note.startswith("median of"):
            yield SAYS("exercise.again", shown=shown, blank=_BLANK)
        else:
            yield SAYS("exercise.who", line=_LINE)

    def _words(self) -> str:
        sliders, room, said = self.page.slider_layout(self.settings), _LETTERS, []
        names = [
            sliders.hero,
            *sliders.main,
            *(name for name in ("delta",) if name in sliders.more),
        ]
        for name in names:
            look = {**SLIDERS.get(name, {}), **sliders.changes.get(name, {})}
            room -= len(look.get("help", ""))
            if room > 0 and look.get("help"):
                said.append(f"<span><b>{escape(look['label'])}</b>: {escape(look['help'])}</span> ")
        return _section("Words", "".join(said), "words")

    def _more(self, view: View, found: Label) -> str:
        frame = pd.DataFrame(self.result.table())
        answers = {
            str(name): frame[name].map({True: "yes", False: "no"})
            for name in frame.select_dtypes("bool")
        }
        some = f" The first {_ROWS} of {len(frame):,} rows." * (len(frame) > _ROWS)
        shown = (
            frame.assign(**answers)
            .head(_ROWS)
            .to_html(index=False, border=0, na_rep="–", float_format=_digits)
        )
        return (
            '<p class="lead">Print this page, and you get the sheet above, on one A4. What follows'
            f" is on the screen only.</p><h2>Table</h2><p>What <code>script.py</code> prints.{some}"
            f' More in <code>tables/</code>.</p><div class="scroll">{shown}</div>'
            f"<h2>Guarantee</h2>{view.words.get('guarantee', '')}"
            f"<h2>Privacy label in full</h2>{_full(found)}"
        )


def elsewhere(
    settings: Settings, name: str, changes: Mapping[str, Mapping[str, Any]]
) -> tuple[Any, Any]:
    """Return two other values of a slider, within its limits: one lower and one higher where there
    is room either way.
    """
    low, high = settings.limits[name]
    now, look = getattr(settings, name), {**SLIDERS[name], **changes.get(name, {})}
    logs = look.get("scale") == "log" and low > 0
    wanted = (
        (now / 4, now * 4, now / 16, now * 16)
        if logs
        else ((now + low) / 2, (now + high) / 2, (now + 3 * low) / 4, (now + 3 * high) / 4)
    )
    whole = isinstance(low, int)
    rounded = (round(one) if whole else float(f"{one:.2g}") for one in wanted)
    found = dict.fromkeys(one for one in rounded if low <= one <= high and one != now)
    one, other = ([*found, low, high])[:2]
    return one, other


def _document(title: str, body: str) -> str:
    sheets = (single_file.CHART_RULES, single_file.HERE / "handout.css", attacker_icons.RULES)
    return single_file.document(
        title, body, style="".join(one.read_text("utf-8") for one in sheets), width="794"
    )


def _section(title: str, body: str, kind: str) -> str:
    return f'<section class="{kind}"><h2>{title}</h2>{body}</section>' if body else ""


def _void(found: Label) -> str:
    return (
        f'<p class="void">{SAYS("handout.void", why=escape(found.void))}</p>' if found.void else ""
    )


def _short(found: Label) -> str:
    epsilon, delta, mu_ = (found[name] for name in ("epsilon", "delta", "mu"))
    pair = str(epsilon)
    if isinstance(epsilon, float) and isinstance(delta, float):
        pair = f"epsilon {panels.number(epsilon)}, delta {delta_text(delta)}"
        pair += f", mu {panels.number(mu_)}" if isinstance(mu_, float) else ""
    rows = [(words, escape(str(found[name]))) for name, words in _ON_SHEET.items()]
    whose = found["neighbours"]
    rows.insert(
        2, ("Guarantee", f"<b>{pair}</b>" + f"; {escape(str(whose))}" * (whose != NOT_STATED))
    )
    if found["columns"] != NOT_STATED:
        rows.insert(-2, ("Bounds", escape(str(found["bounds"]))))
    rows.append(("Not covered", SAYS["handout.open"]))
    return _section("Privacy label", _facts(rows), "label" + " voided" * bool(found.void))


def _full(found: Label) -> str:
    sections: dict[str, list[tuple[str, str]]] = {}
    for section, words, said in found.rows():
        sections.setdefault(section, []).append((words, escape(said)))
    return "".join(f"<h3>{section}</h3>{_facts(rows)}" for section, rows in sections.items())


def _facts(rows: list[tuple[str, str]]) -> str:
    return (
        f"<dl>{''.join(f'<div><dt>{words}</dt><dd>{said}</dd></div>' for words, said in rows)}</dl>"
    )


def _digits(value: float) -> str:
    return "∞" if value == math.inf else panels.format_number(value, digits=4)

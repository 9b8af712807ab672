"""The tab *What if* of a topic's page, with questions about its settings."""

from collections.abc import Mapping
from itertools import zip_longest
from types import MappingProxyType

from dpcore import check
from dpcore.check import RefusedError
from lab.experiment.links import changed, compact
from lab.experiment.settings import Settings
from pages.what_if.formats import slider_label
from pages.what_if.measurements import BALANCED, uses_made_up_rows, usual_target
from pages.what_if.settings import BASE_SEPARATOR, CURVE, REPEATS, WhatIfSettings
from pages.what_if.texts_question import target_slider
from pages.what_if.topics import STARTS
from ui.page.page import Page, QuestionTab
from ui.session import page_links
from ui.session.page_state import PageState
from ui.text.escaping import quoted

# Fields of the question in the address of a topic, and what separates them and their values.
LINK_FIELDS = ("slider", "measure", "target", "repeats")
LINK_SEPARATOR = " "
# Of each measure, the first target is the usual one.
_USUAL_TARGETS: Mapping[str, float] = MappingProxyType({})


class TopicQuestions:
    """The questions about one topic in the tab *What if* of its page.

    The address of the page contains what differs from the first question, as pairs of field and
    value. ``targets`` of a method are first targets by measure, if they are not the usual ones.

    name: of the topic.
    kind: the type of the settings of questions.
    """

    def __init__(self, name: str, kind: type[WhatIfSettings]):
        self.name = name
        self.kind = kind
        self.start = STARTS[name]

    def question(
        self, settings: Settings, link: str, targets: Mapping[str, float] = _USUAL_TARGETS
    ) -> WhatIfSettings:
        """Return the question that an address contains, about settings of the topic."""
        question, _ = self._read(settings, link, targets)
        return question

    def notices(self, settings: Settings, link: str) -> list[str]:
        """Return a notice (markdown) for each part of an address that is ignored."""
        _, notices = self._read(settings, link, _USUAL_TARGETS)
        return notices

    def _read(
        self, settings: Settings, link: str, targets: Mapping[str, float]
    ) -> tuple[WhatIfSettings, list[str]]:
        """Return the question of an address, and the notices about it."""
        question = self._first_question(settings, targets)
        texts = []
        if link:
            texts = link.split(LINK_SEPARATOR)
        pairs = list(zip_longest(texts[::2], texts[1::2], fillvalue=""))
        if len(pairs) > len(LINK_FIELDS):
            most = len(LINK_FIELDS)
            notice = f"The link's question was ignored. It must have at most {most} fields."
            return question, [notice]
        notices = []
        for field, value in pairs:
            try:
                question = changed(question, check.choice(LINK_FIELDS, field=field), value)
                if field == "measure":
                    question = _with_first_target(question, targets)
            except RefusedError as refusal:
                pair = quoted(f"{field} {value}".strip())
                allowed = f"{refusal.name} must be {refusal.allowed}"
                notices.append(f"In the link's question, {pair} was ignored. {allowed}.")
        return question, notices

    def _first_question(self, settings: Settings, targets: Mapping[str, float]) -> WhatIfSettings:
        """Return the question that an address without one asks.

        About made-up rows it is about balanced accuracy, if that is measured: they cannot show
        whether one class is more frequent in the file.
        """
        question = self.kind().change(
            question=CURVE,
            topic=self.name,
            base=compact(settings, separator=BASE_SEPARATOR),
            target=usual_target(settings, self.start.target),
        )
        if uses_made_up_rows(settings) and BALANCED in settings.experiment.measures:
            question = question.change(measure=BALANCED)
        return _with_first_target(question, targets)

    def link(
        self,
        question: WhatIfSettings,
        targets: Mapping[str, float] = _USUAL_TARGETS,
        before: WhatIfSettings | None = None,
    ) -> str:
        """Return the text of a question in the address.

        before: the question before. A new measure has its own first target.
        """
        usual = self.question(question.topic_settings, "", targets)
        texts = []
        if question.measure != usual.measure:
            texts.append(f"measure{LINK_SEPARATOR}{question.measure}")
            usual = self.question(question.topic_settings, texts[0], targets)
        has_new_measure = before is not None and before.measure != question.measure
        for field in LINK_FIELDS:
            if field == "target" and has_new_measure:
                continue
            value = getattr(question, field)
            if value != getattr(usual, field):
                texts.append(f"{field}{LINK_SEPARATOR}{value}")
        return LINK_SEPARATOR.join(texts)


def _with_first_target(question: WhatIfSettings, targets: Mapping[str, float]) -> WhatIfSettings:
    """Return a question with the first target of its measure, if ``targets`` have one."""
    return question.change(target=targets.get(question.measure, question.target))


def question_tab(name: str, planner: Page) -> QuestionTab | None:
    """Return the tab *What if* of a topic, or None if no questions can be asked about it."""
    if name not in STARTS:
        return None
    questions = TopicQuestions(name, planner.settings)  # type: ignore[arg-type]  # of the planner
    return QuestionTab(
        planner,
        questions.question,
        questions.link,
        questions.notices,
        controls=controls,
    )


def controls(state: PageState) -> None:
    """Render the controls of a question in the tab *What if*, and the link to the planner.

    There is no link if the question is about a visitor's file, which no address can contain.
    """
    settings = state.settings
    state.choose("slider", "Vary", {name: slider_label(name) for name in settings.sliders})
    choose_measure(state)
    choose_runs(state)
    target = target_slider(settings)
    state.number("target", label=str(target["label"]), unit=str(target.get("unit", "")))
    if settings.base_names_file:
        return
    planned = settings.change(question="smallest")
    page_links.settings_link("what-if", "Open on the page What if", planned)


def choose_measure(state: PageState) -> None:
    """Render the choice of the measure."""
    measures = state.settings.topic_settings.experiment.measures
    state.choose("measure", "Measure", {name: measure.label for name, measure in measures.items()})


def choose_runs(state: PageState) -> None:
    """Render the number of runs of each setting."""
    state.choose("repeats", "Runs", {count: str(count) for count in REPEATS}, wide=True)

"""Compute what a page shows now: its result, the pinned one, and the answer to its question."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from lab.experiment.settings import Settings
from ui.compute.runner import compute
from ui.page import differences
from ui.page.page import Page
from ui.page.pinned_charts import with_overlay
from ui.page.tabs import ANSWER, ASK_TAB
from ui.page.view import Rows, View
from ui.text import mu_text

# The share of the work that is done where only a mu is missing.
_ALL_BUT_MU = 0.99


@dataclass(frozen=True, kw_only=True)
class Screen:
    """What a page shows now.

    Attributes:
        page: The page as it is with the present settings, A.
        result: The result of A.
        view: The view of this result.
        done: The share of the work for all of it that is done.
        pinned: The view of the pinned settings, B, if they have the same page.
        comparison: CSS selector -> HTML of the parts of the comparison that follow the sliders.
        answer: The view of the answer to the question about A, if it is in sight.
    """

    page: Page
    result: Any
    view: View
    done: float
    pinned: View | None = None
    comparison: Mapping[str, str] = field(default_factory=dict)
    answer: View | None = None

    def charts(self, tab: str) -> dict[str, Rows]:
        """Return board -> its rows of charts, with those of B, while this tab is open."""
        boards = {}
        for name in self.page.boards(tab):
            rows = self.view.boards[name]
            if self.pinned is not None:
                rows = with_overlay(rows, self.pinned.boards[name])
            boards[name] = rows
        if self.answer is not None:
            boards |= self.answer.boards
        return boards

    def texts(self, tab: str) -> dict[str, str]:
        """Return CSS selector -> HTML of all that follows the sliders, while this tab is open."""
        texts = {**self.page.tab_texts(self.view, tab), **self.comparison}
        if self.answer is not None:
            texts[f".lab-words-{ANSWER}"] = self.answer.texts[ANSWER]
        return texts


def make_screen(
    page: Page,
    settings: Settings,
    pinned: Settings | None,
    *,
    seconds: float,
    tab: str = "",
    ask: str = "",
    resting: bool = False,
) -> Screen:
    """Return what a page shows after some seconds of work.

    Work for the settings goes first, then that for the pinned ones, then that for the question.

    Args:
        page: The page.
        settings: The present settings, A.
        pinned: The pinned settings, B.
        seconds: CPU seconds for work. With 0 only essential work is done.
        tab: The name of the tab that is open. The question is answered in its own tab only.
        ask: The question about the settings (``Address.ask``).
        resting: Whether nothing moves. A mu in the open tab is computed last, and only then.
    """
    screen = _compared(page, settings, pinned, seconds=seconds)
    screen = _with_mu(screen, tab, resting=resting)
    question_tab = screen.page.question_tab
    if question_tab is None or tab != ASK_TAB.name:
        return screen
    base, targets = question_base(screen, settings)
    if base is None:
        return screen
    question = question_tab.about(base, ask, targets)
    if question is None:
        return screen
    if screen.done < 1:
        seconds = 0
    answer, answer_done = compute(question, seconds=seconds)
    return replace(
        screen,
        answer=question_tab.view(answer),
        done=(screen.done + answer_done) / 2,
    )


def _with_mu(screen: Screen, tab: str, *, resting: bool) -> Screen:
    """Return the screen with the mu of the open tab, if all else is done and nothing moves."""
    names = screen.page.tab(tab).texts
    if screen.done < 1 or not mu_text.is_pending(screen.view.texts, names):
        return screen
    if not resting:
        return replace(screen, done=_ALL_BUT_MU)
    # Another view, because this one holds the texts without it.
    screen = replace(screen, view=screen.page.view(screen.result))
    mu_text.compute(screen.view.texts, names)
    return screen


def question_base(
    screen: Screen, settings: Settings
) -> tuple[Settings | None, Mapping[str, float]]:
    """Return the settings that a question is about, and measure -> the target that it starts with.

    No question reads private rows. It is about made-up rows in their place, and the settings are
    None where none can be made up.
    """
    if not settings.uses_file:
        return settings, screen.page.content.first_targets(screen.result)
    made_up = settings.made_up
    if made_up is None:
        return None, {}
    result, _ = compute(made_up, seconds=0)
    return made_up, screen.page.content.first_targets(result)


def _compared(page: Page, settings: Settings, pinned: Settings | None, *, seconds: float) -> Screen:
    """Return the screen of the settings, beside the pinned ones if there are any."""
    page_a = page.at(settings)
    result, done = compute(settings, seconds=seconds)
    screen = Screen(page=page_a, result=result, view=page_a.view(result), done=done)
    if pinned is None:
        return screen
    if done < 1:
        seconds = 0
    page_b = page.at(pinned)
    pinned_result, pinned_done = compute(pinned, seconds=seconds)
    view_b = page_b.view(pinned_result)
    overlaid_view = None
    if page_b is page_a:
        overlaid_view = view_b
    all_done = done == 1 and pinned_done == 1
    return replace(
        screen,
        pinned=overlaid_view,
        done=(done + pinned_done) / 2,
        comparison=_comparison(screen, settings, pinned, view_b, done=all_done),
    )


def _comparison(
    screen: Screen, a: Settings, b: Settings, view_b: View, *, done: bool
) -> dict[str, str]:
    """Return CSS selector -> HTML of the parts of the comparison that follow the sliders."""
    field_texts = partial(differences.slider_texts, changes=screen.page.slider_layout(a).changes)
    runs = differences.run_difference(a, b, done=done)
    rows = [
        *differences.settings_rows(a, b, field_texts),
        *differences.tile_rows(screen.view.tiles, view_b.tiles, runs),
    ]
    return {
        differences.ROWS: differences.rows_html(rows),
        differences.SENTENCE: differences.comparison_sentence(runs, a, b, done=done),
    }

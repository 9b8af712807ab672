"""What does privacy cost a regression?"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lab.data.regression import SOURCES
from lab.experiment.data_settings import OWN
from pages.regression import charts, texts
from pages.regression.result import RegressionResult
from pages.regression.settings import OPTIONS, RegressionSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, always, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, WHY_TAB, Tab
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels
from ui.widgets import Chart, row

PROGRAM = Path(__file__).with_name("program.txt").read_text("utf-8")
TITLES = {name: source.title for name, source in SOURCES.items()}
# Heights of the charts in the first screen and in the tabs, in pixels.
HEIGHT = 455
COEFFICIENTS_HEIGHT = 380
MAIN_SLIDERS = ("rows", "features", "label_top")
MORE_SLIDERS = ("delta", "repeats", "seed")
TUNING_LABELS = {"rule": "By rule", "own": "By hand"}
# Where the target of a question starts on the way from least squares to the baseline.
TARGET = 0.1


def main_choices(state: PageState) -> None:
    """Show the choices of the data set, of the method and, if it has any, of its options."""
    state.choose("dataset", "Data", {**TITLES, OWN: "My data"})
    state.choose("mechanism", "Method", charts.METHODS, help=texts.HELP["mechanism"])
    if state.settings.mechanism in OPTIONS:
        state.choose("tuning", "Options", TUNING_LABELS, help=texts.HELP["tuning"])


def sliders(settings: RegressionSettings) -> SliderLayout:
    """Return the sliders, with the options of the method that are set by hand."""
    main = (*MAIN_SLIDERS, *settings.options)
    changes: dict[str, dict[str, Any]] = {
        "rows": {},
        "label_top": {"unit": settings.problem.source.unit},
    }
    if settings.by_person:
        changes["rows"]["label"] = "People"
    return SliderLayout(hero="epsilon", main=main, more=MORE_SLIDERS, changes=changes)


def main_charts(result: RegressionResult) -> list[list[Chart]]:
    """Return the errors, the fitted lines and, if the mechanism releases them, the objectives."""
    figures = {"errors": charts.errors(result), "lines": charts.lines(result)}
    least_eigenvalues = result.fits.least_eigenvalues
    if least_eigenvalues is not None:
        figures["objective"] = charts.objective(result, least_eigenvalues)
    return [row(texts.ABOUT, figures, height=HEIGHT, wide={"errors": 1.5}, pair={"lines": True})]


def coefficient_charts(result: RegressionResult) -> list[list[Chart]]:
    """Return the coefficients."""
    figures = {"coefficients": charts.coefficients(result)}
    return [row(texts.ABOUT, figures, height=COEFFICIENTS_HEIGHT)]


def targets(result: RegressionResult) -> Mapping[str, float]:
    """Return the error that a question starts with on made-up rows in place of an uploaded file.

    The question is what noise costs there, so the error is near that of least squares.
    """
    if not result.settings.uses_file:
        return {}
    gap = result.baseline - result.least_squares_error
    error = result.least_squares_error + TARGET * gap
    return {"error": float(f"{error:.3g}")}


def program(settings: RegressionSettings) -> str:
    """Return a Python program that fits one model with these settings."""
    options = settings.options_of(settings.mechanism)
    lines = "".join(f"    {name}={value!r},\n" for name, value in options.items())
    return PROGRAM.format(settings=settings, problem=settings.problem, options=lines)


def downloads(result: RegressionResult) -> Mapping[str, Callable[[], Any]]:
    """Return the name of each download, and the function that makes its data frame."""
    return {"Table": result.table, "All runs": result.runs}


PAGE = Page(
    info=PageInfo(
        name="regression",
        title="Regression",
        icon=":material/show_chart:",
        group="Train",
        question="What does privacy cost a regression?",
        about="Six DP methods for linear regression",
    ),
    settings=RegressionSettings,
    controls=Controls(
        choices=main_choices,
        sliders=sliders,
        suggestion=Suggestion("epsilon", texts.SAYS["move"], low=1),
    ),
    content=Content(
        tiles=texts.numbers,
        texts={
            "verdict": texts.verdict,
            "caption": texts.caption,
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
            "table": texts.table,
        },
        charts=main_charts,
        tabs=(
            WHY_TAB,
            GUARANTEE_TAB,
            Tab("methods", "Table", ("table",)),
            Tab("coefficients", "Coefficients", charts=coefficient_charts),
        ),
        lead=always(texts.LEAD),
        first_targets=targets,
    ),
    exports=Exports(
        downloads=downloads,
        label=labels.label_of("regression", sources=TITLES),
        code=program,
    ),
)

"""What does privacy cost a regression?"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpcore.regression.least_squares import REPAIRS
from lab.data.regression import SOURCES
from lab.experiment.data_settings import OWN
from lab.uploads.made_up import MadeUp
from pages.regression import charts
from pages.regression import texts as say
from pages.regression.experiment import RegressionSettings
from pages.regression.result import RegressionResult
from pages.regression.settings import SPLITTERS, RegressionParameters
from ui import widgets
from ui.page.page import GUARANTEE_TAB, WHY_TAB, Page, SliderLayout, Tab, always, listed
from ui.page.suggestion import Suggestion
from ui.session import page_state
from ui.text import labels

PROGRAM = Path(__file__).with_name("program.txt").read_text("utf-8")
MAIN = ("rows", "features", "label_top")
MORE = ("delta", "repeats", "seed")
# Of the way from least squares to the mean, where a question about made-up rows starts.
_MADE_UP_WAY = 0.1
SPLITS = {"best": "least noise", "own": "by hand"}


def setup(state: page_state.PageState) -> None:
    state.choose(
        "dataset",
        "Data",
        {name: source.title for name, source in SOURCES.items()} | {OWN: "My data"},
    )
    state.choose("mechanism", "Mechanism", charts.METHODS, help=say.HELP["mechanism"])


def more(state: page_state.PageState) -> None:
    state.choose("split", "Budget split", SPLITS, help=say.HELP["split"])
    state.choose("repair", "Repair", REPAIRS, help=say.HELP["repair"])
    source = state.settings.source
    if source is None:
        return
    names = dict(enumerate(source.features[: state.settings.features]))
    state.choose("feature", "Feature of the lines", names)


def sliders(settings: RegressionParameters) -> SliderLayout:
    """Return the sliders, with the share of epsilon where it is set by hand."""
    by_hand = settings.split == "own" and settings.mechanism in SPLITTERS
    changes: dict[str, dict[str, Any]] = {
        "rows": {"label": "People"} if settings.by_person else {},
        "label_top": {"unit": settings.problem.source.unit},
    }
    main = (*MAIN, "share") if by_hand else MAIN
    return SliderLayout(hero="epsilon", main=main, more=MORE, changes=changes)


def pictures(result: RegressionResult) -> list[list[widgets.Chart]]:
    """Draw the errors, the fitted lines, and the noisy objectives of a method that releases one."""
    drawn = {"errors": charts.errors(result), "lines": charts.lines(result)}
    if result.focus.least is not None:
        drawn["objective"] = charts.objective(result)
    about = say.ABOUT
    if result.settings.private:
        about = about | {"lines": say.ABOUT["own_lines"]}
    return [widgets.row(about, drawn, height=455, wide={"errors": 1.5}, pair={"lines": True})]


def methods(result: RegressionResult) -> list[list[widgets.Chart]]:
    """Draw where a method fails, and how two of them divide epsilon."""
    drawn = {"no_minimum": charts.no_minimum(result), "split": charts.split(result)}
    return [widgets.row(say.ABOUT, drawn, height=360)]


def coefficients(result: RegressionResult) -> list[list[widgets.Chart]]:
    """Draw the change of the prediction over each feature."""
    return [widgets.row(say.ABOUT, {"coefficients": charts.coefficients(result)}, height=380)]


def targets(result: RegressionResult) -> Mapping[str, float]:
    """Return where the question which epsilon to choose begins for a visitor's own rows: an RMSE
    midway between that of least squares and that of the mean; of made-up rows, whose loss to noise
    is asked for, a tenth of the way.
    """
    way = _MADE_UP_WAY if isinstance(result.settings.own, MadeUp) else 0.5
    error = result.least_squares + way * (result.mean_error - result.least_squares)
    return {"error": float(f"{error:.3g}")} if result.settings.private else {}


def program(settings: RegressionParameters) -> str:
    share = settings.share_of(settings.mechanism)
    given = f"    share={share!r},\n" if settings.mechanism in SPLITTERS else ""
    return PROGRAM.format(settings=settings, problem=settings.problem, share=given)


PAGE = Page(
    name="regression",
    title="Regression",
    icon=":material/show_chart:",
    group="Train",
    about="Six DP methods for linear regression",
    question="What does privacy cost a regression?",
    settings=RegressionSettings,
    label=labels.label_of("regression", sources={name: one.title for name, one in SOURCES.items()}),
    setup=setup,
    more=more,
    lead=always(say.LEAD),
    move=Suggestion("epsilon", say.SAYS["move"], low=1),
    numbers=say.numbers,
    sliders=sliders,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "table": say.table,
        "coefficients": say.coefficients_table,
    },
    pictures=pictures,
    code=program,
    targets=targets,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("methods", "All methods", ("table",), methods),
        Tab("coefficients", "Coefficients", ("coefficients",), coefficients),
    ),
    frames=lambda result: {"Table": result.table, "All runs": lambda: result.runs},
)

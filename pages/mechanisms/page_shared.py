"""What the pages of one number, many answers and the local model share."""

from collections.abc import Mapping
from typing import Any

from pages.mechanisms import texts
from pages.mechanisms.settings import NUMBER_MECHANISMS, RELEASED
from ui.session.page_state import PageState
from ui.widgets import Chart, explained_chart

# Heights of the charts in the first screen and in tabs, in pixels.
HEIGHT = 455
TAB_HEIGHT = 360
MECHANISM_LABELS = {"laplace": "Laplace", "gaussian": "Gaussian", "classical": "Textbook"}


def main_choices(state: PageState) -> None:
    """Show the choices of what is released and, for one number, of the mechanism."""
    state.choose("answers", "Released", RELEASED, wide=True, help=texts.RELEASED_HELP)
    if state.settings.answers == "one":
        labels = {name: MECHANISM_LABELS[name] for name in NUMBER_MECHANISMS}
        state.choose("mechanism", "Mechanism", labels, wide=True, help=texts.MECHANISMS_HELP)


def chart(
    about: Mapping[str, str],
    name: str,
    figure: Mapping[str, Any],
    *,
    height: int = HEIGHT,
    wide: float = 1.0,
) -> Chart:
    """Return a chart with its help text."""
    return explained_chart(about, name, figure, height=height, wide=wide)

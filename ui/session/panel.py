"""Show the sliders of a page's state."""

from collections.abc import Mapping, Sequence
from typing import Any

from ui import widgets
from ui.compute import debounce
from ui.session.address import MORE
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout


def show_panel(
    state: PageState,
    layout: SliderLayout,
    *,
    done: float,
    marks: Mapping[str, Sequence[tuple[float, str]]] | None = None,
    channel: Mapping[str, Any] | None = None,
    stage: bool = False,
    selectors: bool = False,
    suggestion: Mapping[str, object] | None = None,
) -> None:
    """Mount the slider panel, last in the fragment.

    What stands outside of the live part, such as tables and the address, follows when nothing has
    moved for a moment, and again when all work is done.

    Args:
        state: The page's state.
        layout: The sliders.
        done: The share of the work that is done. Below 1 the browser asks for the next slice.
        marks: As in ``widgets.panel``.
        channel: What a request on the channel is about (``PageState.request_state``), if the page
            has one.
        stage: As in ``widgets.panel``.
        selectors: As in ``widgets.panel``.
        suggestion: As in ``widgets.panel``.
    """
    sliders = layout.sliders(state.settings.limits)
    values = {}
    errors = {}
    for slider in sliders:
        values[slider.name] = getattr(state.settings, slider.name)
        if slider.name in state.errors:
            errors[slider.name] = state.errors[slider.name]
    page_is_behind = state.rendered != (state.settings, done == 1)
    address_is_behind = state.address.link != state.address_params
    widgets.panel(
        sliders,
        values,
        key=f"{state.page}.sliders",
        ack=state.ack,
        session=state.token,
        pending=done < 1,
        behind=page_is_behind or address_is_behind,
        delay=debounce.delay(),
        progress=done,
        errors=errors,
        marks=marks,
        channel=channel,
        stage=stage,
        selectors=selectors,
        suggestion=suggestion,
        unfolded=MORE in state.address.view,
    )

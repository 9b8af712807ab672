"""Show the sliders of a page's state."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from ui.compute import debounce
from ui.session.address import MORE
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.widgets import assets

_MILLISECONDS = 1000


def show_panel(
    state: PageState,
    layout: SliderLayout,
    *,
    done: float,
    marks: Mapping[str, Sequence[tuple[float, str]]] = MappingProxyType({}),
    channel: Mapping[str, Any] | None = None,
    stage: bool = False,
    selectors: bool = False,
    suggestion: Mapping[str, object] | None = None,
) -> None:
    """Mount the slider panel, last in the fragment (``ui.widgets.slider_panel``).

    What stands outside of the live part, such as tables and the address, follows when nothing has
    moved for a moment, and again when all work is done: the panel then asks for a run of the whole
    page. When ``session`` changes, as after a restart of the server, it sends again what differs
    from the values.

    Args:
        state: The page's state.
        layout: The sliders.
        done: The share of the work that is done. Below 1 the panel asks for the next slice by a
            tick while the person does nothing.
        marks: Slider -> values with a mark on its track, each with a short label.
        channel: What a request on the channel is about (``PageState.request_state``). Movements
            then go by the channel first, and to Streamlit once they rest.
        stage: Whether the panel is one line for a hall.
        selectors: Whether the page shows selectors below the panel while the drawer is open.
        suggestion: The card of the suggested movement (``ui.page.suggestion``).
    """
    sliders = layout.sliders(state.settings.limits)
    names = [slider.name for slider in sliders]
    page_is_behind = state.rendered != (state.settings, done == 1)
    address_is_behind = state.address.link != state.address_params
    rerun_delay = 0
    if page_is_behind or address_is_behind:
        rerun_delay = round(_MILLISECONDS * debounce.delay())
    data = {
        "sliders": [asdict(slider) for slider in sliders],
        "values": {name: getattr(state.settings, name) for name in names},
        "ack": state.ack,
        "session": state.token,
        "pending": done < 1,
        "behind": rerun_delay,
        "progress": done,
        "errors": {name: state.errors[name] for name in names if name in state.errors},
        "marks": {name: list(map(list, slider_marks)) for name, slider_marks in marks.items()},
        "channel": channel,
        "stage": stage,
        "selectors": selectors,
        "suggestion": suggestion,
        "unfolded": MORE in state.address.view,
    }
    assets.mount(
        "sliders",
        css="sliders/panel.css",
        key=f"{state.page}.sliders",
        data=data,
        keeps="movement",
    )

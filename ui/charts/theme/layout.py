"""The layout of figures: margins, title and legend.

Text, grid and background follow the page's theme, which the chart widget fills in.
"""

from typing import Any

from ui.charts.theme.shapes import annotation

# The legend: in rows above the axes.
LEGEND = {
    "orientation": "h",
    "x": 0,
    "xanchor": "left",
    "y": 1,
    "yanchor": "bottom",
    "font": {"size": 13},
    "itemclick": False,
    "itemdoubleclick": False,
}
# As wide as a digit.
_FIGURE_SPACE = "\u2007"
# Errors and accuracies are seldom longer than "12,300" or "69.2 %".
_LONGEST_NUMBER = 6
# Margins over the axes, in pixels: without and with a title of the vertical axis.
_TOP_MARGIN = 34
_TOP_MARGIN_WITH_TITLE = 54


def figure(
    *traces: dict,
    title: str = "",
    finding: str = "",
    legend: bool = False,
    left: int = 48,
    right: int = 12,
    **layout: Any,
) -> dict:
    """Return a figure in the app's layout, as plain data.

    Zoom survives redraws as long as ``uirevision`` stays. The title of the vertical axis is written
    above it, from left to right.

    Args:
        traces: Traces in Plotly's terms.
        title: As of ``heading``.
        finding: As of ``heading``.
        legend: Whether the traces with a name (``legend_name``) are listed in rows above the axes,
            where they cover no data (``responsive.js`` lays them out).
        left: Left margin, in pixels.
        right: Right margin, in pixels.
        layout: Further layout in Plotly's terms.
    """
    vertical_text = layout.get("yaxis", {}).get("title", {}).get("text")
    top = _TOP_MARGIN
    if vertical_text:
        top = _TOP_MARGIN_WITH_TITLE
    base = {
        "margin": {"l": left, "r": right, "t": top, "b": 44},
        "showlegend": legend,
        "hovermode": "closest",
        "uirevision": "keep",
        "dragmode": "pan",
        "font": {"size": 13},
    }
    if title:
        base["title"] = heading(title, finding)
    if legend:
        base["legend"] = LEGEND
    for name in ("xaxis", "yaxis", "yaxis2"):
        if "title" in layout.get(name, {}):
            axis_title = {"font": {"size": 13}, "standoff": 8} | layout[name]["title"]
            layout[name] = layout[name] | {"title": axis_title}
    if vertical_text:
        yaxis = dict(layout["yaxis"])
        del yaxis["title"]
        layout["yaxis"] = yaxis
        layout["annotations"] = [vertical_title(vertical_text), *layout.get("annotations", ())]
    return {"data": list(traces), "layout": base | layout}


def heading(name: str, finding: str = "") -> dict:
    """Return the title of a chart: its name in bold at the top left, and what it shows, if any."""
    text = f"<b>{name}</b>"
    if finding:
        text = f"<b>{name}:</b> {finding}"
    return {
        "text": text,
        "font": {"size": 15},
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yanchor": "top",
        "pad": {"t": 6, "l": 2},
    }


def vertical_title(text: str) -> dict:
    """Return the title of the vertical axis, which stands above it."""
    return annotation(
        text, x=0, y=1, size=13, xref="paper", yref="paper", xanchor="left", yanchor="bottom"
    )


def legend_name(name: str, value: str = "") -> str:
    """Return the name of a trace in the legend, with its current value."""
    if not value:
        return name
    return f"{name}  <b>{value}</b>"


def padded(value: str, longest: int = _LONGEST_NUMBER) -> str:
    """Return a number with room for a longer one, so that a legend keeps its rows as it changes."""
    return value.ljust(longest, _FIGURE_SPACE)

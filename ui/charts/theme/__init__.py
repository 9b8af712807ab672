"""The parts of all charts: colours, layout, traces, axes and shapes.

Figures are plain data in Plotly's own terms: a slider redraws hundreds a minute, and Plotly's
Python classes would check each of them anew. The tests check every figure with these classes
instead.
"""

from ui.charts.theme.axes import (
    axis,
    detailed_log_axis,
    epsilon_axis,
    in_axis_units,
    log_axis,
    share_axis,
    stable_log_range,
)
from ui.charts.theme.layout import (
    figure,
    heading,
    legend_name,
    padded,
    vertical_title,
)
from ui.charts.theme.palette import (
    BOUND,
    CLASSES,
    COLOURS,
    CURRENT,
    DASHES,
    GOLD,
    HANDLE,
    MAUVE,
    NAMES,
    NON_PRIVATE,
    ON_SCALE,
    PAGE,
    PINE,
    PRIVATE,
    PUBLIC,
    REGRESSIONS,
    RUST,
    SAGE,
    SOURCES,
    SYMBOLS,
    TEXT_COLOURS,
    THEOREMS,
    WITH_YOU,
    WITHOUT_YOU,
    coloured,
    rgba,
    shades,
)
from ui.charts.theme.shapes import (
    PINNED,
    annotation,
    background,
    diamond,
    dot,
    horizontal_line,
    image,
    mark,
    note,
    path_shape,
    strokes,
    svg_path,
    vertical_line,
)
from ui.charts.theme.traces import (
    array,
    axis_anchor,
    band,
    line,
    markers,
    scatter,
)

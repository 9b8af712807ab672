"""Tables in the same form on all pages; HTML without formulas."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd

from ui.text.tiles import note

# A first column with text of so many letters holds names, which stand at the left.
_LETTERS_OF_NAMES = 3
# A letter, but none of an HTML tag.
_LETTERS = re.compile(r"[A-Za-z](?![^<]*>)")

Rows = pd.DataFrame | Sequence[Mapping[str, Any]]


def table(
    rows: Rows,
    *,
    caption: str,
    heads: Mapping[str, str],
    marked: float | str | None = None,
    title: str = "",
    formats: Mapping[str, Callable[[Any], str]] = MappingProxyType({}),
) -> str:
    """Return a table that can be read, copied and spoken (HTML).

    A first column of names stands at the left, one of numbers at the right as the others do.

    Args:
        rows: A frame, or rows by column.
        caption: A note under the table (HTML).
        heads: Column -> heading (HTML), in order.
        marked: The formatted value in the first column of the row to mark.
        title: A title over the table (HTML).
        formats: Column -> function that formats its values.
    """
    records: Iterable[Mapping[Any, Any]]
    if isinstance(rows, pd.DataFrame):
        records = rows.to_dict("records")
    else:
        records = rows
    formatted_rows = []
    for row in records:
        formatted = dict(row)
        for column, format_value in formats.items():
            formatted[column] = format_value(row[column])
        formatted_rows.append(formatted)
    first = next(iter(heads))
    table_class = "lab-table"
    if any(_is_name(row[first]) for row in formatted_rows):
        table_class = "lab-table lab-named"
    head_cells = "".join(f'<th scope="col">{text}</th>' for text in heads.values())
    body = ""
    for row in formatted_rows:
        cells = "".join(f"<td>{row[column]}</td>" for column in heads)
        if marked is not None and row[first] == marked:
            body += f"<tr class=now>{cells}</tr>"
        else:
            body += f"<tr>{cells}</tr>"
    title_html = ""
    if title:
        title_html = f'<p class="lab-title">{title}</p>'
    return (
        f'{title_html}<div class="lab-scroll" tabindex="0"><table class="{table_class}">'
        f"<thead><tr>{head_cells}</tr></thead><tbody>{body}</tbody></table></div>"
        f"{note(caption)}"
    )


def _is_name(value: Any) -> bool:
    """Return whether a cell holds a name, and no number with a short unit."""
    return isinstance(value, str) and len(_LETTERS.findall(value)) >= _LETTERS_OF_NAMES

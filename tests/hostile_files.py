"""Unusual and hostile text files: what each must be read as, or why it must be refused.

Every file has ``CANARY`` in its cells, which no message and no log may repeat. Content is bytes, or
a text in UTF-8, or a function that makes large content when it is asked for.
"""

import gzip
import io
import zipfile
from collections.abc import Callable
from typing import NamedTuple

Columns = dict[str, list[str]]
Content = bytes | str | Callable[[], bytes]

CANARY = "qzcanaryzq"
# Letters that each encoding has as other bytes.
FOREIGN = "größer"
ROWS = 30


class ReadFile(NamedTuple):
    """A file that must be read.

    Attributes:
        content: The file.
        columns: Cells of each column, as texts.
        has_names: What must be found of the first line: whether it has names; None if unclear.
    """

    content: Content
    columns: Columns
    has_names: bool | None = True

    def data(self) -> bytes:
        """Return the content as bytes."""
        return content_bytes(self.content)


class RefusedFile(NamedTuple):
    """A file that must be refused, with a message that contains ``reason``."""

    content: Content
    reason: str

    def data(self) -> bytes:
        """Return the content as bytes."""
        return content_bytes(self.content)


def content_bytes(content: Content) -> bytes:
    """Return content as bytes: a text in UTF-8, or what a function makes."""
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, bytes):
        return content
    return content()


def columns_of_people(rows: int = ROWS) -> Columns:
    """Return columns with the canary in each text, and in a name."""
    names = []
    ages = []
    spends = []
    plans = []
    for row in range(rows):
        names.append(f"{CANARY} person {row * 7}")
        ages.append(str(20 + row % 50))
        spends.append(f"{row}.5")
        plans.append(("basic", "plus")[row % 2])
    return {"name": names, "age": ages, "spend": spends, f"plan {CANARY}": plans}


def csv_text(
    columns: Columns, separator: str = ",", line_end: str = "\n", *, with_names: bool = True
) -> str:
    """Return columns as lines, every cell as it stands."""
    lines = list(zip(*columns.values(), strict=True))
    if with_names:
        lines.insert(0, tuple(columns))
    return "".join(separator.join(line) + line_end for line in lines)


USUAL = columns_of_people()
TEXT = csv_text(USUAL)


def with_names_column(cells: list[str]) -> Columns:
    """Return the usual columns with other cells in the first one."""
    return {**USUAL, "name": cells}


def renamed(*names: str) -> Columns:
    """Return the usual columns with other names."""
    return dict(zip(names, USUAL.values(), strict=True))


# --- Text that is read ----------------------------------------------------------------------------


ACCENTS = with_names_column([f"{FOREIGN} {name}" for name in USUAL["name"]])
DECIMAL_COMMAS = {**USUAL, "spend": [cell.replace(".", ",") for cell in USUAL["spend"]]}


def everything_quoted() -> str:
    """Return the usual columns with all names and cells in quotes, in lines that end in CR LF."""
    quoted = {}
    for name, cells in USUAL.items():
        quoted[f'"{name}"'] = [f'"{cell}"' for cell in cells]
    return csv_text(quoted, line_end="\r\n")


LAYOUTS = {
    "commas": ReadFile(TEXT, USUAL),
    "bars": ReadFile(csv_text(USUAL, "|"), USUAL),
    "semicolons and decimal commas": ReadFile(csv_text(DECIMAL_COMMAS, ";"), DECIMAL_COMMAS),
    "mixed line ends": ReadFile(TEXT.replace("\n", "\r\n", 9), USUAL),
    "blank lines": ReadFile("\n\n" + csv_text(USUAL, line_end="\n\n"), USUAL),
    "300,000 blank lines above": ReadFile("\n" * 300_000 + TEXT, USUAL),
    "the end of a DOS file": ReadFile(TEXT + "\x1a", USUAL),
    "everything quoted": ReadFile(everything_quoted(), USUAL),
    "two marks of UTF-8, and quotes": ReadFile(
        "\ufeff\ufeff" + TEXT.replace("name", '"name"', 1), USUAL
    ),
    "lone CR, and line ends in quotes": ReadFile(
        'a,b\r"x\ny",1\rz,2\r"w\r\nv",3\r',
        {"a": ["x\ny", "z", "w\r\nv"], "b": ["1", "2", "3"]},
    ),
}
ENCODINGS = {
    "Unicode text of a table program": ReadFile(
        csv_text(ACCENTS, "\t", "\r\n").encode("utf-16"), ACCENTS
    ),
    "UTF-16, large end first": ReadFile(
        b"\xfe\xff" + csv_text(ACCENTS).encode("utf-16-be"), ACCENTS
    ),
    "Windows-1252": ReadFile(csv_text(ACCENTS).encode("cp1252"), ACCENTS),
}


def with_cell(cell: str) -> ReadFile:
    """Return a file in which a cell stands as it is, in every row."""
    columns = with_names_column([cell] * ROWS)
    return ReadFile(csv_text(columns), columns)


def with_quoted_cell(cell: str) -> ReadFile:
    """Return a file in which a cell stands in quotes, in every row."""
    quoted = '"' + cell.replace('"', '""') + '"'
    return ReadFile(csv_text(with_names_column([quoted] * ROWS)), with_names_column([cell] * ROWS))


CELLS = {
    "many scripts": with_cell(f"{CANARY} 名前 Ünï שלום 😀 \u2028"),
    "control characters": with_cell("\x1b[31m \x0b \x08"),
    "inches": with_cell(f'{CANARY} 5" or 5\' 4"'),
    "spaces around": with_cell(f"  {CANARY}  "),
    "a cell of 100,000 letters": with_cell(CANARY * 10_000),
    "nothing": with_cell(""),
    "a mark of UTF-8 in the midst": with_cell("\ufeffann"),
    "all that may stand in quotes": with_quoted_cell(
        f'"{CANARY}" said ""; a, b | c\td\none\r\ntwo\n\nthree'
    ),
    "empty quotes": with_quoted_cell(""),
    "formulas": with_quoted_cell(f"=cmd|' /C calc'!A1 {CANARY},=1+1"),
}

# --- Names, and files without them ----------------------------------------------------------------


WORDS = {
    "one": [f"word{row} {CANARY}" for row in range(40)],
    "two": [f"other{row} words" for row in range(40)],
}
PAIRS = {
    "column 1": ["0,5", "1,5"] * 2,
    "column 2": ["3,1", "4,1"] * 2,
    "column 3": ["9,9", "8,8"] * 2,
}
YEARS = {
    "2019": ["5", "6", "7"] * 20,
    "2020": ["8", "9", "1"] * 20,
    "town": ["Ulm", "Bonn", "Kiel"] * 20,
}
LONG_NAMES = [f"{CANARY} {column} " + "long " * 40 for column in range(4)]


def one_name_for_50_columns() -> ReadFile:
    """Return a file of 50 columns named x, which are read as x, x (2), x (3) and so on."""
    columns = {"x": ["1"] * 3}
    for number in range(2, 51):
        columns[f"x ({number})"] = [str(number)] * 3
    names = ",".join(["x"] * 50)
    return ReadFile(names + "\n" + csv_text(columns, with_names=False), columns)


def two_hundred_columns() -> ReadFile:
    """Return a file of 200 columns and two rows."""
    columns = {f"c{column}": [f"{column}.25", f"{column}.5"] for column in range(200)}
    return ReadFile(csv_text(columns), columns)


NAMES = {
    "no names": ReadFile(
        csv_text(USUAL, with_names=False),
        renamed("column 1", "column 2", "column 3", "column 4"),
        has_names=False,
    ),
    "decimal commas in each cell, no names": ReadFile(
        csv_text(PAIRS, ";", with_names=False), PAIRS, has_names=False
    ),
    "names or words": ReadFile(csv_text(WORDS), WORDS, has_names=None),
    "years as names": ReadFile(csv_text(YEARS), YEARS, has_names=None),
    "names twice and missing": ReadFile(
        TEXT.replace(",".join(USUAL), "name,name,,  "),
        renamed("name", "name (2)", "column 3", "column 4"),
    ),
    "one name for 50 columns": one_name_for_50_columns(),
    "long names": ReadFile(
        csv_text(renamed(*LONG_NAMES)),
        renamed(*(" ".join(name.split())[:80] for name in LONG_NAMES)),
    ),
    "names with marks that are not seen": ReadFile(
        csv_text(renamed("\u202ename", "a\u200fge", "spend\x1b", f"plan {CANARY}\u2066")), USUAL
    ),
    "another separator in a name": ReadFile(
        TEXT.replace("age", "age;years", 1),
        renamed("name", "age;years", "spend", f"plan {CANARY}"),
    ),
    "200 columns": two_hundred_columns(),
}

# --- Text that is refused -------------------------------------------------------------------------


SIZES_REFUSED = {
    "nothing": RefusedFile("", "This file is empty"),
    "blank lines only": RefusedFile("\n\r\n  " * 50, "This file is empty"),
    "one row": RefusedFile(f"name,age\n{CANARY},5\n", "fewer than 2 rows"),
    "one line that ends nowhere": RefusedFile(
        csv_text(USUAL, line_end="\x0b"), "fewer than 2 rows"
    ),
    "one column": RefusedFile(f"name\n{CANARY}\n{CANARY}\n", "fewer than 2 columns"),
    "201 columns": RefusedFile(
        csv_text({f"{CANARY}{column}": ["1", "2"] for column in range(201)}),
        "more than 200 columns",
    ),
    "1,000,001 rows": RefusedFile(
        lambda: b"a,b\n" + b"1,2\n" * 1_000_001, "more than 1,000,000 rows"
    ),
    "100 MB and a byte": RefusedFile(
        lambda: (f"{CANARY},2\n".encode() * 7_700_000)[:100_000_001], "more than 100 MB"
    ),
    "a line of 6 MB": RefusedFile(
        csv_text({f"{CANARY}{column}": ["x" * 30_000] * 3 for column in range(200)}),
        "letters a line",
    ),
}
LINES_REFUSED = {
    "a line too long": RefusedFile(
        f"{TEXT}{CANARY},1,2\n", "Line 32 has 3 fields, where the first line has 4"
    ),
    "a line too short below line breaks": RefusedFile(
        TEXT.replace("name,", '"na\n\nme",', 1) + f"\n\n{CANARY}\n",
        "Line 36 has 1 field, where the first line has 4",
    ),
    "a title above": RefusedFile(f"Report of {CANARY}\n\n{TEXT}", "without a title above it"),
    "a title above semicolons": RefusedFile(
        f"{CANARY}\nMay\n" + csv_text(USUAL, ";"), "without a title above it"
    ),
    "comments above": RefusedFile(
        f"\n# {CANARY}, a\n# b; c, d, e, f, g\n\n{TEXT}",
        "Line 3 has 5 fields, where the first line has 2",
    ),
    "a comment of two separators above": RefusedFile(
        f"# a; b, {CANARY}\n{TEXT}", "two kinds of separators"
    ),
    "two separators": RefusedFile(
        f"name;{CANARY},age\n" + f"{CANARY};b,c\n" * ROWS, "two kinds of separators"
    ),
    "an open quote": RefusedFile(f'{TEXT}"{CANARY},1,2,x\n{TEXT}', "end well in line 63"),
    "quotes only": RefusedFile('"' * 100_001, "end well in line 1"),
    "letters after a quote": RefusedFile(f'{TEXT}"{CANARY}" and on,1,2,x\n', "end well in line 32"),
    "a cell of 200,000 letters": RefusedFile(
        f"{TEXT}{CANARY * 20_000},1,2,x\n", "end well in line 32"
    ),
}


def refused_encoding(word: str, encoding: str) -> RefusedFile:
    """Return a file with a word in an encoding that is not read."""
    columns = with_names_column([f"{CANARY} {word}"] * ROWS)
    return RefusedFile(csv_text(columns).encode(encoding), "no text in UTF-8")


FOREIGN_TEXT = csv_text(with_names_column([f"{FOREIGN} {CANARY}"] * ROWS)).encode()
ENCODINGS_REFUSED = {
    "cp932": refused_encoding("テスト商品", "cp932"),
    "gb18030": refused_encoding("非常好的产品", "gb18030"),
    "cp949": refused_encoding("아주 좋은 제품", "cp949"),
    "Cyrillic": RefusedFile(
        TEXT.replace("person", "человек и другие слова").encode("cp1251"), "no text in UTF-8"
    ),
    "no letters": RefusedFile(
        TEXT.encode().replace(b"person", b"\x81\x8d\x8f"), "no text in UTF-8"
    ),
    "a nul": RefusedFile(f"{TEXT}\0{CANARY},1,2,x\n", "no text in UTF-8"),
    "half of UTF-16": RefusedFile(TEXT.encode("utf-16")[:-1], "no text in UTF-8"),
    "UTF-8 with a fault": RefusedFile(FOREIGN_TEXT + b"\xc3,1,2,x\n", "has faulty letters"),
    "cut off in a letter": RefusedFile(FOREIGN_TEXT + b"\xc3", "has faulty letters"),
}


def workbook() -> bytes:
    """Return a zip archive with a file named like the sheet of an Excel workbook."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", f"<c>{CANARY}</c>" * 500)
    return data.getvalue()


FORMATS_REFUSED = {
    "gzip": RefusedFile(gzip.compress(TEXT.encode()), "compressed"),
    "a workbook": RefusedFile(workbook(), "Excel"),
    "an old workbook": RefusedFile(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + CANARY.encode(), "Excel"),
    "PDF": RefusedFile(f"%PDF-1.7\n{CANARY}", "PDF"),
    "JSON": RefusedFile(f'[{{"name": "{CANARY}", "age": 1}},\n' * ROWS, "JSON"),
    "HTML": RefusedFile(f"<!DOCTYPE html>\n<table><tr><td>{CANARY}</td></tr></table>", "HTML"),
    "a Markdown table": RefusedFile(
        f"| name | age |\n| --- | ---: |\n| {CANARY} | 5 |\n| b | 6 |\n", "Markdown"
    ),
}

READ_TEXTS: dict[str, ReadFile] = {**LAYOUTS, **ENCODINGS, **CELLS, **NAMES}
REFUSED_TEXTS: dict[str, RefusedFile] = {
    **SIZES_REFUSED,
    **LINES_REFUSED,
    **ENCODINGS_REFUSED,
    **FORMATS_REFUSED,
}

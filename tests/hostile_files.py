"""Unusual and hostile files of rows: name -> what they must be read as, or why they must be
refused.
"""

import datetime
import decimal
import gzip
import io
import zipfile
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet

CANARY = "qzcanaryzq"
# Letters that only one code has as these bytes.
FOREIGN = "größer"


class File(NamedTuple):
    """A table as bytes, when asked for. columns: what each column must be read as; or ``refused``,
    what must be said.

    head: what must be found of the first line.
    """

    make: Callable[[], bytes]
    columns: dict[str, list[str]] | None = None
    refused: str = ""
    head: bool | None = True


def people(rows: int = 30) -> dict[str, list[str]]:
    """Columns with a canary in each text, and in a name."""
    count = range(rows)
    return {
        "name": [f"{CANARY} person {n * 7}" for n in count],
        "age": [str(20 + n % 50) for n in count],
        "spend": [f"{n}.5" for n in count],
        f"plan {CANARY}": [("basic", "plus")[n % 2] for n in count],
    }


USUAL = people()


def written(
    columns: dict[str, list[str]], sep: str = ",", end: str = "\n", *, head: bool = True
) -> str:
    """The columns as lines, cell by cell as they stand."""
    lines = [*([list(columns)] if head else []), *zip(*columns.values(), strict=True)]
    return "".join(sep.join(line) + end for line in lines)


TEXT = written(USUAL)


def made(content: str | bytes, columns: dict[str, list[str]] | None = None, **more) -> File:
    return File(lambda: content.encode() if isinstance(content, str) else content, columns, **more)


def tables() -> dict[str, File]:
    """Name -> file, of odd and hostile tables; the large ones are made when they are asked for."""
    read = {name: made(*file) for name, file in (_read() | _parquets_read()).items()}
    all_refused = _refused() | _parquets_refused()
    return (
        read
        | {name: made(one, refused=said) for name, (one, said) in all_refused.items()}
        | _heads()
        | _large()
    )


def _read() -> dict[str, tuple[str | bytes, dict[str, list[str]]]]:
    accents = USUAL | {"name": [f"{FOREIGN} {name}" for name in USUAL["name"]]}
    commas = USUAL | {"spend": [cell.replace(".", ",") for cell in USUAL["spend"]]}
    cells = {
        "many scripts": f"{CANARY} 名前 Ünï שלום 😀 \u2028",
        "control characters": "\x1b[31m \x0b \x08",
        "inches": f'{CANARY} 5" or 5\' 4"',
        "spaces around": f"  {CANARY}  ",
        "a cell of 100,000 letters": CANARY * 10_000,
        "nothing": "",
        "a mark of UTF-8 in the midst": "\ufeffann",
    }
    quoted = {
        "all that may stand in quotes": f'"{CANARY}" said ""; a, b | c\td\none\r\ntwo\n\nthree',
        "empty quotes": "",
        "formulas": f"=cmd|' /C calc'!A1 {CANARY},=1+1",
    }
    columns = {name: USUAL | {"name": [cell] * 30} for name, cell in (cells | quoted).items()}
    found = {name: (written(columns[name]), columns[name]) for name in cells}
    for name, cell in quoted.items():
        shown = '"' + cell.replace('"', '""') + '"'
        found[name] = (written(USUAL | {"name": [shown] * 30}), columns[name])
    every = {f'"{name}"': [f'"{cell}"' for cell in column] for name, column in USUAL.items()}
    codes = {
        "Unicode text of a table program": written(accents, "\t", "\r\n").encode("utf-16"),
        "UTF-16, large end first": b"\xfe\xff" + written(accents).encode("utf-16-be"),
        "Windows-1252": written(accents).encode("cp1252"),
    }
    usual = {
        "commas": TEXT,
        "bars": written(USUAL, "|"),
        "two marks of UTF-8, and quotes": b"\xef\xbb\xbf" * 2
        + TEXT.replace("name", '"name"', 1).encode(),
        "mixed line ends": TEXT.replace("\n", "\r\n", 9),
        "blank lines": "\n\n" + written(USUAL, end="\n\n"),
        "300,000 blank lines above": "\n" * 300_000 + TEXT,
        "the end of a DOS file": TEXT + "\x1a",
        "the separator declared": "sep=;\r\n" + written(USUAL, ";"),
        "everything quoted": written(every, end="\r\n"),
    }
    found["semicolons and decimal commas"] = (written(commas, ";"), commas)
    ends = {"a": ["x\ny", "z", "w\r\nv"], "b": ["1", "2", "3"]}
    found["lone CR, and line ends in quotes"] = ('a,b\r"x\ny",1\rz,2\r"w\r\nv",3\r', ends)
    found |= {name: (text, accents) for name, text in codes.items()}
    return found | {name: (text, USUAL) for name, text in usual.items()}


def _heads() -> dict[str, File]:
    """What is found of the first line, and what becomes of names."""

    def renamed(*names: str) -> dict[str, list[str]]:
        return dict(zip(names, USUAL.values(), strict=True))

    words = {
        "one": [f"word{n} {CANARY}" for n in range(40)],
        "two": [f"other{n} words" for n in range(40)],
    }
    pairs = {
        "column 1": ["0,5", "1,5"] * 2,
        "column 2": ["3,1", "4,1"] * 2,
        "column 3": ["9,9", "8,8"] * 2,
    }
    years = {
        "2019": ["5", "6", "7"] * 20,
        "2020": ["8", "9", "1"] * 20,
        "town": ["Ulm", "Bonn", "Kiel"] * 20,
    }
    wide = {f"c{n}": [f"{n}.25", f"{n}.5"] for n in range(200)}
    same = {f"x ({n})" if n > 1 else "x": [str(n)] * 3 for n in range(1, 51)}
    long = [f"{CANARY} {n} " + "long " * 40 for n in range(4)]
    marked = renamed("\u202ename", "a\u200fge", "spend\x1b", f"plan {CANARY}\u2066")
    numbered = renamed(*(f"column {n}" for n in range(1, 5)))
    twice, other = (
        renamed("name", "name (2)", "column 3", "column 4"),
        renamed("name", "age;years", *[*USUAL][2:]),
    )
    return {
        "no names": made(written(USUAL, head=False), numbered, head=False),
        "decimal commas in each cell, no names": made(
            written(pairs, ";", head=False), pairs, head=False
        ),
        "names or words": made(written(words), words, head=None),
        "years as names": made(written(years), years, head=None),
        "names twice and missing": made(TEXT.replace(",".join(USUAL), "name,name,,  "), twice),
        "one name for 50 columns": made(
            ",".join(["x"] * 50) + "\n" + written(same, head=False), same
        ),
        "long names": made(
            written(renamed(*long)), renamed(*(" ".join(name.split())[:80] for name in long))
        ),
        "names with marks that are not seen": made(written(marked), USUAL),
        "another separator in a name": made(TEXT.replace("age", "age;years", 1), other),
        "200 columns": made(written(wide), wide),
    }


def _refused() -> dict[str, tuple[str | bytes, str]]:
    accents = written(USUAL | {"name": [f"{FOREIGN} {CANARY}"] * 30}).encode()
    packed, breaks = io.BytesIO(), TEXT.replace("name,", '"na\n\nme",', 1)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", f"<c>{CANARY}</c>" * 500)
    asian = {
        code: (
            written(USUAL | {"name": [f"{CANARY} {word}"] * 30}).encode(code),
            "no text in UTF-8",
        )
        for code, word in {
            "cp932": "テスト商品",
            "gb18030": "非常好的产品",
            "cp949": "아주 좋은 제품",
        }.items()
    }
    return asian | {
        "nothing": ("", "This file is empty"),
        "blank lines only": ("\n\r\n  " * 50, "This file is empty"),
        "one row": (f"name,age\n{CANARY},5\n", "fewer than 2 rows"),
        "one column": (f"name\n{CANARY}\n{CANARY}\n", "fewer than 2 columns"),
        "201 columns": (
            written({f"{CANARY}{n}": ["1", "2"] for n in range(201)}),
            "more than 200 columns",
        ),
        "a line too long": (
            f"{TEXT}{CANARY},1,2\n",
            "Line 32 has 3 fields, where the first line has 4",
        ),
        "a line too short below line breaks": (
            f"{breaks}\n\n{CANARY}\n",
            "Line 36 has 1 field, where the first line has 4",
        ),
        "a short line below a declared separator": (
            f"sep=,\n{TEXT}{CANARY}\n",
            "Line 33 has 1 field, where the first line has 4",
        ),
        "a title above": (f"Report of {CANARY}\n\n{TEXT}", "without a title above it"),
        "a title above semicolons": (
            f"{CANARY}\nMay\n" + written(USUAL, ";"),
            "without a title above it",
        ),
        "comments above": (
            f"\n# {CANARY}, a\n# b; c, d, e, f, g\n\n{TEXT}",
            "Line 3 has 5 fields, where the first line has 2",
        ),
        "a comment of two separators above": (
            f"# a; b, {CANARY}\n{TEXT}",
            "two kinds of separators",
        ),
        "two separators": (
            f"name;{CANARY},age\n" + f"{CANARY};b,c\n" * 30,
            "two kinds of separators",
        ),
        "an open quote": (f'{TEXT}"{CANARY},1,2,x\n{TEXT}', "end well in line 63"),
        "quotes only": ('"' * 100_001, "end well in line 1"),
        "letters after a quote": (f'{TEXT}"{CANARY}" and on,1,2,x\n', "end well in line 32"),
        "a cell of 200,000 letters": (f"{TEXT}{CANARY * 20_000},1,2,x\n", "end well in line 32"),
        "a line of 6 MB": (
            written({f"{CANARY}{n}": ["x" * 30_000] * 3 for n in range(200)}),
            "letters a line",
        ),
        "one line that ends nowhere": (written(USUAL, end="\x0b"), "fewer than 2 rows"),
        "a nul": (f"{TEXT}\0{CANARY},1,2,x\n", "no text in UTF-8"),
        "half of UTF-16": (TEXT.encode("utf-16")[:-1], "no text in UTF-8"),
        "Cyrillic": (
            TEXT.replace("person", "человек и другие слова").encode("cp1251"),
            "no text in UTF-8",
        ),
        "no letters": (
            TEXT.encode().replace(b"person", b"\x81\x8d\x8f"),
            "no text in UTF-8",
        ),
        "UTF-8 with a fault": (accents + b"\xc3,1,2,x\n", "has faulty letters"),
        "cut off in a letter": (accents + b"\xc3", "has faulty letters"),
        "gzip": (gzip.compress(TEXT.encode()), "compressed"),
        "a workbook": (packed.getvalue(), "Excel"),
        "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + CANARY.encode(), "Excel"),
        "PDF": (f"%PDF-1.7\n{CANARY}", "PDF"),
        "JSON": (f'[{{"name": "{CANARY}", "age": 1}},\n' * 30, "JSON"),
        "HTML": (f"<!DOCTYPE html>\n<table><tr><td>{CANARY}</td></tr></table>", "HTML"),
        "a Markdown table": (
            f"| name | age |\n| --- | ---: |\n| {CANARY} | 5 |\n| b | 6 |\n",
            "Markdown",
        ),
    }


def parquet_of(columns: dict[str, list] | pa.Table, **options) -> bytes:
    found = io.BytesIO()
    parquet.write_table(
        columns if isinstance(columns, pa.Table) else pa.table(columns), found, **options
    )
    return found.getvalue()


# Types at their ends: the values of a Parquet file, and how they are read.
KINDS = {
    "whole": ([1, None, -3], ["1", "", "-3"]),
    "real": ([0.1, float("nan"), 1e300], ["0.1", "nan", "1e+300"]),
    "word": ([f"{CANARY} größer", None, ""], [f"{CANARY} größer", "", ""]),
    "yes": ([True, False, None], ["true", "false", ""]),
    "day": (
        [datetime.date(2024, 2, 29), None, datetime.date(1999, 1, 1)],
        ["2024-02-29", "", "1999-01-01"],
    ),
    "money": ([decimal.Decimal("12.30"), None, decimal.Decimal("-0.05")], ["12.30", "", "-0.05"]),
    "nothing": ([None, None, None], ["", "", ""]),
    "group": (pa.array(["u", "v", None]).dictionary_encode(), ["u", "v", ""]),
    "most": (pa.array([2**64 - 1, 0, None], pa.uint64()), ["18446744073709551615", "0", ""]),
    "large": (
        pa.array([decimal.Decimal("9" * 38), None, None], pa.decimal128(38, 0)),
        ["9" * 38, "", ""],
    ),
}


def _parquets_read() -> dict[str, tuple[bytes, dict[str, list[str]]]]:
    twice = pa.table(
        [pa.array(["a", "b"]), pa.array([1, 2]), pa.array([3, 4])], names=["x", "x", ""]
    )
    hidden = {"\u202e": [1, 2], "a\0b": [3, 4], "n" * 10**6: [5, 6]}
    seen = {"column 1": ["1", "2"], "ab": ["3", "4"], "n" * 80: ["5", "6"]}
    kinds = parquet_of({name: cells for name, (cells, _) in KINDS.items()})
    return {
        "Parquet of groups, packed": (
            parquet_of(USUAL, row_group_size=7, compression="zstd"),
            USUAL,
        ),
        "Parquet of all kinds": (kinds, {name: shown for name, (_, shown) in KINDS.items()}),
        "Parquet with names twice": (
            parquet_of(twice),
            {"x": ["a", "b"], "x (2)": ["1", "2"], "column 3": ["3", "4"]},
        ),
        "Parquet of names that are not seen": (parquet_of(hidden), seen),
    }


def _parquets_refused() -> dict[str, tuple[bytes, str]]:
    """What is no whole Parquet file, or no table."""
    usual, two = parquet_of(USUAL), [1, 2]
    parts = [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    columns = {
        "texts in no code": (
            {"a": pa.Array.from_buffers(pa.string(), 2, parts), "b": two},
            "cannot be read",
        ),
        "a time nowhere": (
            {"a": two, "b": pa.array(two, pa.timestamp("us", "Nowhere/City"))},
            "cannot be read",
        ),
        "lists": ({"a": [[1], [2]], "b": two}, "Column 1"),
        "bytes": ({"a": two, "b": [CANARY.encode(), b""]}, "Column 2"),
        "no columns": ({}, "fewer than 2 columns"),
        "one column": ({"a": two}, "fewer than 2 columns"),
        "201 columns": ({f"{CANARY}{n}": two for n in range(201)}, "200 columns"),
        "no rows": (
            {"a": pa.array([], pa.string()), "b": pa.array([], pa.int8())},
            "fewer than 2 rows",
        ),
    }
    columns = {f"of {name}": (parquet_of(cells), said) for name, (cells, said) in columns.items()}
    middle, marked = usual[:200] + usual[400:], f"PAR1{CANARY}{TEXT}".encode()
    spoilt = {"cut off": usual[:-40], "without its middle": middle, "'s mark and text": marked}
    found = columns | {name: (data, "cannot be read") for name, data in spoilt.items()}
    return {f"Parquet {name}": one for name, one in found.items()}


def _large() -> dict[str, File]:
    def zeros(rows: int, columns: int) -> bytes:
        return parquet_of({f"c{n}": np.zeros(rows) for n in range(columns)})

    def one_long_text() -> bytes:
        texts = pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(500_000, np.int32)), pa.array([CANARY * 5_000])
        )
        return parquet_of({"a": texts, "b": np.zeros(500_000, np.int8)})

    def packed_texts() -> bytes:
        texts = pa.array([f"{n}" + "x" * 100_000 for n in range(2_500)])
        return parquet_of(
            {"a": texts, "b": np.zeros(2_500)}, compression="zstd", use_dictionary=False
        )

    large = {
        "1,000,001 rows": (lambda: b"a,b\n" + b"1,2\n" * 1_000_001, "more than 1,000,000 rows"),
        "100 MB and a byte": (
            lambda: (f"{CANARY},2\n".encode() * 7_700_000)[:100_000_001],
            "more than 100 MB",
        ),
        "Parquet of 1,000,001 rows": (lambda: zeros(1_000_001, 2), "more than 1,000,000 rows"),
        "Parquet of nothing, often": (lambda: zeros(900_000, 30), "once it is unpacked"),
        "Parquet of one long text, often": (one_long_text, "once it is unpacked"),
        "Parquet of packed texts": (packed_texts, "once it is unpacked"),
    }
    return {name: File(make, refused=said) for name, (make, said) in large.items()}

"""Unusual and hostile files, made from a seed: of texts, name -> bytes; of rows, name -> what they must be read as."""

import bz2
import datetime
import decimal
import gzip
import io
import random
import zipfile
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet


def sentences(rng: np.random.Generator, rows: int, *, good: np.ndarray | None = None) -> list[str]:
    """Texts of common words, and of some that tell the two labels apart."""
    found = []
    for row in range(rows):
        words = [f"{'abcdefgh'[n % 8]}word{'xyz'[n % 3]}" for n in rng.integers(0, 60, 6)]
        if good is not None:
            words.append("splendid" if good[row] else "dreadful")
        found.append(" ".join(words))
    return found


def csv(head: str, *columns: list, sep: str = ",") -> bytes:
    rows = zip(*columns, strict=True)
    return "\n".join([head, *(sep.join(map(str, row)) for row in rows)]).encode()


def ordinary(rows: int = 900, *, sources: int = 0, sep: str = ",", seed: int = 0, unlike: bool = False) -> bytes:
    """Reviews with two labels, dealt out to ``sources`` shops in equal parts if there are any."""
    rng = np.random.default_rng(seed)
    good = rng.integers(0, 2, rows)
    columns = [sentences(rng, rows, good=good), ["yes" if one else "no" for one in good]]
    if sources:
        columns.append(
            [f"shop{row % sources}" if not unlike else f"shop{min(row // 300, sources - 1)}" for row in range(rows)]
        )
    return csv(sep.join(["text", "label", "shop"][: len(columns)]), *columns, sep=sep)


def texts(make, rows: int = 900) -> bytes:
    """Texts that ``make`` makes of a row's number, with two labels."""
    return csv("text,label", [make(row) for row in range(rows)], [row % 2 for row in range(rows)])


def hostile() -> Iterator[tuple[str, bytes]]:
    """Files of texts. What is wrong with a file as a table is in ``tables``."""
    for rows in (600, 701, 2450):
        yield f"{rows} rows", ordinary(rows)
    for sources, rows in ((2, 600), (3, 900), (8, 2450)):
        yield f"{sources} sources of {rows} rows", ordinary(rows, sources=sources)
    yield "sources of 300 rows and the rest", ordinary(2000, sources=3, unlike=True)
    yield from _coded()
    yield from _odd_texts()
    plain = ordinary(620, seed=4)
    yield "semicolons", ordinary(620, sep=";")
    yield "western letters", plain.decode().replace("splendid", "größer").encode("cp1252")
    yield "no head", plain.partition(b"\n")[2]
    yield "one label", plain.replace(b",no", b",yes")
    yield "rare label", plain.replace(b",no", b",yes") + b"\na few words,no" * 5
    yield "many labels", texts(str).replace(b"\n0,0", b"\n")
    yield "hostile names", plain.replace(b"text,label", b"# ![x](http://evil.test/p),=1+1")
    yield "line breaks in cells", plain + b'\n"first words\n\n# second words",yes'
    columns = [line.rpartition(",") for line in plain.decode().split("\n")[1:]]
    words, labels = ([line[place] for line in columns] for place in (0, 2))
    yield "parquet", parquet_of({"text": words, "label": labels})
    yield "parquet of too many words", parquet_of({"text": [f"{words[0]} " * 1000] * 300, "label": labels[:300]})
    yield "nothing", b""
    yield "few rows", ordinary(150)
    yield "one column", b"text\n" + b"some words here\n" * 700
    yield "a nul", ordinary(620) + b"\0"
    yield "an open quote", plain + b'\n"never closed,yes'
    yield "too many rows", b"text,label\n" + b"a b,c\n" * 50_001


def _coded() -> Iterator[tuple[str, bytes]]:
    """Numbers, dates and identifiers where the texts are asked for."""
    draw = random.Random(1)
    yield "integers", texts(lambda row: draw.randint(0, 10**6))
    yield "days", texts(lambda row: f"2024-{row % 12 + 1:02}-{row % 28 + 1:02}")
    yield "identifiers", texts(lambda row: f"INV{row:06}")
    ages, tenures = ([draw.randint(18, 90) for _ in range(900)] for _ in range(2))
    spends = [f"{draw.random() * 200:.2f}" for _ in range(900)]
    yield "customers", csv("age,tenure,monthly_spend,churned", ages, tenures, spends, [row % 2 for row in range(900)])


def _odd_texts() -> Iterator[tuple[str, bytes]]:
    """Texts of which hardly any word is left, or far too many."""
    draw = random.Random(2)
    yield "single letters", texts(lambda row: " ".join(draw.choices("abcdefg", k=5)))
    yield "emoji", texts(lambda row: draw.choice("😀🎉🔥") * 3)
    yield "one word for all", texts(lambda row: "always the same sentence again")
    yield "two words in all", texts(lambda row: draw.choice(["good thing", "bad luck"]))
    yield "a huge vocabulary", texts(lambda row: " ".join(f"w{draw.randint(0, 10**6):x}q" for _ in range(40)))
    yield "chinese", texts(lambda row: "".join(draw.choices("的一是不了人我在有他", k=12)))
    yield "mostly blank", texts(lambda row: "" if row % 30 else "some words that are left")
    yield "formulas", texts(lambda row: f"=cmd|' /C calc'!A{row} and {draw.choice(['fine', 'poor'])} words here")
    yield (
        "markdown",
        texts(lambda row: f"![x](http://evil.test/p.png) <img src=x> [{draw.choice(['a b', 'c d'])}](y) words here"),
    )
    yield (
        "rows of nul words",
        texts(lambda row: "null nan none na undefined" if row % 2 else "true false maybe perhaps"),
    )
    yield "huge cells", texts(lambda row: "many words here " * 3000 if row == 5 else f"few words {row % 7} here", 650)


CANARY = "qzcanaryzq"
# Letters that only one code has as these bytes.
FOREIGN = "größer"


class File(NamedTuple):
    """A table as bytes, when asked for. columns: what each column must be read as; or ``refused``, what must be said.

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


def written(columns: dict[str, list[str]], sep: str = ",", end: str = "\n", *, head: bool = True) -> str:
    """The columns as lines, cell by cell as they stand."""
    lines = [*([list(columns)] if head else []), *zip(*columns.values(), strict=True)]
    return "".join(sep.join(line) + end for line in lines)


def numbered(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    return {f"column {place}": cells for place, cells in enumerate(columns.values(), 1)}


def tables() -> dict[str, File]:
    """Name -> file, of odd and hostile tables; the large ones are made when they are asked for."""
    found = _codes_and_ends() | _quotes() | _heads() | _refused_tables() | _parquets() | _refused_parquets()
    return found | _odd_tables() | _refused_codes() | _refused_lines() | _odd_parquets() | _too_large()


def _read(text: str | bytes, columns: dict[str, list[str]], *, head: bool | None = True) -> File:
    data = text.encode() if isinstance(text, str) else text
    return File(lambda: data, columns, head=head)


def _bad(text: str | bytes, refused: str) -> File:
    data = text.encode() if isinstance(text, str) else text
    return File(lambda: data, refused=refused)


def _codes_and_ends() -> dict[str, File]:
    usual, text = people(), written(people())
    accents = usual | {"name": [f"{FOREIGN} {name}" for name in usual["name"]]}
    commas = usual | {"spend": [cell.replace(".", ",") for cell in usual["spend"]]}
    scripts = usual | {"name": [f"{CANARY} 名前 Ünï שלום 😀 \u2028 {n}" for n in range(30)]}
    pairs = {"a": ["0,5", "1,5", "2,5"], "b": ["3,1", "4,1", "5,1"], "c": ["9,9", "8,8", "7,7"]}
    return {
        "commas": _read(text, usual),
        "semicolons and decimal commas": _read(written(commas, ";"), commas),
        "decimal commas in each cell, no names": _read(written(pairs, ";", head=False), numbered(pairs), head=False),
        "tabs": _read(written(usual, "\t"), usual),
        "bars": _read(written(usual, "|"), usual),
        "a mark of UTF-8": _read(b"\xef\xbb\xbf" + text.encode(), usual),
        "a mark of UTF-8 and quotes": _read(b"\xef\xbb\xbf" + text.replace("name", '"name"', 1).encode(), usual),
        "Unicode text of a table program": _read(written(accents, "\t", "\r\n").encode("utf-16"), accents),
        "UTF-16, large end first": _read(b"\xfe\xff" + written(accents).encode("utf-16-be"), accents),
        "Windows-1252": _read(written(accents).encode("cp1252"), accents),
        "many scripts": _read(written(scripts), scripts),
        "line ends of Windows": _read(written(usual, end="\r\n"), usual),
        "old line ends": _read(written(usual, end="\r"), usual),
        "mixed line ends": _read(text.replace("\n", "\r\n", 9), usual),
        "blank lines": _read("\n\n" + written(usual, end="\n\n"), usual),
        "no last line end": _read(text[:-1], usual),
        "the separator declared": _read("sep=;\r\n" + written(usual, ";"), usual),
        "control characters": _read(written(c := usual | {"name": ["\x1b[31m \x0b \x08"] * 30}), c),
    }


def _quotes() -> dict[str, File]:
    usual = people()

    def quoted(**cells: str) -> File:
        """The columns with other cells in them, these quoted."""
        columns = usual | {name: [cell] * 30 for name, cell in cells.items()}
        shown = {
            name: ['"' + cell.replace('"', '""') + '"' for cell in column] if name in cells else column
            for name, column in columns.items()
        }
        return _read(written(shown), columns)

    inches = usual | {"name": [f'{CANARY} screen of {n}" or 5\' 4"' for n in range(30)]}
    spaces = usual | {"name": [f"  {CANARY} {n}  " for n in range(30)]}
    every = {f'"{name}"': [f'"{cell}"' for cell in cells] for name, cells in usual.items()}
    return {
        "everything quoted": _read(written(every, end="\r\n"), usual),
        "separators in quotes": quoted(name=f"{CANARY}; a, b | c\td"),
        "line breaks in quotes": quoted(name=f"{CANARY}\none\r\ntwo\n\nthree"),
        "quotes in quotes": quoted(name=f'"{CANARY}" said "no""'),
        "empty quotes": quoted(age="", name=""),
        "thousands in quotes": quoted(age="1,234", spend="12,345.50"),
        "inches": _read(written(inches), inches),
        "spaces around": _read(written(spaces), spaces),
        "formulas": quoted(name=f"=cmd|' /C calc'!A1 {CANARY}", age="=1+1", spend="@SUM(A1)"),
        "markup": quoted(name=f"![x](http://evil.test/p.png) <script>{CANARY}</script>"),
        "missing in many words": quoted(age="NA", spend="null"),
        "a column of nothing": _read(written(c := usual | {"age": [""] * 30}), c),
        "a cell of 100,000 letters": _read(written(c := usual | {"name": [CANARY * 10_000] * 30}), c),
    }


def _heads() -> dict[str, File]:
    usual = people()
    words = {"one": [f"word{n} {CANARY}" for n in range(40)], "two": [f"other{n} words" for n in range(40)]}
    named = {"name": "name", "age": "name (2)", "spend": "", f"plan {CANARY}": "  "}
    renamed = dict(zip(["name", "name (2)", "column 3", "column 4"], usual.values(), strict=True))
    wide = {f"c{n}": [f"{n}.25", f"{n}.5"] for n in range(200)}
    long = {f"{CANARY} {n} " + "long " * 40: cells for n, cells in enumerate(usual.values())}
    short = {" ".join(name.split())[:80]: cells for name, cells in long.items()}
    years = {"2019": ["5", "6", "7"] * 20, "2020": ["8", "9", "1"] * 20, "town": ["Ulm", "Bonn", "Kiel"] * 20}
    return {
        "no names": _read(written(usual, head=False), numbered(usual), head=False),
        "names or words": _read(written(words), words, head=None),
        "years as names": _read(written(years), years, head=None),
        "names twice and missing": _read(
            written({one: usual[name] for name, one in named.items()}).replace("name (2)", "name", 1), renamed
        ),
        "long names": _read(written(long), short),
        "another separator in a name": _read(
            written(usual).replace("age", "age;years", 1),
            {"age;years" if name == "age" else name: cells for name, cells in usual.items()},
        ),
        "200 columns": _read(written(wide), wide),
        "2 rows": _read("a,b\n1,2\n3,4\n", {"a": ["1", "3"], "b": ["2", "4"]}),
    }


def _refused_tables() -> dict[str, File]:
    text = written(people())
    accents = written(people() | {"name": [f"{FOREIGN} {CANARY}"] * 30})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", f"<c>{CANARY}</c>" * 500)
    return {
        "nothing": _bad("", "no columns"),
        "blank lines only": _bad("\n\r\n" * 50, "no columns"),
        "names only": _bad(f"name,{CANARY}\n", "no rows"),
        "one row": _bad(f"name,age\n{CANARY},5\n", "1 row"),
        "one column": _bad(f"name\n{CANARY}\n{CANARY}\n", "1 column"),
        "201 columns": _bad(written({f"{CANARY}{n}": ["1", "2"] for n in range(201)}), "at most 200 columns"),
        "a line too long": _bad(f"{text}{CANARY},1,2\n", "3 fields in line 32"),
        "a line too short": _bad(f"{text}{CANARY}\n", "1 field in line 32"),
        "a line too short below line breaks": _bad(
            text.replace("name,", '"na\n\nme",', 1) + f"\n\n{CANARY}\n", "1 field in line 36"
        ),
        "a title above": _bad(f"Report of {CANARY}\n\n{text}", "a title or other text in line 1"),
        "a short line below a declared separator": _bad(f"sep=,\n{text}{CANARY}\n", "1 field in line 33"),
        "an open quote": _bad(f'{text}"{CANARY},1,2,x\n{text}', "end well in line 63"),
        "an open quote in the last field": _bad(f'{text}{CANARY},1,2,"x', "end well in line 32"),
        "letters after a quote": _bad(f'{text}"{CANARY}" and on,1,2,x\n', "end well in line 32"),
        "quotes behind backslashes": _bad(f'{text}"{CANARY} \\"so\\" said",1,2,x\n', "end well in line 32"),
        "a cell of 200,000 letters": _bad(f"{text}{CANARY * 20_000},1,2,x\n", "end well in line 32"),
        "a line of 6 MB": _bad(written({f"{CANARY}{n}": ["x" * 30_000] * 3 for n in range(200)}), "bytes in a line"),
        "two separators": _bad(f"name;{CANARY},age\n" + f"{CANARY};b,c\n" * 30, "two separators"),
        "a nul": _bad(f"{text}\0{CANARY},1,2,x\n", "no text"),
        "UTF-16 without its mark": _bad(text.encode("utf-16-le"), "no text"),
        "UTF-32": _bad(text.encode("utf-32"), "no text"),
        "half of UTF-16": _bad(text.encode("utf-16")[:-1], "no text"),
        "Cyrillic": _bad(text.replace("person", "человек и другие слова").encode("cp1251"), "no text"),
        "no letters": _bad(text.encode().replace(b"person", b"\x81\x8d\x8f"), "no text"),
        "UTF-8 with a fault": _bad(accents.encode() + b"\xc3,1,2,x\n", "broken letters, the first in line 32"),
        "cut off in a letter": _bad(accents.encode() + b"\xc3", "broken letters, the first in line 32"),
        "PNG": _bad(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + CANARY.encode(), "no text"),
        "a workbook": _bad(packed.getvalue(), "Excel"),
        "an old workbook": _bad(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + CANARY.encode(), "Excel"),
        "gzip": _bad(gzip.compress(text.encode()), "gzip"),
        "PDF": _bad(f"%PDF-1.7\n{CANARY}", "PDF"),
        "JSON": _bad(f'[{{"name": "{CANARY}", "age": 1}},\n' * 30, "JSON"),
        "JSON of columns": _bad(f'{{"name": ["{CANARY}", "b"], "age": [1, 2]}}', "JSON"),
        "HTML": _bad(f"<!DOCTYPE html>\n<table><tr><td>{CANARY}</td></tr></table>", "HTML"),
    }


def _odd_tables() -> dict[str, File]:
    """Tables that are read, however odd they are."""
    usual, text = people(), written(people())
    numbers = ["-0", "1e999", "-1e-999", "1_000", "0x1F", "9" * 1000, "1e5", "-1.5"]
    dates = ["0000-00-00", "9999-12-31", "2024-02-30", "1900-01-01"]
    commas = {"a": ["0,5", "1,5", "2,5"], "b": ["3.1", "4.1", "5.1"]}
    marked = {"\u202ename": "name", "a\u200fge": "age", "spend\x1b": "spend", f"plan {CANARY}\u2066": f"plan {CANARY}"}
    ends = {"a": ["x\ny", "z", "w\r\nv"], "b": ["1", "2", "3"]}
    same = [f"x ({n})" if n > 1 else "x" for n in range(1, 51)]
    return {
        "one name for 50 columns": _read(
            ",".join(["x"] * 50) + "\n" + (",".join(map(str, range(50))) + "\n") * 3,
            {name: [str(n)] * 3 for n, name in enumerate(same)},
        ),
        "300,000 blank lines above": _read("\n" * 300_000 + text, usual),
        "UTF-7": _read(written(c := usual | {"name": ["+AOk-+2D3eAA-"] * 30}), c),
        "two marks of UTF-8": _read(b"\xef\xbb\xbf" * 2 + text.encode(), usual),
        "a mark of UTF-8 in the midst": _read(written(c := usual | {"name": ["\ufeffann"] * 30}), c),
        "the end of a DOS file": _read(text + "\x1a", usual),
        "numbers that are none": _read(written(c := {"a": numbers, "b": list("12345678")}), c),
        "days that are none": _read(written(c := {"a": dates, "b": list("1234")}), c),
        "decimal commas in quotes": _read(
            written({name: [f'"{cell}"' for cell in cells] for name, cells in commas.items()}), commas
        ),
        "names with marks that are not seen": _read(
            written({mark: usual[name] for mark, name in marked.items()}), usual
        ),
        "lone CR, and line ends in quotes": _read('a,b\r"x\ny",1\rz,2\r"w\r\nv",3\r', ends),
        "accents in capitals": _read(
            written(c := usual | {"name": ["AÇÃO", "SÃO", "CORAÇÕES"] * 10}).encode("cp1252"), c
        ),
    }


def _refused_codes() -> dict[str, File]:
    """Text in an encoding that is not read."""
    usual, found = people(), "East Asian encoding"
    words = {
        "Shift-JIS": ("cp932", "テスト商品"),
        "EUC-JP": ("euc_jp", "山田太郎"),
        "GB18030": ("gb18030", "非常好的产品"),
        "Big5": ("big5", "服務態度差"),
        "EUC-KR": ("cp949", "아주 좋은 제품"),
    }
    codes = {
        name: _bad(written(usual | {"name": [f"{CANARY} {word}"] * 30}).encode(code), found)
        for name, (code, word) in words.items()
    }
    heads = {
        f"{name} in the names": _bad(written({word: ["1", "2"], f"{word} {CANARY}": ["3", "4"]}).encode(code), found)
        for name, (code, word) in words.items()
        if name != "EUC-KR"
    }
    return (
        codes
        | heads
        | {"UTF-16 without its mark, large end first": _bad(written(usual).encode("utf-16-be"), "no text")}
    )


def _refused_lines() -> dict[str, File]:
    """No table, or not from the first line on."""
    text, long = written(people()), "x" * 140_000
    return {
        "spaces only": _bad("   \n  \n" * 50, "nothing but spaces"),
        "ARFF": _bad(f"% {CANARY}\n\n@RELATION x\n@ATTRIBUTE a NUMERIC\n@DATA\n1,2\n", "ARFF"),
        "a comment above": _bad(f"# {CANARY}\n{text}", "a comment in line 1"),
        "comments above": _bad(f"\n# {CANARY}, a\n# b; c, d, e, f, g\n\n{text}", "a comment in lines 2 to 3"),
        "a comment of two separators above": _bad(f"# a; b, {CANARY}\n{text}", "a comment in line 1"),
        "a title above semicolons": _bad(f"{CANARY}\nMay\n" + written(people(), ";"), "text in lines 1 to 2"),
        "names of 140,000 letters": _bad(f"{long},{CANARY}\n1,2\n3,4\n", "end well in line 1"),
        "names of 140,000 letters, quoted": _bad(f'\n"{long}",{CANARY}\n1,2\n3,4\n', "end well in line 2"),
        "an open quote in the names": _bad('"name,' + text[5:], "end well in line 31"),
        "quotes only": _bad('"' * 100_001, "end well in line 1"),
        "one line that ends nowhere": _bad(written(people(), end="\x0b"), "no rows"),
        "200,000 commas": _bad("," * 200_000, "at most 200 columns"),
        "a Markdown table": _bad(f"| name | age |\n| --- | ---: |\n| {CANARY} | 5 |\n| b | 6 |\n", "Markdown"),
        "bzip2": _bad(bz2.compress(text.encode()), "no text"),
        "Arrow": _bad(b"ARROW1\0\0" + text.encode(), "no text"),
    }


def _odd_parquets() -> dict[str, File]:
    """Types and names at their ends."""
    money = pa.array([decimal.Decimal("9" * 38), None], pa.decimal128(38, 0))
    small = pa.array([decimal.Decimal("0." + "1" * 30), None], pa.decimal256(60, 30))
    most = pa.array([2**64 - 1, 0], pa.uint64())
    late = pa.array([2**63 - 1, -(2**63)], pa.timestamp("us"))
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    )
    ends = {"a": ["9" * 38, ""], "b": ["0." + "1" * 30, ""], "c": ["18446744073709551615", "0"]}
    return {
        "Parquet of the largest numbers": File(lambda: parquet_of({"a": money, "b": small, "c": most}), ends),
        "Parquet of days out of range": _bad(
            parquet_of({"b": [1, 2], "a": late}), "a day that no calendar has in column 2"
        ),
        "Parquet of names that are not seen": File(
            lambda: parquet_of({"\u202e": [1, 2], "a\0b": [3, 4], "n" * 10**6: [5, 6]}),
            {"column 1": ["1", "2"], "ab": ["3", "4"], "n" * 80: ["5", "6"]},
        ),
        "Parquet of no columns": _bad(parquet_of({}), "no columns"),
        "Parquet of texts in no code": _bad(parquet_of({"a": broken, "b": [1, 2]}), "cannot be read"),
        "Parquet of durations": _bad(parquet_of({"a": pa.array([1, 2], pa.duration("s")), "b": [1, 2]}), "column 1"),
    }


def parquet_of(columns: dict[str, list] | pa.Table, **options) -> bytes:
    made = io.BytesIO()
    parquet.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), made, **options)
    return made.getvalue()


def _parquets() -> dict[str, File]:
    usual = people()
    kinds = {
        "whole": [1, None, -3],
        "real": [0.1, float("nan"), 1e300],
        "word": [f"{CANARY} größer", None, ""],
        "yes": [True, False, None],
        "day": [datetime.date(2024, 2, 29), None, datetime.date(1999, 1, 1)],
        "money": [decimal.Decimal("12.30"), None, decimal.Decimal("-0.05")],
        "nothing": [None, None, None],
    }
    shown = {
        "whole": ["1", "", "-3"],
        "real": ["0.1", "nan", "1e+300"],
        "word": [f"{CANARY} größer", "", ""],
        "yes": ["true", "false", ""],
        "day": ["2024-02-29", "", "1999-01-01"],
        "money": ["12.30", "", "-0.05"],
        "nothing": ["", "", ""],
    }
    twice = pa.table([pa.array(["a", "b"]), pa.array([1, 2]), pa.array([3, 4])], names=["x", "x", ""])
    labels = pa.table({"a": pa.array(["u", "v", None]).dictionary_encode(), "b": pa.array([1, 2, 3], pa.uint8())})
    return {
        "Parquet of texts": File(lambda: parquet_of(usual), usual),
        "Parquet of groups, packed": File(lambda: parquet_of(usual, row_group_size=7, compression="zstd"), usual),
        "Parquet of all kinds": File(lambda: parquet_of(kinds), shown),
        "Parquet of categories": File(lambda: parquet_of(labels), {"a": ["u", "v", ""], "b": ["1", "2", "3"]}),
        "Parquet with names twice": File(
            lambda: parquet_of(twice), {"x": ["a", "b"], "x (2)": ["1", "2"], "column 3": ["3", "4"]}
        ),
    }


def _refused_parquets() -> dict[str, File]:
    usual = parquet_of(people())
    nested = {"a": [[1], [2]], "b": [1, 2]}
    return {
        "Parquet cut off": _bad(usual[:-40], "cannot be read"),
        "Parquet without its middle": _bad(usual[:200] + usual[400:], "cannot be read"),
        "Parquet's mark and text": _bad(f"PAR1{CANARY}" + written(people()), "cannot be read"),
        "Parquet of lists": _bad(parquet_of(nested), "column 1"),
        "Parquet of a time nowhere": _bad(
            parquet_of({"a": [1, 2], "b": pa.array([1, 2], pa.timestamp("us", "Nowhere/City"))}), "cannot be read"
        ),
        "Parquet of bytes": _bad(parquet_of({"a": [1, 2], "b": [CANARY.encode(), b""]}), "column 2"),
        "Parquet of structures": _bad(parquet_of({"a": [1, 2], "b": [{CANARY: 1}, {CANARY: 2}]}), "column 2"),
        "Parquet of one column": _bad(parquet_of({"a": [1, 2]}), "1 column"),
        "Parquet of 201 columns": _bad(parquet_of({f"{CANARY}{n}": [1, 2] for n in range(201)}), "200 columns"),
        "Parquet of no rows": _bad(
            parquet_of({"a": pa.array([], pa.string()), "b": pa.array([], pa.int8())}), "no rows"
        ),
        "Parquet of a long text": _bad(parquet_of({"a": [CANARY * 20_000, "x"], "b": [1, 2]}), "letters in a field"),
    }


def _too_large() -> dict[str, File]:
    def many() -> pa.Table:
        return pa.table({"a": np.zeros(1_000_001, np.int8), "b": np.zeros(1_000_001, np.int8)})

    def rows_of_nothing() -> pa.Table:
        return pa.table({f"c{n}": np.zeros(900_000) for n in range(30)})

    def one_long_text() -> pa.Table:
        texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(500_000, np.int32)), pa.array([CANARY * 5_000]))
        return pa.table({"a": texts, "b": np.zeros(500_000, np.int8)})

    def packed_texts() -> pa.Table:
        return pa.table({"a": pa.array([f"{n}" + "x" * 100_000 for n in range(2_500)]), "b": np.zeros(2_500)})

    return {
        "1,000,001 rows": File(lambda: b"a,b\n" + b"1,2\n" * 1_000_001, refused="at most 1,000,000 rows"),
        "100 MB and a byte": File(
            lambda: (f"{CANARY},2\n".encode() * 7_700_000)[:100_000_001], refused="at most 100 MB"
        ),
        "Parquet of 1,000,001 rows": File(lambda: parquet_of(many()), refused="at most 1,000,000 rows"),
        "Parquet of nothing, often": File(lambda: parquet_of(rows_of_nothing()), refused="once unpacked"),
        "Parquet of one long text, often": File(lambda: parquet_of(one_long_text()), refused="once unpacked"),
        "Parquet of packed texts": File(
            lambda: parquet_of(packed_texts(), compression="zstd", use_dictionary=False), refused="once unpacked"
        ),
    }

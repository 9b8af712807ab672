"""Unusual and hostile CSV files, made from a seed: name -> bytes."""

import random
import zlib
from collections.abc import Iterator

import numpy as np


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
    for rows in (600, 601, 650, 701, 800, 850, 900, 1200, 1500, 2400, 2450):
        yield f"{rows} rows", ordinary(rows)
    for sources, rows in zip(
        (2, 2, 2, 2, 3, 4, 5, 8, 8), (600, 700, 1500, 2400, 900, 1200, 1500, 2400, 2450), strict=True
    ):
        yield f"{sources} sources of {rows} rows", ordinary(rows, sources=sources)
    yield "sources of 300 rows and the rest", ordinary(2000, sources=3, unlike=True)
    yield from _coded()
    yield from _odd_texts()
    yield from _odd_forms()
    yield from _no_csv()


def _coded() -> Iterator[tuple[str, bytes]]:
    """Numbers, dates and identifiers where the texts are asked for."""
    draw = random.Random(1)
    yield "integers", texts(lambda row: draw.randint(0, 10**6))
    yield "few integers", texts(lambda row: draw.randint(0, 40))
    yield "money", texts(lambda row: f"$ {draw.random() * 100:.2f}")
    yield "units", texts(lambda row: f"{draw.randint(1, 99)} kg")
    yield "one digit", texts(lambda row: row % 10)
    yield "days", texts(lambda row: f"2024-{row % 12 + 1:02}-{row % 28 + 1:02}")
    yield "moments", texts(lambda row: f"2024-05-{row % 28 + 1:02}T10:{row % 60:02}:00Z")
    yield "spoken days", texts(lambda row: f"Mon {row % 28 + 1} Jan 2024 10:30 GMT")
    yield "identifiers", texts(lambda row: f"INV{row:06}")
    yield "hashes", texts(lambda row: f"{draw.getrandbits(128):032x}")
    yield "addresses of mail", texts(lambda row: f"person{row}@example.org")
    yield "names of users", texts(lambda row: "".join(draw.choices("abcdefghij", k=12)))
    ages, tenures = ([draw.randint(18, 90) for _ in range(900)] for _ in range(2))
    spends = [f"{draw.random() * 200:.2f}" for _ in range(900)]
    yield "customers", csv("age,tenure,monthly_spend,churned", ages, tenures, spends, [row % 2 for row in range(900)])


def _odd_texts() -> Iterator[tuple[str, bytes]]:
    """Texts of which hardly any word is left, or far too many."""
    draw = random.Random(2)
    yield "single letters", texts(lambda row: " ".join(draw.choices("abcdefg", k=5)))
    yield "stop words", texts(lambda row: " ".join(draw.choices(["the", "and", "of", "is", "was"], k=5)))
    yield "emoji", texts(lambda row: draw.choice("😀🎉🔥") * 3)
    yield "unique words", texts(lambda row: " ".join("".join(draw.choices("bcdfgh", k=9)) for _ in range(3)))
    yield "one word for all", texts(lambda row: "always the same sentence again")
    yield "two words in all", texts(lambda row: draw.choice(["good thing", "bad luck"]))
    yield "one word", texts(lambda row: draw.choice(["good", "bad"]))
    yield "a huge vocabulary", texts(lambda row: " ".join(f"w{draw.randint(0, 10**6):x}q" for _ in range(40)))
    yield "chinese", texts(lambda row: "".join(draw.choices("的一是不了人我在有他", k=12)))
    yield "blank texts", texts(lambda row: " " if row % 3 else "some words that are left")
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


def _odd_forms() -> Iterator[tuple[str, bytes]]:
    """What a table program or a careless hand writes."""
    plain = ordinary(620, seed=4)
    yield "byte order mark", b"\xef\xbb\xbf" + plain
    yield "western letters", plain.decode().replace("splendid", "größer").encode("cp1252")
    yield "cyrillic letters", plain.decode().replace("word", "слово").replace("splendid", "хорошо").encode("cp1251")
    yield "broken letters", plain.replace(b"splendid", b"\x81\x8d\x8f")
    yield "utf-16", plain.decode().encode("utf-16")
    yield "utf-16 without a mark", plain.decode().encode("utf-16-le")
    for name, sep in (("semicolons", ";"), ("tabs", "\t"), ("bars", "|")):
        yield name, ordinary(620, sep=sep)
    yield (
        "commas quoted in the head",
        plain.replace(b"text,label", b'"text, of a row";"label, of a row"')
        .replace(b",yes", b";yes")
        .replace(b",no", b";no"),
    )
    yield "two separators in the head", plain.replace(b"text,label", b"text,label;note")
    yield "ragged", plain + b"\nmore,fields,here"
    yield "short line", plain + b"\nonly"
    yield "open quote", plain + b'\n"never closed,yes'
    yield "quote in the midst", plain + b'\n"closed"and on,yes'
    yield "a cell of 200,000 letters", plain + b"\n" + b"x" * 200_000 + b",yes"
    yield "no head", plain.partition(b"\n")[2]
    yield "same names", plain.replace(b"text,label", b"text,text")
    yield "a nameless column", plain.replace(b"text,label", b"text,")
    yield "one label", plain.replace(b",no", b",yes")
    yield "rare label", plain.replace(b",no", b",yes") + b"\na few words,no" * 5
    yield "many labels", texts(str).replace(b"\n0,0", b"\n")
    yield "old line ends", plain.replace(b"\n", b"\r")
    yield "windows line ends", plain.replace(b"\n", b"\r\n")
    yield "blank lines", plain.replace(b"\n", b"\n\n")
    yield "hostile names", plain.replace(b"text,label", b"# ![x](http://evil.test/p),=1+1")
    yield "line breaks in cells", plain + b'\n"first words\n\n# second words",yes'


def _no_csv() -> Iterator[tuple[str, bytes]]:
    yield "nothing", b""
    yield "line breaks", b"\n" * 500
    yield "a head", b"text,label"
    yield "few rows", ordinary(150)
    yield "one column", b"text\n" + b"some words here\n" * 700
    yield "a nul", ordinary(620) + b"\0"
    yield "png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + zlib.compress(bytes(range(256)) * 40)
    yield "zip", b"PK\x03\x04" + zlib.compress(bytes(5000)) + b"\0\0"
    yield "deflated", zlib.compress(random.Random(3).randbytes(20_000))
    yield "json", b'[{"text": "some words", "label": 1},\n' * 700
    yield "too many rows", b"text,label\n" + b"a b,c\n" * 50_001

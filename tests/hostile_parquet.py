"""Unusual and hostile Parquet files: what each must be read as, or why it must be refused."""

import datetime
import decimal
import io

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tests.hostile_files import CANARY, TEXT, USUAL, ReadFile, RefusedFile


def parquet_of(columns: dict | pa.Table, **options) -> bytes:
    """Return columns as a Parquet file, written with these options of ``write_table``."""
    table = columns
    if not isinstance(columns, pa.Table):
        table = pa.table(columns)
    data = io.BytesIO()
    parquet.write_table(table, data, **options)
    return data.getvalue()


# --- Files that are read --------------------------------------------------------------------------


# Name of a type -> values at its ends, and how they are read.
TYPES = {
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


def of_all_types() -> ReadFile:
    """Return a file with a column of each of ``TYPES``."""
    values = {name: values for name, (values, _) in TYPES.items()}
    texts = {name: texts for name, (_, texts) in TYPES.items()}
    return ReadFile(parquet_of(values), texts)


def with_names_twice() -> ReadFile:
    """Return a file in which two columns have one name and a third has none."""
    columns = [pa.array(["a", "b"]), pa.array([1, 2]), pa.array([3, 4])]
    table = pa.table(columns, names=["x", "x", ""])
    return ReadFile(
        parquet_of(table), {"x": ["a", "b"], "x (2)": ["1", "2"], "column 3": ["3", "4"]}
    )


READ_PARQUETS = {
    "Parquet of groups, packed": ReadFile(
        parquet_of(USUAL, row_group_size=7, compression="zstd"), USUAL
    ),
    "Parquet of all kinds": of_all_types(),
    "Parquet with names twice": with_names_twice(),
    "Parquet of names that are not seen": ReadFile(
        parquet_of({"\u202e": [1, 2], "a\0b": [3, 4], "n" * 10**6: [5, 6]}),
        {"column 1": ["1", "2"], "ab": ["3", "4"], "n" * 80: ["5", "6"]},
    ),
}

# --- Files that are refused -----------------------------------------------------------------------


TWO = [1, 2]
USUAL_PARQUET = parquet_of(USUAL)


def refused_columns(columns: dict, reason: str) -> RefusedFile:
    """Return a file of these columns that must be refused for this reason."""
    return RefusedFile(parquet_of(columns), reason)


def texts_of_no_encoding() -> pa.Array:
    """Return two texts whose bytes are no UTF-8."""
    no_missing = None
    ends_of_texts = pa.py_buffer(np.array([0, 1, 2], np.int32))
    letters = pa.py_buffer(b"\xff\xfe")
    return pa.Array.from_buffers(pa.string(), 2, [no_missing, ends_of_texts, letters])


def zeros(rows: int, columns: int) -> bytes:
    """Return a Parquet file with zeros in so many rows and columns."""
    return parquet_of({f"c{column}": np.zeros(rows) for column in range(columns)})


def one_long_text_in_every_row() -> bytes:
    """Return a Parquet file whose 500,000 rows share one stored text of 50,000 letters."""
    rows = 500_000
    texts = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(rows, np.int32)), pa.array([CANARY * 5_000])
    )
    return parquet_of({"a": texts, "b": np.zeros(rows, np.int8)})


def packed_texts() -> bytes:
    """Return a compressed Parquet file of 2,500 different texts of over 100,000 letters."""
    rows = 2_500
    texts = pa.array([f"{row}" + "x" * 100_000 for row in range(rows)])
    return parquet_of({"a": texts, "b": np.zeros(rows)}, compression="zstd", use_dictionary=False)


REFUSED_PARQUETS = {
    "Parquet of texts in no code": refused_columns(
        {"a": texts_of_no_encoding(), "b": TWO}, "cannot be read"
    ),
    "Parquet of a time nowhere": refused_columns(
        {"a": TWO, "b": pa.array(TWO, pa.timestamp("us", "Nowhere/City"))}, "cannot be read"
    ),
    "Parquet of lists": refused_columns({"a": [[1], [2]], "b": TWO}, "Column 1"),
    "Parquet of bytes": refused_columns({"a": TWO, "b": [CANARY.encode(), b""]}, "Column 2"),
    "Parquet of no columns": refused_columns({}, "fewer than 2 columns"),
    "Parquet of one column": refused_columns({"a": TWO}, "fewer than 2 columns"),
    "Parquet of 201 columns": refused_columns(
        {f"{CANARY}{column}": TWO for column in range(201)}, "200 columns"
    ),
    "Parquet of no rows": refused_columns(
        {"a": pa.array([], pa.string()), "b": pa.array([], pa.int8())}, "fewer than 2 rows"
    ),
    "Parquet cut off": RefusedFile(USUAL_PARQUET[:-40], "cannot be read"),
    "Parquet without its middle": RefusedFile(
        USUAL_PARQUET[:200] + USUAL_PARQUET[400:], "cannot be read"
    ),
    "Parquet's mark and text": RefusedFile(f"PAR1{CANARY}{TEXT}", "cannot be read"),
    "Parquet of 1,000,001 rows": RefusedFile(
        lambda: zeros(1_000_001, 2), "more than 1,000,000 rows"
    ),
    "Parquet of nothing, often": RefusedFile(lambda: zeros(900_000, 30), "once it is unpacked"),
    "Parquet of one long text, often": RefusedFile(
        one_long_text_in_every_row, "once it is unpacked"
    ),
    "Parquet of packed texts": RefusedFile(packed_texts, "once it is unpacked"),
}

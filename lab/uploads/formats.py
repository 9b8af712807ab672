"""Recognise files of other formats than CSV and Parquet, and refuse them with an advice.

A format is known by its signature, the bytes with which its files begin.
"""

import re
from typing import NamedTuple

from dpcore import check

# Number of bytes that are compared with the signatures.
BEGINNING = 1 << 16
_UTF8_MARK = b"\xef\xbb\xbf"


class FileRefusedError(check.RefusedError):
    """Raised for a file that is not accepted.

    Attributes:
        value: A sentence on what is wrong with the file.
        allowed: A sentence on what to do about it.
    """

    def __init__(self, problem: str, advice: str):
        super().__init__("file", problem, advice)
        self.args = (f"{problem} {advice}",)

    def __reduce__(self):
        return type(self), (self.value, self.allowed)


class _Format(NamedTuple):
    """A format that is not read.

    Attributes:
        signature: Regular expression that matches the beginning of such files.
        name: Name with its article.
        advice: A sentence on how to get a table that can be read.
        is_text: Whether the file is a text, which may begin with a byte order mark and spaces.
    """

    signature: bytes
    name: str
    advice: str
    is_text: bool = False


_SPREADSHEET = "Open it, choose Save as, CSV UTF-8, and upload that file."
_UNPACK = "Unpack it, and upload the table that it holds."
_PANDAS = (
    "Write the table as Parquet or CSV, in pandas with to_parquet or to_csv, and upload that file."
)
_R = (
    'In R, write write.csv(data, "data.csv", row.names = FALSE, fileEncoding = "UTF-8"), and upload'
    " that file."
)
_DATABASE = "Export the table as CSV, and upload that file."
_DOCUMENT = "Copy its table into a spreadsheet, choose Save as, CSV UTF-8, and upload that file."
_NO_TABLE = "Upload a table in CSV or Parquet."

# The first signature that matches counts.
_FORMATS = (
    _Format(
        rb"PK\x03\x04[\s\S]{26,}?mimetypeapplication/vnd\.oasis",
        "an OpenDocument file",
        _SPREADSHEET,
    ),
    _Format(rb"PK\x03\x04[\s\S]*?(xl/|\[Content_Types\]\.xml)", "an Excel workbook", _SPREADSHEET),
    _Format(rb"PK\x03\x04[\s\S]*?Index/[\s\S]*?\.iwa", "a Numbers document", _SPREADSHEET),
    _Format(rb"PK(\x03\x04|\x05\x06)", "a zip archive", _UNPACK),
    _Format(
        rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook of the old format", _SPREADSHEET
    ),
    _Format(
        rb"\x09[\x00\x02\x04\x08][\x04\x06\x08\x10]\x00",
        "an Excel workbook of the old format",
        _SPREADSHEET,
    ),
    _Format(
        rb"\$FL[23]", "an SPSS file", "In SPSS, choose File, Save as, CSV, and upload that file."
    ),
    _Format(
        rb"<stata_dta>|[\x69\x6c\x6e-\x73][\x01\x02]\x01\x00",
        "a Stata file",
        'In Stata, write export delimited using "data.csv", and upload that file.',
    ),
    _Format(
        rb"\x00{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}L",
        "a SAS file",
        'In SAS, write proc export with outfile="data.csv" and dbms=csv, and upload that file.',
    ),
    _Format(rb"RD[ABX][2-5X]\n|[AX]\n(\x00\x00\x00[\x02\x03]|[23]\n\d{5,6}\n)", "an R file", _R),
    _Format(rb"SQLite format 3\x00", "a SQLite database", _DATABASE),
    _Format(rb"\x00\x01\x00\x00Standard (Jet|ACE) DB", "an Access database", _DATABASE),
    _Format(rb"(?=[\s\S]{0,7}[\x00-\x08\x80-\xff])[\s\S]{8}DUCK", "a DuckDB database", _DATABASE),
    _Format(rb"ARROW1|FEA1|\xff\xff\xff\xff[\s\S]{2}\x00\x00", "a Feather or Arrow file", _PANDAS),
    _Format(rb"ORC(?=[\s\S]{0,300}[\x00-\x08])|Obj\x01", "an ORC or Avro file", _PANDAS),
    _Format(rb"\x89HDF\r\n|MATLAB 5\.0 MAT-file", "an HDF5 or MATLAB file", _PANDAS),
    _Format(rb"\x93NUMPY|\x80[\x02-\x05][\x95c}\]]", "a NumPy or pickle file", _PANDAS),
    _Format(
        rb"PARE", "an encrypted Parquet file", "Write it without encryption, and upload that file."
    ),
    _Format(
        rb"\x1f\x8b|BZh[1-9]|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|Rar!|\x04\x22\x4d\x18",
        "a compressed file",
        _UNPACK,
    ),
    _Format(rb"%PDF", "a PDF", _DOCUMENT),
    _Format(
        rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF[\s\S]{4}WEBP|II\*\x00|MM\x00\*", "a picture", _NO_TABLE
    ),
    _Format(
        rb"\[\s*[\[{\"\d]|\{\s*[\"}]",
        "JSON",
        "Write it as CSV, in pandas with pandas.read_json(file).to_csv(..., index=False), and"
        " upload that file.",
        is_text=True,
    ),
    _Format(
        rb"[\s\S]{0,300}SPSS PORT FILE",
        "an SPSS file",
        "In SPSS, choose File, Save as, CSV, and upload that file.",
        is_text=True,
    ),
    _Format(
        rb"(?i)<(!--|(!doctype|html|\?xml|table|body)\b)", "HTML or XML", _DOCUMENT, is_text=True
    ),
    _Format(rb"\{\\rtf", "a text document (RTF)", _DOCUMENT, is_text=True),
    _Format(
        rb"(?i)(?>%[^\r\n]*[\r\n]+\s*+)*+@relation\b",
        "an ARFF file of Weka",
        "In Weka, save it as CSV, and upload that file.",
        is_text=True,
    ),
    _Format(
        rb"\|[^\r\n]*\|[ \t]*(\r\n|\r|\n)\|[-:| \t]+\|\s",
        "a Markdown table",
        _DOCUMENT,
        is_text=True,
    ),
    _Format(rb"\\(documentclass|begin)\b", "a LaTeX document", _DOCUMENT, is_text=True),
    _Format(
        rb"(?i)(?>--[^\r\n]*[\r\n]+\s*+)*+(create table|insert into|pragma |begin transaction)",
        "SQL",
        _DATABASE,
        is_text=True,
    ),
    _Format(rb"structure\(list\(", "an R file", _R, is_text=True),
)


def check_format(beginning: bytes) -> None:
    """Raise FileRefusedError if a file begins like one of another format than CSV and Parquet."""
    beginning = beginning[:BEGINNING]
    text = beginning.removeprefix(_UTF8_MARK).lstrip()
    for format_ in _FORMATS:
        start = beginning
        if format_.is_text:
            start = text
        if re.match(format_.signature, start):
            raise FileRefusedError(f"This is {format_.name}.", format_.advice)

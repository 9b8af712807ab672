"""Recognise files of other formats than CSV and Parquet, and refuse them.

A format is known by its signature, the bytes with which its files begin.
"""

import re

from dpcore import check

# Number of bytes that are compared with the signatures.
BEGINNING = 1 << 16
_ADVICE = (
    "If it holds a table, open it in a spreadsheet, choose Save as, CSV UTF-8, and upload that"
    " file."
)
# A text may begin with a byte order mark and spaces.
_START_OF_TEXT = rb"(?:\xef\xbb\xbf)?\s*"
# Signature -> name of the format with its article. The first signature that matches counts.
_FORMATS = {
    rb"PK\x03\x04[\s\S]*?(xl/|\[Content_Types\]\.xml)": "an Excel workbook",
    rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an Excel workbook of the old format",
    rb"PK(\x03\x04|\x05\x06)": "a zip archive",
    rb"\x1f\x8b|BZh[1-9]|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|Rar!": "a compressed file",
    rb"PARE": "an encrypted Parquet file",
    rb"%PDF": "a PDF",
    _START_OF_TEXT + rb"(\[\s*[\[{\"\d]|\{\s*[\"}])": "JSON",
    _START_OF_TEXT + rb"(?i:<(!--|(!doctype|html|\?xml|table|body)\b))": "HTML or XML",
    _START_OF_TEXT + rb"\|[^\r\n]*\|[ \t]*(\r\n|\r|\n)\|[-:| \t]+\|\s": "a Markdown table",
}


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


def check_format(beginning: bytes) -> None:
    """Raise FileRefusedError if a file begins like one of another format than CSV and Parquet."""
    beginning = beginning[:BEGINNING]
    for signature, name in _FORMATS.items():
        if re.match(signature, beginning):
            raise FileRefusedError(f"This is {name}.", _ADVICE)

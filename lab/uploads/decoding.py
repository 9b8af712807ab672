"""Decode UTF-8, UTF-16 with a byte order mark, and Windows-1252; refuse other encodings, which
would garble letters.
"""

import codecs
import io
import re

import numpy as np

from lab.uploads.formats import FileRefusedError

_PIECE = 1 << 20
_END_OF_FILE = b"\x1a"  # written by DOS programs
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_UTF32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_SAVE_AS_UTF8 = "In a spreadsheet, choose Save as, CSV UTF-8, and upload that file."
# At most this share of the letters of a text in Windows-1252 are accented, and at most this share
# of the accented ones stand four or more in a row: in another encoding, whole words do.
_MOST_ACCENTED = 1 / 3
_MOST_IN_A_ROW = 0.5
_ROW_OF_ACCENTS = re.compile(rb"[\x80-\xff]{4,}")


def to_utf8(data: bytes) -> tuple[bytes, bool]:
    """Return (the text in UTF-8, whether it was read as Windows-1252).

    Raises:
        FileRefusedError: If the file is in another encoding, or is no text.
    """
    if data.startswith(_UTF32_MARKS):
        raise FileRefusedError("This text is in UTF-32.", _SAVE_AS_UTF8)
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    is_western = False
    text = _recoded(data, _MARKS.get(mark, "utf-8"), len(mark))
    if text is None and mark:
        raise FileRefusedError("This text ends within a letter, or has faulty ones.", _SAVE_AS_UTF8)
    if text is None and not _has_zeros(data):
        _check_is_western(data)
        text = _recoded(data, "cp1252", 0)
        is_western = True
        if text is None:
            raise _unknown_encoding()
    if text is None or b"\0" in text:
        raise _no_text(data)
    # Some files have two byte order marks.
    return text.removeprefix(codecs.BOM_UTF8).rstrip(_END_OF_FILE), is_western


def _recoded(data: bytes, code: str, start: int) -> bytes | None:
    """Return ``data`` from ``start`` on in UTF-8, piece by piece, or None if it is not valid in
    ``code``.
    """
    decoder = codecs.getincrementaldecoder(code)()
    recoded = io.BytesIO()
    try:
        for begin in range(start, len(data), _PIECE):
            end = begin + _PIECE
            piece = decoder.decode(data[begin:end], final=end >= len(data))
            if code != "utf-8":
                recoded.write(piece.encode())
    except UnicodeError:
        return None
    if code == "utf-8":
        return data[start:]
    return recoded.getvalue()


def _has_zeros(data: bytes) -> bool:
    return b"\0" in data


def _no_text(data: bytes) -> FileRefusedError:
    """Return the refusal of a file with zero bytes, which every other byte of UTF-16 is."""
    sample = np.frombuffer(data[:_PIECE], np.uint8)
    zeros = [np.count_nonzero(sample[parity::2] == 0) for parity in (0, 1)]
    if max(zeros) > 0.3 * len(sample) / 2 and min(zeros) < 0.1 * max(zeros):
        return FileRefusedError(
            "This text is in UTF-16 without its byte order mark.", _SAVE_AS_UTF8
        )
    return FileRefusedError("This file is not a text table.", "Upload CSV, TSV or Parquet.")


def _unknown_encoding() -> FileRefusedError:
    return FileRefusedError(
        "This text is in an encoding that is not read here, such as Windows-1251 or Shift-JIS.",
        _SAVE_AS_UTF8,
    )


def _check_is_western(data: bytes) -> None:
    """Raise FileRefusedError if the text is UTF-8 with faults, or is not likely to be
    Windows-1252.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    good = faults = in_a_row = 0
    lines, first_fault = 1, None
    counts = np.zeros(256, dtype=int)
    for start in range(0, len(data), _PIECE):
        piece = data[start : start + _PIECE]
        text = decoder.decode(piece)
        here = text.count("\ufffd")
        if here and first_fault is None:
            first_fault = lines + text.count("\n", 0, text.find("\ufffd"))
        lines += text.count("\n")
        faults += here
        good += len(text) - len(text.encode("ascii", "ignore")) - here
        in_a_row += sum(map(len, _ROW_OF_ACCENTS.findall(piece)))
        counts += np.bincount(np.frombuffer(piece, np.uint8), minlength=256)
    if good > faults:
        where = lines if first_fault is None else first_fault
        raise FileRefusedError(
            f"This text is in UTF-8, with broken letters from line {where:,} on.", _SAVE_AS_UTF8
        )
    letters = counts * [bytes([code]).decode("cp1252", "replace").isalpha() for code in range(256)]
    many = letters[128:].sum() > _MOST_ACCENTED * letters.sum()
    if many or in_a_row > _MOST_IN_A_ROW * counts[128:].sum():
        raise _unknown_encoding()

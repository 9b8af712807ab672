"""Decode UTF-8, UTF-16 with a byte order mark, and Windows-1252.

Other encodings are refused, because letters would be garbled.
"""

import codecs
import io
import re

import numpy as np

from lab.uploads.formats import FileRefusedError

_PIECE_BYTES = 1 << 20
_END_OF_FILE = b"\x1a"  # written by DOS programs
_ENCODING_OF_MARK = {
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
# In a text in UTF-16 of Latin letters, more than this share of the bytes at even or at odd
# positions are zero, and of the others less than this share of as many.
_UTF16_ZEROS = 0.3
_UTF16_OTHER_ZEROS = 0.1
_ROW_OF_ACCENTS = re.compile(rb"[\x80-\xff]{4,}")


def to_utf8(data: bytes) -> tuple[bytes, bool]:
    """Return (the text in UTF-8, whether it was read as Windows-1252).

    Raises:
        FileRefusedError: If the file is in another encoding, or is no text.
    """
    if data.startswith(_UTF32_MARKS):
        raise FileRefusedError("This text is in UTF-32.", _SAVE_AS_UTF8)
    mark = _byte_order_mark(data)
    is_western = False
    if mark:
        text = _recoded(data, _ENCODING_OF_MARK[mark], len(mark))
        if text is None:
            raise FileRefusedError(
                "This text ends within a letter, or has faulty ones.", _SAVE_AS_UTF8
            )
    else:
        text = _recoded(data, "utf-8", 0)
    if text is None and b"\0" not in data:
        _check_is_western(data)
        text = _recoded(data, "cp1252", 0)
        is_western = True
        if text is None:
            raise _unknown_encoding()
    if text is None or b"\0" in text:
        raise _no_text(data)
    # Some files have two byte order marks.
    return text.removeprefix(codecs.BOM_UTF8).rstrip(_END_OF_FILE), is_western


def _byte_order_mark(data: bytes) -> bytes:
    """Return the byte order mark with which the data begin, or b""."""
    for mark in _ENCODING_OF_MARK:
        if data.startswith(mark):
            return mark
    return b""


def _recoded(data: bytes, encoding: str, start: int) -> bytes | None:
    """Return ``data`` from ``start`` on in UTF-8, or None if it is not valid in ``encoding``."""
    decoder = codecs.getincrementaldecoder(encoding)()
    recoded = io.BytesIO()
    try:
        for begin in range(start, len(data), _PIECE_BYTES):
            end = begin + _PIECE_BYTES
            piece = decoder.decode(data[begin:end], final=end >= len(data))
            if encoding != "utf-8":
                recoded.write(piece.encode())
    except UnicodeError:
        return None
    if encoding == "utf-8":
        return data[start:]
    return recoded.getvalue()


def _no_text(data: bytes) -> FileRefusedError:
    """Return the refusal of a file with zero bytes, which every other byte of UTF-16 is."""
    sample = np.frombuffer(data[:_PIECE_BYTES], np.uint8)
    zeros_at_even = np.count_nonzero(sample[0::2] == 0)
    zeros_at_odd = np.count_nonzero(sample[1::2] == 0)
    more = max(zeros_at_even, zeros_at_odd)
    fewer = min(zeros_at_even, zeros_at_odd)
    if more > _UTF16_ZEROS * len(sample) / 2 and fewer < _UTF16_OTHER_ZEROS * more:
        return FileRefusedError(
            "This text is in UTF-16 without its byte order mark.", _SAVE_AS_UTF8
        )
    return FileRefusedError("This file is not a text table.", "Upload CSV, TSV or Parquet.")


def _unknown_encoding() -> FileRefusedError:
    """Return the refusal of a text in an unknown encoding."""
    return FileRefusedError(
        "This text is in an encoding that is not read here, such as Windows-1251 or Shift-JIS.",
        _SAVE_AS_UTF8,
    )


def _check_is_western(data: bytes) -> None:
    """Raise FileRefusedError if the text is UTF-8 with faults, or is not likely to be
    Windows-1252.
    """
    _check_is_not_faulty_utf8(data)
    in_a_row = 0
    counts = np.zeros(256, dtype=int)  # of each byte
    for start in range(0, len(data), _PIECE_BYTES):
        piece = data[start : start + _PIECE_BYTES]
        in_a_row += sum(len(accents) for accents in _ROW_OF_ACCENTS.findall(piece))
        counts += np.bincount(np.frombuffer(piece, np.uint8), minlength=256)
    is_letter = [bytes([code]).decode("cp1252", "replace").isalpha() for code in range(256)]
    letters = counts * is_letter
    accented = letters[128:].sum()
    if accented > _MOST_ACCENTED * letters.sum():
        raise _unknown_encoding()
    if in_a_row > _MOST_IN_A_ROW * counts[128:].sum():
        raise _unknown_encoding()


def _check_is_not_faulty_utf8(data: bytes) -> None:
    """Raise FileRefusedError if more letters beyond ASCII are valid in UTF-8 than are faulty."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    valid = 0
    faulty = 0
    lines = 1
    first_faulty_line = None
    for start in range(0, len(data), _PIECE_BYTES):
        text = decoder.decode(data[start : start + _PIECE_BYTES])
        faults = text.count("\ufffd")
        if faults and first_faulty_line is None:
            first_faulty_line = lines + text.count("\n", 0, text.find("\ufffd"))
        lines += text.count("\n")
        faulty += faults
        beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
        valid += beyond_ascii - faults
    if valid <= faulty:
        return
    if first_faulty_line is None:
        # The text is cut off within its last letter.
        first_faulty_line = lines
    raise FileRefusedError(
        f"This text is in UTF-8, with broken letters from line {first_faulty_line:,} on.",
        _SAVE_AS_UTF8,
    )

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
# At most this share of the letters of a text in Windows-1252 are accented, and at most this share
# of the accented ones stand four or more in a row: in another encoding, whole words do.
_MOST_ACCENTED = 1 / 3
_MOST_IN_A_ROW = 0.5
_ROW_OF_ACCENTS = re.compile(rb"[\x80-\xff]{4,}")


def to_utf8(data: bytes) -> tuple[bytes, bool]:
    """Return (the text in UTF-8, whether it was read as Windows-1252).

    Raises:
        FileRefusedError: If the file is in another encoding, has faulty letters, or is no text.
    """
    mark = _byte_order_mark(data)
    text = _recoded(data, _ENCODING_OF_MARK.get(mark, "utf-8"), len(mark))
    may_be_text = not mark and b"\0" not in data
    is_western = text is None and may_be_text and _may_be_western(data)
    if is_western:
        text = _recoded(data, "cp1252", 0)
    if text is None or b"\0" in text:
        raise FileRefusedError(
            "This file is no text in UTF-8, or has faulty letters.",
            "In a spreadsheet, choose Save as, CSV UTF-8, and upload that file, or upload Parquet.",
        )
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


def _may_be_western(data: bytes) -> bool:
    """Return whether a text that is not valid UTF-8 is likely to be Windows-1252."""
    if _is_faulty_utf8(data):
        return False
    in_a_row = 0
    counts = np.zeros(256, dtype=int)  # of each byte
    for start in range(0, len(data), _PIECE_BYTES):
        piece = data[start : start + _PIECE_BYTES]
        in_a_row += sum(len(accents) for accents in _ROW_OF_ACCENTS.findall(piece))
        counts += np.bincount(np.frombuffer(piece, np.uint8), minlength=256)
    is_letter = [bytes([code]).decode("cp1252", "replace").isalpha() for code in range(256)]
    letters = counts * is_letter
    if letters[128:].sum() > _MOST_ACCENTED * letters.sum():
        return False
    return in_a_row <= _MOST_IN_A_ROW * counts[128:].sum()


def _is_faulty_utf8(data: bytes) -> bool:
    """Return whether more letters beyond ASCII are valid in UTF-8 than are faulty."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    valid = 0
    faulty = 0
    for start in range(0, len(data), _PIECE_BYTES):
        text = decoder.decode(data[start : start + _PIECE_BYTES])
        faults = text.count("\ufffd")
        faulty += faults
        valid += len(text) - len(text.encode("ascii", "ignore")) - faults
    return valid > faulty

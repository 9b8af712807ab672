"""Decode UTF-8, UTF-16 with a byte order mark, and Windows-1252; refuse other encodings, which would garble letters."""

import codecs
import io
import re

import numpy as np

from dpcore import check

_PIECE = 1 << 20
# A larger share of non-ASCII letters in a Windows-1252 reading indicates another encoding.
_MOST_ACCENTS = 1 / 3
_END_OF_FILE = b"\x1a"  # written by DOS programs
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# Two-byte encodings (Japanese twice, Chinese twice, Korean), and the most frequent letters of their texts: kana,
# ideographs and Hangul.
_EAST_ASIAN = ("cp932", "euc_jp", "gb18030", "big5", "cp949")
_USUAL = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
_WORD = re.compile(r"([A-Za-z]?)([^\x00-\x7f]+)([A-Za-z]?)")
# At most this share of non-ASCII words touch an ASCII letter; in Western languages nearly all do.
_MOST_MIXED = 0.5


def utf8(data: bytes) -> tuple[bytes, bool]:
    """Return (the text in UTF-8, whether it was read as Windows-1252); raise RefusedError for other encodings."""
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    text, western = _recoded(data, _MARKS.get(mark, "utf-8"), len(mark)), False
    if text is None and not mark:
        few_accents = _has_few_accents(data)
        if _is_east_asian(data):
            found = "text in an East Asian encoding (Shift-JIS, EUC, GB18030 or Big5)"
            raise check.RefusedError("file", found, "text in UTF-8 (in a spreadsheet: Save as, CSV UTF-8)")
        if few_accents:
            text, western = _recoded(data, "cp1252", 0), True
    if text is None or b"\0" in text:
        allowed = "plain text, in UTF-8, UTF-16 with its mark or Western European letters"
        raise check.RefusedError("file", "bytes that are no text", allowed)
    return text.removeprefix(codecs.BOM_UTF8).rstrip(_END_OF_FILE), western  # some files have two byte order marks


def _recoded(data: bytes, code: str, start: int) -> bytes | None:
    """Return ``data`` from ``start`` on in UTF-8, chunk by chunk, or None if it is not valid in ``code``."""
    decoder, made = codecs.getincrementaldecoder(code)(), io.BytesIO()
    try:
        for at in range(start, len(data), _PIECE):
            piece = decoder.decode(data[at : at + _PIECE], final=at + _PIECE >= len(data))
            if code != "utf-8":
                made.write(piece.encode())
    except UnicodeError:
        return None
    return made.getvalue() if code != "utf-8" else data[start:]


def _has_few_accents(data: bytes) -> bool:
    """Return whether most letters are ASCII when read as Windows-1252; raise RefusedError for UTF-8 with errors."""
    decoder, good, bad, line, faulty = codecs.getincrementaldecoder("utf-8")("replace"), 0, 0, 1, 0
    counts = np.zeros(256, dtype=int)
    for start in range(0, len(data), _PIECE):
        text = decoder.decode(data[start : start + _PIECE])
        first = text.find("\ufffd")
        faulty = faulty or (first >= 0 and line + text.count("\n", 0, first))
        line += text.count("\n")
        bad += text.count("\ufffd")
        good += len(text) - len(text.encode("ascii", "ignore"))
        counts += np.bincount(np.frombuffer(data[start : start + _PIECE], np.uint8), minlength=256)
    if good - bad > bad:
        found = f"broken letters, the first in line {faulty or line:,}"
        raise check.RefusedError("file", found, "UTF-8 throughout, as most of it is")
    letters = counts * [bytes([code]).decode("cp1252", "replace").isalpha() for code in range(256)]
    return letters[128:].sum() <= _MOST_ACCENTS * letters.sum()


def _is_east_asian(data: bytes) -> bool:
    """Return whether the non-ASCII lines are plausible in an East Asian encoding, which Western text is not."""
    sample = bytearray()
    for line in io.BytesIO(data):
        if not line.isascii():
            sample += line[:_PIECE]
        if len(sample) > _PIECE:
            break
    return any(_reads_well(bytes(sample), code) for code in _EAST_ASIAN)


def _reads_well(sample: bytes, code: str) -> bool:
    try:
        words = _WORD.findall(codecs.getincrementaldecoder(code)().decode(sample))  # the last letter may be cut off
    except UnicodeError:
        return False
    mixed = sum(bool(before or after) for before, _, after in words)
    letters = "".join(word for _, word, _ in words)
    return mixed <= _MOST_MIXED * len(words) and 2 * len(_USUAL.findall(letters)) > len(letters)

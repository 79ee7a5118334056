"""Numbers for a script, as short text: what a page sends so that the values of a large matrix can be read. Pure."""

import sys
from array import array
from base64 import b64encode
from collections.abc import Iterable, Sequence


def floats(numbers: Iterable[float]) -> str:
    """Each number as four characters: base64 of the upper three bytes of its float32, big end first.

    15 bits of mantissa are kept, so four significant digits come back as they went; so do NaN and infinities.
    """
    made = array("f", numbers)
    if sys.byteorder == "little":
        made.byteswap()
    taken = bytearray(made.tobytes())
    del taken[3::4]
    return b64encode(taken).decode()


def bits(rows: Sequence[Sequence[bool]]) -> str:
    """base64 of one bit a cell, row by row, the first cell in the highest bit of the first byte."""
    text = "".join("1" if cell else "0" for row in rows for cell in row)
    if not text:
        return ""
    text += "0" * (-len(text) % 8)
    return b64encode(int(text, 2).to_bytes(len(text) // 8, "big")).decode()

"""Bytes to text, and the one spelling of a text that ids, tags and hashes compare."""

import codecs
import re
import unicodedata
from hashlib import blake2b

from app.library.errors import DeckError, DeckErrors

_SPACE_AT_END = re.compile(r"[^\S\n]+$", re.MULTILINE)


def decode(data: bytes, path: str) -> str:
    """The text of a deck file. Raises DeckErrors, with the line, where it is not UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DeckErrors([DeckError(path, 1, "the file is UTF-16", "save it as UTF-8.")])
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"the byte 0x{data[error.start]:02X} is not UTF-8"
        raise DeckErrors([DeckError(path, line, problem, "save the file as UTF-8.")]) from None


def unify(text: str) -> str:
    """Without a byte-order mark, and with every line ended by one \\n."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def nfc(text: str) -> str:
    """Composed Unicode: an é typed on one machine equals the é of another."""
    return unicodedata.normalize("NFC", text)


def canonical(text: str) -> str:
    """The spelling that is hashed: NFC, no space at the ends of lines, no blank lines around."""
    return nfc(_SPACE_AT_END.sub("", unify(text))).strip("\n")


def paragraphs(*parts: str) -> str:
    """The parts that are not empty, as paragraphs of one text."""
    return "\n\n".join(part for part in parts if part)


def shuffle(card_id: str) -> int:
    """A card's place among those that are due on one day: the same each time, and no card is the cue of the next."""
    return int.from_bytes(blake2b(card_id.encode(), digest_size=7).digest())

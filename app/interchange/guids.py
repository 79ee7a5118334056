"""A note's guid, by which Anki and tables know it again. Pure.

A note of Aloud's own has one that is drawn from its key, so it is the same at every export. One that was imported
keeps the guid it came with: its id is that guid, spelt so that an id may hold it.

>>> note_id("f>Q1j,3k`d")
'guid-my7fcmlkfqzwwyde'
>>> guid("guid-my7fcmlkfqzwwyde")
'f>Q1j,3k`d'
"""

import binascii
from base64 import b32decode, b32encode
from hashlib import sha256

from genanki import guid_for

PREFIX = "guid-"
LONGEST = (
    70  # characters; what is longer is hashed. Ids have at most 80, and a note's later cards add a number
)


def note_id(guid: str) -> str:
    """The id of the note that came with this guid."""
    spelt = b32encode(guid.encode(errors="replace")).decode().rstrip("=").lower()
    if len(PREFIX + spelt) > LONGEST:
        return f"{PREFIX}0{sha256(guid.encode(errors='replace')).hexdigest()[:40]}"  # base32 has no 0
    return PREFIX + spelt


def guid(key: str) -> str:
    """The guid of the note that is stored under this key."""
    spelt = key.removeprefix(PREFIX)
    if spelt != key and not spelt.startswith("0"):
        try:
            return b32decode(spelt.upper() + "=" * (-len(spelt) % 8)).decode()
        except (binascii.Error, ValueError):
            pass
    return str(guid_for("aloud", key))

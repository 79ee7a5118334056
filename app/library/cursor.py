"""Where a list of cards goes on: the place of the last card seen, as text for a URL."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

from app.library.cards import Place
from app.web.errors import Invalid

LONGEST = 2000  # characters
PARTS = (int, int, int, int, str)


def write_cursor(place: Place) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def read_cursor(text: str) -> Place:
    """The place that `text` stands for; raises Invalid for a text that write_cursor did not make."""
    try:
        value = json.loads(urlsafe_b64decode(text[:LONGEST] + "=" * (-len(text) % 4)))
        json.dumps(value, ensure_ascii=False).encode()  # fails for a lone surrogate
    except (ValueError, RecursionError):
        value = None
    fits = isinstance(value, list) and tuple(type(v) for v in value) == PARTS
    if not fits or any(isinstance(v, int) and abs(v) >= 2**63 for v in value):
        raise Invalid("This cursor is not one that the list gave; leave it out to begin at the start.")
    own, deck, note, ord, card_id = value
    return own, deck, note, ord, card_id

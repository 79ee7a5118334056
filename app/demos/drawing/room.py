"""How much room a table needs, so that where there is less of it, its rows are drawn as lists. Pure."""

from collections.abc import Sequence
from typing import Final

DIGIT: Final = 0.56  # rem, in a table
LETTER: Final = 0.49
SPACE: Final = 1.0  # rem, between two columns
PROSE: Final = 18  # letters to which a column of words may be narrowed
ROOMS: Final = (16, 20, 24, 28, 32, 36, 40, 44, 48)  # rem; the style sheet knows these
FIRST: Final = 40  # rows that are drawn at once


def room(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """The class of a table by the least width, in rem, at which no number of it is cut."""
    need = 0.0
    for i, (head, is_number) in enumerate(zip(heads, numeric, strict=True)):
        texts = [row[i] for row in rows if i < len(row)]
        longest = max(map(len, texts), default=0)
        words = [head] if is_number else [head, *texts]
        word = max((len(word) for text in words for word in text.split()), default=0)
        prose = LETTER * min(max(word, min(longest, PROSE)), 2 * PROSE)
        need += SPACE + (max(DIGIT * longest, LETTER * word) if is_number else prose)
    return f"room-{next((known for known in ROOMS if known >= need), ROOMS[-1])}"

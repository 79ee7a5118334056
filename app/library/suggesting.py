"""An id for a new card, from the words of its question. Pure."""

import re
import unicodedata
from collections.abc import Callable

LONGEST = 40  # characters
WORDS = 4
_GAPS = re.compile(r"\{\{c\d+::|::[^{}]*\}\}|\}\}")
_WORD = re.compile(r"[a-z0-9]+")
_SMALL = frozenset(
    (
        *(
            "a",
            "an",
            "and",
            "are",
            "as",
            "at",
            "be",
            "by",
            "can",
            "do",
            "does",
            "explain",
            "for",
            "from",
            "give",
            "has",
        ),
        *(
            "have",
            "how",
            "in",
            "is",
            "it",
            "its",
            "name",
            "no",
            "not",
            "of",
            "on",
            "or",
            "say",
            "so",
            "than",
            "that",
        ),
        *(
            "the",
            "their",
            "then",
            "there",
            "these",
            "they",
            "this",
            "to",
            "was",
            "what",
            "when",
            "where",
            "which",
        ),
        *("who", "why", "will", "with", "you", "your"),
    )
)


def suggest(question: str, is_taken: Callable[[str], bool]) -> str:
    """ "Why divide by $\\sqrt{d_k}$?" gives "divide-sqrt-d-k"; one that is taken gets a number; never empty."""
    text = unicodedata.normalize("NFKD", _GAPS.sub(" ", question)).lower()
    text = "".join(sign for sign in text if not unicodedata.combining(sign))
    words = _WORD.findall(text)
    telling = [word for word in words if word not in _SMALL] or words or ["card"]
    name = "-".join(telling[:WORDS])[:LONGEST].strip("-")
    number = 1
    while is_taken(made := name if number == 1 else f"{name}-{number}"):
        number += 1
    return made

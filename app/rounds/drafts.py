"""What was asked in a round, as draft cards in our own format. Pure: text in, text out."""

import re
from collections.abc import Iterator, Sequence

from app.library.format import DeckErrors, parse_deck
from app.rounds.cards import Round

MOST_LINES, MOST_LINE = 50, 500
TO_WRITE = "*Still to be written: what would a strong answer have said?*"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SIGNS = re.compile(r"([\\`*_{}\[\]<>$#|~&])")


def lines(text: str) -> tuple[str, ...]:
    """The questions typed, one a line, each once; empty lines and list marks are left out."""
    typed = (re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line) for line in text.splitlines())
    found = (_CONTROL.sub("", " ".join(line.split()))[:MOST_LINE].strip() for line in typed)
    return tuple(dict.fromkeys(line for line in found if line))


def name(one: Round) -> str:
    """The file that holds what was asked on the round's day."""
    return f"debrief-{one.date.isoformat()}.md"


def deck(one: Round) -> str:
    return f"debrief/{one.date.isoformat()}"


def extended(known: str, one: Round, asked: Sequence[str]) -> str:
    """The file's text with a draft card for each question; `known` is what it holds so far, "" for a new file.

    What it holds is kept as it is, and a question that stands there already is not added again.
    """
    text = known or f"---\ndeck: {deck(one)}\ntitle: Asked on {_day(one)}\n---\n"
    ids = _ids(known, one)
    for question in map(_readable_words, asked):
        if f"\nQ: {question}\n" not in text:
            text = f"{text.rstrip()}\n\n{_card(question, next(ids), one)}"
    return text


def _readable_words(question: str) -> str:
    """The question; what of it cannot be read as Markdown with formulas is taken as plain text."""
    return (
        question if _readable(f"Q: {question}\nA: {TO_WRITE}\nid: try\n") else _SIGNS.sub(r"\\\1", question)
    )


def _card(question: str, card_id: str, one: Round) -> str:
    return (
        f"Q: {question}\nA: {TO_WRITE}\nid: {card_id}\nlevel: {one.level}\ntags: draft, asked\n"
        f"source: asked in {_plain(one.name)}, {_day(one)}\n"
    )


def _readable(card: str) -> bool:
    try:
        parse_deck(f"---\ndeck: debrief/try\ntitle: Try\n---\n{card}", "try.md")
    except DeckErrors:
        return False
    return True


def _ids(known: str, one: Round) -> Iterator[str]:
    """Ids that the file does not use yet."""
    number = 0
    while True:
        number += 1
        card_id = f"asked-{one.date.isoformat()}-{number}"
        if f"\nid: {card_id}\n" not in f"{known}\n":
            yield card_id


def _plain(text: str) -> str:
    return " ".join(text.split())


def _day(one: Round) -> str:
    return f"{one.date.day} {one.date:%B %Y}"

"""Every shipped card can be read aloud: no sign of LaTeX, Markdown or code is left in what is said."""

import re

from app.library.compose import ready
from app.library.spoken_text import answer, question
from tests.content.shipped import DECKS

UNSAID = re.compile(r"[\\{}$_^|~<>=#`@*]|[^\x00-\x7f’“”é]|,,|\s[.,;:]")


def test_every_card_is_words_from_end_to_end() -> None:
    wrong, cards = {}, 0
    for deck in DECKS:
        for note in ready(deck).notes:
            for card in note.cards:
                cards += 1
                told = (note.note.say, note.note.kind, note.note.id + card.suffix)
                for side in (question(card.front, *told), answer(card.back, *told)):
                    if not side or UNSAID.search(side) or "a formula" in side.split("\n"):
                        wrong[told[2]] = side
    assert wrong == {}
    assert cards > 400

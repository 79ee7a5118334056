"""What one showing of a card shows: numbers and order are drawn from the key that was signed into it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from app.library import drawing
from app.library.cards import ASKS
from app.library.values import Quantity
from app.study.cards import Card

NOTHING = Markup()


@dataclass(frozen=True)
class Face:
    """The sides of a card as HTML. `listed` are the sentences of a spot, `marked` the same with the wrong one marked.

    `asks` says in a few words what the card wants; `values` is what was drawn, by name, and `answer_value` what an
    estimate comes to with it; `say` is what is read aloud in place of a side.
    """

    question: Markup
    answer: Markup
    words: str
    asks: str
    demo: str | None
    listed: Markup = NOTHING
    marked: Markup = NOTHING
    sentences: tuple[str, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)
    answer_value: Quantity | None = None
    say: str = ""


def face(card: Card, key: str) -> Face:
    """The card as the showing of this key shows it."""
    asks = ASKS.get(card.kind, "")
    drawn = None if card.drawn is None else drawing.show(card.drawn, key)
    if drawn is None:
        front, back = Markup(card.front), Markup(card.back)  # noqa: S704  (sanitised when the deck was read)
        return Face(front, back, card.words, asks, card.demo, say=card.say)
    return Face(
        question=drawn.question,
        answer=drawn.answer,
        words=drawn.words,
        asks=asks,
        demo=drawn.demo or card.demo,
        listed=drawn.listed(),
        marked=drawn.listed(marked=True),
        sentences=tuple(sentence.words for sentence in drawn.sentences),
        values=drawn.values,
        answer_value=drawn.answer_value,
        say=drawn.say,
    )

"""docs/writing-cards.md: each of its examples is a deck that can be read, and every field stands in it."""

import re
from pathlib import Path

import pytest

from app.library.fields import DECK_FIELDS, STARTS, TEXTS, VALUES
from app.library.format import KINDS, cards_of, parse_deck
from app.library.render import formula_errors

PAGE = (Path(__file__).parents[2] / "docs" / "writing-cards.md").read_text(encoding="utf-8")
EXAMPLES = [found[2] for found in re.finditer(r"^(`{3,})markdown\n(.*?)^\1$", PAGE, re.MULTILINE | re.DOTALL)]
HEAD = "---\ndeck: example\ntitle: Example\n---\n"


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_is_a_deck(example: str) -> None:
    deck = parse_deck(example if example.startswith("---") else HEAD + example, "docs/writing-cards.md")
    for note in deck.notes:
        assert cards_of(note)
        assert formula_errors(note.question + "\n\n" + note.answer) == ()


def test_there_is_an_example_of_each_chief_kind() -> None:
    text = "".join(EXAMPLES)
    assert all(f"\n{start}: " in text or text.startswith(f"{start}: ") for start in STARTS)
    assert all(f"kind: {kind}" in text for kind in ("number", "estimate", "code"))


@pytest.mark.parametrize("name", [*STARTS, *TEXTS, *VALUES, *DECK_FIELDS, *KINDS])
def test_the_page_names_every_field_and_kind(name: str) -> None:
    assert re.search(rf"`{name}:?`|^\| {name} ", PAGE, re.MULTILINE)

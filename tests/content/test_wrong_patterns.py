"""No card and no page tells one of the errors that circulate; each pattern finds its own and spares what is right."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.library.format import Note, decode, parse_deck
from tests.content.wrong_patterns import MISLEADING, PATTERNS, QUALIFIED, WRONG, Pattern

CONTENT = Path(__file__).resolve().parents[2] / "content"
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.M | re.S)


def told(note: Note) -> Iterator[tuple[str, str]]:
    """What a card asks and tells. Code in a question may be there to find its bug; code in an answer is taught."""
    yield "Q", FENCE.sub("", note.question)
    yield "A", note.answer
    yield "say", note.say
    yield "model", note.model
    yield from (("right", sentence) for sentence in note.right)
    yield from (("point", point.text) for point in note.points)


def texts() -> Iterator[tuple[str, str]]:
    for path in sorted((CONTENT / "decks").glob("*.md")):
        for note in parse_deck(decode(path.read_bytes(), path.name), path.name).notes:
            yield from ((f"{path.name} {note.id} {field}", text) for field, text in told(note) if text)
    pages = [*sorted((CONTENT / "primers").glob("*.md")), CONTENT / "coverage.md"]
    yield from ((path.name, path.read_text(encoding="utf-8")) for path in pages if path.exists())


TEXTS = tuple(texts())


def test_every_wrong_and_misleading_claim_of_the_fact_check_has_its_pattern() -> None:
    assert (len(WRONG), len(MISLEADING)) == (15, 14)
    assert {"A36", "B66"} <= {pattern.claim for pattern in QUALIFIED}
    claims = [pattern.claim for pattern in PATTERNS]
    assert len(set(claims)) == len(claims)
    assert all(re.fullmatch(r"[ABQ]\d+", claim) for claim in claims)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.claim)
def test_a_pattern_finds_its_error_in_three_wordings_and_spares_the_right_sentence(pattern: Pattern) -> None:
    assert len(set(pattern.wrong)) == 3
    assert [wording for wording in pattern.wrong if not pattern.found(wording)] == []
    assert pattern.found(pattern.right) == ""


def test_what_one_pattern_calls_right_none_calls_wrong() -> None:
    assert [(p.claim, other.claim) for p in PATTERNS for other in PATTERNS if other.found(p.right)] == []


def test_an_error_is_found_within_a_longer_text_and_across_lines() -> None:
    (pattern,) = (p for p in PATTERNS if p.claim == "B7")
    text = "Kernels matter.\n\nOn a GPU, **attention is\nmemory-bound**. So fuse them."
    assert pattern.found(text) == "On a GPU, attention is memory-bound."


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.claim)
def test_no_card_and_no_page_tells_it(pattern: Pattern) -> None:
    assert TEXTS
    assert [f"{place}: {hit}" for place, text in TEXTS if (hit := pattern.found(text))] == []

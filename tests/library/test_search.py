"""The search finds what LIKE would find, in the same order, whatever the index of trigrams makes of it."""

import random
from datetime import UTC, datetime

import pytest
from sqlalchemy import event as sa_event
from sqlalchemy import insert, or_, select, tuple_, update

from app.db import tables as t
from app.db.engine import Database
from app.library import store_search
from app.library.cards import Place
from app.library.store_cards import listed, order, row_of
from tests.conftest import add_cards

# Letters with and without case, signs that LIKE or FTS5 read as their own.
CASED = (
    "softmax",
    "SoftMax",
    "soft-max",
    "Ärger",
    "ärger",
    "naïve",
    "d_k",
    "50%",
    "a",
    "ab",
    "abc",
    "xyz",
    "OR",
)
FOLDED = ("ςοφός", "ſo", "µs", "İ", "ẞ", "Σ", "K", "ϕ")  # which lose their case in ways of their own
SIGNS = ("日本語の", "日本", 'quo"te', "it's", "C:\\new", "α/β", "NOT", "max*", "(key)", "softmaxsoftmax")
WORDS = (*CASED, *FOLDED, *SIGNS)
RETIRED = datetime(2026, 11, 29, tzinfo=UTC)
TAGS = ("soft", "Mask", "kv-cache", "größe")


def library(db: Database, draw: random.Random, cards: int = 60) -> None:
    """Cards of random words and tags in decks of random places; some retired, some changed after they were read."""
    for at, deck in enumerate(draw.sample(["a/x", "a/y", "b", "c", "d"], 5)):
        add_cards(db, *(f"{deck[0]}{deck[-1]}-{n}" for n in range(cards // 5)), deck=deck)
        with db.write() as conn:
            place = {"position": draw.randrange(3), "origin": draw.choice(["own", "shipped"])}
            conn.execute(update(t.deck).where(t.deck.c.name == deck).values(place | {"title": f"{at}"}))
    with db.write() as conn:
        for card_id in conn.scalars(select(t.card.c.id)).all():
            for _ in range(draw.randrange(1, 3)):
                words = " ".join(draw.choices(WORDS, k=draw.randrange(1, 6)))
                conn.execute(update(t.card).where(t.card.c.id == card_id).values(words=words))
            if draw.random() < 0.1:
                conn.execute(update(t.card).where(t.card.c.id == card_id).values(retired_at=RETIRED))
            for tag in draw.sample(TAGS, draw.randrange(3)):
                conn.execute(insert(t.note_tag), {"note_key": card_id, "tag": tag})


def by_like(db: Database, words: list[str], tag: str, after: Place | None) -> list[str]:
    """As it was before there was an index: every card is read."""
    c, x = t.card.c, t.note_tag.c
    query = listed().where(c.retired_at.is_(None))
    for word in words:
        tagged = select(x.note_key).where(x.tag.icontains(word, autoescape=True))
        here = (c.words.icontains(word, autoescape=True), c.id.icontains(word, autoescape=True))
        query = query.where(or_(*here, c.note_key.in_(tagged)))
    if tag:
        query = query.where(c.note_key.in_(select(x.note_key).where(x.tag == tag)))
    if after:
        query = query.where(tuple_(*order()) > tuple_(*after))
    with db.read() as conn:
        return [r.id for r in conn.execute(query.order_by(*order()))]


@pytest.mark.parametrize("few", [4000, 5, -1])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_is_what_like_finds(
    db: Database, monkeypatch: pytest.MonkeyPatch, seed: int, few: int
) -> None:
    monkeypatch.setattr(store_search, "FEW", few)
    draw = random.Random(seed)
    library(db, draw)
    found_any = 0
    for _ in range(60):
        words = [cut(draw, draw.choice([*WORDS, *TAGS, "ax-1", "cc"])) for _ in range(draw.randrange(3))]
        tag = draw.choice(["", "", *TAGS])
        with db.read() as conn:
            asked = {"words": words, "tag": tag, "level": "", "deck": ""}
            all_of_them = store_search.search(conn, **asked, limit=1000, after=None)
            expected = by_like(db, words, tag, None)
            assert [row.id for row in all_of_them] == expected
            found_any += len(expected)
            if expected:
                after = draw.choice(all_of_them).place
                page = store_search.search(conn, **asked, limit=4, after=after)
                assert [row.id for row in page] == by_like(db, words, tag, after)[:4]
    assert found_any > 100


def cut(draw: random.Random, word: str) -> str:
    """A part of the word, in any case."""
    begin = draw.randrange(len(word))
    part = word[begin : begin + draw.randrange(1, 6)]
    return draw.choice([part, part.upper(), part.lower()]) if part.isascii() else part


def test_without_the_index_all_is_found_as_well(db: Database) -> None:
    library(db, random.Random(7))
    with db.write() as conn:
        for name in ("card_text_of_a_new_card", "card_text_changed", "card_text_gone"):
            conn.exec_driver_sql(f"DROP TRIGGER {name}")
        conn.exec_driver_sql("DROP TABLE card_trigram")
    with db.read() as conn:
        found = store_search.search(conn, words=["softmax"], tag="", level="", deck="", limit=99, after=None)
    assert [row.id for row in found] == by_like(db, ["softmax"], "", None) != []


@pytest.mark.parametrize(
    "words", ["q", "Q", "x", "qx", "QX", "ς", "Σ", "ſ", "µ", "İ", "K", "日", "日本", "ϕ", '"', "%"]
)
def test_one_letter_and_two_are_found_wherever_they_stand(db: Database, words: str) -> None:
    held = (
        "aqx",
        "qx",
        "x",
        "q x",
        "İ",
        "ς",
        "σ",
        "Σ",
        "ſ",
        "µ",
        "K",
        "k",
        "日本",
        "本日",
        "ϕ",
        '"',
        "%",
        "",
    )
    add_cards(db, *(f"c{n}" for n in range(len(held))))
    with db.write() as conn:
        for at, one in enumerate(held):
            conn.execute(update(t.card).where(t.card.c.id == f"c{at}").values(words=one))
    with db.read() as conn:
        asked = {"tag": "", "level": "", "deck": ""}
        found = store_search.search(conn, words=[words], **asked, limit=99, after=None)
    assert [row.id for row in found] == by_like(db, [words], "", None) != []


@pytest.mark.parametrize(
    ("words", "found"), [(["question", "c17"], "c17"), (["µ"], "c9"), (["qj"], "c9"), (["QJ"], "c9")]
)
def test_a_rare_word_is_found_by_the_index_and_no_card_is_walked_through(
    db: Database, words: list[str], found: str
) -> None:
    add_cards(db, *(f"c{n}" for n in range(30)))
    with db.write() as conn:
        conn.execute(update(t.card).where(t.card.c.id == "c9").values(words="a µ and QJ"))
    asked: list[tuple[str, object]] = []
    sa_event.listen(
        db._readers, "before_cursor_execute", lambda *args: asked.append((args[2], args[3])), named=False
    )
    with db.read() as conn:
        (row,) = store_search.search(conn, words=words, tag="", level="", deck="", limit=9, after=None)
        assert row == row_of(conn.execute(listed().where(t.card.c.id == found)).one())
        plans = [
            str(plan[3])
            for statement, parameters in list(asked)
            if statement.startswith("SELECT")
            for plan in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)  # type: ignore[arg-type]
        ]
    assert not [plan for plan in plans if plan.startswith(("SCAN card ", "SCAN note", "SCAN card_text"))]
    assert not [plan for plan in plans if "card_trigram_term" in plan and "INDEX 0:" in plan]  # by no range
    assert any("card_trigram" in plan and "VIRTUAL TABLE" in plan for plan in plans)

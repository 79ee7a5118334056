"""The print view: every card that fits, both sides, with all that its head says, in as many queries as tables."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from fastapi import FastAPI
from sqlalchemy import event
from starlette.testclient import TestClient

from app.db.engine import Database
from app.library import printing
from app.library.printing import print_view
from app.library.service import Wanted
from app.library.sync import sync
from app.settings import Settings

DECK = """---
deck: {name}
title: Deck {name}
---
Q: What is {name}?
A: An answer with $x^2$.
id: {name}-what
level: IC4
core: yes
tags: mask, softmax
demo: attention
expect: causality.got = 0
wrong: “It is none.” It is one.
source: a test, section 1

C: It {{{{c1::hides}}}} the {{{{c2::future}}}}.
id: {name}-gaps
level: IC5
tags: mask
source: a test, section 2

S: Say {name}.
id: {name}-say
level: IC6
time: 60
point p1: It hides the future
  hear: hides
  doubt: shows
model: It hides what comes.
wrong: “It shows it.” It hides it.
source: a test, section 3
"""


@pytest.fixture
def printed(app: FastAPI, client: TestClient, settings: Settings) -> TestClient:
    for at, name in enumerate(("first", "second")):
        (settings.content / "decks" / f"{at}.md").write_text(DECK.format(name=name), encoding="utf-8")
    assert sync(settings, app.state.parts.db, datetime(2026, 11, 29, tzinfo=UTC)).errors == ()
    return client


@pytest.fixture
def statements(app: FastAPI) -> Iterator[list[str]]:
    """Every SELECT that is sent to the database."""
    seen: list[str] = []
    db: Database = app.state.parts.db
    engines = [engine for engine in vars(db).values() if hasattr(engine, "dialect")]

    def note(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip().upper().startswith("SELECT"):
            seen.append(statement)

    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    yield seen
    for engine in engines:
        event.remove(engine, "before_cursor_execute", note)


def cards(page: str) -> list[str]:
    return re.findall(r'<article class="print-card" aria-label="([^"]+)"', page)


def test_all_cards_stand_deck_by_deck_with_both_sides(printed: TestClient) -> None:
    page = printed.get("/cards/print").text
    assert cards(page) == [
        "first-what", "first-gaps.1", "first-gaps.2", "first-say",
        "second-what", "second-gaps.1", "second-gaps.2", "second-say",
    ]  # fmt: skip
    assert "8 cards in 2 decks" in page
    assert page.index("Deck first <span") < page.index("first-what") < page.index("Deck second <span")


def test_a_card_shows_all_that_it_has(printed: TestClient) -> None:
    page = printed.get("/cards/print", params={"deck": "first"}).text
    card = page[page.index('aria-label="first-what"') : page.index('aria-label="first-gaps.1"')]
    for text in (
        'href="/cards/first-what"', "· IC4", "· core", "· mask", "· softmax", "What is first?", "<msup>",
        "Often said, and wrong", "“It is none.”", "a test, section 1", "attention",
    ):  # fmt: skip
        assert text in card, text
    spoken = page[page.index('aria-label="first-say"') :]
    assert (
        spoken.index(">Key points<")
        < spoken.index("It hides the future")
        < spoken.index("It hides what comes.")
    )
    assert spoken.count("It hides the future") == 1
    assert "“It shows it.”" in spoken
    for text in ("· spoken", "· 60 s", "It hides what comes.", "<li>It hides the future</li>"):
        assert text in spoken, text


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ({"deck": "second"}, 4),
        ({"level": "IC5"}, 4),
        ({"tag": "softmax"}, 2),
        ({"core": "yes"}, 2),
        ({"q": "say first"}, 1),
        ({"deck": "second", "level": "IC6"}, 1),
        ({"deck": "none"}, 0),
    ],
)
def test_filters_choose(printed: TestClient, query: dict[str, str], number: int) -> None:
    page = printed.get("/cards/print", params=query).text
    assert len(cards(page)) == number
    assert ("No card fits" in page) == (number == 0)


def test_words_that_were_searched_for_are_shown_and_can_be_changed(printed: TestClient) -> None:
    page = printed.get("/cards/print", params={"q": "nowhere"}).text
    assert re.search(r'<input id="q" name="q" type="search" value="nowhere"', page)
    assert "No card has all of these words" in page


def test_each_deck_has_a_place_of_its_own(printed: TestClient, app: FastAPI, settings: Settings) -> None:
    for at, name in enumerate(("own/a-b", "own-a/b", "own-a-b")):
        path = settings.content / "decks" / f"own-{at}.md"
        path.write_text(DECK.format(name=name).replace(f"id: {name}", f"id: own-{at}"), encoding="utf-8")
    assert sync(settings, app.state.parts.db, datetime(2026, 11, 29, tzinfo=UTC)).errors == ()
    page = printed.get("/cards/print").text
    places = re.findall(r'<h2 id="(deck-[^"]+)"', page)
    assert len(set(places)) == len(places) == 5
    assert re.findall(r'<a href="#(deck-[^"]+)"', page) == places


def test_an_unknown_level_is_told(printed: TestClient) -> None:
    page = printed.get("/cards/print", params={"level": "IC9"})
    assert page.status_code == 422
    assert "IC9" in page.text


def test_the_list_leads_to_it_with_its_filters(printed: TestClient) -> None:
    page = printed.get("/cards", params={"deck": "first", "q": "hides"}).text
    assert 'href="/cards/print?q=hides&amp;deck=first"' in page


def test_there_is_one_query_for_each_table_however_many_cards(
    printed: TestClient, app: FastAPI, statements: list[str]
) -> None:
    with app.state.parts.db.read() as conn:
        print_view(conn, Wanted(), core=False)
        many = len(statements)
        statements.clear()
        print_view(conn, Wanted(deck="first", q="say"), core=False)
    # Which decks, cards of them in two steps, their sides, tags of notes; for the form tags and decks. A word adds one.
    assert many <= 8
    assert len(statements) <= 8


def test_what_is_too_much_to_print_is_said(printed: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "left out" not in printed.get("/cards/print").text
    monkeypatch.setattr(printing, "MOST", 2)
    page = printed.get("/cards/print").text
    assert "2 cards in 1 deck" in page
    assert "the rest was left out. Ask for a deck, a level or a tag" in page
    assert "left out" not in printed.get("/cards/print", params={"core": "yes"}).text  # one of each deck

"""What the Today page says: one next step, in words that fit what there is."""

from dataclasses import replace

from app.today.view import Have, today_view

DAY = Have(
    cards=24,
    begun=True,
    due=31,
    new=8,
    minutes=12,
    done=3,
    next_due="",
    pitches=2,
    pitches_s=120,
    first_pitch="pitch-30",
    demos=4,
    worker="worker: CPU",
)
DONE = replace(DAY, due=0, new=0, minutes=0, pitches=0, pitches_s=0)


def test_an_ordinary_day_counts_cards_pitches_and_minutes() -> None:
    view = today_view(DAY, ())
    assert view.title == "About 16 minutes today"  # 12 of cards, 2 of speech, 1 around each pitch
    assert view.lead == "31 cards to look at again, 8 new and 2 pitches to say aloud."
    assert [tile.figure for tile in view.tiles] == ["31 due · 8 new", "2 pitches", "4 demos"]


def test_new_cards_alone_are_called_cards() -> None:
    assert today_view(replace(DAY, due=0, pitches=0), ()).lead == "8 new cards."


def test_there_is_always_exactly_one_next_step() -> None:
    for have, path in (
        (DAY, "study"),
        (replace(DAY, due=0), "study"),
        (replace(DAY, due=0, new=0), "drill/pitch-30"),
        (DONE, "demos"),
    ):
        view = today_view(have, ())
        assert view.step.path == path
        assert [tile.next for tile in view.tiles].count(True) == 1


def test_a_fresh_start_teaches() -> None:
    view = today_view(replace(DAY, begun=False, due=0, done=0), ())
    assert view.title == "Begin with one card"
    assert "24 cards" in view.lead
    assert view.step.words == "See the first card"


def test_without_cards_the_page_says_where_cards_come_from() -> None:
    view = today_view(replace(DONE, cards=0, begun=False), ())
    assert "Markdown files" in view.lead
    assert view.step.path == "cards"


def test_a_day_that_is_done_says_when_the_next_card_comes() -> None:
    view = today_view(replace(DONE, next_due="9 hours"), ())
    assert view.title == "Done for today"
    assert view.lead.startswith("The next card comes in 9 hours.")
    assert "comes in" not in today_view(DONE, ()).lead


def test_one_is_not_many() -> None:
    view = today_view(replace(DAY, due=1, new=0, minutes=1, pitches=1, pitches_s=30), ())
    assert view.lead == "1 card to look at again and 1 pitch to say aloud."
    assert view.tiles[1].words == "30 s of speech"

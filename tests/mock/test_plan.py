"""Which questions are drawn: the same for a seed, the weak ones more often, none that does not fit."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

from app.mock.plan import Candidate, Wish, asked_at, draw, weight
from app.study.scheduling import CardId

WISH = Wish("IC5", (), 20, "quiet")
KNOWN = Candidate(CardId("k"), "d", "IC5", False, False, 60, stability=90.0, recall=0.97)


def many(count: int, **more: object) -> list[Candidate]:
    return [replace(KNOWN, card_id=CardId(f"c{at}"), deck=f"d{at % 4}", **more) for at in range(count)]  # type: ignore[arg-type]


def test_a_reload_draws_the_same_and_another_interview_others() -> None:
    cards = many(30)
    assert draw(cards, WISH, 7) == draw(reversed(cards), WISH, 7)
    assert draw(cards, WISH, 7) != draw(cards, WISH, 8)


def test_weak_due_and_missed_cards_weigh_more() -> None:
    base = weight(KNOWN, "IC5")
    assert weight(replace(KNOWN, lapses=3), "IC5") > base
    assert weight(replace(KNOWN, recall=0.5), "IC5") > base
    assert weight(replace(KNOWN, stability=2.0), "IC5") > base
    assert weight(replace(KNOWN, missed=0.6), "IC5") > base
    assert weight(replace(KNOWN, due=True), "IC5") > base
    assert (
        weight(replace(KNOWN, recall=None, core=True), "IC5")
        > weight(replace(KNOWN, recall=None), "IC5")
        > base
    )
    assert weight(replace(KNOWN, level="IC4"), "IC5") < base


def test_a_weak_card_comes_first_more_often_but_not_always() -> None:
    weak = replace(KNOWN, card_id=CardId("weak"), recall=0.3, lapses=4, stability=1.0)
    first = Counter(draw([weak, *many(4)], WISH, seed)[0] for seed in range(400))
    assert 120 < first[CardId("weak")] < 320
    assert len(first) == 5


def test_the_level_is_the_chosen_one_or_the_one_below() -> None:
    assert [level for level in ("eli5", "IC4", "IC5", "IC6", "") if asked_at(level, "IC5")] == ["IC4", "IC5"]
    assert asked_at("eli5", "eli5")


def test_what_takes_more_than_half_of_the_time_is_not_asked() -> None:
    case = replace(KNOWN, card_id=CardId("case"), spoken=True, planned_s=600)
    assert draw([case], WISH, 1) == ("case",)
    assert draw([case], replace(WISH, minutes=10), 1) == ()


def test_one_is_said_at_length_and_then_two_are_answered() -> None:
    spoken = [replace(card, card_id=CardId(f"s{card.card_id}"), spoken=True) for card in many(3)]
    drawn = draw([*many(6), *spoken], WISH, 3)
    assert ["s" if card.startswith("s") else "r" for card in drawn] == list("srrsrrsrr")


def test_two_questions_in_a_row_are_of_two_decks_where_there_are_others() -> None:
    cards = many(12)
    decks = {card.card_id: card.deck for card in cards}
    drawn = [decks[card_id] for card_id in draw(cards, WISH, 5)][:8]
    assert not any(a == b for a, b in pairwise(drawn))

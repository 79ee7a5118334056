"""Order, limits and counts of the day's queue."""

from datetime import UTC, date, datetime, timedelta

from app.study.queue import Counts, Heap, Limits, Queue, Room, Row, Tally, Waiting, build, minutes, pace_s
from app.study.scheduling import CardId

NOW = datetime(2026, 11, 29, 18, tzinfo=UTC)
TODAY = date(2026, 11, 29)
EMPTY = Room.left(Limits(), {})


def heap(first: str, count: int = 1, place: int = 0, tree: str = "d") -> Heap:
    return Heap(tree, CardId(first), (place,), count)


def step(name: str, minutes_from_now: float) -> Waiting:
    return Waiting(CardId(name), "d", "IC4", (0,), TODAY, NOW + timedelta(minutes=minutes_from_now))


def shown(reviews: int, new: int, done: Tally | None = None) -> str:
    """The whole day's order as letters, each card leaving for good when it is answered."""
    order, done = "", done or Tally()
    while True:
        left = [Row(CardId(name), count) if count else Row() for name, count in (("r", reviews), ("n", new))]
        card_id = Queue((), *left, done).next(NOW)
        if card_id is None:
            return order
        order += card_id
        is_new = card_id == "n"
        reviews, new = reviews - (not is_new), new - is_new
        done = Tally(done.new + is_new, done.reviews + (not is_new))


def test_learning_cards_come_at_their_minute_before_all_others() -> None:
    queue = build([step("late", -1), step("later", -9), step("soon", 3)], [heap("r")], [], EMPTY)
    assert queue.next(NOW) == "later"
    queue = build([step("soon", 3)], [heap("r")], [], EMPTY)
    assert queue.next(NOW) == "r"
    assert queue.counts == Counts(new=0, learning=1, review=1)
    assert build([step("soon", 3)], [], [], EMPTY).next(NOW) is None


def test_a_step_that_became_a_day_is_due_all_day() -> None:
    day_step = Waiting(CardId("day-step"), "d", "IC4", (0,), TODAY)
    assert build([day_step], [heap("r")], [], EMPTY).next(NOW) == "day-step"


def test_the_first_card_of_all_trees_comes_first() -> None:
    heaps = [
        heap("b", 3, place=2, tree="b"),
        heap("a", 2, place=1, tree="a"),
        heap("c", 1, place=3, tree="c"),
    ]
    assert build([], heaps, [], EMPTY).reviews == Row(CardId("a"), 6)
    assert build([], [], heaps, EMPTY).new == Row(CardId("a"), 6)


def test_new_and_reviews_are_mixed_evenly() -> None:
    assert shown(8, 4) in ("rnrrnrrnrrnr", "rnrrnrrnrrnr"[::-1])
    assert shown(0, 4) == "nnnn"
    assert shown(8, 0) == "r" * 8


def test_the_mix_goes_on_where_it_was() -> None:
    assert shown(8, 2, Tally(new=2, reviews=0)).startswith("rr")


def test_limits_hold_for_each_tree_of_decks() -> None:
    new = [heap("a", 9, place=0, tree="a"), heap("b", 9, place=1, tree="b")]
    room = Room.left(Limits(new=4), {"a/y": Tally(new=1), "a/x": Tally(new=1)})
    assert build([], [], new, room).new == Row(CardId("a"), 6)
    full = Room.left(Limits(new=4), {"a/y": Tally(new=3), "a/x": Tally(new=2)})
    assert build([], [], new, full).new == Row(CardId("b"), 4)
    spent = Room.left(Limits(reviews=4), {"d": Tally(reviews=3)})
    assert build([], [heap("r", 5)], [], spent).reviews == Row(CardId("r"), 1)
    assert (
        build([], [heap("r", 5)], new, Room.left(Limits(0, 4), {"d/e": Tally(reviews=9)})).counts.total == 0
    )


def test_one_deck_spends_the_limit_of_its_tree_and_counts_its_own_answers() -> None:
    room = Room.left(Limits(new=4), {"a/x": Tally(new=1), "a/y": Tally(new=2), "ab": Tally(new=5)})
    queue = build([], [], [heap("x", 9, tree="a")], room, Tally(new=1))
    assert (queue.counts.new, queue.done.new) == (1, 1)
    assert build([], [], [], room).done.new == 8


def test_one_row_goes_on_after_another() -> None:
    assert Row().then(Row(CardId("b"), 2)) == Row(CardId("b"), 2)
    assert Row(CardId("a"), 1).then(Row(CardId("b"), 2)) == Row(CardId("a"), 3)
    assert Row.of([step("a", 0), step("b", 0)]) == Row(CardId("a"), 2)


def test_a_card_that_was_asked_for_comes_first() -> None:
    queue = Queue((step("soon", -3),), Row(CardId("r"), 1), Row(), Tally(), asked=CardId("r"))
    assert queue.next(NOW) == "r"


def test_minutes() -> None:
    assert minutes(Counts(0, 0, 0), pace_s=15) == 0
    assert minutes(Counts(0, 0, 1), pace_s=15) == 1
    assert minutes(Counts(new=10, learning=0, review=15), pace_s=12) == 8


def test_one_quick_answer_does_not_make_the_whole_day_quick() -> None:
    assert pace_s(0, 0) == 15
    assert 14 < pace_s(1, 0.5) < 15
    assert pace_s(200, 200 * 6.0) < 7

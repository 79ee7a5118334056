"""Order, limits and counts of the day's queue."""

from datetime import UTC, date, datetime, timedelta

from app.study.queue import Counts, Limits, Queue, Tally, Waiting, build, minutes, pace_s
from app.study.scheduling import CardId

NOW = datetime(2026, 11, 29, 18, tzinfo=UTC)
TODAY = date(2026, 11, 29)


def card(
    name: str, level: str = "IC4", deck: str = "d", place: int = 0, late: int = 0, core: bool = False
) -> Waiting:
    return Waiting(CardId(name), deck, level, (place,), TODAY - timedelta(days=late), core=core)


def step(name: str, minutes_from_now: float) -> Waiting:
    return Waiting(CardId(name), "d", "IC4", (0,), TODAY, NOW + timedelta(minutes=minutes_from_now))


def shown(queue: Queue, limits: Limits | None = None) -> str:
    """The whole day's order as letters, each card leaving for good when it is answered."""
    order = ""
    while (card_id := queue.next(NOW)) is not None:
        done = queue.done
        is_new = any(c.card_id == card_id for c in queue.new)
        order += card_id[0]
        queue = Queue(
            tuple(c for c in queue.learning if c.card_id != card_id),
            tuple(c for c in queue.reviews if c.card_id != card_id),
            tuple(c for c in queue.new if c.card_id != card_id),
            Tally(done.new + is_new, done.reviews + (not is_new)),
        )
    return order


def test_learning_cards_come_at_their_minute_before_all_others() -> None:
    queue = build([step("late", -1), step("later", -9), step("soon", 3)], [card("r")], [], {}, Limits())
    assert queue.next(NOW) == "later"
    queue = build([step("soon", 3)], [card("r")], [], {}, Limits())
    assert queue.next(NOW) == "r"
    assert queue.counts == Counts(new=0, learning=1, review=1)
    assert build([step("soon", 3)], [], [], {}, Limits()).next(NOW) is None


def test_a_step_that_became_a_day_is_due_all_day() -> None:
    assert build([card("day-step")], [card("r")], [], {}, Limits()).next(NOW) == "day-step"


def test_new_cards_come_by_level_then_in_file_order() -> None:
    new = [
        card("deep", "IC6", place=0),
        card("second", "IC4", place=2),
        card("first", "IC4", place=1),
        card("child", "eli5", place=9),
        card("mid", "IC5", place=3),
    ]
    queue = build([], [], new, {}, Limits())
    assert [c.card_id for c in queue.new] == ["child", "first", "second", "mid", "deep"]


def test_the_longest_due_reviews_come_first_and_the_order_repeats() -> None:
    reviews = [card(f"r{n}", late=n % 3) for n in range(12)]
    queue = build([], reviews, [], {}, Limits())
    assert [(TODAY - c.due_day).days for c in queue.reviews if c.due_day] == [2] * 4 + [1] * 4 + [0] * 4
    assert build([], reversed(reviews), [], {}, Limits()) == queue
    assert [c.card_id for c in queue.reviews] != sorted(c.card_id for c in queue.reviews)


def test_new_and_reviews_are_mixed_evenly() -> None:
    reviews, new = [card(f"r{n}") for n in range(8)], [card(f"n{n}", place=n) for n in range(4)]
    order = shown(build([], reviews, new, {}, Limits()))
    assert order in ("rnrrnrrnrrnr", "rnrrnrrnrrnr"[::-1])
    assert shown(build([], [], new, {}, Limits())) == "nnnn"
    assert shown(build([], reviews, [], {}, Limits())) == "r" * 8


def test_the_mix_goes_on_where_it_was() -> None:
    reviews, new = [card(f"r{n}") for n in range(8)], [card(f"n{n}", place=n) for n in range(2)]
    queue = build([], reviews, new, {"d": Tally(new=2, reviews=0)}, Limits())
    assert shown(queue).startswith("rr")


def test_the_core_comes_before_everything_else() -> None:
    new = [
        card("child", "eli5", place=0),
        card("deep-core", "IC6", place=1, core=True),
        card("core", "IC4", place=2, core=True),
        card("no-level", "", place=3),
        card("plain", "IC4", place=4),
    ]
    queue = build([], [], new, {}, Limits())
    assert [c.card_id for c in queue.new] == ["core", "deep-core", "child", "plain", "no-level"]


def test_limits_hold_for_each_tree_of_decks() -> None:
    new = [card(f"{deck}{n}", deck=f"{deck}/x", place=n) for deck in "ab" for n in range(5)]
    new += [card(f"{deck}{n}", deck=f"{deck}/y", place=n) for deck in "ab" for n in range(5, 9)]
    queue = build([], [], new, {"a/y": Tally(new=1), "a/x": Tally(new=1)}, Limits(new=4))
    assert sorted(c.card_id for c in queue.new) == ["a0", "a1", "b0", "b1", "b2", "b3"]
    reviews = [card(f"r{n}") for n in range(5)]
    assert len(build([], reviews, [], {"d": Tally(reviews=3)}, Limits(reviews=4)).reviews) == 1
    assert build([], reviews, new, {"d/e": Tally(reviews=9)}, Limits(0, 4)).counts.total == 0


def test_one_deck_spends_the_limit_of_its_tree_and_counts_its_own_answers() -> None:
    done = {"a/x": Tally(new=1), "a/y": Tally(new=2), "ab": Tally(new=5)}
    queue = build(
        [], [], [card(f"x{n}", deck="a/x", place=n) for n in range(9)], done, Limits(new=4), Tally(new=1)
    )
    assert (queue.counts.new, queue.done.new) == (1, 1)
    assert build([], [], [], done, Limits()).done.new == 8


def test_a_card_may_be_asked_for_but_only_if_it_is_due() -> None:
    queue = build([step("soon", 3)], [card("r")], [card("n")], {}, Limits())
    assert queue.next(NOW, first=CardId("n")) == "n"
    assert queue.next(NOW, first=CardId("soon")) == queue.next(NOW)
    assert queue.next(NOW, first=CardId("unknown")) == queue.next(NOW)


def test_minutes() -> None:
    assert minutes(Counts(0, 0, 0), pace_s=15) == 0
    assert minutes(Counts(0, 0, 1), pace_s=15) == 1
    assert minutes(Counts(new=10, learning=0, review=15), pace_s=12) == 8


def test_one_quick_answer_does_not_make_the_whole_day_quick() -> None:
    assert pace_s(0, 0) == 15
    assert 14 < pace_s(1, 0.5) < 15
    assert pace_s(200, 200 * 6.0) < 7

"""What the mock interview does: draw questions, take answers in turn, go up the ladders, report."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import attempt as attempts
from app.drill import service as drill
from app.drill.attempt import Attempt
from app.drill.pitch import Pitch
from app.library import service as library
from app.library.values import LEVELS
from app.mock import course, plan, store
from app.mock.interview import Asked, Interview, InterviewId, Sitting
from app.mock.plan import MINUTES, MODES, THINK_S, Candidate, Wish
from app.mock.report import Line, to_review
from app.study import aloud, changes
from app.study import service as study
from app.study.aloud import Put
from app.study.words import Choice
from app.web.errors import Invalid, NotFound

PAST = 50
LONGEST = 20_000  # characters of a typed answer


def wish(level: str, decks: tuple[str, ...], minutes: int, mode: str, known: tuple[str, ...]) -> Wish:
    """What was chosen; raises Invalid, in a sentence, for what nobody can choose."""
    found = next((name for name in LEVELS if name == level), None)
    if found is None:
        raise Invalid(f"There is no level {level[:20]!r}; choose one of {', '.join(LEVELS)}.")
    how = next((name for name in MODES if name == mode), None)
    if how is None:
        raise Invalid("An interview is spoken, typed or quiet; choose one of these.")
    if minutes not in MINUTES:
        raise Invalid(f"An interview takes {', '.join(map(str, MINUTES[:-1]))} or {MINUTES[-1]} minutes.")
    unknown = set(decks) - set(known)
    if unknown:
        raise Invalid(f"There is no deck {min(unknown)[:80]!r}; choose among those on the page.")
    return Wish(found, tuple(name for name in known if name in decks), minutes, how)


def start(conn: Connection, learner: Learner, now: datetime, wish: Wish, key: str) -> InterviewId:
    """Begin an interview; the same `key` again gives the one that it began."""
    known = store.by_key(conn, learner.id, key)
    if known is not None:
        return known.id
    found = candidates(conn, learner, now, wish.decks)
    made = store.add(conn, learner.id, key, wish, now)
    drawn = plan.draw(found, wish, made)
    if not drawn:
        raise Invalid("No card of this level is in the chosen topics; choose another level, or more topics.")
    store.put_drawn(conn, made, drawn)
    _go_on(conn, learner, now, made)
    return made


def candidates(conn: Connection, learner: Learner, now: datetime, decks: tuple[str, ...]) -> list[Candidate]:
    """Every card that may be asked, with the chance that it is known today."""
    recall, today = study.recall(learner), learner.day(now)
    return [
        replace(card, recall=recall(memory, max(0, (today - last).days))) if memory and last else card
        for card, memory, last in store.candidates(conn, learner.id, today, decks)
    ]


def sitting(conn: Connection, learner: Learner, interview: int) -> Sitting:
    """The interview as it stands; raises NotFound."""
    found = store.one(conn, learner.id, interview)
    if found is None:
        raise NotFound(
            "There is no such interview. The list shows all that you had.", (("mock", "All interviews"),)
        )
    asked = tuple(store.asked(conn, learner.id, [found.id])[found.id])
    open_ = next((one for one in asked if one.open), None)
    return Sitting(found, asked, None if open_ is None else content(conn, learner, open_))


def content(conn: Connection, learner: Learner, asked: Asked) -> Pitch | Put:
    """What a question asks: a spoken card, or one to read."""
    queue, _, _ = store.card(conn, asked.turn.card_id)
    if queue == "drill":
        return drill.pitch(conn, learner, asked.turn.card_id)
    return aloud.put(conn, learner, asked.turn.card_id, asked.attempt.key)


def choices(conn: Connection, learner: Learner, now: datetime, asks: Pitch | Put) -> tuple[Choice, ...]:
    """The four grades of the open question, each with what it does to the schedule."""
    if isinstance(asks, Pitch):
        return study.preview_spoken(conn, learner, now, asks.card_id)
    return aloud.preview(conn, learner, now, asks.card.id)


def begin(
    conn: Connection, learner: Learner, now: datetime, interview: int, position: int, ready_s: float
) -> Attempt | None:
    """The clock of the open question runs, `ready_s` from now; None: that question is over."""
    found = _open(conn, learner, interview, position)
    if found is None:
        return None
    made = found.attempt.start(now, ready_s)
    store.put_attempt(conn, InterviewId(interview), position, made)
    return made


def again(conn: Connection, learner: Learner, now: datetime, interview: int, position: int) -> None:
    """Ask the open question anew, after its page was left in the middle of the answer."""
    found = _open(conn, learner, interview, position)
    if found is not None and found.attempt.state != "review":
        made = attempts.begin(learner.id, found.turn.card_id)
        store.put_attempt(conn, InterviewId(interview), position, made)


def finish(
    conn: Connection, learner: Learner, now: datetime, interview: int, position: int,
    *, spoken_ms: int | None, interrupted: bool, text: str,
) -> None:  # fmt: skip
    """The answer to the open question is given. A repeat changes nothing."""
    if len(text) > LONGEST:
        raise Invalid(f"A typed answer has at most {LONGEST:,} characters; this one has {len(text):,}.")
    found = _open(conn, learner, interview, position)
    if found is not None and found.attempt.state != "review":
        made = found.attempt.finish(now, spoken_ms, interrupted, False)
        store.put_attempt(conn, InterviewId(interview), position, made, text.strip())


def tick(conn: Connection, learner: Learner, interview: int, position: int, ticks: tuple[str, ...]) -> None:
    """Keep what was ticked so far."""
    found = _open(conn, learner, interview, position)
    if found is not None:
        known = drill.known_ticks(conn, learner, found.turn.card_id, ticks)
        store.put_attempt(conn, InterviewId(interview), position, found.attempt.tick(known))


def rate(
    conn: Connection, learner: Learner, now: datetime, interview: int, position: int, grade: int, ticks: tuple[str, ...]
) -> None:  # fmt: skip
    """Rate the open question, on the schedule it has in its own room, and go on. A repeat changes nothing."""
    found = _open(conn, learner, interview, position)
    if found is None:
        return
    attempt = found.attempt.finished()
    queue, _, _ = store.card(conn, found.turn.card_id)
    at, made = (InterviewId(interview), position), None
    if queue == "drill":
        made = drill.save(conn, learner, now, attempt, grade, ticks)
        store.put_done(conn, *at, now, grade=grade, event_id=made.event_id, take_id=made.id)
    else:
        ms = attempt.spoken_ms or 0
        event = aloud.answer(conn, learner, now, card_id=attempt.card_id, grade=grade, ms=ms, key=attempt.key)
        store.put_done(conn, *at, now, grade=grade, event_id=event)
    _go_on(conn, learner, now, InterviewId(interview))


def skip(conn: Connection, learner: Learner, now: datetime, interview: int, position: int) -> None:
    """Leave the open question without an answer, and go on. A repeat changes nothing."""
    if _open(conn, learner, interview, position) is not None:
        store.put_done(conn, InterviewId(interview), position, now)
        _go_on(conn, learner, now, InterviewId(interview))


def end(conn: Connection, learner: Learner, now: datetime, interview: int) -> None:
    """End the interview where it stands; a question that is open counts as skipped."""
    found = sitting(conn, learner, interview)
    if found.interview.ended_at is None:
        if found.current is not None:
            store.put_done(conn, found.interview.id, found.current.turn.position, now)
        store.put_ended(conn, found.interview.id, now)


def lines(conn: Connection, learner: Learner, interview: Sitting) -> tuple[Line, ...]:
    """What became of each question."""
    return tuple(_line(conn, learner, asked) for asked in interview.asked)


def call(conn: Connection, learner: Learner, now: datetime, interview: int) -> int:
    """Put what is to be looked at again into today's queue; how many cards that moved."""
    found = sitting(conn, learner, interview)
    ids = to_review(lines(conn, learner, found))
    return sum(changes.call(conn, learner, now, card_id) for card_id in ids)


def past(conn: Connection, learner: Learner) -> list[tuple[Interview, tuple[Asked, ...]]]:
    """The latest interviews, newest first, with what was asked."""
    found = store.all_of(conn, learner.id, PAST)
    asked = store.asked(conn, learner.id, [interview.id for interview in found])
    return [(interview, tuple(asked[interview.id])) for interview in found]


def _open(conn: Connection, learner: Learner, interview: int, position: int) -> Asked | None:
    """The question at `position` while it is open; raises NotFound where there is no such interview."""
    found = store.one(conn, learner.id, interview)
    if found is None:
        raise NotFound(
            "There is no such interview. The list shows all that you had.", (("mock", "All interviews"),)
        )
    if found.ended_at is not None:
        return None
    asked = store.asked(conn, learner.id, [found.id])[found.id]
    return next((one for one in asked if one.open and one.turn.position == position), None)


def _go_on(conn: Connection, learner: Learner, now: datetime, interview: InterviewId) -> None:
    """Ask what is next, or end the interview. The first question waits for Start, where the microphone is chosen."""
    found = store.one(conn, learner.id, interview)
    assert found is not None
    turns = [asked.turn for asked in store.asked(conn, learner.id, [interview])[interview]]
    ladder = store.questions(conn, learner.id, _ladder(conn, turns))
    drawn = store.questions(conn, learner.id, found.drawn)
    following = course.following(turns, drawn, ladder, found.wish.minutes)
    if following is None:
        store.put_ended(conn, interview, now)
        return
    question, follows = following
    attempt = attempts.begin(learner.id, question.card_id)
    if turns:
        attempt = attempt.start(now, THINK_S)
    store.ask(
        conn, learner.id, interview, len(turns) + 1, question, follows=follows, attempt=attempt, now=now
    )


def _ladder(conn: Connection, turns: list[course.Turn]) -> tuple[str, ...]:
    if not turns:
        return ()
    names = store.next_of(conn, turns[-1].card_id)
    return tuple(card.id for card in library.follow_ups(conn, names))


def _line(conn: Connection, learner: Learner, asked: Asked) -> Line:
    _, words, level = store.card(conn, asked.turn.card_id)
    take = drill.take(conn, learner, asked.turn.card_id, asked.take_id) if asked.take_id else None
    return Line(asked.turn, words, level, asked.attempt.spoken_ms, asked.text, take)

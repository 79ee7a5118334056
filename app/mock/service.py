"""What the mock interview does: draw questions, take answers in turn, go up the ladders, report."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import attempt as attempts
from app.drill import service as drill
from app.drill.attempt import Attempt
from app.drill.hearing import service as hearing
from app.drill.pitch import Pitch
from app.drill.recording import service as recordings
from app.drill.recording.sound import Recording
from app.drill.said import service as said
from app.library import service as library
from app.library.values import LEVELS
from app.mock import course, plan, store
from app.mock.interview import Asked, Interview, InterviewId, Sitting
from app.mock.plan import MINUTES, MODES, THINK_S, Candidate, Wish
from app.study import aloud
from app.study import service as study
from app.study.aloud import Put
from app.study.words import Choice
from app.web.errors import Invalid, NotFound

PAST = 50


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
    if asked.spoken:
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
    found = open_question(conn, learner, interview, position)
    if found is None:
        return None
    made = found.attempt.start(now, ready_s)
    store.put_attempt(conn, InterviewId(interview), position, made)
    return made


def again(
    conn: Connection, learner: Learner, now: datetime, interview: int, position: int
) -> Recording | None:
    """Ask the open question anew, in the middle of the answer or after its page was left.

    Of this and whatever else breaks an answer off comes the sound of it, whose file the caller deletes; None: none.
    """
    found = open_question(conn, learner, interview, position)
    if found is None or found.attempt.state == "review":
        return None
    store.put_attempt(conn, InterviewId(interview), position, attempts.anew(found.attempt), "")
    return _broken_off(conn, learner, now, found)


def finish(
    conn: Connection, learner: Learner, now: datetime, interview: int, position: int,
    *, spoken_ms: int | None, interrupted: bool, text: str = "",
) -> Attempt | None:  # fmt: skip
    """The answer to the open question is given; None where there is none, or it was given before."""
    found = open_question(conn, learner, interview, position)
    if found is None or found.attempt.state == "review":
        return None
    made = found.attempt.finish(now, spoken_ms, interrupted and not found.attempt.typed, False)
    store.put_attempt(conn, InterviewId(interview), position, made, hearing.checked(text).strip())
    return made if made.state == "review" else None


def resume(
    conn: Connection, learner: Learner, interview: int, position: int, recorded: Attempt | None
) -> None:
    """Take what there is of an answer whose page was left: what was `recorded`, or else what was written."""
    found = open_question(conn, learner, interview, position)
    if found is None or found.attempt.state == "review" or not (recorded or found.text):
        return
    spoken_ms = recorded.spoken_ms if recorded else 0  # nobody knows for how long it was written
    made = replace(found.attempt, spoken_ms=spoken_ms, interrupted=True, untimed=True)
    store.put_attempt(conn, InterviewId(interview), position, made)


def draft(conn: Connection, learner: Learner, interview: int, position: int, text: str) -> None:
    """Keep what is typed so far. An answer that was given is changed by `tick` alone."""
    found = open_question(conn, learner, interview, position)
    if found is not None and found.attempt.state != "review":
        store.put_attempt(conn, InterviewId(interview), position, found.attempt, hearing.checked(text))


def tick(
    conn: Connection, learner: Learner, now: datetime, interview: int, position: int,
    ticks: tuple[str, ...], text: str | None,
) -> Asked | None:  # fmt: skip
    """Keep what was ticked so far, and what was corrected in the text of the answer. The open question, if it is."""
    found = open_question(conn, learner, interview, position)
    if found is None:
        return None
    known = drill.known_ticks(conn, learner, found.turn.card_id, ticks) if found.spoken else ()
    attempt, typed = found.attempt.tick(known), found.text
    if text is not None and attempt.typed:
        typed = hearing.checked(text).strip()
    elif text is not None:
        said.correct(conn, learner, attempt, text, now)
    store.put_attempt(conn, InterviewId(interview), position, attempt, typed)
    return replace(found, attempt=attempt, text=typed)


def rate(
    conn: Connection, learner: Learner, now: datetime, interview: int, position: int,
    grade: int, ticks: tuple[str, ...], text: str | None,
) -> None:  # fmt: skip
    """Rate the open question, on the schedule it has in its own room, and go on. A repeat changes nothing."""
    found = tick(conn, learner, now, interview, position, ticks, text)
    if found is None:
        return
    attempt, at = found.attempt.finished(), (InterviewId(interview), position)
    if found.spoken:
        if attempt.typed:
            said.draft(conn, learner, attempt, found.text, now)  # from where a take has its text
        made = drill.save(conn, learner, now, attempt, grade, ticks)
        store.put_done(conn, *at, now, grade=made.grade, event_id=made.event_id, take_id=made.id)
    else:
        ms = said.timed(attempt, said.of_attempt(conn, learner, attempt)).spoken_ms or 0
        event = aloud.answer(conn, learner, now, card_id=attempt.card_id, grade=grade, ms=ms, key=attempt.key)
        store.put_done(conn, *at, now, grade=grade, event_id=event)
    _go_on(conn, learner, now, InterviewId(interview))


def skip(
    conn: Connection, learner: Learner, now: datetime, interview: int, position: int
) -> Recording | None:
    """Leave the open question without a grade, and go on. A repeat changes nothing. As `again`."""
    found = open_question(conn, learner, interview, position)
    if found is None:
        return None
    store.put_done(conn, InterviewId(interview), position, now)
    _go_on(conn, learner, now, InterviewId(interview))
    return _broken_off(conn, learner, now, found)


def end(conn: Connection, learner: Learner, now: datetime, interview: int) -> Recording | None:
    """End the interview where it stands; a question that is open counts as skipped. As `again`."""
    found = sitting(conn, learner, interview)
    if found.interview.ended_at is not None:
        return None
    store.put_ended(conn, found.interview.id, now)
    if found.current is None:
        return None
    store.put_done(conn, found.interview.id, found.current.turn.position, now)
    return _broken_off(conn, learner, now, found.current)


def past(conn: Connection, learner: Learner) -> list[tuple[Interview, tuple[Asked, ...]]]:
    """The latest interviews, newest first, with what was asked."""
    found = store.all_of(conn, learner.id, PAST)
    asked = store.asked(conn, learner.id, [interview.id for interview in found])
    return [(interview, tuple(asked[interview.id])) for interview in found]


def open_question(conn: Connection, learner: Learner, interview: int, position: int) -> Asked | None:
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


def _broken_off(conn: Connection, learner: Learner, now: datetime, asked: Asked) -> Recording | None:
    """What was recorded of an answer that was not given to its end goes. One that was stays, to be rated later."""
    if asked.attempt.state == "review":
        return None
    return recordings.discard(conn, learner, now, asked.attempt.key)


def _go_on(conn: Connection, learner: Learner, now: datetime, interview: InterviewId) -> None:
    """Ask what is next, or end the interview.

    The first question waits for Start, where the microphone is chosen and allowed; so does the next, if it was skipped.
    """
    found = store.one(conn, learner.id, interview)
    assert found is not None
    asked = store.asked(conn, learner.id, [interview])[interview]
    turns = [one.turn for one in asked]
    ladder = store.questions(conn, learner.id, _ladder(conn, turns))
    drawn = store.questions(conn, learner.id, found.drawn)
    following = course.following(turns, drawn, ladder, found.wish.minutes)
    if following is None:
        store.put_ended(conn, interview, now)
        return
    question, follows = following
    attempt = attempts.begin(learner.id, question.card_id)
    if any(one.attempt.state != "prompt" for one in asked):
        attempt = attempt.start(now, THINK_S)
    store.ask(
        conn, learner.id, interview, len(turns) + 1, question, follows=follows, attempt=attempt, now=now
    )


def _ladder(conn: Connection, turns: list[course.Turn]) -> tuple[str, ...]:
    if not turns:
        return ()
    names = store.next_of(conn, turns[-1].card_id)
    return tuple(card.id for card in library.follow_ups(conn, names))

"""The pages after a take, put together from the app's parts: the take, its sound, its text and its judge."""

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import attempt as attempts
from app.drill import service
from app.drill.attempt import Attempt
from app.drill.hearing import service as hearing
from app.drill.hearing.service import Ears
from app.drill.judge import commenting
from app.drill.judge import service as judge
from app.drill.pitch import Point, TakeId
from app.drill.review import views as review_views
from app.drill.review.views import ReviewView, TakeView
from app.drill.said import service as said
from app.drill.said import views as said_views
from app.drill.said.service import Said
from app.drill.said.views import SaidView
from app.library import service as library
from app.study import service as study
from app.study.scheduling import CardId
from app.web.parts import Parts


def review(conn: Connection, its: Parts, learner: Learner, attempt: Attempt, problem: str) -> ReviewView:
    pitch = service.pitch(conn, learner, attempt.card_id)
    return review_views.review_view(
        pitch,
        said.timed(attempt, said.of_attempt(conn, learner, attempt)),
        study.preview_spoken(conn, learner, its.clock(), attempt.card_id),
        part(conn, its, learner, attempt),
        commenting.part(conn, its, learner, attempt),
        take=attempts.sign(its.signer, attempt),
        problem=problem,
        follow_ups=library.follow_ups(conn, pitch.next),
    )


def part(conn: Connection, its: Parts, learner: Learner, attempt: Attempt) -> SaidView:
    """What was said in an attempt that is not rated, with the marks of its points as they are now."""
    pitch = service.pitch(conn, learner, attempt.card_id)
    spoken = said.of_attempt(conn, learner, attempt)
    return answer(conn, its, learner, attempt, spoken, pitch.words, pitch.points, f"drill/{pitch.card_id}")


def answer(
    conn: Connection, its: Parts, learner: Learner, attempt: Attempt, spoken: Said,
    question: str, points: tuple[Point, ...], path: str,
) -> SaidView:  # fmt: skip
    """The same of any answer, in whatever room its question was put; its forms are sent to addresses below `path`."""
    return said_views.said_view(
        question,
        points,
        attempt.ticks,
        spoken,
        ears(conn, its, learner),
        spoken.marks(points),
        path=path,
        may_judge=_may_judge(conn, its, learner),
    )


def saved(conn: Connection, its: Parts, learner: Learner, card_id: CardId, take_id: TakeId) -> TakeView:
    take = service.take(conn, learner, card_id, take_id)
    pitch = service.pitch(conn, learner, card_id)
    spoken, now = said.of_take(conn, learner, take), its.clock()
    today = learner.day(now)
    attempt = commenting.of_take(conn, learner, take)
    return review_views.take_view(
        pitch,
        take,
        said_views.said_view(
            pitch.words,
            take.points,
            take.ticks,
            spoken,
            ears(conn, its, learner),
            said.marks_of(take, pitch, spoken),
            path=f"drill/{card_id}",
            may_judge=_may_judge(conn, its, learner),
        ),
        commenting.part(conn, its, learner, attempt),
        signed=attempts.sign(its.signer, attempt),
        again=service.rated_again(conn, learner, take),
        history=service.history(conn, learner, card_id),
        due=service.due_day(conn, learner, card_id),
        choices=service.choices(conn, learner, now),
        follow_ups=library.follow_ups(conn, pitch.next),
        learner=learner,
        today=today,
    )


def ears(conn: Connection, its: Parts, learner: Learner) -> Ears:
    """Who would hear a recording now."""
    return hearing.ears(conn, learner, its.settings, hears=its.workers.view().hears)


def _may_judge(conn: Connection, its: Parts, learner: Learner) -> bool:
    """Whether this server allows a judge, and the learner has chosen none."""
    allowed = judge.allowed(its.settings)
    return bool(allowed) and judge.chosen(conn, learner, allowed) is None

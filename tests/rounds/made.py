"""Cards and rounds, made up."""

from datetime import date, timedelta

from app.rounds.cards import Round, RoundCard, RoundId
from app.study.memory import DEFAULT_WEIGHTS, Memory, Model
from app.study.scheduling import CardId

TODAY = date(2026, 11, 30)
MODEL = Model(DEFAULT_WEIGHTS, 0.9, 36_500)
PACE_S = 15.0


def a_round(
    days: int, minutes: int = 30, level: str = "IC5", topics: tuple[str, ...] = (), number: int = 1
) -> Round:
    return Round(RoundId(number), "a round", TODAY + timedelta(days=days), topics, level, minutes)


def a_card(
    name: str,
    *,
    deck: str = "attention/core",
    level: str = "IC4",
    core: bool = False,
    spoken: bool = False,
    place: int = 0,
    stability: float | None = None,
    ago: int = 0,
    due: int = 0,
) -> RoundCard:
    known = stability is not None
    return RoundCard(
        CardId(name),
        f"question {name}",
        deck,
        deck,
        level,
        core,
        spoken,
        150.0 if spoken else 0.0,
        (place,),
        Memory(stability, 5.0) if stability is not None else None,
        TODAY - timedelta(days=ago) if known else None,
        TODAY + timedelta(days=due) if known else None,
    )


def unseen(count: int, **values: object) -> list[RoundCard]:
    return [a_card(f"c{at}", place=at, **values) for at in range(count)]  # type: ignore[arg-type]

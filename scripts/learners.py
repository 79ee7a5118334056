"""Simulated learners, day by day towards a round: is the forecast for its day their recall? A part of make bench.

They keep to the plan, answer with all four grades, and live by the product's own rules: minute steps, fuzz, last looks,
the plan of each morning. Their memory is FSRS's with its default weights, or one that fades faster or more slowly than
the scheduler believes. The forecast is told on the first day, halfway and on the eve; on the day every card is asked.
"""

import random
import statistics
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from app.library.format import parse_deck
from app.rounds.cards import Round, RoundCard, RoundId
from app.rounds.course import FIRST
from app.rounds.course import due as shown_on
from app.rounds.plan import RoundPlan, plans
from app.rounds.readiness import chances, readiness
from app.settings import ROOT
from app.study.memory import DEFAULT_WEIGHTS, Grade, Memory, Model
from app.study.scheduling import CardId, CardState, SchedulerSettings, When, answers

BEGIN = date(2027, 1, 4)
PACE_S = 15.0
RECALLED = {Grade.HARD: 0.15, Grade.GOOD: 0.7, Grade.EASY: 0.15}
WITHIN = 0.03
SETTINGS = SchedulerSettings()
MODEL = Model(DEFAULT_WEIGHTS, SETTINGS.retention, SETTINGS.maximum_interval)


@dataclass
class Learner:
    """`fades`: 1 as FSRS believes, 0.7 three tenths faster. `true` is the memory that they have of each card."""

    seed: int
    days: int
    minutes: int
    fades: float = 1.0
    states: dict[CardId, CardState] = field(default_factory=dict)
    true: dict[CardId, Memory] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)  # noqa: S311
        self.round = Round(RoundId(1), "a round", BEGIN + timedelta(days=self.days), (), "IC5", self.minutes)

    def prepare(self, cards: list[RoundCard]) -> Iterator[tuple[str, float]]:
        """Study until the eve; when, and what the forecast said then."""
        for at in range(self.days):
            day = BEGIN + timedelta(days=at)
            (plan,) = plans([self.round], [self._as_it_stands(card) for card in cards], day, PACE_S, MODEL)
            if at in (0, self.days // 2, self.days - 1):
                whole, _ = readiness(plan, chances(plan, MODEL))
                if whole.forecast:
                    told = {0: "first day", self.days // 2: "halfway"}.get(at, "eve")
                    yield told, whole.forecast.recall
            self._study(plan, day)

    def recalled(self) -> float:
        """The share of the cards seen that they recall on the round's day."""
        found = [self._recalls(card_id, self.round.date) for card_id in self.states]
        return sum(found) / len(found)

    def _study(self, plan: RoundPlan, day: date) -> None:
        at = (day - BEGIN).days
        for card in plan.cards:
            state = self.states.get(card.id)
            if state and state.due_day and state.last_day:
                look = plan.look(card)
                due, last = (state.due_day - day).days, (state.last_day - day).days
                if shown_on(due, last, look) <= 0:
                    self._sit(card, day)
        for card in plan.share:
            self._sit(card, day)
        assert at < self.days

    def _sit(self, card: RoundCard, day: date) -> None:
        """The card until it leaves the day: minute steps and all."""
        now = datetime.combine(day, time(18), UTC)
        settings = SETTINGS.without_steps() if card.spoken else SETTINGS
        while True:
            state = self.states.get(card.id, CardState())
            grade = self._grade(card.id, state, day)
            when = When(now, day, datetime.combine(day + timedelta(days=1), time(4), UTC))
            waited = (day - state.last_day).days if state.last_day else 0
            self.true[card.id] = MODEL.after(self.true.get(card.id), grade, waited).memory
            self.states[card.id] = answers(state, settings, when, card.id)[grade].state
            due_at = self.states[card.id].due_at
            if due_at is None:
                return
            now = due_at

    def _grade(self, card_id: CardId, state: CardState, day: date) -> Grade:
        if state.memory is None:
            return self._drawn(FIRST)
        if state.last_day == day:
            return Grade.GOOD  # minutes after the answer was read
        return self._drawn(RECALLED) if self._recalls(card_id, day) else Grade.AGAIN

    def _recalls(self, card_id: CardId, day: date) -> bool:
        memory, last = self.true[card_id], self.states[card_id].last_day
        assert last is not None
        faded = replace(memory, stability=memory.stability * self.fades)
        return self.random.random() < MODEL.retrievability(faded, (day - last).days)

    def _drawn(self, chances: Mapping[Grade, float]) -> Grade:
        return self.random.choices(list(chances), list(chances.values()))[0]

    def _as_it_stands(self, card: RoundCard) -> RoundCard:
        state = self.states.get(card.id)
        if state is None:
            return card
        return replace(card, memory=state.memory, last_day=state.last_day, due_day=state.due_day)


def main(each: int = 6) -> bool:
    """Print each kind of learner; whether those whose memory is as FSRS believes were forecast within WITHIN."""
    cards = list(shipped())
    good = True
    for days, minutes, fades in ((14, 45, 1.0), (30, 30, 1.0), (60, 20, 1.0), (30, 30, 0.7), (30, 30, 1.4)):
        told: dict[str, list[float]] = {}
        recalls = []
        for seed in range(each):
            learner = Learner(seed, days, minutes, fades)
            forecasts = dict(learner.prepare(cards))
            recalls.append(learner.recalled())
            for when, recall in forecasts.items():
                told.setdefault(when, []).append(recall - recalls[-1])
        means = {when: statistics.fmean(found) for when, found in told.items()}
        worst = {when: max(map(abs, found)) for when, found in told.items()}
        fits = all(abs(mean) <= WITHIN for mean in means.values())
        good = good and (fits or fades != 1.0)
        print(
            f"{days} days, {minutes} min a day, {len(learner.states)} cards seen, memory x {fades}: recall "
            f"{statistics.fmean(recalls):.1%}; forecast minus recall, points: "
            + ", ".join(f"{w} {m * 100:+.1f} (at most {worst[w] * 100:.1f})" for w, m in means.items())
            + f"; n = {each}"
        )
    return good


def shipped() -> Iterator[RoundCard]:
    """The shipped decks' notes, each as one card."""
    for at, path in enumerate(sorted(Path(ROOT / "content/decks").glob("*.md"))):
        deck = parse_deck(path.read_text(encoding="utf-8"), path.name)
        for place, note in enumerate(deck.notes):
            spoken = note.kind == "spoken"
            yield RoundCard(
                CardId(str(note.id)), str(note.id), deck.name, deck.title, note.level or "IC5", note.core, spoken,
                150.0 if spoken else 0.0, (at, place),
            )  # fmt: skip


if __name__ == "__main__":
    sys.exit(not main())

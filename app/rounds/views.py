"""What the rooms' pages say of rounds: data only, ready to be drawn. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from app.rounds.cards import Round, RoundCard
from app.rounds.outlook import Outlook
from app.rounds.readiness import Forecast, Topic

MISSES_SHOWN = 30
EVE_DAYS = 2  # so many days before, Today leads to the sheet for the eve


@dataclass(frozen=True)
class TopicRow:
    """A deck: first what was never seen or said, then what to expect of the rest."""

    deck: str
    title: str
    unseen: int
    unspoken: int
    forecast: str


@dataclass(frozen=True)
class RoundRow:
    """A round in a list. `path` leads to its page; `words` say in a line how it stands."""

    path: str
    name: str
    when: str
    words: str
    debrief: bool


@dataclass(frozen=True)
class Ready:
    """The round that comes next, on the Today page and at the top of its own."""

    path: str
    name: str
    when: str
    share: str
    first: str
    second: str
    topics: tuple[TopicRow, ...]
    eve: bool


@dataclass(frozen=True)
class Over:
    """A round that is over, of which nothing was written down yet."""

    path: str
    name: str
    when: str


@dataclass(frozen=True)
class DayRow:
    day: str
    new: int
    spoken: int
    minutes: int
    looks: int


@dataclass(frozen=True)
class Miss:
    id: str
    words: str
    chips: tuple[str, ...]


@dataclass(frozen=True)
class RoundView:
    """A round's page. `ready` is None once its day has come."""

    path: str
    name: str
    when: str
    about: str
    ready: Ready | None
    days: tuple[DayRow, ...]
    misses_words: str
    misses: tuple[Miss, ...]
    misses_more: str
    notes: tuple[str, ...]
    over: bool


@dataclass(frozen=True)
class ListView:
    ahead: tuple[RoundRow, ...]
    over: tuple[RoundRow, ...]


def list_view(rounds: Sequence[Round], outlooks: Sequence[Outlook], today: date) -> ListView:
    told = {found.plan.round.id: found for found in outlooks}

    def row(one: Round) -> RoundRow:
        found = told.get(one.id)
        words = f"{first_words(found.whole)} {share_words(found)}" if found else _about(one, today)
        debrief = one.date <= today and one.debriefed_at is None
        return RoundRow(path(one), one.name, when(one.date, today), words, debrief)

    over = [row(one) for one in reversed(rounds) if one.date < today]
    return ListView(tuple(row(one) for one in rounds if one.date >= today), tuple(over))


def ready_view(found: Outlook) -> Ready:
    one = found.plan.round
    return Ready(
        path(one),
        one.name,
        when(one.date, found.plan.today),
        share_words(found),
        first_words(found.whole),
        second_words(found.whole.forecast),
        tuple(_topic(topic) for topic in found.topics),
        eve=found.plan.days_left <= EVE_DAYS,
    )


def over_view(one: Round, today: date) -> Over:
    return Over(path(one), one.name, when(one.date, today))


def round_view(one: Round, found: Outlook | None, today: date) -> RoundView:
    misses = found.misses if found else ()
    more = len(misses) - MISSES_SHOWN
    return RoundView(
        path(one),
        one.name,
        when(one.date, today),
        _about(one, today),
        ready_view(found) if found else None,
        _days(found) if found else (),
        _misses_words(found) if found else "",
        tuple(Miss(card.id, card.words, _chips(card)) for card in misses[:MISSES_SHOWN]),
        f"and {more} more, all worth more than these." if more > 0 else "",
        _notes(found) if found else (),
        over=one.date <= today,
    )


def path(one: Round) -> str:
    return f"rounds/{one.id}"


def day_words(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


def when(day: date, today: date) -> str:
    left = (day - today).days
    if left == 0:
        return f"today, {day_words(day)}"
    if left < 0:
        return day_words(day)
    return f"{'tomorrow' if left == 1 else f'in {left} days'}, {day_words(day)}"


def first_words(whole: Topic) -> str:
    """What counts most: what was never seen or said."""
    if not whole.cards:
        return "No card of the decks fits this round."
    parts = [
        *([f"{count(whole.unseen, 'card')} never seen"] if whole.unseen else []),
        *([f"{count(whole.unspoken, 'pitch', 'pitches')} never said"] if whole.unspoken else []),
    ]
    return f"{' and '.join(parts)}." if parts else "Every card was seen, every pitch said."


def second_words(found: Forecast | None) -> str:
    if found is None:
        return "No card will have been seen by then, so there is no forecast."
    return (
        f"Who keeps to the plan recalls about {percent(found.recall)} of {count(found.cards, 'card')} on the day, "
        f"likely between {percent(found.low)} and {percent(found.high)}."
    )


def share_words(found: Outlook) -> str:
    share = found.plan.share
    if not share:
        return "Nothing new today."
    pitches = sum(card.spoken for card in share)
    read = len(share) - pitches
    parts = [
        *([count(read, "new card")] if read else []),
        *([count(pitches, "new pitch", "new pitches")] if pitches else []),
    ]
    done = sum(card.id in found.begun for card in share)
    so_far = f", {done} of them done" if done else ""
    return f"Today’s share: {' and '.join(parts)}{so_far}."


def percent(share: float) -> str:
    return f"{share * 100:.0f}\N{NO-BREAK SPACE}%"


def count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _topic(topic: Topic) -> TopicRow:
    told = topic.forecast
    words = (
        f"{percent(told.recall)} of {told.cards} ({percent(told.low)} to {percent(told.high)})"
        if told
        else "–"
    )
    return TopicRow(topic.deck, topic.title, topic.unseen, topic.unspoken, words)


def _about(one: Round, today: date) -> str:
    topics = count(len(one.topics), "topic") if one.topics else "all topics"
    return f"{topics}, up to {one.level}, {count(one.minutes, 'minute')} a day"


def _days(found: Outlook) -> tuple[DayRow, ...]:
    looks = [(day - found.plan.today).days for day in found.plan.looks_to_come]
    return tuple(
        DayRow(
            "today" if at == 0 else f"{day.day:%a} {day.day.day} {day.day:%b}",
            sum(not card.spoken for card in day.new),
            sum(card.spoken for card in day.new),
            round(day.minutes),
            looks.count(at),
        )
        for at, day in enumerate(found.plan.days)
    )


def _misses_words(found: Outlook) -> str:
    missed = len(found.misses)
    if not missed:
        return ""
    one = found.plan.round
    if found.plan.days_left == 1:
        return (
            f"{count(missed, 'card')} of {found.whole.cards} {'is' if missed == 1 else 'are'} left for later: what is "
            "met on the eve alone does not last. They can be studied or crammed all the same, as some cards."
        )
    return (
        f"{count(missed, 'card')} of {found.whole.cards} {'does' if missed == 1 else 'do'} not fit into "
        f"{count(one.minutes, 'minute')} a day. More minutes, fewer topics or a lower level would make room. "
        "They are left for later, what is worth least first."
    )


def _notes(found: Outlook) -> tuple[str, ...]:
    plan = found.plan
    looks = len(plan.looks_to_come)
    since = "today" if plan.looks.since <= plan.today else day_words(plan.looks.since)
    told = [
        f"{count(len(plan.above), 'card')} above {plan.round.level} {'is' if len(plan.above) == 1 else 'are'} left out."
        if plan.above
        else "",
        f"From {since} on {count(looks, 'card')} {'has' if looks == 1 else 'have'} a last "
        "look, the core last; their own due dates stay as they are."
        if looks
        else "",
        f"{count(plan.unlooked, 'card')} {'has' if plan.unlooked == 1 else 'have'} none: the last days have no room."
        if plan.unlooked
        else "",
        f"{count(round(plan.late_minutes), 'minute')} of reviews do not fit before the round."
        if plan.late_minutes >= 1
        else "",
    ]
    return tuple(note for note in told if note)


def _chips(card: RoundCard) -> tuple[str, ...]:
    return tuple(
        word for word in (card.level, "core" if card.core else "", "spoken" if card.spoken else "") if word
    )

"""How the drill room says days and takes. Pure."""

import math
from datetime import date

from app.drill.pitch import Take
from app.drill.timing import clock_text
from app.setting_rules import Endpoint


def due_words(due: date | None, today: date) -> str:
    """When a pitch comes up: "new", "due", "tomorrow", "in 9 days", "on 3 March 2027"."""
    if due is None:
        return "new"
    days = (due - today).days
    if days <= 0:
        return "due"
    if days == 1:
        return "tomorrow"
    return f"in {days} days" if days < 60 else f"on {day_text(due)}"


def ago_words(day: date, today: date) -> str:
    """When a take was: "today", "yesterday", "9 days ago", "on 3 March 2027"."""
    days = (today - day).days
    if days < 1:
        return "today"
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days < 60 else f"on {day_text(day)}"


def day_text(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def seconds_words(ms: int) -> str:
    """A short wait, in whole seconds begun: "1 second", "3 seconds"."""
    seconds = math.ceil(ms / 1000)
    return f"{seconds} second{'' if seconds == 1 else 's'}"


def length_words(take: Take) -> str:
    """ "1:27 of 1:30"; a recording made elsewhere has no length until it was heard."""
    return f"{clock_text(take.spoken_ms) if take.spoken_ms else '–'} of {clock_text(take.planned_s * 1000)}"


def take_words(take: Take) -> str:
    """A take in one line: "1:27 of 1:30, 3 of 5 points, notes shown"."""
    parts = [
        length_words(take),
        f"{len(take.ticks)} of {len(take.points)} points",
        *(["notes shown"] if take.notes_shown else []),
        *(["interrupted"] if take.interrupted else []),
    ]
    return ", ".join(parts)


def delete_words(rated: bool) -> str:
    """What becomes of a take whose sound is deleted."""
    stays = "What was heard, your ticks and your rating stay."
    rest = stays if rated else "This take was never rated, so nothing else is lost."
    return f"The sound goes for good. {rest}"


def delete_all_words(unrated: int) -> str:
    """What becomes of all takes when their sound is deleted: those that were never rated are nothing but sound."""
    many = "the take that was" if unrated == 1 else f"the {unrated} takes that were"
    rest = f", but {many} never rated will be listed no more." if unrated else "."
    return f"The sound goes for good. What was heard, your ticks and your ratings stay{rest}"


def where_words(endpoint: Endpoint | None) -> str:
    """Where a recording goes, and to which `endpoint` besides."""
    if endpoint:
        return f"The sound is kept on this server, and goes to {endpoint.name} at {endpoint.url} to be written down."
    return "The sound stays on this server."


def remarks(notes_shown: bool, interrupted: bool) -> tuple[str, ...]:
    """What is to be known about a take before it is rated, a sentence each."""
    said = []
    if notes_shown:
        said.append("Notes were shown during this take.")
    if interrupted:
        said.append("This take was interrupted: its page was left, or stood still for more than two seconds.")
    return tuple(said)

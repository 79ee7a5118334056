"""What `aloud check` says of the decks on disk, and `--prove`: whether the demos show what the cards claim.

Reading a deck finds most mistakes; here come those that take more than one file or card: ids that two
decks use, links to cards that are not there, formulas that do not render, demos that do not exist.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.library import estimates
from app.library.errors import DeckError, DeckErrors
from app.library.expect import BadExpect, Outcome, evaluate, parse_expect
from app.library.files import deck_paths, read, text_of
from app.library.format import Deck, Note, cards_of, decode, parse_deck
from app.library.names import Taken, clashes, copied_names, without_copied
from app.library.params import first, further, said, to_check
from app.library.render import dead_links, formula_errors

FURTHER_DRAWS = 2  # of an estimate, beside its canonical one

_TEXTS = ("Q", "C", "S", "A", "model", "say")


@dataclass(frozen=True)
class Report:
    """The decks that could be read, and everything that is wrong, by file and line."""

    decks: tuple[Deck, ...]
    errors: tuple[DeckError, ...]

    @property
    def summary(self) -> str:
        """The counts in one line: "1 deck, 24 cards, 2 mistakes"."""
        cards = sum(len(cards_of(note)) for deck in self.decks for note in deck.notes)
        counts = ((len(self.decks), "deck"), (cards, "card"), (len(self.errors), "mistake"))
        return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts)


@dataclass(frozen=True)
class Proof:
    """One claim of a card, and what the run of its demo says of it; `draw` names the numbers of an estimate."""

    path: str
    line: int
    note_id: str
    demo: str
    expect: str
    outcome: Outcome
    draw: str = ""

    def __str__(self) -> str:
        drawn = f" (drawn with {self.draw})" if self.draw else ""
        return f"{self.path}:{self.line}: {self.note_id}{drawn}: {self.outcome.sentence}"


class DemoFailed(Exception):
    """A run gave no result; the message is one sentence that says why."""


def check_decks(
    paths: Iterable[Path], parse_line: Callable[[str], object], beside: Iterable[Path] = ()
) -> Report:
    """Reads every deck at or below `paths`; their links may lead to cards of the decks `beside` them, too.

    `parse_line` reads a demo line, and raises ValueError.
    """
    decks, errors = _read(paths)
    others, unread_beside = _read(beside)
    unread = bool(errors or unread_beside)
    targets = {note.id for deck in (*decks, *others) for note in deck.notes}
    copies = copied_names(decks)
    named = [without_copied(deck, lambda note: not copies.isdisjoint((note.id, *note.was))) for deck in decks]
    ids = {note.id for deck in named for note in deck.notes}
    taken = Taken()
    for deck, naming in zip(decks, named, strict=True):
        errors += clashes(naming, taken, ids)
        taken.take(naming)
        errors += deck_errors(deck, parse_line)
        errors += [] if unread else _link_errors(deck, targets)
    return Report(tuple(decks), tuple(sorted(set(errors))))


def prove(decks: Sequence[Deck], run: Callable[[str], Mapping[str, object]]) -> tuple[Proof, ...]:
    """Runs each demo line that a card's claims rest on, once, and holds every claim against its result.

    An estimate is held to them with the numbers of its canonical draw, and of two more.
    `run` takes a demo line and gives the result as JSON data; it may raise DemoFailed.
    """
    results: dict[str, Sequence[Mapping[str, object]] | DemoFailed] = {}
    proofs = []
    for path, note, draw in _claiming(decks):
        demo = " ".join((note.demo or "").split())
        if demo not in results:
            results[demo] = _run(run, demo)
        for index, expect in enumerate(note.expects):
            outcome = _hold(expect, demo, results[demo])
            proofs.append(Proof(path, note.line_of("expect", index), note.id, demo, expect, outcome, draw))
    return tuple(proofs)


def _read(paths: Iterable[Path]) -> tuple[list[Deck], list[DeckError]]:
    decks: list[Deck] = []
    errors: list[DeckError] = []
    for file in _files(paths):
        name = text_of(file)
        try:
            decks.append(parse_deck(decode(read(file, name), name), name))
        except DeckErrors as found:
            errors += found.errors
    return decks, errors


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from deck_paths(path) if path.is_dir() else [path]


def deck_errors(deck: Deck, parse_line: Callable[[str], object]) -> Iterator[DeckError]:
    """What is wrong with a deck's formulas, links, demos and claims; `parse_line` as in check_decks."""
    if deck.demo:
        yield from _demo_error(deck, deck.line_of("demo"), deck.demo, parse_line)
    for note in deck.notes:
        if note.demo and "demo" in note.lines:
            yield from _demo_errors(deck, note, parse_line)
        yield from _half_errors(deck, note)
        yield from _text_errors(deck, note)
        yield from _expect_errors(deck, note)


def _half_errors(deck: Deck, note: Note) -> Iterator[DeckError]:
    """Cards that load and are only half of one: a learner lacks a number, or what was predicted is not run."""
    for name in estimates.unasked(note):
        problem = f'the question does not give "{name}", which is drawn'
        fix = f"write {{={name}}} in Q:, or take it out of params:."
        yield DeckError(deck.path, note.line_of("params"), problem, fix)
    if note.kind == "predict" and not (note.demo and note.expects):
        problem = "the predict card has no demo: with an expect:"
        fix = "add the run that shows the answer and what it must show, or leave out the kind."
        yield DeckError(deck.path, note.line, problem, fix)


def _demo_errors(deck: Deck, note: Note, parse_line: Callable[[str], object]) -> Iterator[DeckError]:
    """What is wrong with a card's demo line, in whichever draw it shows first."""
    lines = (estimates.drawn(note, draw).demo or "" for draw in to_check(note.params))
    for demo in dict.fromkeys(lines if note.params else (note.demo or "",)):
        for error in _demo_error(deck, note.line_of("demo"), demo, parse_line):
            yield error
            return


def _demo_error(deck: Deck, line: int, demo: str, parse_line: Callable[[str], object]) -> Iterator[DeckError]:
    try:
        parse_line(demo)
    except ValueError as error:
        problem = f'the demo "{demo}" cannot run: {str(error).rstrip(".")}'
        yield DeckError(deck.path, line, problem, "`aloud demo list` names all demos and their parameters.")


def _text_errors(deck: Deck, note: Note) -> Iterator[DeckError]:
    """What is wrong with a note's texts. Of an estimate, in whichever draw it shows first: words may be drawn, too."""
    for nth, draw in enumerate(to_check(note.params)):
        after = f" (drawn with {said(draw)})" if nth else ""
        found = tuple(_as_shown(deck, estimates.drawn(note, draw)))
        yield from (replace(error, problem=error.problem + after) for error in found)
        if found or not note.params:
            return


def _as_shown(deck: Deck, note: Note) -> Iterator[DeckError]:
    texts = [(note.line_of(name), text) for name, text in zip(_TEXTS, _texts(note), strict=True)]
    texts += [(note.line_of("point", at), point.text) for at, point in enumerate(note.points)]
    texts += [(note.line_of("right", at), text) for at, text in enumerate(note.right)]
    texts += [(note.line_of("wrong", at), text) for at, text in enumerate(note.wrong)]
    sound = True
    for start, text in texts:
        for found in formula_errors(text):
            sound = False
            yield DeckError(deck.path, start + found.line, found.problem, found.fix)
        for target in dead_links(text):
            problem = f'the link to "{target}" would not work in a card'
            yield DeckError(deck.path, start, problem, "give a whole address, with https:.")
    if note.kind == "cloze" and sound:
        yield from _face_errors(deck, note)


def _face_errors(deck: Deck, note: Note) -> Iterator[DeckError]:
    """A gap that is filled stands without its braces, and may then touch a formula beside it."""
    for face in cards_of(note):
        if formula_errors(face.front_md) or formula_errors(face.back_md):
            problem = f"on the card {face.id} a formula and a filled gap run together"
            yield DeckError(deck.path, note.line_of("C"), problem, "put a space between the two.")


def _texts(note: Note) -> tuple[str, ...]:
    body = {"cloze": "C", "spoken": "S"}.get(note.kind, "Q")
    return (*(note.question if name == body else "" for name in "QCS"), note.answer, note.model, note.say)


def _expect_errors(deck: Deck, note: Note) -> Iterator[DeckError]:
    for at, line in enumerate(note.expects):
        if not note.demo:
            problem = "an expect: line stands on a card without a demo"
            yield DeckError(
                deck.path, note.line_of("expect", at), problem, "add its demo:, or delete the line."
            )
        try:
            parse_expect(line)
        except BadExpect as bad:
            problem, _, fix = str(bad).partition("; ")
            yield DeckError(deck.path, note.line_of("expect", at), problem, fix)


def _link_errors(deck: Deck, ids: Iterable[str]) -> Iterator[DeckError]:
    for note in deck.notes:
        for target in note.next:
            if target not in ids or target == note.id:
                why = "which is this card" if target == note.id else "and no card has that id"
                problem = f'next: names "{target}", {why}'
                yield DeckError(
                    deck.path, note.line_of("next"), problem, "write the id of another card, or delete it."
                )


def _claiming(decks: Sequence[Deck]) -> Iterator[tuple[str, Note, str]]:
    """Every note with claims, once for each draw that it is proved with: its deck's path, the note, the draw."""
    for deck in decks:
        for note in (note for note in deck.notes if note.expects):
            yield deck.path, note, said(first(note.params))
            for draw in further(note.params, FURTHER_DRAWS):
                yield deck.path, estimates.drawn(note, draw), said(draw)


def _run(
    run: Callable[[str], Mapping[str, object]], demo: str
) -> Sequence[Mapping[str, object]] | DemoFailed:
    try:
        blocks = run(demo).get("blocks")
    except DemoFailed as failed:
        return failed
    return [block for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []


def _hold(expect: str, demo: str, result: Sequence[Mapping[str, object]] | DemoFailed) -> Outcome:
    if isinstance(result, DemoFailed):
        return Outcome(False, None, f'The demo "{demo}" gave no result: {result}')
    try:
        return evaluate(parse_expect(expect), result)
    except BadExpect as bad:
        return Outcome(False, None, str(bad))

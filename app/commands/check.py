"""aloud check: decks and primers; with --prove what they claim, with --replay whether the log gives the states kept."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from sqlalchemy.exc import DatabaseError

from app.commands import Refused, flags, primers, readable, recording
from app.db.engine import Database
from app.db.trouble import sentence
from app.demos.records import Records
from app.library.check import DemoFailed, Report, check_decks, prove
from app.library.files import folders, there
from app.settings import Settings
from app.study.service import replay
from app.worker.oneshot import Bench, RunFailed
from kernels.catalog import parse_line

FIELDS = ("data", "content")


def main(arguments: Sequence[str]) -> int:
    parser = flags.parser("check", FIELDS)
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        type=Path,
        help="decks, primers, figures or folders of them, instead of all",
    )
    parser.add_argument(
        "--prove", action="store_true", help="run every demo and hold the cards' claims against it"
    )
    parser.add_argument(
        "--replay", action="store_true", help="rebuild all states from the log of answers, compare"
    )
    given = parser.parse_args(arguments)
    settings = flags.settings(given)
    pages = [path for path in given.paths if primers.named(path)]
    decks = [path for path in given.paths if path not in pages]
    if gone := [path for path in pages if not path.exists()]:
        raise Refused(f"There is no {gone[0]}; name a primer, a figure or a folder of them.")
    records = Records(settings.recorded)
    report = Report((), ())
    passed = True
    if decks or not pages:
        beside = [path for path in folders(settings).values() if there(path)] if decks else []
        report = check_decks(list(_places(settings, decks)), parse_line, beside)
        passed = _told("Decks", report)
    if pages or not decks:
        passed &= _told("Primers", primers.checked(settings, pages, None if pages else report, records))
    if records.stale:
        print(recording.summary(records, missing=()))
    if given.prove:
        passed &= _prove(report)
    if given.replay:
        passed &= _replay(settings)
    return 0 if passed else 1


def _told(what: str, read: Report | primers.Read) -> bool:
    """Prints each mistake and the counts; whether there is nothing to mend."""
    for error in read.errors:
        print(error)
    print(f"{what}: {read.summary}.")
    return not read.errors


def _prove(report: Report) -> bool:
    with Bench() as bench:
        proofs = prove(report.decks, _runner(bench))
    for proof in proofs:
        if not proof.outcome.holds:
            print(proof)
    held = sum(proof.outcome.holds for proof in proofs)
    print(f"Claims: {held} of {len(proofs)} hold, in {len({proof.demo for proof in proofs})} runs.")
    print(_share(report))
    return held == len(proofs)


def _share(report: Report) -> str:
    """How much of the material rests on runs: "Proven: 152 of 224 notes claim what a run shows (68 %)."."""
    notes = [note for deck in report.decks for note in deck.notes]
    claiming = sum(bool(note.expects) for note in notes)
    percent = f" ({claiming / len(notes):.0%})".replace("%", " %") if notes else ""
    return f"Proven: {claiming} of {len(notes)} notes claim what a run shows{percent}."


def _runner(bench: Bench) -> Callable[[str], Mapping[str, object]]:
    def run(line: str) -> Mapping[str, object]:
        try:
            return bench.run(line)
        except (RunFailed, ValueError) as error:
            raise DemoFailed(str(error)) from None

    return run


def _replay(settings: Settings) -> bool:
    readable.database(settings)
    db = Database(settings.database)
    try:
        with db.read() as conn:
            differences = replay(conn)
    except DatabaseError as error:
        raise Refused(sentence(settings.database, error)) from None
    except ValueError as error:  # a card's state as it is kept
        raise Refused(f"{settings.database} is damaged ({error}). Restore it from a backup.") from None
    finally:
        db.close()
    for difference in differences:
        print(difference)
    print(
        "Log: it gives the states that are kept."
        if not differences
        else f"Log: {len(differences)} difference{'s' * (len(differences) > 1)}."
    )
    return not differences


def _places(settings: Settings, named: Sequence[Path]) -> Iterator[Path]:
    """The paths to check, as one would type them here: those named, or else all decks."""
    own = settings.own_decks  # there is none until the learner writes a deck
    for path in named or (p for p in folders(settings).values() if p != own or there(own)):
        if not path.exists():
            raise Refused(f"There is no {path}; name a deck or a folder of decks.")
        full = path.absolute()
        yield full.relative_to(Path.cwd()) if full.is_relative_to(Path.cwd()) else path

"""Writes content/recorded/cards.txt: every demo line that a shipped card or primer runs, to be recorded."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # it is run as a file

from app.library.check import check_decks  # noqa: E402
from app.primers.shelf import take_stock  # noqa: E402
from kernels.catalog import DEMOS, canonical, parse_line  # noqa: E402
from kernels.recorded import CARDS, FOLDER  # noqa: E402

HEAD = "# What the shipped cards and primers run. Made by scripts/card_lines.py (`make record`); do not write here.\n"


def text() -> str:
    """The whole file: lines in their shortest form, sorted, each once; defaults are recorded anyway."""
    lines = {f"{entry.name} {canonical(entry, params)}".strip() for entry, params in map(parse_line, _told())}
    return HEAD + "".join(f"{line}\n" for line in sorted(lines - set(DEMOS)))


def _told() -> Iterator[str]:
    report = check_decks([ROOT / "content" / "decks"], parse_line)
    if report.errors:
        raise SystemExit("\n".join(map(str, report.errors)))
    yield from _demos(note.demo for deck in report.decks for note in deck.notes)
    stock = take_stock(ROOT / "content" / "primers", ROOT / "content" / "figures")
    yield from (part.demo for primer in stock.primers for part in primer.demos)


def _demos(found: Iterable[str | None]) -> Iterator[str]:
    return (line for line in found if line)


if __name__ == "__main__":
    (FOLDER / CARDS).write_text(text(), encoding="utf-8")

"""The shipped primers: one for each deck, of a length to read at a sitting, with something to look at and a ladder."""

from collections import Counter

import pytest

from app.library.check import check_decks
from app.primers.check import RUNGS, check_primers
from app.primers.format import Primer
from app.primers.shelf import take_stock
from app.settings import ROOT
from kernels.catalog import params_hash, parse, parse_line
from kernels.recorded import FOLDER, load

CONTENT = ROOT / "content"
STOCK = take_stock(CONTENT / "primers", CONTENT / "figures")
DECKS = check_decks([CONTENT / "decks"], parse_line).decks
REQUIRED = {"multi-head", "causal-mask", "sharing", "tiles", "memory-hierarchy", "prefill-decode"}


def blocks_of(line: str) -> tuple[str, ...]:
    """The ids of the blocks that the recorded result of a demo line has."""
    demo, params = parse_line(line)
    wanted = params_hash(demo, params)
    for path in sorted((FOLDER / demo.name).glob("cpu-*.json")):
        result = load(path)
        if params_hash(demo, parse(demo, result.params)) == wanted:
            return tuple(block.id for block in result.blocks)
    return ()


def test_nothing_is_to_be_mended() -> None:
    found = check_primers(STOCK.primers, DECKS, parse_line, lambda line: blocks_of(line) or None)
    assert [str(error) for error in (*STOCK.errors, *found)] == []


def test_each_deck_has_its_primer_and_each_primer_its_deck() -> None:
    assert sorted(primer.deck for primer in STOCK.primers) == sorted(deck.name for deck in DECKS)


def test_they_bear_the_number_and_name_of_their_decks() -> None:
    files = {deck.name: deck.path.rpartition("/")[2] for deck in DECKS}
    named = {primer.deck: primer.path.rpartition("/")[2] for primer in STOCK.primers}
    assert named == {deck: files.get(deck) for deck in named}


@pytest.mark.parametrize("primer", STOCK.primers, ids=lambda primer: primer.name)
def test_it_is_two_screens_long(primer: Primer) -> None:
    assert 350 <= primer.words <= 650


@pytest.mark.parametrize("primer", STOCK.primers, ids=lambda primer: primer.name)
def test_it_has_something_to_look_at(primer: Primer) -> None:
    assert primer.figures or primer.demos


def test_every_demo_block_is_recorded() -> None:
    lines = {part.demo for primer in STOCK.primers for part in primer.demos}
    assert {line for line in lines if not blocks_of(line)} == set()


def test_twelve_topics_have_a_ladder() -> None:
    assert sum(len(primer.ladder) == len(RUNGS) for primer in STOCK.primers) >= 12


def test_every_figure_is_used_once_and_the_required_ones_are_there() -> None:
    used = Counter(picture.name for primer in STOCK.primers for picture in primer.figures)
    assert used.keys() == STOCK.figures.keys()
    assert used.keys() >= REQUIRED

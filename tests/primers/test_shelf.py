"""Primers on disk: read when asked for, again when a file has changed, and a mistake hides no other file."""

import os

from app.primers.shelf import Shelf
from app.settings import Settings
from tests.primers.conftest import PRIMER, SVG


def shelf(settings: Settings) -> Shelf:
    return Shelf(settings.primers, settings.figures)


def test_they_stand_in_the_order_of_their_files(settings: Settings) -> None:
    (settings.primers / "01-first.md").write_text(PRIMER.replace("primer: mask", "primer: first"))
    assert [primer.name for primer in shelf(settings).now.primers] == ["first", "mask"]
    assert shelf(settings).now.errors == ()


def test_a_change_is_seen_and_nothing_is_read_twice(settings: Settings) -> None:
    for file in (settings.primers / "04-mask.md", settings.figures / "mask.svg"):
        os.utime(file, (1e9, 1e9))  # long ago: what changed just now is looked at again
    made = shelf(settings)
    assert made.now.of_deck("test/mask") is made.now.find("mask")
    path = settings.primers / "04-mask.md"
    path.write_text(PRIMER.replace("title: The causal mask", "title: Another"))
    assert [primer.title for primer in made.now.primers] == ["Another"]
    path.unlink()
    assert made.now.primers == ()


def test_a_primer_with_a_mistake_is_left_out_and_told(settings: Settings) -> None:
    (settings.primers / "05-bad.md").write_text("no front matter")
    now = shelf(settings).now
    assert [primer.name for primer in now.primers] == ["mask"]
    assert [str(error).partition(". Fix")[0] for error in now.errors] == [
        "primers/05-bad.md:1: the front matter is missing"
    ]


def test_a_primer_whose_figure_is_not_there_is_left_out(settings: Settings) -> None:
    (settings.figures / "mask.svg").unlink()
    now = shelf(settings).now
    assert now.primers == ()
    assert str(now.errors[0]).startswith('primers/04-mask.md:13: there is no figure "mask" that can be drawn')


def test_a_figure_with_a_mistake_is_told_with_what_needs_it(settings: Settings) -> None:
    (settings.figures / "mask.svg").write_text(SVG.replace("f-arrow", "f-arrows"))
    told = [str(error) for error in shelf(settings).now.errors]
    assert [error.partition(":")[0] for error in told] == ["figures/mask.svg", "primers/04-mask.md"]


def test_a_figure_stands_once_on_a_page(settings: Settings) -> None:
    path = settings.primers / "04-mask.md"
    path.write_text(PRIMER + "\n![again](figure:mask)\n")
    assert 'the figure "mask" stands twice' in str(shelf(settings).now.errors[0])


def test_no_folder_is_an_empty_shelf(settings: Settings) -> None:
    made = Shelf(settings.content / "none", settings.content / "nor-this")
    assert made.now == Shelf(settings.content / "none", settings.content / "nor-this").now
    assert made.now.primers == ()


def test_a_file_that_is_no_text_is_told(settings: Settings) -> None:
    (settings.primers / "06-bytes.md").write_bytes(b"\xff\xfe")
    (settings.primers / "07-folder.md").mkdir()
    told = [str(error) for error in shelf(settings).now.errors]
    assert "save it as UTF-8" in told[0]
    assert "cannot be read" in told[1]

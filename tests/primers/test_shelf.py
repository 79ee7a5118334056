"""Primers on disk: read when asked for, again when a file has changed, and a mistake hides no other file."""

import os
from pathlib import Path

import pytest

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
    assert made.now.of_deck("test/mask") is made.now.primers[0]
    path = settings.primers / "04-mask.md"
    path.write_text(PRIMER.replace("title: The causal mask", "title: Another"))
    assert [primer.title for primer in made.now.primers] == ["Another"]
    path.unlink()
    assert made.now.primers == ()


def test_a_file_that_may_be_read_again_is_read_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, text = settings.primers / "04-mask.md", Path.read_bytes
    for file in (path, settings.figures / "mask.svg"):
        os.utime(file, (1e9, 1e9))

    def refused(self: Path) -> bytes:
        if self == path:
            raise PermissionError(13, "Permission denied")
        return text(self)

    made = shelf(settings)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refused)
        assert "Permission denied" in str(made.now.errors[0])
    path.chmod(0o600)  # which leaves the time of its text as it was
    assert [primer.name for primer in made.now.primers] == ["mask"]


def test_a_link_to_nowhere_is_told_and_hides_no_change(settings: Settings) -> None:
    for at in range(20):  # whatever the order in which the folder is listed
        (settings.primers / f"{at}-nowhere.md").symlink_to("nowhere")
    path = settings.primers / "04-mask.md"
    os.utime(path, (1e9, 1e9))
    made = shelf(settings)
    assert len(made.now.errors) == 20
    path.write_text(PRIMER.replace("title: The causal mask", "title: Another"))
    assert [primer.title for primer in made.now.primers] == ["Another"]


@pytest.mark.parametrize("name", ["primers", "figures"])
def test_a_folder_that_cannot_be_listed_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    listed = Path.iterdir

    def refused(self: Path) -> object:
        if self.name == name:
            raise PermissionError(13, "Permission denied")
        return listed(self)

    monkeypatch.setattr(Path, "iterdir", refused)
    now = shelf(settings).now
    assert f"{name}:1: the folder cannot be read (Permission denied). " in str(now.errors[0])
    assert now.primers == ()


def test_of_two_primers_of_one_name_the_first_stands(settings: Settings) -> None:
    (settings.primers / "05-mask.md").write_text(PRIMER.replace("title: The causal mask", "title: Another"))
    now = shelf(settings).now
    assert [primer.title for primer in now.primers] == ["The causal mask"]
    assert str(now.errors[0]).startswith(
        'primers/05-mask.md:2: the primer "mask" has a page in primers/04-mask.md'
    )


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

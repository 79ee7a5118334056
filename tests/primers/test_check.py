"""What `aloud check` says of primers: decks, demos, blocks, ladders; and which paths it takes for primers."""

from pathlib import Path

import pytest

from app.cli import main
from app.settings import Settings
from tests.primers.conftest import DECK, PRIMER


@pytest.fixture(autouse=True)
def here(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(settings.content.parent)


def check(settings: Settings, capsys: pytest.CaptureFixture[str], *paths: str) -> tuple[int, list[str]]:
    status = main(["check", *paths, "--content", str(settings.content), "--data", str(settings.data)])
    return status, capsys.readouterr().out.splitlines()


def mistakes(
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    file: str = "primers/04-mask.md",
) -> list[str]:
    path = settings.content / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    status, lines = check(settings, capsys, "content/primers")
    assert status == 1
    return [line for line in lines if line.startswith("content/")]


def test_all_is_well_and_counted(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = check(settings, capsys)
    assert status == 0
    assert lines[:2] == ["Decks: 1 deck, 4 cards, 0 mistakes.", "Primers: 1 primer, 1 figure, 0 mistakes."]


@pytest.mark.parametrize(
    "path", ["content/primers", "content/primers/04-mask.md", "content/figures/mask.svg"]
)
def test_primers_and_figures_are_told_by_their_folder(
    settings: Settings, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    assert check(settings, capsys, path) == (0, ["Primers: 1 primer, 1 figure, 0 mistakes."])


def test_a_deck_alone_reads_no_primer(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(settings, capsys, "content/decks/04-mask.md")[1] == ["Decks: 1 deck, 4 cards, 0 mistakes."]


def test_only_the_named_files_mistakes_are_told(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    (settings.primers / "05-bad.md").write_text("none")
    assert check(settings, capsys, "content/primers/04-mask.md")[0] == 0
    assert check(settings, capsys, "content/primers/05-bad.md")[0] == 1


def test_a_path_that_is_not_there_is_told(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "content/primers/9.md"]) == 2
    assert "There is no content/primers/9.md" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("deck: test/mask", "deck: test/none", ':4: there is no deck "test/none"'),
        ("attention\nshow", "atention\nshow", ':17: the demo "atention" cannot run'),
        ("attention\nshow", "attention n_q=x\nshow", ':17: the demo "attention n_q=x" cannot run'),
        (
            "causality,",
            "casuality,",
            ':17: the demo "attention" shows no block "casuality". Fix: name one of',
        ),
        ("what, how, why", "what, how", ":6: the ladder has 2 cards. "),
        ("what, how, why", "what, what, what", ":6: the ladder has 1 card. "),
        ("what, how, why", "what, how, whence", ':6: the ladder names "whence", and no card has that id'),
        ("what, how, why", "how, what, why", ':6: the ladder\'s card "how" is of level IC5, not IC4'),
        ("figure:mask", "figure:none", ':13: there is no figure "none"'),
    ],
)
def test_each_mistake_is_one_sentence(
    settings: Settings, capsys: pytest.CaptureFixture[str], old: str, new: str, told: str
) -> None:
    found = mistakes(settings, capsys, old, new)
    assert found[0].startswith("content/primers/04-mask.md:")
    assert any(told in line and " Fix: " in line for line in found)


def test_each_rung_leads_to_the_next(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = mistakes(settings, capsys, "next: why", "next: what, why", "decks/04-mask.md")
    assert 'the card "how" does not lead on to "why", the next of the ladder' in told


def test_two_primers_share_neither_name_nor_deck(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    (settings.primers / "05-mask.md").write_text(PRIMER)
    (settings.primers / "06-other.md").write_text(PRIMER.replace("primer: mask", "primer: other"))
    named, decked, counts = check(settings, capsys)[1][1:]
    already = " has a page in content/primers/04-mask.md already. "
    assert 'content/primers/05-mask.md:2: the primer "mask"' + already in named
    assert 'content/primers/06-other.md:4: the deck "test/mask"' + already in decked
    assert counts == "Primers: 2 primers, 1 figure, 2 mistakes."


def test_a_primer_without_a_ladder_is_fine(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    (settings.primers / "04-mask.md").write_text(PRIMER.replace("ladder: what, how, why\n", ""))
    assert check(settings, capsys)[0] == 0


def test_while_a_deck_cannot_be_read_no_card_is_missed(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (settings.content / "decks" / "04-mask.md").write_text(DECK.replace("level: IC5", "level: IC9"))
    assert check(settings, capsys, "content/primers") == (0, ["Primers: 1 primer, 1 figure, 0 mistakes."])

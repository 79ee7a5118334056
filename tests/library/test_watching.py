"""`aloud serve --watch`: a file that changes is read without anybody asking."""

from pathlib import Path

from app.library.watching import stamps
from app.settings import Settings
from tests.house import House, plan

from .test_sync import MASK, write

DECK = "---\ndeck: mine\ntitle: Mine\n---\nQ: {}\nA: Yes.\nid: watched\n"


def test_stamps_tell_a_change_and_pass_what_is_no_deck(settings: Settings) -> None:
    path = write(settings, "a.md", MASK)
    first = stamps(settings)
    assert list(first) == [path]
    (path.parent / ".a.md.swp").write_text("x")
    (path.parent / "gone.md").symlink_to("nowhere.md")
    assert stamps(settings) == first
    write(settings, "a.md", MASK, MASK.replace("id: mask", "id: more"))
    assert stamps(settings) != first
    path.unlink()
    assert stamps(settings) == {}


def test_a_watched_deck_is_read_when_it_changes_and_its_mistakes_are_told(tmp_path: Path) -> None:
    house = plan(tmp_path / "data", watch="yes", content=str(tmp_path / "content"))
    (tmp_path / "content" / "decks").mkdir(parents=True)
    web = house.serve()
    try:
        path = house.data / "decks" / "mine.md"
        path.parent.mkdir()
        path.write_text(DECK.format("One?"))
        web.wait_for("Decks: 1 card new.")
        path.write_text(DECK.format("Two?"))
        web.wait_for("Decks: 1 card changed.")
        assert question(house) == "Two?"
        path.write_text(DECK.format("Three?") + "level: IC9\n")
        web.wait_for("decks/mine.md:8: ")
        assert question(house) == "Two?"
        path.unlink()
        web.wait_for("Decks: 1 card retired.")
    finally:
        assert web.stop() == 0


def question(house: House) -> str:
    with house.api() as api:
        return str(api.get("/api/v1/cards/watched").json()["question"])

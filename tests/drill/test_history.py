"""The history of takes: figures over time, sound that can be played and deleted, and all of it as a zip."""

import io
import json
import re
import stat
import zipfile
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app import cli
from app.drill import attempt as attempts
from app.drill.history import service as history
from app.settings import Settings
from app.study.scheduling import CardId
from app.web.parts import Parts
from tests.conftest import MovableClock
from tests.drill.recorder import WEBM, Recorder, audio


def said(
    client: TestClient,
    its: Parts,
    clock: MovableClock,
    *points: str,
    sound: bool = True,
    card: str = "pitch",
) -> None:
    """A take of two seconds, rated Good."""
    recorder = Recorder(client, its, card=CardId(card))
    if sound:
        recorder.send(WEBM, 0)
        recorder.end()
    done = attempts.sign(its.signer, recorder.attempt.finish(clock(), 2000, False, False))
    form = {"take": done, "grade": "3", "point": points}
    assert client.post(f"/drill/{card}/takes", data=form).status_code == 303
    clock.advance(days=3)


@pytest.fixture
def three(client: TestClient, its: Parts, clock: MovableClock) -> None:
    said(client, its, clock)
    said(client, its, clock, "p1")
    said(client, its, clock, "p1", "p2", sound=False)


def test_a_card_shows_each_take_and_whether_more_is_said(client: TestClient, three: None) -> None:
    assert "3 takes, the latest 3 days ago" in client.get("/drill/history").text
    page = client.get("/drill/history", params={"card": "pitch"}).text
    assert "0 % at first, 100 % the latest time" in page
    assert page.count("<sound-player") == 2
    assert page.count("recorded") == 2
    assert "quiet" in page


def test_the_bars_stand_as_numbers_too(client: TestClient, three: None) -> None:
    page = client.get("/drill/history", params={"card": "pitch"}).text
    numbers = re.findall(r'<td class="day">([^<]+)</td><td class="right">([^<]+)</td>', page)
    assert numbers == [
        ("5 Dec 2026", "2 of 2, 100 %"),
        ("2 Dec 2026", "1 of 2, 50 %"),
        ("29 Nov 2026", "0 of 2, 0 %"),
    ]
    assert "<title>2 Dec: 1 of 2, 50 %</title>" in page


def test_older_takes_are_a_link_away(
    client: TestClient, its: Parts, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PAGE", 2)
    for _ in range(5):
        said(client, its, clock, "p1", sound=False)
    page = client.get("/drill/history", params={"card": "pitch"}).text
    assert "5 takes." in page
    assert "50 % earlier, 50 % the latest time" in page
    walked = shown(page)
    while older := re.findall(r'href="([^"]+)" rel="next">Older takes<', page):
        said(client, its, clock, sound=False)  # what is new moves no older one
        page = client.get(unescape(older[0])).text
        walked += shown(page)
        assert "the latest time" not in page, "the trend is of the newest"
    assert walked == [5, 4, 3, 2, 1]
    assert 'href="/drill/history?card=pitch">The newest<' in page
    assert client.get("/drill/history?card=pitch&before=0").status_code == 422
    assert shown(client.get("/drill/history?card=pitch&before=1").text) == []


def test_cards_said_before_are_a_link_away(
    client: TestClient, its: Parts, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PAGE", 1)
    said(client, its, clock, sound=False, card="other")
    said(client, its, clock, sound=False)
    said(client, its, clock, sound=False)
    page = client.get("/drill/history").text
    assert re.findall(r"history\?card=(\w+)", page) == ["pitch"]
    assert "2 takes, the latest" in page
    (before,) = re.findall(r'href="([^"]+)" rel="next">Cards said before<', page)
    page = client.get(unescape(before)).text
    assert re.findall(r"history\?card=(\w+)", page) == ["other"]
    assert "rel=" not in page.partition("<main")[2]


def shown(page: str) -> list[int]:
    return [int(take) for take in re.findall(r'<th scope="row"><a href="/drill/pitch/takes/(\d+)"', page)]


def test_a_cards_own_history_leads_to_what_was_said(client: TestClient, three: None) -> None:
    page = client.get("/cards/pitch").text
    said = re.findall(r'href="([^"]+)">What was said', page)
    assert said == [f"/drill/pitch/takes/{take}" for take in (3, 2, 1)]
    assert "Saved: Good" in client.get(said[0]).text


def test_keep_it_leads_back_to_a_page_that_is_there(client: TestClient, three: None) -> None:
    for asked in ("/drill/sound/1/delete", "/drill/history/delete"):
        (back,) = re.findall(r'href="([^"]+)">Keep it<', client.get(asked).text)
        assert client.get(back).status_code == 200


def test_deleted_sound_leaves_the_take(client: TestClient, three: None, settings: Settings) -> None:
    assert "never rated" not in client.get("/drill/sound/1/delete").text
    answer = client.post("/drill/sound/1/delete")
    assert (answer.status_code, answer.headers["location"]) == (303, "/drill/history?card=pitch")
    assert [path.name for path in audio(settings)] == ["2.webm"]
    page = client.get("/drill/history", params={"card": "pitch"}).text
    assert page.count("<sound-player") == 1
    assert "sound deleted" in page
    assert client.post("/drill/sound/1/delete").status_code == 404


def test_the_sound_of_a_take_is_deleted_from_its_page(client: TestClient, three: None) -> None:
    (asked,) = re.findall(r'href="([^"]+)">Delete the sound<', client.get("/drill/pitch/takes/2").text)
    page = client.get(asked).text
    assert re.findall(r'href="([^"]+)">Keep it<', page) == ["/drill/pitch/takes/2"]
    (address,) = re.findall(r'action="([^"]+/delete[^"]*)"', page)
    assert client.post(address).headers["location"] == "/drill/pitch/takes/2"
    page = client.get("/drill/pitch/takes/2").text
    assert "The sound of this take was deleted." in page
    assert "Delete the sound" not in page
    assert "settings#speech" not in page, "there is nothing left to hear"
    assert "Delete the sound" not in client.get("/drill/pitch/takes/3").text, "it was quiet"


def test_all_sound_goes_at_once(client: TestClient, three: None, settings: Settings) -> None:
    assert "2 recordings" in client.get("/drill/history/delete").text
    assert client.post("/drill/history/delete").status_code == 303
    assert audio(settings) == []
    page = client.get("/drill/history").text
    assert "No sound is kept" in page
    assert "Delete all sound" not in page
    assert "Take all with you" in page, "the takes are still there"


def test_no_sound_is_not_asked_to_be_deleted(client: TestClient) -> None:
    """The page asked "Delete all sound: No sound is kept?"."""
    assert "Delete all sound" not in client.get("/drill/history").text
    assert "Take all with you" not in client.get("/drill/history").text, "nothing was said yet"
    assert client.get("/drill/history/delete").headers["location"] == "/drill/history"


def test_the_zip_has_the_sound_and_every_figure(client: TestClient, three: None, settings: Settings) -> None:
    answer = client.get("/drill/history/takes.zip")
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert sorted(archive.namelist()) == ["audio/pitch-1.webm", "audio/pitch-2.webm", "takes.json"]
    assert archive.read("audio/pitch-1.webm") == WEBM
    takes = json.loads(archive.read("takes.json"))["takes"]
    assert [(t["take"], t["grade"], t["sound"]) for t in takes] == [
        (3, "Good", None),
        (2, "Good", "audio/pitch-2.webm"),
        (1, "Good", "audio/pitch-1.webm"),
    ]
    assert [p["ticked"] for p in takes[1]["points"]] == [True, False]
    assert archive.testzip() is None


def test_a_recording_whose_file_is_gone_is_left_out_of_the_zip(
    client: TestClient, three: None, settings: Settings
) -> None:
    audio(settings)[0].unlink()
    archive = zipfile.ZipFile(io.BytesIO(client.get("/drill/history/takes.zip").content))
    assert sorted(archive.namelist()) == ["audio/pitch-2.webm", "takes.json"]
    assert json.loads(archive.read("takes.json"))["takes"][2]["sound"] is None


def test_all_takes_leave_by_the_command_line_too(
    three: None, settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.zip"
    assert cli.main(["export", "takes", str(file), "--data", str(settings.data)]) == 0
    assert "3 takes" in capsys.readouterr().out
    assert sorted(zipfile.ZipFile(file).namelist()) == [
        "audio/pitch-1.webm",
        "audio/pitch-2.webm",
        "takes.json",
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert cli.main(["export", "takes", str(tmp_path / "mine.txt"), "--data", str(settings.data)]) == 2
    assert "ends with .zip" in capsys.readouterr().err
    assert cli.main(["export", "takes", str(tmp_path / "no" / "mine.zip"), "--data", str(settings.data)]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_shares_of_points_are_drawn_on_a_scale_to_100_even_where_all_are_0(
    client: TestClient, its: Parts, clock: MovableClock
) -> None:
    said(client, its, clock)
    said(client, its, clock)
    page = client.get("/drill/history?card=pitch").text
    assert "0 % at first, 0 % the latest time" in page
    assert re.search(r">100</text>", page)
    assert ">0.2</text>" not in page

"""Sound on its way to the server: in order, once, to its owner alone, and nothing that is no sound."""

import stat

import pytest
from sqlalchemy import insert
from starlette.testclient import TestClient

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.db.engine import Database
from app.settings import Settings
from app.web.parts import Parts
from tests.conftest import MovableClock
from tests.drill.recorder import WEBM, Recorder, audio, rows


def test_pieces_come_in_order_and_each_counts_once(recorder: Recorder, settings: Settings) -> None:
    assert recorder.send(WEBM[:1000], 0) == (200, {"size": 1000})
    assert recorder.send(WEBM[1000:], 1000) == (200, {"size": len(WEBM)})
    assert recorder.send(WEBM[1000:], 1000) == (200, {"size": len(WEBM)})
    assert recorder.send(WEBM[500:1500], 500) == (200, {"size": len(WEBM)})
    assert [path.read_bytes() for path in audio(settings)] == [WEBM]


def test_two_pages_that_record_the_same_take_at_once_do_not_mix(
    recorder: Recorder, settings: Settings
) -> None:
    """An interview's clock starts by itself, in each page that shows it: both send their first second."""
    other = WEBM[:60] + bytes(5000)
    assert recorder.send(WEBM[:1000], 0)[0] == 200
    status, told = recorder.send(other, 0)
    assert (status, told["detail"]) == (409, "Another page records this take; finish it there.")
    assert "size" not in told  # so that the other page does not go on from there
    assert recorder.send(WEBM[500:], 500) == (200, {"size": len(WEBM)})
    assert [path.read_bytes() for path in audio(settings)] == [WEBM]


def test_the_file_is_open_to_its_owner_alone(recorder: Recorder, settings: Settings) -> None:
    recorder.send(WEBM, 0)
    (path,) = audio(settings)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_gap_is_told_with_the_place_to_go_on_from(recorder: Recorder) -> None:
    assert recorder.send(WEBM, 40)[0] == 409
    recorder.send(WEBM[:100], 0)
    status, told = recorder.send(WEBM[300:], 300)
    assert (status, told["size"]) == (409, 100)


def test_the_owner_plays_any_part_as_media(recorder: Recorder, client: TestClient, db: Database) -> None:
    recorder.send(WEBM, 0)
    recorder.end()
    (row,) = rows(db)
    assert (row["size"], row["lost"]) == (len(WEBM), "")
    answer = client.get(f"/drill/sound/{row['id']}")
    assert (answer.status_code, answer.content) == (200, WEBM)
    assert answer.headers["content-type"] == "audio/webm"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"].startswith("inline")
    part = client.get(f"/drill/sound/{row['id']}", headers={"Range": "bytes=4-9"})
    assert (part.status_code, part.content) == (206, WEBM[4:10])


def test_another_learners_sound_is_not_there(recorder: Recorder, client: TestClient, its: Parts) -> None:
    with its.db.write() as conn:
        conn.execute(insert(t.learner).values(id=2, name="B", rollover=4, created_at=its.clock()))
        conn.execute(
            insert(t.recording).values(
                learner_id=2, card_id="pitch", key="k", mime="audio/webm", started_at=its.clock()
            )
        )
    assert client.get("/drill/sound/1").status_code == 404
    assert client.post("/drill/sound/1/review").status_code == 404
    stranger = Recorder(client, its, LearnerId(2))
    assert stranger.send(WEBM, 0)[0] == 422


@pytest.mark.parametrize(
    ("piece", "kind", "says"),
    [
        (WEBM, "text/html", "is one of audio/webm"),
        (WEBM, "audio/mp4", "is no audio/mp4"),
        (b"<script>alert(1)</script>", "audio/webm", "is no audio/webm"),
        (b"", "audio/webm", "is empty"),
        (WEBM, "", "is one of audio/webm"),
    ],
)
def test_what_is_no_sound_is_refused_in_a_sentence_and_nothing_is_kept(
    recorder: Recorder, db: Database, settings: Settings, piece: bytes, kind: str, says: str
) -> None:
    status, told = recorder.send(piece, 0, kind)
    assert status == 422
    assert says in told["detail"]
    assert audio(settings) == []
    assert list(rows(db)) == []


def test_two_hundred_megabytes_are_refused_before_they_are_read(
    recorder: Recorder, client: TestClient, settings: Settings
) -> None:
    for path, most in (("sound", "2 MB"), ("sound/file", "65 MB")):
        answer = client.post(
            f"/drill/pitch/{path}",
            params={"take": recorder.take, "offset": 0},
            content=b"x",
            headers={"Content-Length": str(200 * 2**20), "Content-Type": "audio/webm"},
        )
        assert answer.status_code == 413
        assert most in answer.text
    assert audio(settings) == []


def test_a_recording_that_grows_too_large_keeps_what_it_has(
    recorder: Recorder, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.drill.recording.audio_files.MOST_BYTES", 2000)
    recorder.send(WEBM[:1500], 0)
    status, told = recorder.send(WEBM[1500:], 1500)
    assert status == 422
    assert "what came until then is kept" in told["detail"]
    assert audio(settings)[0].stat().st_size == 1500


@pytest.mark.parametrize("card", ["other", "../pitch", "..%2f..%2fsecret"])
def test_a_take_of_another_card_takes_no_sound(
    recorder: Recorder, client: TestClient, settings: Settings, card: str
) -> None:
    answer = client.post(
        f"/drill/{card}/sound",
        params={"take": recorder.take, "offset": 0},
        content=WEBM,
        headers={"Content-Type": "audio/webm"},
    )
    assert answer.status_code in (404, 405, 422)
    assert audio(settings) == []


def test_a_forged_take_takes_no_sound(recorder: Recorder, settings: Settings) -> None:
    recorder.take = recorder.take[:-2] + "xx"
    assert recorder.send(WEBM, 0)[0] == 422
    assert audio(settings) == []


def test_what_has_ended_takes_no_more_and_ends_once(
    recorder: Recorder, db: Database, clock: MovableClock
) -> None:
    recorder.send(WEBM[:100], 0)
    assert recorder.end("microphone") == {"size": 100}
    clock.advance(seconds=5)
    assert recorder.end() == {"size": 100}
    status, told = recorder.send(WEBM[100:], 100)
    assert status == 409
    assert "has ended" in told["detail"]
    (row,) = rows(db)
    assert row["lost"] == "microphone"


def test_a_full_disk_is_told_and_what_was_there_stays(
    recorder: Recorder, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder.send(WEBM[:100], 0)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.drill.recording.audio_files.os.fdopen", full)
    status, told = recorder.send(WEBM[100:], 100)
    assert status == 507
    assert "No space left" in told["detail"]
    assert audio(settings)[0].read_bytes() == WEBM[:100]


def test_a_disk_on_which_no_file_can_be_made_is_told(recorder: Recorder, settings: Settings) -> None:
    (settings.data / "audio").symlink_to(settings.data / "unplugged" / "audio")
    status, told = recorder.send(WEBM[:100], 0)
    assert status == 507
    assert told["detail"].startswith("The recording cannot be written (")


def test_a_whole_file_made_elsewhere_leads_to_its_review(
    recorder: Recorder, client: TestClient, settings: Settings, db: Database
) -> None:
    mp4 = b"\0\0\0\x20ftypM4A " + bytes(3 * 2**20)
    answer = client.post(
        "/drill/pitch/sound/file", data={"take": recorder.take}, files={"file": ("../../a.exe", mp4, "x/y")}
    )
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/drill/pitch/review?take=")
    assert [path.name for path in audio(settings)] == ["1.m4a"]
    assert audio(settings)[0].read_bytes() == mp4
    (row,) = rows(db)
    assert (row["mime"], row["size"]) == ("audio/mp4", len(mp4))


@pytest.mark.parametrize("content", [b"MZ\x90", b"RIFF\0\0\0\0WEBPVP8 ", b"RIFF\0\0\0\0AVI LIST", b"RIFF"])
def test_a_file_that_is_no_recording_is_refused(
    recorder: Recorder, client: TestClient, settings: Settings, content: bytes
) -> None:
    """Pictures and films are RIFF, too."""
    answer = client.post(
        "/drill/pitch/sound/file",
        data={"take": recorder.take},
        files={"file": ("a.webm", content, "audio/webm")},
    )
    assert answer.status_code == 422
    assert "choose a webm" in answer.text
    assert audio(settings) == []

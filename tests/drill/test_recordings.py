"""Sound on its way to the server and back: in order, once, to its owner alone, and never lost without a word."""

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import insert
from starlette.testclient import TestClient

from app.accounts.learner import LearnerId
from app.db import tables as t
from app.db.engine import Database
from app.drill import attempt as attempts
from app.drill import inspecting, letting_go, taking
from app.drill.attempt import Attempt
from app.settings import Settings
from app.study.scheduling import CardId
from app.web.parts import Parts
from tests.conftest import MovableClock, add_cards

WEBM = b"\x1a\x45\xdf\xa3" + bytes(range(256)) * 8
ME = LearnerId(1)
PITCH = CardId("pitch")


class Recorder:
    """A browser that records: an attempt, and the requests it sends for it."""

    def __init__(self, client: TestClient, its: Parts, learner: LearnerId = ME, card: CardId = PITCH) -> None:
        self.client, self.card = client, card
        self.attempt: Attempt = attempts.begin(learner, card).start(its.clock(), 0)
        self.take = attempts.sign(its.signer, self.attempt)

    def send(
        self, piece: bytes, offset: int, kind: str = "audio/webm;codecs=opus", **more: str
    ) -> tuple[int, dict]:
        answer = self.client.post(
            f"/drill/{self.card}/sound",
            params={"take": self.take, "offset": offset, **more},
            content=piece,
            headers={"Content-Type": kind, "Accept": "application/json"},
        )
        return answer.status_code, answer.json()

    def end(self, lost: str = "") -> dict:
        return self.client.post(
            f"/drill/{self.card}/sound/end", params={"take": self.take}, data={"lost": lost}
        ).json()


@pytest.fixture
def its(client: TestClient, db: Database) -> Parts:
    add_cards(db, "pitch", "other", queue="drill")
    parts = client.app.state.parts  # type: ignore[attr-defined]
    assert isinstance(parts, Parts)
    return parts


@pytest.fixture
def recorder(client: TestClient, its: Parts) -> Recorder:
    return Recorder(client, its)


def audio(settings: Settings) -> list[Path]:
    return sorted(path for path in (settings.data / "audio").rglob("*") if path.is_file())


def rows(db: Database) -> Iterator[str]:
    with db.read() as conn:
        yield from conn.execute(t.recording.select()).mappings()


def test_pieces_come_in_order_and_each_counts_once(recorder: Recorder, settings: Settings) -> None:
    assert recorder.send(WEBM[:1000], 0) == (200, {"size": 1000})
    assert recorder.send(WEBM[1000:], 1000) == (200, {"size": len(WEBM)})
    assert recorder.send(WEBM[1000:], 1000) == (200, {"size": len(WEBM)})
    assert recorder.send(WEBM[500:1500], 500) == (200, {"size": len(WEBM)})
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
    monkeypatch.setattr("app.drill.audio_files.MOST_BYTES", 2000)
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

    monkeypatch.setattr("app.drill.audio_files.os.fdopen", full)
    status, told = recorder.send(WEBM[100:], 100)
    assert status == 507
    assert "No space left" in told["detail"]
    assert audio(settings)[0].read_bytes() == WEBM[:100]


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


def test_a_file_that_is_no_recording_is_refused(
    recorder: Recorder, client: TestClient, settings: Settings
) -> None:
    answer = client.post(
        "/drill/pitch/sound/file",
        data={"take": recorder.take},
        files={"file": ("a.webm", b"MZ\x90", "audio/webm")},
    )
    assert answer.status_code == 422
    assert "choose a webm" in answer.text
    assert audio(settings) == []


def test_a_take_that_was_cut_off_can_still_be_reviewed(
    recorder: Recorder, client: TestClient, its: Parts, clock: MovableClock, db: Database
) -> None:
    recorder.send(WEBM, 0)
    clock.advance(minutes=9)
    answer = client.post("/drill/sound/1/review")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/drill/pitch/review?take=")
    (row,) = rows(db)
    assert (row["lost"], row["size"]) == ("page", len(WEBM))
    assert client.get(answer.headers["location"]).status_code == 200


def test_a_recording_lasts_two_hours_at_most(recorder: Recorder, clock: MovableClock) -> None:
    recorder.send(WEBM[:100], 0)
    clock.advance(hours=2, seconds=1)
    status, told = recorder.send(WEBM[100:], 100)
    assert status == 422
    assert "2 hours at most; what came until then is kept" in told["detail"]


def test_a_recording_whose_page_is_gone_ends_by_itself(
    recorder: Recorder, its: Parts, clock: MovableClock, settings: Settings, db: Database
) -> None:
    recorder.send(WEBM, 0)
    (path,) = audio(settings)
    os.utime(path, (clock().timestamp(),) * 2)
    clock.advance(hours=1)
    taking.close_abandoned(its)
    assert [row["ended_at"] for row in rows(db)] == [None]
    clock.advance(hours=2)
    taking.close_abandoned(its)
    (row,) = rows(db)
    assert (row["lost"], row["size"]) == ("page", len(WEBM))


def test_the_drill_lists_what_was_recorded_and_never_rated(
    recorder: Recorder, client: TestClient, clock: MovableClock, settings: Settings
) -> None:
    recorder.send(WEBM, 0)
    os.utime(audio(settings)[0], (clock().timestamp() + 42,) * 2)
    clock.advance(seconds=43)
    assert "Not rated yet" not in client.get("/drill").text  # another tab records it
    clock.advance(seconds=90)
    page = client.get("/drill").text
    assert "Today, 42 s: cut off when its page was left." in page
    assert "1 recording, 0.0 MB" in page
    review = client.post("/drill/sound/1/review").headers["location"]
    assert "0:42" in client.get(review).text
    assert client.post("/drill/sound/1/delete").headers["location"] == "/drill"
    assert "Not rated yet" not in client.get("/drill").text


def test_a_take_has_one_recording(recorder: Recorder, client: TestClient, settings: Settings) -> None:
    recorder.send(WEBM, 0)
    answer = client.post(
        "/drill/pitch/sound/file", data={"take": recorder.take}, files={"file": ("a.webm", WEBM * 2)}
    )
    assert answer.status_code == 409
    assert "has a recording already" in answer.text
    assert audio(settings)[0].read_bytes() == WEBM


def test_a_file_for_which_there_is_no_room_can_be_sent_again(
    recorder: Recorder, client: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = {"file": ("a.webm", WEBM + bytes(2**21))}
    with monkeypatch.context() as small:
        small.setattr("app.drill.audio_files.MOST_BYTES", 2**20 + 1)
        answer = client.post("/drill/pitch/sound/file", data={"take": recorder.take}, files=file)
        assert answer.status_code == 422
        assert audio(settings) == []
    answer = client.post("/drill/pitch/sound/file", data={"take": recorder.take}, files=file)
    assert answer.status_code == 303


def test_a_cut_off_take_that_was_rated_meanwhile_is_not_reviewed_again(
    recorder: Recorder, client: TestClient
) -> None:
    recorder.send(WEBM, 0)
    review = client.post("/drill/sound/1/review").headers["location"]
    take = parse_qs(urlsplit(review).query)["take"][0]
    assert client.post("/drill/pitch/takes", data={"take": take, "grade": 3}).status_code == 303
    assert client.post("/drill/sound/1/review").status_code in (303, 409)


def test_sound_goes_by_age_and_by_room_and_never_while_it_is_made(
    client: TestClient, its: Parts, clock: MovableClock, settings: Settings
) -> None:
    for _ in range(3):
        take = Recorder(client, its)
        take.send(WEBM + bytes(400_000), 0)
        take.end()
        clock.advance(days=2)
    Recorder(client, its).send(WEBM, 0)
    names = ["1.webm", "2.webm", "3.webm", "4.webm"]
    for limits, gone in (
        ({}, 0),
        ({"keep_audio_days": 5}, 1),
        ({"keep_audio_mb": 1}, 0),
        ({"keep_audio_days": 1}, 2),
    ):
        chosen = replace(its, settings=its.settings.model_copy(update=limits))
        assert letting_go.let_go(chosen) == gone
        names = names[gone:]
        assert [path.name for path in audio(settings)] == names


def test_the_newest_sound_stays_where_there_is_no_room_for_all(
    client: TestClient, its: Parts, settings: Settings
) -> None:
    for _ in range(3):
        take = Recorder(client, its)
        take.send(WEBM + bytes(400_000), 0)
        take.end()
    chosen = replace(its, settings=its.settings.model_copy(update={"keep_audio_mb": 1}))
    assert letting_go.let_go(chosen) == 1
    assert [path.name for path in audio(settings)] == ["2.webm", "3.webm"]


def test_doctor_tells_of_sound_without_a_row_and_of_rows_without_sound(
    recorder: Recorder, settings: Settings
) -> None:
    recorder.send(WEBM, 0)
    (path,) = audio(settings)
    assert inspecting.told(settings) == ("ok", "Sound of takes: 1 recording, 0.0 MB", "")
    strange = path.with_name("99.webm")
    path.rename(strange)
    mark, what, _ = inspecting.told(settings)
    assert (mark, what) == ("warn", f"1 recording ({path}) without a file")
    path.write_bytes(WEBM)
    mark, what, _ = inspecting.told(settings)
    assert (mark, what) == ("warn", f"1 sound file ({strange}) of no recording")


def test_sound_of_a_database_that_was_put_back_is_left_alone(
    recorder: Recorder, its: Parts, client: TestClient, settings: Settings, db: Database
) -> None:
    """After an older snapshot came back, numbers are free whose files are there: of takes that it knows nothing of."""
    folder = settings.data / "audio" / "1"
    folder.mkdir(parents=True)
    for name, sound in (("1.webm", b"older"), ("4.ogg", b"old"), ("trial", b"x"), ("9" * 30 + ".webm", b"y")):
        (folder / name).write_bytes(sound)
    assert recorder.send(WEBM, 0) == (200, {"size": len(WEBM)})
    assert Recorder(client, its).send(WEBM[:900], 0) == (200, {"size": 900})
    assert [row["id"] for row in rows(db)] == [5, 6]
    assert [(folder / name).read_bytes() for name in ("1.webm", "4.ogg")] == [b"older", b"old"]
    assert client.get("/drill/sound/5").content == WEBM


def test_what_a_crash_left_of_deleted_sound_goes_and_nothing_else(
    recorder: Recorder, its: Parts, settings: Settings, client: TestClient
) -> None:
    recorder.send(WEBM, 0)
    (path,) = audio(settings)
    client.post("/drill/sound/1/delete")
    path.write_bytes(WEBM)
    unknown = path.with_name("99.webm")
    unknown.write_bytes(WEBM)
    letting_go.wipe(its)
    assert audio(settings) == [unknown]


def test_a_missing_file_is_told(recorder: Recorder, client: TestClient, settings: Settings) -> None:
    recorder.send(WEBM, 0)
    audio(settings)[0].unlink()
    answer = client.get("/drill/sound/1")
    assert answer.status_code == 404
    assert "no longer on the disk" in answer.text

"""Sound that is there: of takes that were cut off, let go with time, deleted, missing, or put back."""

import os
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from app.db.engine import Database
from app.drill.recording import inspecting, letting_go, taking
from app.settings import Settings
from app.web.parts import Parts
from tests.conftest import MovableClock
from tests.drill.recorder import WEBM, Recorder, audio, rows


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
        small.setattr("app.drill.recording.audio_files.MOST_BYTES", 2**20 + 1)
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
    missing = f"1 recording ({path}) without a file"
    assert told(settings) == [("ok", "Sound of takes: 1 recording, 0.0 MB")]
    path.rename(settings.data / "away")
    assert told(settings) == [("warn", missing)]
    strange = path.with_name("99.webm")
    (settings.data / "away").rename(strange)
    stray = f"1 sound file ({strange}) of no recording"
    assert told(settings) == [("warn", missing), ("warn", stray)]
    path.write_bytes(WEBM)
    assert told(settings) == [("warn", stray)]


def told(settings: Settings) -> list[tuple[str, str]]:
    return [(found.mark, found.what) for found in inspecting.told(settings)]


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

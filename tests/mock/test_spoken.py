"""A spoken interview: every answer is recorded, written down, shown at its review and told in the report."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from app.db import tables as t
from app.db.engine import Database
from app.settings import Settings
from app.web.parts import Parts
from tests.conftest import MovableClock
from tests.drill.ears import SAID, Ears
from tests.mock.forms import begin, field, send, step

WEBM = b"\x1a\x45\xdf\xa3" + bytes(2000)


@pytest.fixture
def ears(client: TestClient) -> Ears:
    its = client.app.state.parts  # type: ignore[attr-defined]
    assert isinstance(its, Parts)
    return Ears(client, its)


def begun(client: TestClient, clock: MovableClock, page: str, ears: Ears | None = None) -> str:
    """Start the open question and record some of its answer; the address of the question."""
    at = step(page)
    if "data-elapsed-ms" not in page:
        page = send(client, f"{at}/start")
    found = re.search(r'data-sound="([^"]+)"', page)
    assert found, "nothing is recorded here"
    sent = client.post(
        found[1],
        params={"take": field(page, "take"), "offset": 0},
        content=WEBM,
        headers={"content-type": "audio/webm"},
    )
    assert sent.json() == {"size": len(WEBM)}
    clock.advance(seconds=45)
    if ears:
        ears.announce()
    return at


def kept(settings: Settings) -> list[Path]:
    return [path for path in (settings.data / "audio").rglob("*") if path.is_file()]


def test_the_review_of_a_spoken_question_shows_what_was_heard_and_stays_in_the_interview(
    client: TestClient, clock: MovableClock, ears: Ears, db: Database
) -> None:
    at = begun(client, clock, client.get(begin(client, mode="spoken")).text, ears)
    review = send(client, f"{at}/finish")  # which ends the recording, whatever a script says
    assert "Waiting to be written down" in review
    assert 'data-src="/drill/sound/1"' in review
    assert "/drill/pitch/" not in review.replace("/drill/decode/", "/drill/pitch/")
    assert f'formaction="{at}/hear/cancel"' in review
    review = send(client, f"{at}/hear/cancel", point="p2")
    assert "It was not written down." in review
    assert re.search(r'value="p2"\s+checked', review)
    assert f'formaction="{at}/hear"' in review
    send(client, f"{at}/hear", point="p2")
    ears.finish(ears.claim())
    assert (
        'data-settled="The transcript is here: 2 of 2 key points mentioned."'
        in client.get(f"{at}/heard").text
    )
    assert client.get(f"{at}/heard", params={"part": "points"}).text.count("Mentioned") == 2
    review = client.get(at.rpartition("/")[0]).text
    assert SAID in review
    assert review.count("Mentioned") == 2
    assert "words a minute" in review
    assert "I put it better" in send(client, f"{at}/ticks", text="I put it better", point="p2")
    send(client, f"{at}/rate", grade=3, point="p2", text="I put it better: the mask first")
    assert client.get(f"{at}/heard").status_code == 422
    with db.read() as conn:
        take = conn.execute(select(t.take)).one()
    assert (take.text, take.ticks, take.quiet) == ("I put it better: the mask first", ["p2"], False)
    assert take.marks == {"p1": "mentioned", "p2": "missed"}


def test_a_card_to_read_is_recorded_and_heard_like_one_to_be_said(
    client: TestClient, clock: MovableClock, ears: Ears, db: Database
) -> None:
    where = begin(client, mode="spoken", deck="read")
    at = begun(client, clock, client.get(where).text, ears)
    assert "Waiting to be written down" in send(client, f"{at}/finish")
    ears.finish(ears.claim())
    review = client.get(where).text
    assert SAID in review
    assert "Compare, then rate it" in review
    assert "Copy as a prompt" not in review  # there is no rubric to copy
    send(client, f"{at}/rate", grade=2, text=SAID)
    report = send(client, f"{where}/end")
    assert SAID in report
    assert 'data-src="/drill/sound/1"' in report
    assert "Not rated yet" not in client.get("/drill").text
    with db.read() as conn:
        assert conn.execute(select(t.take)).all() == []
    archive = zipfile.ZipFile(io.BytesIO(client.get("/drill/history/takes.zip").content))
    card = at_card(archive)
    assert sorted(archive.namelist()) == [
        f"audio/{card}-recording-1.webm",
        "takes.json",
        f"text/{card}-recording-1.txt",
    ]
    assert archive.read(f"audio/{card}-recording-1.webm") == WEBM


def at_card(archive: zipfile.ZipFile) -> str:
    """The card of the one recording that no take has; it is told with its text and its pace."""
    (told,) = json.loads(archive.read("takes.json"))["recordings"]
    assert (told["text"], told["pace"]["fillers"]) == (SAID, {"um": 1})
    return str(told["card"])


def test_the_report_tells_the_pace_of_each_answer_and_of_all(
    client: TestClient, clock: MovableClock, ears: Ears
) -> None:
    where = begin(client, mode="spoken")
    page = client.get(where).text
    for grade in (2, 2, 2):
        at = begun(client, clock, page, ears)
        send(client, f"{at}/finish")
        page = send(client, f"{at}/rate", grade=grade)
    report = send(client, f"{where}/end")
    assert "3 answers are still being written down" in report
    for _ in range(2):
        ears.finish(ears.claim())
    ears.finish(ears.claim(), text="")
    report = client.get(f"{where}/report").text
    assert report.count("<dt>words a minute</dt>") == 2
    assert report.count("<dd>about 1</dd>") == 2
    assert "0:23 recorded, in 2 answers." in report
    assert "words a minute; 130 to 160 is easy to follow" in report
    assert "About 2 fillers" in report
    assert "In 1 answer no speech was heard." in report
    assert "still being" not in report


def test_what_nobody_has_written_down_is_told_and_one_click_has_it_done(
    client: TestClient, clock: MovableClock
) -> None:
    where = begin(client, mode="spoken", deck="read")
    at = begun(client, clock, client.get(where).text)
    send(client, f"{at}/finish")
    send(client, f"{at}/rate", grade=2)
    report = send(client, f"{where}/end")
    assert "1 answer is not written down, so nothing is known of the pace." in report
    assert "make run SPEECH=1" in report
    assert "written down</button>" not in report
    ears = Ears(client, client.app.state.parts)  # type: ignore[attr-defined]
    assert "Have it written down" in client.get(f"{where}/report").text
    assert "1 answer is still being written down" in send(client, f"{where}/hear")
    ears.finish(ears.claim())
    assert SAID in client.get(f"{where}/report").text


@pytest.mark.parametrize("way", ["skip", "end"])
def test_what_was_said_to_its_end_and_left_unrated_is_rated_from_the_report(
    client: TestClient, clock: MovableClock, settings: Settings, way: str
) -> None:
    where = begin(client, mode="spoken")
    at = begun(client, clock, client.get(where).text)
    review = send(client, f"{at}/finish")
    assert "the sound is kept" in review
    assert "Not rated yet" not in client.get("/drill").text  # it is asked at this moment
    send(client, f"{at}/skip" if way == "skip" else f"{where}/end")
    report = send(client, f"{where}/end")
    assert "What you said is kept, and not rated: rate it now, or whenever you like" in report
    assert "Not rated yet" in client.get("/drill").text
    rate = re.search(r'action="(/drill/sound/\d+/review)"', report)
    assert rate
    review = client.get(client.post(rate[1]).headers["location"]).text
    saved = re.search(r'action="(/drill/\w+/takes)"', review)
    assert saved
    send(client, saved[1], take=field(review, "take"), grade=3, point="p1")
    report = client.get(f"{where}/report").text
    assert "You have rated it later, in the drill: Good." in report
    assert "1 of 2" in report
    assert "Rate it now" not in report
    assert len(kept(settings)) == 1


@pytest.mark.parametrize("way", ["skip", "end", "again"])
def test_what_was_recorded_of_an_answer_that_was_broken_off_goes_with_it(
    client: TestClient, clock: MovableClock, settings: Settings, way: str
) -> None:
    where = begin(client, mode="spoken")
    at = begun(client, clock, client.get(where).text)
    assert len(kept(settings)) == 1
    page = send(client, f"{where}/end" if way == "end" else f"{at}/{way}")
    assert kept(settings) == []
    clock.advance(hours=1)
    assert "Not rated yet" not in client.get("/drill").text
    if way == "again":
        assert "data-elapsed-ms" not in page  # the time to think begins anew, with Start
        assert "15 seconds to think" in page
        send(client, f"{begun(client, clock, page)}/finish")
        assert len(kept(settings)) == 1
    else:
        assert "What was recorded of it was deleted." in send(client, f"{where}/end")


def test_an_answer_whose_page_was_left_is_reviewed_with_what_was_recorded(
    client: TestClient, clock: MovableClock, settings: Settings
) -> None:
    where = begin(client, mode="spoken")
    at = begun(client, clock, client.get(where).text)
    assert "data-cut" in client.get(where).text  # the recording ended with its page, and the clock goes on
    clock.advance(hours=2)
    left = client.get(where).text
    assert (
        "It was begun 2 hours ago. What you had said by then is kept: review it. Starting over deletes it."
        in left
    )
    review = send(client, f"{at}/resume")
    assert "Tick what you said" in review
    assert "was interrupted" in review
    assert 'data-src="/drill/sound/1"' in review
    assert "Tick what you said" in send(client, f"{at}/resume")


def test_the_sound_of_an_answer_is_deleted_from_the_report(
    client: TestClient, clock: MovableClock, settings: Settings
) -> None:
    where = begin(client, mode="spoken", deck="read")
    at = begun(client, clock, client.get(where).text)
    send(client, f"{at}/finish")
    send(client, f"{at}/rate", grade=3)
    send(client, f"{where}/end")
    assert f'action="{at}/sound/delete"' in client.get(f"{at}/sound/delete").text
    assert "What was recorded of it was deleted." in send(client, f"{at}/sound/delete")
    assert kept(settings) == []
    assert client.get(f"{at}/sound/delete").status_code == 404


def test_a_typed_answer_is_kept_as_it_comes_and_becomes_the_takes_text(
    client: TestClient, clock: MovableClock, db: Database
) -> None:
    where = begin(client, mode="typed")
    at = step(client.get(where).text)
    send(client, f"{at}/start")
    clock.advance(seconds=30)
    assert client.post(f"{at}/draft", data={"text": "the mask", "page": "false"}).status_code == 204
    assert "the mask</textarea>" in client.get(where).text
    review = send(client, f"{at}/finish", text="the mask comes first")
    assert client.post(f"{at}/draft", data={"text": "late", "page": "false"}).status_code == 204
    assert "the mask comes first</textarea>" in review
    assert (review.count("Mentioned"), review.count("Not found")) == (1, 1)
    send(client, f"{at}/rate", grade=3, point="p1", text="the mask comes first, then the root of d")
    with db.read() as conn:
        take = conn.execute(select(t.take)).one()
    assert (take.text, take.quiet) == ("the mask comes first, then the root of d", False)
    assert take.marks == {"p1": "mentioned", "p2": "mentioned"}
    assert "then the root of d" in send(client, f"{where}/end")


def test_what_was_written_on_a_page_that_was_left_is_reviewed(
    client: TestClient, clock: MovableClock
) -> None:
    where = begin(client, mode="typed", deck="read")
    at = step(client.get(where).text)
    send(client, f"{at}/start")
    clock.advance(seconds=30)
    send(client, f"{at}/draft", text="half a sentence")
    clock.advance(hours=9)
    assert "Review what you wrote" in client.get(where).text
    assert "half a sentence</textarea>" in send(client, f"{at}/resume")
    assert "half a sentence" in send(client, f"{where}/end")


def test_a_text_that_is_too_long_is_a_sentence_and_nothing_is_lost(
    client: TestClient, clock: MovableClock
) -> None:
    where = begin(client, mode="typed")
    at = step(client.get(where).text)
    send(client, f"{at}/start")
    clock.advance(seconds=60)
    refused = client.post(f"{at}/finish", data={"text": "word " * 5000})
    assert (refused.status_code, "20,000 are kept" in refused.text) == (422, True)
    send(client, f"{at}/finish", text="short")
    refused = client.post(f"{at}/rate", data={"grade": 3, "text": "word " * 5000})
    assert (refused.status_code, "20,000 are kept" in refused.text) == (422, True)
    assert "short</textarea>" in client.get(where).text

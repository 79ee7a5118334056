"""From the bytes of a recording to its words, with the real processes: speech is heard, and what is none is told."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.house import House, house
from tests.worker.speaking import recorded, say

pytestmark = pytest.mark.crash

CARD = "say-causal-mask"


def send(api: httpx.Client, home: House, sound: bytes) -> None:
    """A whole recording of one attempt, as the stand sends it."""
    (take, *_) = re.findall(r'name="take" value="([^"]+)"', api.get(f"/drill/{CARD}").text)
    headers = {"Origin": home.url, "Content-Type": "audio/webm;codecs=opus"}
    where = f"/drill/{CARD}/sound"
    api.post(where, params={"take": take, "offset": 0}, content=sound, headers=headers).raise_for_status()
    end = api.post(f"{where}/end", params={"take": take}, data={"lost": ""}, headers={"Origin": home.url})
    end.raise_for_status()


def jobs(home: House) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(home.data / "aloud.db")) as db:
        return db.execute("SELECT state, message FROM job WHERE kind = 'speech' ORDER BY rowid").fetchall()


def test_what_is_said_is_heard_and_what_is_no_sound_is_told_and_kept(tmp_path: Path) -> None:
    take = recorded(say("The causal mask is added before the softmax.", tmp_path), "webm").read_bytes()
    with house(tmp_path / "data", worker=True) as home, home.api() as api:
        home.until(lambda asked: "hears" in asked.get("/worker/corner").text, "no worker hears")
        send(api, home, take)
        send(api, home, take[:4] + bytes(5000))
        home.until(
            lambda _: [state for state, _ in jobs(home)] == ["done", "failed"], f"they are {jobs(home)}"
        )
        assert "cannot be decoded" in jobs(home)[1][1]
        with closing(sqlite3.connect(home.data / "aloud.db")) as db:
            (words,) = db.execute("SELECT words FROM hearing WHERE words IS NOT NULL").fetchone()
        heard = " ".join(word for _, _, word in json.loads(words)).lower()
        assert all(word in heard for word in ("causal", "mask", "before", "softmax"))
        assert len(list((home.data / "audio").rglob("*.webm"))) == 2

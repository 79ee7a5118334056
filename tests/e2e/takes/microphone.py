"""A browser with a microphone that a synthetic voice feeds, and what its takes left on the server."""

import base64
import io
import json
import math
import sqlite3
import zlib
from array import array
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import av
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from tests.e2e.conftest import FLAGS, chromium
from tests.e2e.live import HEARD
from tests.house import House

FAKE_DEVICE, FAKE_CONSENT = "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"
# What the tests want to know of the page: every stream that it was given.
SPY = """
window.streams = [];
const devices = navigator.mediaDevices;
if (devices) {
  const ask = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wanted) => { const got = await ask(wanted); streams.push(got); return got; };
}
"""
LIT = "() => streams.some((stream) => stream.getTracks().some((track) => track.readyState === 'live'))"


@contextmanager
def launched(playwright: Playwright, *flags: str) -> Iterator[Browser]:
    made = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS, *flags])
    yield made
    made.close()


@contextmanager
def context(browser: Browser, *, width: int = 1280, scheme: str = "light") -> Iterator[BrowserContext]:
    made = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    made.add_init_script(SPY)
    made.add_init_script(HEARD)
    yield made
    made.close()


def stand(page: Page, room: House, mode: str = "It will be recorded with", card: str = "pitch-90") -> None:
    page.goto(f"{room.url}/drill/{card}")
    expect(page.locator("[data-mode]")).to_contain_text(mode)


def speak(page: Page, room: House, until: str = "0:02") -> str:
    """Past Start and getting ready, until the clock shows so much; the attempt's key."""
    stand(page, room)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Speak now")).to_be_focused()
    page.keyboard.press("Space")
    page.wait_for_url("**?take=*")
    expect(page.locator("[data-clock-time]")).to_have_text(until, timeout=40_000)
    return str(attempt(page)["key"])


def finish(page: Page) -> None:
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()


def goes_on(page: Page) -> None:
    """To a quiet take, with nothing but the clock."""
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Speak now")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator("[data-clock-word]")).to_have_text("time in hand")
    expect(page.locator("[data-sound-now]")).to_be_hidden()
    finish(page)


def attempt(page: Page) -> dict[str, object]:
    """The attempt in the page's address, which is signed and not secret."""
    signed = parse_qs(urlsplit(page.url).query)["take"][0]
    packed = signed.startswith(".")  # as itsdangerous marks what it made smaller
    text = signed.removeprefix(".").partition(".")[0]
    bytes_ = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    body: dict[str, object] = json.loads(zlib.decompress(bytes_) if packed else bytes_)
    return body


@dataclass(frozen=True)
class Kept:
    """A recording as the server has it."""

    id: int
    lost: str
    ended: bool
    deleted: bool


def kept(room: House, key: str) -> Kept | None:
    with closing(sqlite3.connect(room.data / "aloud.db")) as db:
        row = db.execute(
            "SELECT id, lost, ended_at IS NOT NULL, deleted_at IS NOT NULL FROM recording WHERE key = ?",
            (key,),
        ).fetchone()
    return None if row is None else Kept(row[0], row[1], bool(row[2]), bool(row[3]))


def sound(room: House, key: str) -> "array[int]":
    """The samples of a recording at 16 kHz, 16 bits, as its owner gets it."""
    found = kept(room, key)
    assert found is not None
    with room.api() as api:
        got = api.get(f"/drill/sound/{found.id}")
    assert got.status_code == 200, got.text
    samples = array("h")
    with av.open(io.BytesIO(got.content), mode="r") as media:
        resampler = av.AudioResampler("s16", "mono", 16_000)
        for frame in (*media.decode(audio=0), None):  # None: what the resampler still holds
            for part in resampler.resample(frame):
                samples.frombytes(bytes(part.planes[0])[: 2 * part.samples])
    return samples


def loudness(samples: "array[int]") -> float:
    """RMS, where 1 is as loud as can be."""
    return math.sqrt(sum(s * s for s in samples) / len(samples)) / 2**15


def seconds(room: House, key: str) -> float:
    return len(sound(room, key)) / 16_000

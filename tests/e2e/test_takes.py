"""Takes said into a real browser's microphone, which a synthetic voice feeds; what arrives is decoded."""

import base64
import io
import json
import math
import os
import sqlite3
import time
import wave
import zlib
from array import array
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import av
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.e2e.conftest import FLAGS, chromium
from tests.house import House, house
from tests.speech import say

pytestmark = pytest.mark.e2e

TEXT = (
    "Each query is compared with every key, and the scores are divided by the square root of the head dimension. "
    "The causal mask comes before the softmax, and the weights take an average of the values."
)
FAKE_DEVICE, FAKE_CONSENT = "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"
# What the tests want to know of the page: every stream that it was given, what it said, and how it told of stages.
SPY = """
window.streams = [];
const devices = navigator.mediaDevices;
if (devices) {
  const ask = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wanted) => { const got = await ask(wanted); streams.push(got); return got; };
}
window.heard = [];
document.addEventListener("DOMContentLoaded", () => {
  const live = document.getElementById("live");
  new MutationObserver(() => live.textContent && heard.push(live.textContent)).observe(live, { childList: true });
});
"""
LIT = "() => streams.some((stream) => stream.getTracks().some((track) => track.readyState === 'live'))"


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    chromium()
    with sync_playwright() as made:
        yield made


@contextmanager
def launched(playwright: Playwright, *flags: str) -> Iterator[Browser]:
    made = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS, *flags])
    yield made
    made.close()


@pytest.fixture(scope="module")
def voice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return say(TEXT, tmp_path_factory.mktemp("voice") / "voice.wav")


@pytest.fixture(scope="module")
def hearing(playwright: Playwright, voice: Path) -> Iterator[Browser]:
    """A browser with a microphone, into which a voice speaks without end, and which is allowed."""
    with launched(
        playwright, FAKE_DEVICE, FAKE_CONSENT, f"--use-file-for-fake-audio-capture={voice}"
    ) as made:
        yield made


@pytest.fixture(scope="module")
def refusing(playwright: Playwright) -> Iterator[Browser]:
    """A browser with a microphone that nobody allows, and that knows a name of this machine besides localhost."""
    with launched(playwright, FAKE_DEVICE, "--host-resolver-rules=MAP lan.test 127.0.0.1") as made:
        yield made


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("takes") / "data", allowed_hosts="lan.test") as made:
        yield made


@contextmanager
def context(browser: Browser, *, width: int = 1280, scheme: str = "light") -> Iterator[BrowserContext]:
    made = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    made.add_init_script(SPY)
    yield made
    made.close()


@pytest.fixture
def page(hearing: Browser) -> Iterator[Page]:
    """A page with a microphone; a script's error fails the test."""
    wrong: list[str] = []
    with context(hearing) as made:
        page = made.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        yield page
    assert wrong == []


def stand(page: Page, room: House, mode: str = "Recording with", card: str = "pitch-90") -> None:
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


def until(page: Page, holds: str) -> None:
    """Ask the page again and again (its CSP keeps it from being told to tell us)."""
    end = time.monotonic() + 15
    while not page.evaluate(holds):
        assert time.monotonic() < end, holds
        page.wait_for_timeout(50)


def finish(page: Page) -> None:
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()


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


def test_twenty_seconds_arrive_as_they_come_and_decode_to_their_length(page: Page, room: House) -> None:
    key = speak(page, room, "0:03")
    expect(page.locator("[data-sound-line]")).to_have_text("Recording")
    assert page.evaluate("heard").count("Speak. 90 seconds. Recording.") == 1
    until(page, "document.querySelector('[data-level]').value > 30")
    assert seconds(room, key) > 1  # it is there before the take ends
    expect(page.locator("[data-clock-time]")).to_have_text("0:20", timeout=40_000)
    finish(page)
    said = sound(room, key)
    spoken_ms = attempt(page)["spoken_ms"]
    assert isinstance(spoken_ms, int)
    assert len(said) / 16_000 == pytest.approx(spoken_ms / 1000, abs=0.2)
    assert loudness(said) > 0.01, "the microphone was fed with silence"
    assert kept(room, key) == Kept(1, "", ended=True, deleted=False)
    assert not page.evaluate(LIT), "the microphone is still on"
    plays(page)


def plays(page: Page) -> None:
    """The take of twenty seconds, on its review: by keyboard, to any place, at its true length."""
    player = page.locator("sound-player")
    expect(player).to_have_attribute("data-ready", "whole")
    expect(player).to_contain_text("0:00 / 0:20")
    place = player.get_by_role("slider", name="Place in the recording")
    place.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(place).to_have_attribute("aria-valuetext", "0:10 of 0:20")
    page.keyboard.press("Home")
    expect(place).to_have_attribute("aria-valuenow", "0")
    player.get_by_label("Speed").select_option("1.5")
    page.keyboard.press("Escape")
    page.evaluate("document.querySelector('sound-player').seek(7_000)")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    expect(player).to_contain_text("0:08 / 0:20")
    assert page.evaluate("document.querySelector('sound-player audio').playbackRate") == 1.5
    player.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Space")
    expect(player.get_by_role("button", name="Play")).to_be_focused()
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()  # Space rated nothing


def test_a_lost_microphone_is_told_and_the_clock_goes_on(page: Page, room: House) -> None:
    key = speak(page, room)
    page.evaluate("streams[0].getTracks()[0].stop()")
    lost = "Microphone lost, 2 s kept. The clock goes on."
    expect(page.locator("[data-sound-line]")).to_have_text(lost)
    expect(page.locator("[data-clock-time]")).to_have_text("0:03")
    assert lost in page.evaluate("heard")
    finish(page)
    found = kept(room, key)
    assert found is not None
    assert found.lost == "microphone"
    assert seconds(room, key) == pytest.approx(2.4, abs=0.6)


def test_a_closed_tab_keeps_what_there_was_and_the_list_offers_it(hearing: Browser, room: House) -> None:
    with context(hearing) as made:
        page = made.new_page()
        key = speak(page, room, "0:03")
        page.close()
        assert seconds(room, key) > 2
        grown_old(room, key)
        page = made.new_page()
        page.goto(f"{room.url}/drill")
        page.get_by_role("button", name="Review").first.click()
        expect(page.locator("main")).to_contain_text("This take was cut off when its page was left")
        expect(page.locator("sound-player")).to_have_attribute("data-ready", "whole")


def grown_old(room: House, key: str) -> None:
    """A minute without a byte, after which no page is at it any more."""
    found = kept(room, key)
    assert found is not None
    (file,) = (room.data / "audio").rglob(f"{found.id}.*")
    then = file.stat().st_mtime - 61
    os.utime(file, (then, then))


def test_starting_over_deletes_the_recording(page: Page, room: House) -> None:
    key = speak(page, room)
    page.get_by_role("button", name="Start over").click()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    found = kept(room, key)
    assert found is None or found.deleted
    assert not page.evaluate(LIT)
    assert speak(page, room, "0:01") != key
    finish(page)


def test_what_could_not_be_sent_waits_until_it_can(page: Page, room: House) -> None:
    key = speak(page, room, "0:01")
    page.context.set_offline(True)
    expect(page.locator("[data-clock-time]")).to_have_text("0:03")
    page.keyboard.press("Space")
    expect(page.locator("[data-sound-line]")).to_have_text("Saving the recording")
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()
    spoken_ms = attempt(page)["spoken_ms"]
    assert isinstance(spoken_ms, int)
    assert seconds(room, key) == pytest.approx(spoken_ms / 1000, abs=0.2)


def test_two_tabs_record_at_once_and_keep_apart(hearing: Browser, room: House) -> None:
    with context(hearing) as made:
        one, two = made.new_page(), made.new_page()
        keys = [speak(one, room, "0:01"), speak(two, room, "0:01")]
        finish(one)
        finish(two)
        for key, page in zip(keys, (one, two), strict=True):
            spoken_ms = attempt(page)["spoken_ms"]
            assert isinstance(spoken_ms, int)
            assert seconds(room, key) == pytest.approx(spoken_ms / 1000, abs=0.2)


def test_a_clock_that_leaps_marks_the_take_and_the_recording_arrives(page: Page, room: House) -> None:
    page.clock.install()
    key = speak(page, room, "0:01")
    page.clock.fast_forward(60_000)
    expect(page.locator("[data-clock-word]")).to_have_text("two thirds used")
    finish(page)
    expect(page.locator("main")).to_contain_text("This take was interrupted")
    assert seconds(room, key) > 0.8


def test_a_reload_in_the_middle_keeps_what_was_said_and_goes_on(page: Page, room: House) -> None:
    key = speak(page, room)
    with page.expect_response("**/sound/end*"):
        page.reload()
    expect(page.locator("[data-sound-line]")).to_contain_text("The recording ended when the page was left")
    finish(page)
    found = kept(room, key)
    assert found is not None
    assert (found.lost, found.ended) == ("page", True)
    assert seconds(room, key) > 1


def test_quiet_is_one_key_remembered_and_asks_for_no_microphone(page: Page, room: House) -> None:
    stand(page, room)
    page.keyboard.press("q")
    expect(page.locator("[data-mode]")).to_have_text("Quiet: nothing is recorded.")
    assert "Quiet: nothing is recorded." in page.evaluate("heard")
    stand(page, room, "Quiet: nothing is recorded.")
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    expect(page.locator("[data-clock-word]")).to_have_text("time in hand")
    finish(page)
    assert page.evaluate("streams.length") == 0
    assert kept(room, str(attempt(page)["key"])) is None


def test_the_check_shows_level_and_devices_plays_back_and_lets_go(page: Page, room: House) -> None:
    stand(page, room)
    page.keyboard.press("m")
    dialog = page.get_by_role("dialog", name="Your microphone")
    expect(dialog).to_contain_text("Say something: the bar should move.")
    until(page, "document.querySelector('#microphone meter').value > 30")
    label = dialog.get_by_role("combobox").locator("option").nth(1).inner_text()
    dialog.get_by_role("combobox").select_option(label)
    until(page, "streams.length === 2 && streams[1].active")
    dialog.get_by_role("button", name="Hear three seconds").click()
    expect(dialog).to_contain_text("This is how it sounds.")
    assert page.evaluate("document.querySelector('#microphone audio').readyState") > 0
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    until(page, f"!({LIT})()")
    expect(page.locator("[data-mode]")).to_contain_text(label)
    stand(page, room, label)  # the choice is remembered


def test_tones_and_shakes_tell_stages_to_who_wants_them(page: Page, room: House) -> None:
    page.add_init_script(
        """window.told = { tones: 0, shakes: [] };
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (at) { told.tones += 1; start.call(this, at); };
        navigator.vibrate = (pattern) => told.shakes.push(pattern.length);"""
    )
    page.clock.install()
    stand(page, room)
    page.get_by_label("Tones at each stage").check()
    page.get_by_label("Shake at each stage").check()
    speak(page, room, "0:00")
    page.clock.fast_forward(60_000)
    page.clock.fast_forward(15_000)
    page.clock.fast_forward(15_000)
    expect(page.locator("[data-clock-word]")).to_have_text("time is up")
    assert page.evaluate("told") == {"tones": 1 + 2 + 3, "shakes": [1, 3, 5]}


def test_a_refused_microphone_is_told_before_the_clock_runs(refusing: Browser, room: House) -> None:
    with context(refusing) as made:
        page = made.new_page()
        stand(page, room)
        page.keyboard.press("Space")
        expect(page.locator("[data-why-words]")).to_contain_text("Allow it in the site's settings")
        expect(page.locator("[data-mode]")).to_have_text("Quiet: nothing is recorded.")
        expect(page.get_by_role("button", name="Start", exact=True)).to_be_focused()
        goes_on(page)


def length(wav: Path) -> float:
    """Seconds."""
    with wave.open(str(wav)) as file:
        return file.getnframes() / file.getframerate()


def test_a_plain_http_name_says_why_and_how_else(refusing: Browser, room: House, voice: Path) -> None:
    with context(refusing) as made:
        page = made.new_page()
        page.goto(f"http://lan.test:{room.port}/drill/pitch-90")
        expect(page.locator("[data-why-words]")).to_contain_text(
            f"ssh -L {room.port}:localhost:{room.port} lan.test"
        )
        expect(page.get_by_role("button", name="Check microphone")).to_be_hidden()
        goes_on(page)
        page.goto(f"http://lan.test:{room.port}/drill/pitch-30")
        page.get_by_text("Recorded it elsewhere?").click()
        page.get_by_label("Your recording").set_input_files(voice)
        page.get_by_role("button", name="Send it, and review").click()
        expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()
        expect(page.locator("sound-player")).to_have_attribute("data-ready", "whole")
        expect(page.locator("sound-player")).to_contain_text(f"/ 0:{length(voice):02.0f}")


def test_a_machine_without_a_microphone_says_so(playwright: Playwright, room: House) -> None:
    with launched(playwright, FAKE_CONSENT) as browser, context(browser) as made:
        page = made.new_page()
        page.goto(f"{room.url}/drill/pitch-90")
        expect(page.locator("[data-why-words]")).to_contain_text("There is no microphone")
        goes_on(page)


@pytest.mark.parametrize("missing", ["MediaRecorder", "permissions"])
def test_a_browser_that_cannot_record_says_so(page: Page, room: House, missing: str) -> None:
    """Or one whose pages are kept from the microphone by a header that a proxy adds."""
    if missing == "MediaRecorder":
        page.add_init_script("delete window.MediaRecorder")
        words = "This browser cannot record sound"
    else:
        page.route("**/drill/*", lambda route: route.fulfill(
            response=(got := route.fetch()), headers={**got.headers, "permissions-policy": "microphone=()"}
        ))  # fmt: skip
        words = "A header of this page (Permissions-Policy)"
    page.goto(f"{room.url}/drill/pitch-90")
    expect(page.locator("[data-why-words]")).to_contain_text(words)
    goes_on(page)


def goes_on(page: Page) -> None:
    """To a quiet take, with nothing but the clock."""
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Speak now")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator("[data-clock-word]")).to_have_text("time in hand")
    expect(page.locator("[data-sound-now]")).to_be_hidden()
    finish(page)


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_axe_finds_nothing_while_a_take_is_recorded(
    hearing: Browser, room: House, width: int, scheme: str
) -> None:
    def clean(page: Page, where: str) -> None:
        results = Axe().run(page)
        assert results.violations_count == 0, f"{where}: {results.generate_report()}"
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{where}: {overflow} px too wide"

    with context(hearing, width=width, scheme=scheme) as made:
        page = made.new_page()
        stand(page, room)
        clean(page, "prompt")
        page.keyboard.press("m")
        expect(page.get_by_role("dialog")).to_contain_text("Say something")
        clean(page, "check")
        page.keyboard.press("Escape")
        speak(page, room, "0:01")
        clean(page, "speaking")

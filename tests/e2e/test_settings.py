"""The settings and the judge in a real browser: a sentence is said into the microphone, an opinion comes by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, Playwright, expect, sync_playwright

from tests.drill.judge_stand_in import StandIn, stand_in
from tests.e2e.conftest import FLAGS, chromium
from tests.house import House, house
from tests.speech import say

pytestmark = pytest.mark.e2e

LAN = "--host-resolver-rules=MAP lan.test 127.0.0.1"
ALLOWED = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
WAITING = "main [data-watch]"
OVER_HTTP = "Cross-Origin-Opener-Policy header has been ignored"


@pytest.fixture(scope="module")
def server() -> Iterator[StandIn]:
    with stand_in() as made:
        yield made


@pytest.fixture(scope="module")
def home(server: StandIn, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    data = tmp_path_factory.mktemp("settings") / "data"
    with house(data, judges=f"box={server.url}|m-7b", allowed_hosts="lan.test", lease_s="600") as made:
        yield made


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    chromium()
    with sync_playwright() as made:
        yield made


@pytest.fixture(scope="module")
def context(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser into whose microphone a voice speaks without end."""
    voice = say("the causal mask comes before the softmax", tmp_path_factory.mktemp("voice") / "voice.wav")
    flags = [*FLAGS, *ALLOWED, LAN, f"--use-file-for-fake-audio-capture={voice}"]
    made = playwright.chromium.launch(executable_path=chromium(), args=flags)
    yield made.new_context()
    made.close()


@pytest.fixture
def page(context: Any) -> Iterator[Page]:
    wrong: list[str] = []

    def heard(said: ConsoleMessage) -> None:
        if said.type in ("error", "warning") and OVER_HTTP not in said.text:
            wrong.append(said.text)

    made = context.new_page()
    made.on("pageerror", lambda error: wrong.append(str(error)))
    made.on("console", heard)
    yield made
    made.close()
    assert wrong == []


class Ear:
    """A worker that hears, as the API sees one; the test tells it what it has heard."""

    def __init__(self, home: House) -> None:
        token = (home.data / "worker-token").read_text()
        headers = {"Authorization": f"Bearer {token}"}
        self.api = httpx.Client(base_url=f"{home.url}/api/v1/worker", headers=headers, timeout=60)
        lane = {"state": "idle", "device": "tiny.en", "takes": ["speech"]}
        self.ask("announce", state="ready", lanes=[lane])

    def ask(self, path: str, **body: Any) -> httpx.Response:
        answer = self.api.post(path, json={"worker": "ear", **body})
        answer.raise_for_status()
        return answer

    def hear(self, words: str) -> bytes:
        """Take the job that waits, say that these words were heard, and give the sound."""
        job = self.ask("claim", lanes=["speech"], wait_s=20).json()
        asked = {"worker": "ear", "attempt": str(job["attempt"])}
        sound = self.api.get(f"jobs/{job['id']}/sound", params=asked).content
        timed = [[200 * at, 200 * at + 150, word] for at, word in enumerate(words.split())]
        result = {"ms": 5000, "peaks": [10], "speech": [[0, 4000]], "words": timed, "text": words}
        result |= {"provider": "embedded", "model": "tiny.en", "seconds": 0.5, "memory_mb": 300.0}
        self.ask(f"jobs/{job['id']}/finish", attempt=job["attempt"], outcome="done", result=result)
        return sound


@pytest.fixture
def ear(home: House) -> Iterator[Ear]:
    made = Ear(home)
    yield made
    made.api.close()


def test_a_sentence_is_said_by_keyboard_heard_and_deleted(page: Page, home: House, ear: Ear) -> None:
    page.goto(home.url)
    page.keyboard.press("g")
    page.keyboard.press(",")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    expect(page.get_by_text("ear hears with tiny.en.")).to_be_visible()
    page.get_by_role("button", name="Say a sentence").press("Enter")
    expect(page.get_by_text("Recording: say a sentence")).to_be_visible()
    expect(page.locator(WAITING)).to_contain_text("Waiting for a worker that hears")
    sound = ear.hear("the causal mask")
    expect(page.locator("#trial")).to_contain_text("Heard: “the causal mask”")
    expect(page.locator("#live")).to_contain_text("Heard: “the causal mask”")
    assert sound.startswith(b"\x1a\x45\xdf\xa3")
    assert len(sound) > 5000  # five seconds of a voice, not of silence
    assert [path for path in (home.data / "trials").rglob("*") if path.is_file()] == []


def test_over_plain_http_it_says_why_and_takes_a_file(
    page: Page, home: House, ear: Ear, tmp_path: Path
) -> None:
    page.goto(f"http://lan.test:{home.port}/settings")
    expect(page.locator("#trial")).to_contain_text("only to pages from localhost or over https")
    page.get_by_label("A few seconds of speech").set_input_files(say("hello", tmp_path / "hello.wav"))
    page.get_by_role("button", name="Have it heard").click()
    expect(page.locator(WAITING)).to_be_visible()
    assert ear.hear("hello").startswith(b"RIFF")
    expect(page.locator("#trial")).to_contain_text("Heard: “hello”")


def test_keys_are_switched_off_for_this_browser(page: Page, home: House) -> None:
    page.goto(f"{home.url}/settings")
    page.get_by_label("Single keys are on, in this browser").uncheck()
    page.reload()
    expect(page.get_by_label("Single keys are on, in this browser")).not_to_be_checked()
    page.keyboard.press("g")
    page.keyboard.press("t")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    page.get_by_label("Single keys are on, in this browser").check()


def test_an_opinion_comes_by_itself_and_leaves_the_ticks_alone(
    page: Page, home: House, server: StandIn
) -> None:
    page.goto(f"{home.url}/settings")
    page.get_by_label("box").check()
    page.get_by_role("button", name="Keep this choice of who comments").click()
    expect(page.get_by_text("Kept: whom takes may be sent to")).to_be_visible()
    page.goto(f"{home.url}/drill/pitch-30/typed")
    page.get_by_role("textbox").fill("we put the mask after the softmax")
    page.get_by_role("button", name="Finish").click()
    page.locator(".points-box input").first.check()
    server.gate.clear()
    page.get_by_role("button", name="Ask for an opinion").click()
    expect(page.locator(WAITING)).to_contain_text("Waiting for m-7b")
    server.gate.set()
    expect(page.locator("#opinion")).to_contain_text("It ticks and grades nothing, and may be wrong.")
    expect(page.locator("#opinion")).to_contain_text("seems partly said")
    expect(page.locator("#live")).to_contain_text("The machine's opinion is here.")
    expect(page.locator(".points-box input").first).to_be_checked()
    assert Axe().run(page).response["violations"] == []
    assert "audio" not in str(server.asked)

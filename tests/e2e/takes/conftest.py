"""Browsers with a microphone that is allowed, or refused, and one house for each file of takes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests.e2e.conftest import chromium
from tests.e2e.takes.microphone import FAKE_CONSENT, FAKE_DEVICE, context, launched
from tests.house import House, house
from tests.speech import say

TEXT = (
    "Each query is compared with every key, and the scores are divided by the square root of the head dimension. "
    "The causal mask comes before the softmax, and the weights take an average of the values."
)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    chromium()
    with sync_playwright() as made:
        yield made


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


@pytest.fixture
def page(hearing: Browser) -> Iterator[Page]:
    """A page with a microphone; a script's error fails the test."""
    wrong: list[str] = []
    with context(hearing) as made:
        page = made.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        yield page
    assert wrong == []

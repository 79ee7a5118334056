"""A real Chromium. Where there is none the browser tests skip and name the package; in CI that is a failure."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.e2e.gallery import served
from tests.house import House, house

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


expect.set_options(timeout=15_000)  # what a busy machine may take; a passing test never waits for it


def chromium() -> str:
    """The path of Chromium; skips, or fails in CI, where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        missing = "There is no Chromium: install Debian's package `chromium` to run the browser tests."
        if os.environ.get("CI"):
            pytest.fail(missing, pytrace=False)
        pytest.skip(missing)
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for each file: while it is open, this thread has a running loop, in which no other may be run."""
    path = chromium()
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own; any script error, failed request or breach of the CSP fails the test."""
    wrong: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if "ERR_CONNECTION_REFUSED" in message.text:
            return  # a page asks by itself, perhaps just when the test's server has ended
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    context = browser.new_context(viewport={"width": 1280, "height": 900})
    made = context.new_page()
    made.on("console", heard)
    made.on("pageerror", lambda error: wrong.append(str(error)))
    yield made
    context.close()
    assert wrong == []


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The app with its shipped decks, for tests that only look."""
    with house(tmp_path_factory.mktemp("site") / "data") as made:
        yield made


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[House]:
    """An app of the test's own."""
    with house(tmp_path / "data") as made:
        yield made


@pytest.fixture(scope="module")
def gallery() -> Iterator[str]:
    with served() as (address, _):
        yield address

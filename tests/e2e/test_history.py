"""The history of takes in a real browser: drawn over time, played when it is looked at, and deleted."""

import io
import re
import wave
from array import array
from math import sin
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.house import House

pytestmark = pytest.mark.e2e

TAKES = 8
RATE = 8000


def sound(seconds: int) -> bytes:
    """A tone, as a WAV."""
    made = io.BytesIO()
    with wave.open(made, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        samples = array("h", (int(9000 * sin(at / 4)) for at in range(seconds * RATE)))
        out.writeframes(samples.tobytes())
    return made.getvalue()


def field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found
    return found[1]


def say(client: httpx.Client, card: str, points: int, grade: int | None) -> None:
    """A take of three seconds, with its sound; left unrated without a grade."""
    take = field(client.get(f"/drill/{card}").text, "take")
    where = {"take": take, "offset": 0}
    client.post(f"/drill/{card}/sound", params=where, content=sound(3), headers={"Content-Type": "audio/wav"})
    review = client.post(
        f"/drill/{card}/finish", data={"take": take, "spoken_ms": 3000}, follow_redirects=True
    )
    if grade is not None:
        ticks = re.findall(r'name="point" value="([^"]*)"', review.text)[:points]
        sent = {"take": field(review.text, "take"), "grade": grade, "point": ticks}
        assert client.post(f"/drill/{card}/takes", data=sent).status_code == 303


@pytest.fixture
def card(own_site: House) -> str:
    """A spoken card with takes that get better, and one that was never rated."""
    with httpx.Client(base_url=own_site.url, headers={"Origin": own_site.url}) as client:
        found = re.search(r'class="item-main" href="/drill/([\w-]+)"', client.get("/drill").text)
        assert found
        for at in range(TAKES):
            say(client, found[1], at // 2, 3)
        say(client, found[1], 0, None)
    return found[1]


def test_takes_over_time_are_drawn_played_and_deleted(page: Page, own_site: House, card: str) -> None:
    page.goto(f"{own_site.url}/drill/history?card={card}")
    players = page.locator("sound-player")
    expect(players).to_have_count(TAKES)
    assert players.last.get_attribute("data-ready") is None  # it is not in sight yet
    players.last.scroll_into_view_if_needed()
    expect(players.last).to_have_attribute("data-ready", "whole")
    expect(players.last).to_contain_text("0:03")
    expect(players.last.get_by_role("slider")).to_be_visible()
    page.get_by_role("link", name="Delete the sound").first.press("Enter")
    page.get_by_role("button", name="Delete").press("Enter")
    expect(page).to_have_url(re.compile("history"))
    expect(players).to_have_count(TAKES - 1)
    expect(page.get_by_text("sound deleted")).to_be_visible()
    page.goto(f"{own_site.url}/drill")
    expect(page.get_by_role("heading", name="Not rated yet")).to_be_visible()
    page.get_by_role("button", name=re.compile("Review it")).press("Enter")
    expect(page).to_have_url(re.compile("/review"))
    expect(players).to_have_attribute("data-ready", "whole")


def test_the_history_is_for_everyone(page: Page, own_site: House, card: str) -> None:
    for path in ("drill", "drill/history", f"drill/history?card={card}", "drill/history/delete"):
        page.goto(f"{own_site.url}/{path}")
        for width, scheme in ((360, "light"), (1280, "dark")):
            look(page, width, scheme)


def look(page: Page, width: int, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    found = Axe().run(page)
    assert found.response["violations"] == [], found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == width

"""After a take, in a real browser: its text arrives beside the key points; a typed answer is reviewed alike."""

import io
import math
import re
import wave
from array import array
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.live import HEARD, hears
from tests.e2e.reach import out_of_reach
from tests.house import House, house

pytestmark = pytest.mark.e2e

CARD = "pitch-30"
SAID = (
    "Um, every token gathers from the tokens it may see. It has a query, a key and a value. "
    "We put the mask after the softmax. The softmax gives weights, and we average the values."
)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("review") / "data") as made:
        yield made


class Ears:
    """A worker with speech, as one calls the API of a served house."""

    def __init__(self, room: House) -> None:
        self.api = room.api()
        self.api.headers["Authorization"] = f"Bearer {(room.data / 'worker-token').read_text().strip()}"
        self.announce()

    def announce(self) -> None:
        """It is here, for the time of a lease."""
        lane = {"state": "idle", "device": "tiny.en", "takes": ["speech"]}
        self.post("announce", state="ready", lanes=[lane])

    def post(self, path: str, **body: Any) -> Any:
        answer = self.api.post(f"/api/v1/worker/{path}", json={"worker": "ears", **body})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def hear(self, text: str) -> None:
        job = self.post("claim", lanes=["speech"], wait_s=5)
        words = [[150 * at, 150 * at + 100, word] for at, word in enumerate(text.split())]
        result = {
            "ms": 6000,
            "peaks": [20, 90, 50] * 40,
            "speech": [[0, 2500], [4000, 6000]] if words else [],
            "words": words,
            "text": text,
            "provider": "embedded",
            "model": "tiny.en",
        }
        self.post(f"jobs/{job['id']}/finish", attempt=job["attempt"], outcome="done", result=result)


def tone(seconds: float = 6) -> bytes:
    samples = array("h", (int(9000 * math.sin(at / 9)) for at in range(int(16_000 * seconds))))
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setparams((1, 2, 16_000, len(samples), "NONE", ""))
        file.writeframes(samples.tobytes())
    return made.getvalue()


def recorded(room: House, ears: Ears) -> str:
    """The address of the review of a take, as a browser leaves it that has recorded one."""
    ears.announce()
    with room.api() as api:
        found = re.search(r'name="take" value="([^"]*)"', api.get(f"/drill/{CARD}").text)
        assert found
        begun = api.post(f"/drill/{CARD}/start", data={"take": unescape(found[1]), "speaking": "true"})
        take = parse_qs(urlsplit(begun.headers["location"]).query)["take"][0]
        api.post(
            f"/drill/{CARD}/sound",
            params={"take": take, "offset": 0},
            content=tone(),
            headers={"Content-Type": "audio/wav"},
        ).raise_for_status()
        api.post(f"/drill/{CARD}/sound/end", params={"take": take}, data={"lost": ""}).raise_for_status()
        return str(
            api.post(f"/drill/{CARD}/finish", data={"take": take, "spoken_ms": 28_000}).headers["location"]
        )


@pytest.fixture(scope="module")
def ears(room: House) -> Iterator[Ears]:
    made = Ears(room)
    yield made
    made.api.close()


def test_the_text_arrives_beside_the_points_and_touches_no_tick(page: Page, room: House, ears: Ears) -> None:
    page.add_init_script(HEARD)
    page.goto(room.url + recorded(room, ears))
    expect(page.locator(".waiting")).to_contain_text("Waiting to be written down")
    page.get_by_role("checkbox").nth(3).check()
    page.get_by_role("checkbox").nth(3).focus()
    ears.hear(SAID)
    text = page.get_by_label("What you said", exact=True)
    expect(text).to_have_value(SAID)
    expect(page.get_by_role("checkbox").nth(3)).to_be_checked()
    expect(page.get_by_role("checkbox").nth(3)).to_be_focused()
    mark = page.locator(".point", has_text="masked before the softmax").locator(".mark")
    expect(mark).to_have_attribute("data-mark", "check")
    expect(mark).to_contain_text("put the mask after the softmax")
    expect(page.locator(".pace")).to_contain_text("One pause over a second: 1.5 s.")
    hears(page, "The transcript is here: 3 of 5 key points mentioned.")
    assert len(page.evaluate("heard")) == 1
    mark.get_by_role("button").click()
    expect(page.locator("sound-player")).to_contain_text(re.compile(r"0:0[3-6]"))
    text.fill(SAID.replace("after", "before"))
    page.get_by_role("button", name="Save the text").click()
    expect(page.locator("[data-mark=check]")).to_have_count(0)
    expect(page.get_by_role("checkbox").nth(3)).to_be_checked()
    page.locator("#said").focus()
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="Saved: Good")).to_be_focused()
    expect(page.get_by_role("heading", name="One way to say it")).to_be_visible()
    expect(page.locator(".told")).to_contain_text("mask before the softmax")
    expect(page.locator("sound-player")).to_be_visible()


def test_a_take_that_is_rated_already_gets_its_text_by_itself(page: Page, room: House, ears: Ears) -> None:
    page.add_init_script(HEARD)
    page.goto(room.url + recorded(room, ears))
    page.locator("#said").focus()
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="Saved: Good")).to_be_focused()
    expect(page.locator(".waiting")).to_contain_text("Waiting to be written down")
    assert out_of_reach(page, "saved, and waiting") == []
    ears.hear(SAID)
    expect(page.locator(".told")).to_contain_text("put the mask after the softmax")
    expect(page.locator("[data-mark=check]")).to_have_count(1)
    hears(page, "The transcript is here: 3 of 5 key points mentioned.")


def test_a_correction_that_is_not_saved_outlives_a_reload(page: Page, room: House, ears: Ears) -> None:
    where = recorded(room, ears)
    ears.hear(SAID)
    page.goto(room.url + where)
    text = page.get_by_label("What you said", exact=True)
    expect(text).to_have_value(SAID)
    with page.expect_response("**/ticks"):
        text.fill("The mask comes before the softmax.")
    expect(page.locator("[data-draft-state]")).to_have_text("Kept.")
    page.reload()
    expect(text).to_have_value("The mask comes before the softmax.")


def test_the_prompt_is_copied_with_what_was_corrected(browser: Browser, room: House, ears: Ears) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    where = recorded(room, ears)
    ears.hear(SAID)
    page.goto(room.url + where)
    page.get_by_role("button", name="Copy as a prompt").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "Explain self-attention in 30 seconds." in copied
    assert "1. Each token gathers" in copied
    assert SAID in copied
    page.get_by_role("textbox", name="What you said").fill("What I corrected, and have not saved.")
    page.get_by_role("button", name="Copy as a prompt").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "<<<\nWhat I corrected, and have not saved.\n>>>" in copied
    context.close()


def test_a_typed_answer_is_kept_as_it_comes_and_reviewed_alike(page: Page, room: House) -> None:
    page.goto(f"{room.url}/drill/{CARD}/typed")
    answer = page.get_by_label("Your answer")
    expect(answer).to_be_focused()
    with page.expect_response("**/draft"):
        page.keyboard.type("A softmax over the keys, ")
    page.reload()
    expect(answer).to_have_value("A softmax over the keys, ")
    expect(page.locator("[data-clock-time]")).not_to_have_text("0:00")
    page.keyboard.type("and the mask after the softmax.")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_focused()
    expect(page.get_by_label("What you typed")).to_have_value(
        "A softmax over the keys, and the mask after the softmax."
    )
    expect(page.locator("[data-mark=check]")).to_have_count(1)
    page.go_back()
    expect(answer).to_have_value("A softmax over the keys, and the mask after the softmax.")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_focused()
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Saved: Hard")).to_be_visible()
    expect(page.locator(".told")).to_contain_text("the mask after the softmax")


def test_everybody_can_look_at_a_take(page: Page, room: House, ears: Ears) -> None:
    page.goto(f"{room.url}/drill/{CARD}/typed")
    assert out_of_reach(page, "typed") == []
    page.goto(room.url + recorded(room, ears))
    expect(page.locator(".waiting")).to_be_visible()
    assert out_of_reach(page, "waiting") == []
    ears.hear(SAID)
    expect(page.get_by_label("What you said", exact=True)).to_be_visible()
    assert out_of_reach(page, "heard") == []
    page.locator("#said").focus()
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Saved: Hard")).to_be_visible()
    assert out_of_reach(page, "saved") == []

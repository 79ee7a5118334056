"""The page of the workers in a browser: found by keyboard, fresh by itself, and still while somebody is at it."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.house import House

pytestmark = pytest.mark.e2e

DEVICE = {"kind": "cuda", "name": "NVIDIA H200"}


def announce(site: House, state: str, **more: object) -> None:
    token = {"Authorization": f"Bearer {(site.data / 'worker-token').read_text().strip()}"}
    body = {"worker": "box", "state": state, "devices": [DEVICE], **more}
    httpx.post(f"{site.url}/api/v1/worker/announce", json=body, headers=token).raise_for_status()


def test_keys_lead_to_it_and_it_keeps_itself_fresh(page: Page, own_site: House) -> None:
    page.goto(own_site.url)
    page.keyboard.press("g")
    page.keyboard.press("w")
    expect(page.locator("h1")).to_have_text("Worker")
    expect(page.locator("main")).to_contain_text("None is here")
    announce(own_site, "ready", lanes=[{"state": "running", "device": "NVIDIA H200", "demo": "flash"}])
    expect(page.locator("main")).to_contain_text("Runs “FlashAttention in Triton” for")
    announce(own_site, "absent")
    expect(page.locator("main")).to_contain_text("None is here")


def test_what_somebody_is_at_stays_under_their_hands(page: Page, own_site: House) -> None:
    run = httpx.post(f"{own_site.url}/api/v1/runs", json={"demo": "kv-cache", "params": {}}).json()["id"]
    page.goto(f"{own_site.url}/worker")
    link = page.locator(f'a[href="/runs/{run}"]')
    link.focus()
    announce(own_site, "ready")
    for _ in range(2):
        page.wait_for_event("response", lambda answer: answer.url.endswith("/worker/now"))
    expect(link).to_be_focused()
    expect(page.locator("main")).to_contain_text("None is here")
    page.locator("h1").click()
    page.evaluate("document.activeElement.blur()")
    expect(page.locator("main")).to_contain_text("NVIDIA H200")


def test_a_hidden_tab_asks_for_nothing_until_it_is_seen_again(page: Page, own_site: House) -> None:
    """The page's clock moves when told, so that an hour in which nothing is asked for takes no time."""
    page.clock.install()
    page.goto(f"{own_site.url}/worker")
    show = "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
    show += " document.dispatchEvent(new Event('visibilitychange')); }"
    with page.expect_response("**/worker/now"):
        page.clock.run_for("00:05")
    page.evaluate(show, True)
    page.wait_for_load_state("networkidle")  # what was asked before it was hidden
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for("01:00:00")
    page.evaluate("fetch('/api/v1/health')")  # whatever was asked for before this is known once it is
    assert [url.removeprefix(own_site.url) for url in asked] == ["/api/v1/health"]
    with page.expect_response("**/worker/now"):
        page.evaluate(show, False)

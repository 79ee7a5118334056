"""The page of the workers in a browser: found by keyboard, fresh by itself, and still while somebody is at it."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.house import House, plan

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


def submit(site: House, batch: int) -> str:
    body = {"demo": "kv-cache", "params": {"batch": batch}}
    return str(httpx.post(f"{site.url}/api/v1/runs", json=body).json()["id"])


def test_what_somebody_is_at_stays_under_their_hands_while_all_else_is_fresh(
    page: Page, own_site: House
) -> None:
    first, second = submit(own_site, 1), submit(own_site, 2)
    page.goto(f"{own_site.url}/worker")
    link = page.locator(f'a[href="/runs/{second}"]')
    link.focus()
    announce(own_site, "ready")
    expect(page.locator("main")).to_contain_text("NVIDIA H200")
    expect(page.locator("header")).to_contain_text("worker: H200")  # the corner, at the same time
    expect(link).to_be_focused()
    cancel = page.locator(f"#cancel-{first}")
    cancel.focus()
    httpx.delete(f"{own_site.url}/api/v1/runs/{first}").raise_for_status()
    expect(cancel).to_have_count(0)
    expect(
        page.locator("main fresh-part")
    ).to_be_focused()  # no key that is pressed now cancels the other run
    expect(page.locator(f"#cancel-{second}")).to_be_visible()


def test_text_that_is_being_copied_stays_selected(page: Page, own_site: House) -> None:
    page.goto(f"{own_site.url}/worker")
    page.locator("#workers").select_text()
    announce(own_site, "ready")
    for _ in range(2):
        page.wait_for_event("response", lambda answer: answer.url.endswith("/worker/now"))
    expect(page.locator("main")).to_contain_text("None is here")
    page.evaluate("getSelection().removeAllRanges()")
    expect(page.locator("main")).to_contain_text("NVIDIA H200")


def test_a_server_that_does_not_answer_is_told_until_it_does(page: Page, tmp_path: Path) -> None:
    site = plan(tmp_path / "data")
    web = site.serve()
    page.goto(f"{site.url}/worker")
    announce(site, "ready")
    expect(page.locator("main")).to_contain_text("NVIDIA H200")
    web.kill()
    expect(page.locator("main [role=alert]")).to_contain_text(
        "The server does not answer. This is how it was at "
    )
    expect(page.locator("main")).to_contain_text("NVIDIA H200")
    expect(page.locator("header .worker:visible")).to_contain_text("no answer")
    web = site.serve()
    try:
        expect(page.locator("main")).to_contain_text("None is here")
        expect(page.locator("main [role=alert]")).to_have_count(0)
        expect(page.locator("header .worker:visible")).to_contain_text("no worker")
    finally:
        web.stop()


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

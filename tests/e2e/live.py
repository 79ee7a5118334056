"""Waiting for what a page says in its live region, and for what it comes to."""

import time

from playwright.sync_api import Page, expect

# An init script: all that a screen reader is told, in `heard`. A page writes it a frame later than all else it shows.
HEARD = """
window.heard = [];
document.addEventListener("DOMContentLoaded", () => {
  const live = document.getElementById("live");
  const hear = () => live.textContent && heard.push(live.textContent);
  new MutationObserver(hear).observe(live, { childList: true });
});
"""


def hears(page: Page, *sentences: str) -> None:
    """Wait until a screen reader was told each of these."""
    until(page, f"{list(sentences)!r}.every((told) => heard.includes(told))")


def gets_ready(page: Page) -> None:
    """Wait until the stand has got ready: while it looks for a microphone, Space means nothing."""
    expect(page.locator("[data-when=ready] button").first).to_be_focused()


def until(page: Page, holds: str) -> None:
    """Ask the page again and again (its CSP keeps it from being told to tell us)."""
    end = time.monotonic() + 15
    while not page.evaluate(holds):
        assert time.monotonic() < end, holds
        page.wait_for_timeout(50)

"""A round in a real browser: set by keyboard, planned, and every page of it within everybody's reach."""

from datetime import UTC, date, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.reach import out_of_reach
from tests.house import House

pytestmark = pytest.mark.e2e


def study_day() -> date:
    """Today, as the app's default rollover and UTC have it."""
    return (datetime.now(UTC) - timedelta(hours=4)).date()


def set_a_round(page: Page, url: str, days: int, name: str) -> str:
    """From Today, by keyboard alone; the address of the round."""
    day = study_day() + timedelta(days=days)
    page.goto(f"{url}/rounds")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="A round to come")).to_be_visible()
    page.get_by_label("Name").focus()
    page.keyboard.type(name)
    page.get_by_label("Day", exact=True).fill(day.isoformat())
    page.get_by_label("Minutes a day").fill("20")
    page.get_by_label("Minutes a day").press("Enter")
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    return page.url


def test_a_round_is_set_and_shapes_the_day(page: Page, own_site: House) -> None:
    page.goto(own_site.url)
    page.get_by_role("link", name="An interview to come?").click()
    address = set_a_round(page, own_site.url, 60, "Kernels")
    expect(page.locator("main")).to_contain_text("never seen")
    expect(page.locator("main")).to_contain_text("likely between")
    page.goto(own_site.url)
    expect(page.locator("main")).to_contain_text("Kernels, in 60 days")
    page.goto(address)
    page.keyboard.press("e")
    page.get_by_label("Minutes a day").fill("45")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("main")).to_contain_text("45 minutes a day")
    page.keyboard.press("e")
    page.get_by_role("button", name="Remove this round").click()
    expect(page.locator("main")).to_contain_text("No date yet")


def test_after_the_day_what_was_asked_becomes_cards(page: Page, own_site: House) -> None:
    address = set_a_round(page, own_site.url, 0, "Design")
    page.goto(own_site.url)
    page.get_by_role("link", name="Write it down").click()
    page.get_by_label("Questions, one a line").fill("Why not divide by d?\nSize a cache for me.")
    page.get_by_role("button", name="Make draft cards").click()
    page.get_by_role("link", name="Size a cache for me.", exact=True).click()
    expect(page.locator(".question")).to_contain_text("Size a cache for me.")
    page.goto(f"{address}/debrief")
    expect(page.locator("main")).to_contain_text("What next")


def test_every_page_of_a_round_is_in_reach(page: Page, own_site: House) -> None:
    with own_site.api() as api:
        day = study_day()
        for days, minutes in ((9, "10"), (0, "30")):
            form = {"name": f"In {days}", "date": str(day + timedelta(days=days)), "level": "IC5"}
            api.post("/rounds", data={**form, "minutes": minutes})
        api.post("/rounds/2/debrief", data={"asked": "Why $\\sqrt{d_k}$?"})
        wrong_form = api.post("/rounds", data={"date": "x", "minutes": "1"})
        assert wrong_form.status_code == 422
    wrong: list[str] = []
    for path in (
        "",
        "rounds",
        "rounds/new",
        "rounds/1",
        "rounds/1/edit",
        "rounds/1/sheet",
        "rounds/2/debrief",
    ):
        page.goto(f"{own_site.url}/{path}")
        wrong += out_of_reach(page)
    assert wrong == []

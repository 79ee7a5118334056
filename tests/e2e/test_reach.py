"""Every page, light and dark, on a phone and on a desk: axe finds nothing, and nothing scrolls sideways."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from kernels.catalog import code_hash
from tests.drill.judge_stand_in import stand_in
from tests.e2e.reach import out_of_reach
from tests.e2e.said import desk, field, interview, say, type_it
from tests.house import ROOT, House, house

pytestmark = pytest.mark.e2e

EVERY = json.loads((ROOT / "tests/fixtures/results/every-block.json").read_text(encoding="utf-8"))

PATHS = (
    "/",
    "/study",
    "/drill",
    "/drill/pitch-90",
    "/drill/pitch-90/typed",
    "/drill/history",
    "/demos",
    "/demos?q=mask",
    "/demos/attention",
    "/demos/attention/compare",
    "/demos/flash?n_q=113&n_kv=203&d=80",
    "/demos/decode-alignment",
    "/demos/kv-cache",
    "/cards",
    "/cards?q=nothing-fits-this",
    "/cards/sqrt-dk",
    "/cards/causal-mask.1",
    "/cards/pitch-30",
    "/progress",
    "/progress/topics",
    "/settings?said=zone",
    "/listen?deck=attention/scaling",
    "/mock",
    "/worker",
    "/nowhere",
)


# What a run's page says when it has ended, or waits.
ENDS = {
    "done": "From scores to weights",
    "failed": "an illegal address",
    "cancelled": "Cancelled",
    "waiting": "Next in line",
}


@pytest.fixture(scope="module")
def pages(site: House, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The address of every page, also of those that come to be by use, and words that it must show."""
    with (
        stand_in() as server,
        house(
            tmp_path_factory.mktemp("used") / "data", new_per_day="1", judges=f"box={server.url}|m-7b"
        ) as made,
        made.api() as api,
    ):
        answer_all(api)
        later = {"/": "Say", "/study": "Done for"} | spoken(made)
        later |= {run(api, token_of(made), end): words for end, words in ENDS.items()}
        done = next(path.removeprefix("/runs/") for path, words in later.items() if words == ENDS["done"])
        later[f"/demos/attention/compare?left={done}&right={done}"] = "Figures"
        yield {site.url + path: "" for path in PATHS} | {
            made.url + path: words for path, words in later.items()
        }


def spoken(made: House) -> dict[str, str]:
    """Pages of takes: said, typed and judged; of an interview at each of its parts; of a judge that was chosen."""
    with desk(made) as client:
        client.post("/settings/judge", data={"name": "box"}).raise_for_status()
        said = say(client, "pitch-30", 2, 3)
        typed = type_it(client, "pitch-90", "We put the mask after the softmax.", 1, 3)
        review = type_it(client, "say-gqa", "Groups of queries share a key.", 0, None)
        asked = client.post("/drill/pitch-90/judge", data={"take": field(client.get(typed).text, "take")})
        asked.raise_for_status()
        made.until(lambda api: "seems partly said" in api.get(typed).text, "the judge says nothing")
        return {
            said: "Delete the sound",
            typed: "seems partly said",
            review: "Ask for an opinion",
            "/settings": "Test it",
            "/drill/history": "1 recording",
            "/drill/history?card=pitch-30": "Take by take",
            "/drill/sound/1/delete?take=1": "The sound goes for good",
            "/drill/history/delete": "Delete all sound",
            interview(client, "question"): "Question 1",
            interview(client, "answer"): "Your answer",
            interview(client, "review"): "Tick what you said",
            interview(client, "report"): "Report of your interview",
        }


def answer_all(api: httpx.Client) -> None:
    """Grade every card of the day Easy, until none is due."""
    while (shown := api.get("/api/v1/study/next").json())["card"]:
        told = api.post("/api/v1/study/reveal", json={"showing": shown["showing"]}).json()
        graded = {"ticket": told["ticket"], "revision": shown["revision"], "grade": 4, "ms": 4000}
        assert api.post("/api/v1/study/answers", json=graded).status_code == 200


def token_of(made: House) -> dict[str, str]:
    return {"Authorization": f"Bearer {(made.data / 'worker-token').read_text().strip()}"}


def run(api: httpx.Client, token: dict[str, str], end: str) -> str:
    """The page of a run that ended as `end` says; the test is its worker, and hands in a result with every block."""
    made = api.post("/api/v1/runs", json={"demo": "attention", "params": {"n_q": 4}}).json()["id"]
    if end == "cancelled":
        api.delete(f"/api/v1/runs/{made}").raise_for_status()
    elif end != "waiting":
        claim = {"worker": "test", "lanes": ["demo"]}
        lease = api.post("/api/v1/worker/claim", json=claim, headers=token).json()
        body = {"worker": "test", "attempt": lease["attempt"], "outcome": end}
        result = {**EVERY, **lease["payload"], "code": code_hash("attention")}
        body |= {"result": result} if end == "done" else {"message": "CUDA error: an illegal address."}
        ended = api.post(f"/api/v1/worker/jobs/{made}/finish", json=body, headers=token)
        assert ended.json() == {"state": end}, api.get(f"/api/v1/runs/{made}").text
    return f"/runs/{made}"


def test_axe_finds_nothing_and_nothing_scrolls_sideways(browser: Browser, pages: dict[str, str]) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    wrong: list[str] = []
    for url, words in pages.items():
        page.goto(url)
        expect(page.locator("main")).to_contain_text(words)
        wrong += out_of_reach(page)
    context.close()
    assert wrong == []


def test_what_is_out_of_reach_is_found(page: Page) -> None:
    page.set_content(
        "<html lang=en><title>t</title>"
        "<style>@media (prefers-color-scheme: dark) { p { color: #222; background: #000 } }</style>"
        "<main><h1>h</h1><p style='width: 700px'>unread in the dark</p><button></button></main>"
    )
    found = out_of_reach(page, "here")
    assert [fault.split(":")[0] for fault in found] == [
        "here, 1280 px",
        "here, 1280 px",
        "here, 360 px",
        "here, 360 px",
        "here, 360 px",
    ]
    told = " ".join(found)
    assert told.count("button-name") == told.count("color-contrast") == 2
    assert told.count("scrolls sideways by") == 1


# What shows that it can be clicked, and no key comes to: neither itself, nor what it is part of, can have the focus.
BY_POINTER_ALONE = """() => {
  const keyed = "a[href], button, summary, label, input, select, textarea, audio, [tabindex]";
  const clicked = (one) => getComputedStyle(one).cursor === "pointer" && one.checkVisibility() && !one.closest(keyed);
  return [...document.body.querySelectorAll("*")].filter(clicked).map((one) => one.outerHTML.slice(0, 120));
}"""


def test_twice_the_text_does_not_scroll_sideways_and_keys_come_to_all_that_is_clicked(
    browser: Browser, pages: dict[str, str]
) -> None:
    """200 % zoom on a desk of 1280 px is a page of 640 px."""
    context = browser.new_context(viewport={"width": 640, "height": 400}, device_scale_factor=2)
    page = context.new_page()
    wrong = {}
    for url in pages:
        page.goto(url)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        by_pointer = page.evaluate(BY_POINTER_ALONE)
        if wide > 0 or by_pointer:
            wrong[url] = (wide, by_pointer)
    context.close()
    assert wrong == {}


def test_the_zone_of_the_browser_becomes_the_learners(browser: Browser, own_site: House) -> None:
    context = browser.new_context(timezone_id="Asia/Tokyo")
    page = context.new_page()
    with page.expect_response(lambda answer: answer.url.endswith("/zone")) as told:
        page.goto(own_site.url)
    assert told.value.status == 204
    context.close()
    with closing(sqlite3.connect(own_site.data / "aloud.db")) as db:
        assert db.execute("SELECT zone FROM learner").fetchall() == [("Asia/Tokyo",)]

"""No address and no form makes a 500, whatever is written into it: the forms are found as a browser finds them."""

import importlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from httpx2 import Response
from starlette.testclient import TestClient

from app.library import values
from app.main import ROUTERS
from kernels.catalog import DEMOS
from tests.conftest import MovableClock, add_cards

PARAMS = [param.name for param in DEMOS["attention"].params]
PAGES = (
    "/",
    "/study",
    "/drill",
    "/drill/said",
    "/drill/history",
    "/drill/history/delete",
    "/demos",
    "/demos/attention",
    "/cards",
    "/cards/a",
    "/cards/exchange",
    "/cards/new",
    "/cards/mine",
    "/cards/mine/edit",
    "/cards/gone",
    "/cards/kept/shipped",
    "/rounds/new",
    "/rounds/1/edit",
    "/rounds/1/debrief",
    "/mock",
    "/mock/1",
    "/mock",
    "/mock/1",
    "/progress",
    "/progress/topics",
    "/settings",
)
ODD = (
    None,
    "",
    "-1",
    "0",
    "true",
    "1e999",
    "nan",
    "9" * 400,
    "9223372036854775808",
    "\x00",
    "é",
    "x" * 20_000,
    "[]",
)
ODD_QUERIES = (
    "",
    "x",
    "-1",
    "1e999",
    "9" * 400,
    "%00",
    "%FF",
    "%ED%A0%80",
    "%E2%82",
    "..%2F",
    "%C3%A9" * 5000,
)


TRIES = 4  # what a form leads to may depend on what was sent before


@dataclass
class Form:
    """A form, or one of its buttons with an address of its own, and the values that it would send."""

    method: str
    action: str
    values: dict[str, str] = field(default_factory=dict)


class Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._inside = False
        self._method = ""
        self._values: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._method, self._values = given.get("method", "get").upper(), {}
            self._inside = self._method != "DIALOG"
            if self._inside:
                self.found.append(Form(self._method, given["action"], self._values))
        elif self._inside and tag in ("input", "button", "select", "textarea"):
            if given.get("name"):
                self._values[given["name"]] = given.get("value", "")
            if given.get("formaction"):
                self.found.append(Form(self._method, given["formaction"], self._values))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False


# What a script sends, or the form of a page that is not reached here.
FROM_SCRIPTS = {
    "/zone": Form("POST", "/zone", {"zone": "Europe/Berlin"}),
    "/drill/{card_id}/judge": Form("POST", "/drill/said/judge", {"take": "x"}),
    "/drill/{card_id}/judge/cancel": Form("POST", "/drill/said/judge/cancel", {"take": "x"}),
    "/drill/{card_id}/hear": Form("POST", "/drill/said/hear", {"take": "x"}),
    "/drill/{card_id}/hear/cancel": Form("POST", "/drill/said/hear/cancel", {"take": "x"}),
    "/drill/{card_id}/typed": Form("POST", "/drill/said/typed", {"take": "x", "text": "x"}),
    "/drill/{card_id}/draft": Form("POST", "/drill/said/draft", {"take": "x", "text": "x", "page": "true"}),
    "/drill/{card_id}/sound": Form("POST", "/drill/said/sound?take=x&offset=0", {}),
    "/drill/{card_id}/sound/end": Form("POST", "/drill/said/sound/end?take=x", {"lost": "page"}),
    "/drill/sound/{recording_id}/delete": Form("POST", "/drill/sound/1/delete", {}),
    "/drill/sound/{recording_id}/review": Form("POST", "/drill/sound/1/review", {}),
    "/drill/history/delete": Form("POST", "/drill/history/delete", {}),
    "/settings/judge": Form("POST", "/settings/judge", {"name": "x"}),
    "/settings/judge/test": Form("POST", "/settings/judge/test", {}),
    "/settings/judge/test/cancel": Form("POST", "/settings/judge/test/cancel", {}),
    "/settings/speech/test": Form("POST", "/settings/speech/test", {"file": "x"}),
    "/settings/speech/test/cancel": Form("POST", "/settings/speech/test/cancel", {}),
    "/mock/{interview}/today": Form("POST", "/mock/1/today", {}),
    "/mock/{interview}/hear": Form("POST", "/mock/1/hear", {}),
    "/mock/{interview}/{position}/draft": Form("POST", "/mock/1/1/draft", {"text": "x", "page": "true"}),
    "/mock/{interview}/{position}/hear": Form("POST", "/mock/1/1/hear", {"point": "x"}),
    "/mock/{interview}/{position}/hear/cancel": Form("POST", "/mock/1/1/hear/cancel", {"point": "x"}),
    "/mock/{interview}/{position}/resume": Form("POST", "/mock/1/1/resume", {}),
    "/mock/{interview}/{position}/sound/delete": Form("POST", "/mock/1/1/sound/delete", {}),
    "/drill/{card_id}/sound/file": Form("POST", "/drill/said/sound/file", {"take": "x", "file": "x"}),
}


@pytest.fixture
def patient(app: FastAPI, clock: MovableClock) -> Iterator[TestClient]:
    """A client to which a fault of the app is an answer, as it is to a browser; a round's day has come."""
    add_cards(app.state.parts.db, "a", "b", "c", "n.1", "n.2")
    add_cards(app.state.parts.db, "said", queue="drill", deck="test/said")
    written(app)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as made:
        day = clock.now.date().isoformat()
        made.post("/rounds", data={"date": day, "level": "IC5", "minutes": "30"})
        made.post("/mock", data={"key": "k", "level": "IC4", "minutes": "20", "mode": "quiet"})
        made.post("/mock", data={"key": "k", "level": "IC4", "minutes": "20", "mode": "quiet"})
        yield made


def written(app: FastAPI) -> None:
    """Cards in files: one of the learner's own, one that is retired, and a copy of a shipped one that changed since."""
    its = app.state.parts
    shipped, own = its.settings.content / "decks" / "kept.md", its.settings.own_decks / "mine.md"
    own.parent.mkdir()
    shipped.write_text("---\ndeck: kept\ntitle: Kept\n---\nQ: Kept?\nA: Yes.\nid: kept\n")
    own.write_text(
        "---\ndeck: mine\ntitle: Mine\n---\nQ: Mine?\nA: Yes.\nid: mine\n\n"
        "Q: Gone?\nA: Yes.\nid: gone\nretired: yes\n\n"
        f"Q: Kept, mine?\nA: Yes.\nid: kept\ncopied: {'0' * 16}\n"
    )
    assert its.decks.look().synced.errors == ()


def page_routes(method: str) -> list[APIRoute]:
    """The routes of all pages; those of a router within a router have its prefix in their path."""
    routers = (importlib.import_module(name).router for name in ROUTERS)
    found = [
        one
        for router in routers
        for route in router.routes
        for one in ([route] if isinstance(route, APIRoute) else route.effective_route_contexts())
    ]
    return [r for r in found if not r.include_in_schema and method in r.methods]


def route_of(form: Form) -> str:
    return next(r.path for r in page_routes(form.method) if r.path_regex.fullmatch(form.action))


def send(client: TestClient, form: Form, values: dict[str, str]) -> Response:
    if form.method == "GET":
        return client.get(form.action, params=values)
    return client.post(form.action, data=values)


def forms(client: TestClient, clock: MovableClock) -> dict[str, Form]:
    """The newest form for each route that takes one, found by reading pages and by sending what they hold."""
    found = dict(FROM_SCRIPTS)
    sent: Counter[str] = Counter()
    waiting = [client.get(path).text for path in PAGES]
    while waiting:
        reader = Forms()
        reader.feed(waiting.pop(0))
        for form in reader.found:
            route = route_of(form)
            sent[route] += 1
            if sent[route] <= TRIES:
                found[route] = form
                clock.advance(seconds=20)  # a take has a length
                waiting.append(send(client, form, form.values).text)
    return found


def test_every_route_that_takes_a_form_is_on_a_page(patient: TestClient, clock: MovableClock) -> None:
    assert set(forms(patient, clock)) >= {route.path for route in page_routes("POST")}


def test_no_form_makes_a_500(patient: TestClient, clock: MovableClock) -> None:
    for form in forms(patient, clock).values():
        for name in (*form.values, "unknown"):
            for odd in ODD:
                sent = {k: v for k, v in {**form.values, name: odd}.items() if v is not None}
                answer = send(patient, form, sent)
                assert answer.status_code < 500, (form.action, name, odd, answer.text)
        nowhere = re.sub(r"(?<=/)[0-9a-f]{16}|(?<=/)(?:said|attention)(?=/|$)", "%00", form.action)
        assert send(patient, replace(form, action=nowhere), form.values).status_code < 500, nowhere


def test_no_address_makes_a_500(patient: TestClient) -> None:
    for route in page_routes("GET"):
        names = [p.alias for p in route.dependant.query_params]
        whole = [
            "&".join(f"{name}={odd}" for name in (*names, "unknown", *PARAMS)) for odd in ODD_QUERIES[:-1]
        ]
        queries = [*whole, *(f"{name}={odd}" for name in names for odd in ODD_QUERIES)]
        for at in ("a", "said", "attention", "%00", "%FF", "9223372036854775808"):
            path = re.sub(r"\{\w+\}", at, route.path)
            for query in queries:
                answer = patient.get(f"{path}?{query}")
                assert answer.status_code in (200, 404, 422), (path, query, answer.text)
            if path == route.path:
                break


def test_no_card_can_have_the_address_of_another_page() -> None:
    """What stands below /cards is told by the routes: a new page there wants its name kept free."""
    paths = (route.path.split("/") for route in page_routes("GET"))
    beside = {path[2] for path in paths if path[1] == "cards" and len(path) > 2}
    assert beside - {"{card_id}"} == values.PAGES

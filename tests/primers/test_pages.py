"""The pages of primers: the list, one page with its parts, and the ways from and to them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.library.sync import sync
from app.main import create_app
from app.settings import Settings
from tests.primers.conftest import PRIMER

NOW = datetime(2026, 11, 29, tzinfo=UTC)


@pytest.fixture
def shown(app: FastAPI, client: TestClient, settings: Settings) -> TestClient:
    assert sync(settings, app.state.parts.db, NOW).errors == ()
    return client


def test_the_list_tells_of_each_its_lead_its_minutes_and_its_cards(shown: TestClient) -> None:
    page = shown.get("/primers").text
    assert 'href="/primers/mask"' in page
    assert "The causal mask" in page
    assert "keeps the future out" in page
    assert "1 min" in page
    assert 'href="/cards?deck=test%2Fmask">4 cards' in page


def test_a_page_has_every_part_in_its_order(shown: TestClient) -> None:
    page = shown.get("/primers/mask").text
    order = [
        "<h1>The causal mask</h1>",
        '<h2 id="at-the-idea">The idea</h2>',
        "Each token sees itself",
        'aria-label="A query and a key that it may not see."',
        "<figcaption>The key is hatched",
        'data-block="causality"',
        'data-block="weights"',
        '<h3 id="at-in-code">In code</h3>',
        'class="code"',
        "Vaswani et al. 2017",
    ]
    places = [page.find(text) for text in order]
    assert -1 not in places
    assert places == sorted(places)


def test_a_demo_says_where_its_figures_come_from_and_leads_to_itself(shown: TestClient) -> None:
    page = shown.get("/primers/mask").text
    assert re.search(r"<b>Recorded \d+ \w+ \d+</b><span>on ", page)
    assert 'href="/demos/attention">Run it</a>' in page
    assert page.count('class="block ') == 2


def test_a_demo_s_link_keeps_its_parameters(shown: TestClient, settings: Settings) -> None:
    path = settings.primers / "04-mask.md"
    path.write_text(PRIMER.replace("attention\nshow: causality", "attention mask_at=after\nshow: causality"))
    assert 'href="/demos/attention?mask_at=after">Run it</a>' in shown.get("/primers/mask").text


def test_a_demo_without_a_result_says_so_and_an_unknown_one_is_left_out(
    shown: TestClient, settings: Settings
) -> None:
    path = settings.primers / "04-mask.md"
    path.write_text(PRIMER.replace("attention\nshow", "attention n_q=3 n_kv=3 example=random seed=77\nshow"))
    assert "No result of these parameters is kept here." in shown.get("/primers/mask").text
    path.write_text(PRIMER.replace("attention\nshow", "no-such-demo\nshow"))
    page = shown.get("/primers/mask")
    assert page.status_code == 200
    assert "Run it" not in page.text


def test_the_ladder_leads_to_three_questions_by_level(shown: TestClient) -> None:
    page = shown.get("/primers/mask").text
    rungs = re.findall(r'<span class="chip">(IC\d)</span> <a href="/cards/(\w+)">([^<]+)</a>', page)
    assert rungs == [
        ("IC4", "what", "What does the mask hide?"),
        ("IC5", "how", "How does it hide it?"),
        ("IC6", "why", "Why before?"),
    ]


def test_a_ladder_of_a_missing_card_shows_the_others(shown: TestClient, settings: Settings) -> None:
    (settings.primers / "04-mask.md").write_text(PRIMER.replace("what, how, why", "what, whence, why"))
    page = shown.get("/primers/mask").text
    assert re.findall(r'<span class="chip">(IC\d)</span> <a href="/cards/(\w+)">', page) == [
        ("IC4", "what"),
        ("IC6", "why"),
    ]


def test_it_leads_on_to_study_and_to_what_is_said_aloud(shown: TestClient) -> None:
    page = shown.get("/primers/mask").text
    assert 'href="/study?deck=test%2Fmask"' in page
    assert 'href="/drill/say-mask"' in page


def test_neighbours_are_a_link_away(shown: TestClient, settings: Settings) -> None:
    (settings.primers / "01-first.md").write_text(
        PRIMER.replace("primer: mask", "primer: first").replace("title: The causal mask", "title: First")
    )
    assert 'rel="prev" href="/primers/first"' in shown.get("/primers/mask").text
    assert 'rel="next" href="/primers/mask"' in shown.get("/primers/first").text


def test_a_card_leads_to_its_decks_primer(shown: TestClient) -> None:
    assert '<a href="/primers/mask">The causal mask</a>' in shown.get("/cards/how").text


@pytest.mark.parametrize("name", ["maks", "nothing", "%00", "x" * 3000])
def test_an_unknown_primer_is_a_404_in_words(shown: TestClient, name: str) -> None:
    page = shown.get(f"/primers/{name}")
    assert page.status_code == 404
    assert 'href="/primers">All primers</a>' in page.text
    assert ('href="/primers/mask"' in page.text) == (name == "maks")


def test_a_mistake_is_told_on_the_list_and_hides_nothing_else(shown: TestClient, settings: Settings) -> None:
    (settings.primers / "05-bad.md").write_text("---\nprimer: bad\n---\n# x\n")
    page = shown.get("/primers").text
    assert "primers/05-bad.md, line 1: the front matter has no deck" in page
    assert "more: `aloud check` names them." in page
    assert 'href="/primers/mask"' in page


def test_before_there_are_any_the_list_says_so(client: TestClient, settings: Settings) -> None:
    (settings.primers / "04-mask.md").unlink()
    assert "Nothing to read yet" in client.get("/primers").text


def test_without_its_cards_a_primer_can_be_read(client: TestClient) -> None:
    page = client.get("/primers/mask")
    assert page.status_code == 200
    assert "Study this deck" not in page.text
    assert "How deep it goes" not in page.text


@pytest.fixture
def below(settings: Settings, _schema: Path) -> Iterator[TestClient]:
    """The app below a sub-path."""
    its = settings.model_copy(update={"root_path": "/aloud"})
    its.data.mkdir(parents=True, exist_ok=True)
    its.database.write_bytes(_schema.read_bytes())
    app = create_app(its)
    sync(its, app.state.parts.db, NOW)
    with TestClient(app, base_url="http://localhost") as made:
        yield made


@pytest.mark.parametrize("path", ["/aloud/primers", "/aloud/primers/mask", "/aloud/cards/print"])
def test_all_links_stay_below_a_prefix(below: TestClient, path: str) -> None:
    links = re.findall(r'(?:href|src|action)="(/[^"]*)"', below.get(path).text)
    assert links
    assert [link for link in links if not link.startswith("/aloud/")] == []


def test_read_is_a_room(shown: TestClient) -> None:
    assert '<a href="/primers" data-go="r" aria-current="page">Read</a>' in shown.get("/primers/mask").text

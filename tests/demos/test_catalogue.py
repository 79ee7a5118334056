"""The catalogue and a demo's own page: what leads to it, what it needs, its form, what ran before."""

import html
import re
from types import SimpleNamespace

import pytest
from sqlalchemy import update

from app.db.tables import note
from kernels.catalog import DEMOS
from tests.conftest import add_cards
from tests.demos.reading import text


def test_the_catalogue_leads_to_every_demo(client):
    page = client.get("/demos").text
    for name, demo in DEMOS.items():
        assert f'href="/demos/{name}"' in page
        assert demo.title in html.unescape(page)
    assert "aloud worker" in page


def names(answer) -> list[str]:
    """The demos that a catalogue lists."""
    return re.findall(r'class="item-main" href="/demos/([\w-]+)"', answer.text)


def test_the_catalogue_can_be_searched_without_a_script(client):
    found = client.get("/demos?q=KV++bytes")
    assert "kv-cache" in names(found)
    assert "attention" not in names(found)
    assert f"{len(names(found))} of {len(DEMOS)} demos" in text(found)
    assert names(client.get("/demos?q=+")) == list(DEMOS)
    assert "No demo holds all these words" in text(client.get("/demos?q=<b>nothing</b>"))


def test_the_catalogue_says_what_each_demo_needs_and_how_many_cards_rest_on_it(client, db):
    add_cards(db, "a", "b", "c")
    with db.write() as conn:
        for key, line in {"a": "kv-cache", "b": "kv-cache batch=2", "c": "attention"}.items():
            conn.execute(update(note).where(note.c.key == key).values(demo=line))
    rows = {
        row.split('"')[0]: text(SimpleNamespace(text=row))
        for row in client.get("/demos").text.split('href="/demos/')
    }
    assert "2 cards calculated" in rows["kv-cache"]
    assert "1 card PyTorch" in rows["attention"]
    assert "Triton" in rows["flash"]
    for counted in ("heads", "roofline"):  # PyTorch counts there, and measures where one asks for it
        assert "calculated" in rows[counted]
    assert "card" not in rows["decode-alignment"].partition("see.")[2]


def test_a_demo_leads_to_the_cards_that_rest_on_it(client, db):
    add_cards(db, "a", "b", "other")
    with db.write() as conn:
        for key, line in {"a": "kv-cache batch=2", "b": "kv-cache", "other": "kv-cachet"}.items():
            conn.execute(update(note).where(note.c.key == key).values(demo=line))
    page = client.get("/demos/kv-cache")
    assert re.findall(r'href="/cards/(\w+)"', page.text) == ["a", "b"]
    assert "question a batch = 2" in text(page)
    assert "Cards that rest" not in client.get("/demos/flash").text


def test_a_demo_lists_what_ran_before_each_beside_a_comparison(client, run, worker, clock):
    for causal in ("true", "false"):
        clock.advance(minutes=1)
        run(causal=causal)
        worker.serve()
    page = client.get("/demos/attention?causal=false")
    shown, other = re.findall(r'class="item-main" href="/runs/(\w+)"', page.text)
    assert "causal = false Run 29 Nov 2026, 18:02, on CPU shown above" in text(page)
    assert f'href="/demos/attention/compare?left={shown}&amp;right={other}"' in page.text
    assert "Earlier results" not in client.get("/demos/flash").text


def test_a_long_form_is_grouped_and_a_short_one_is_not(client):
    assert re.findall(r"<legend>(.+?)</legend>", client.get("/demos/attention").text)[:2] == [
        "Sizes",
        "Choices",
    ]
    assert "<legend>" not in client.get("/demos/kv-cache").text


def test_a_choice_is_shown_in_words_and_sent_as_it_is_called(client):
    page = client.get("/demos/mask-bugs?variant=fill--10").text
    assert '<option value="fill--10" selected>fill with −10</option>' in page


@pytest.mark.parametrize("name", DEMOS)
def test_every_demo_has_a_form_with_all_its_parameters(client, name):
    answer = client.get(f"/demos/{name}")
    assert answer.status_code == 200
    for param in DEMOS[name].params:
        assert f'name="{param.name}"' in answer.text
    assert "Run it to see one" in text(answer)

"""Recorded results: what is shown of them, what is said of those from older code, and those that ship."""

import html
import json
import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Event

import card_lines
import pytest
from starlette.testclient import TestClient

from app.accounts.learner import Learner
from app.accounts.store import FIRST
from app.cli import main
from app.demos import drawing, records, service
from app.demos.records import Records, State
from app.settings import ROOT, Settings
from kernels import recorded
from kernels.catalog import code_hash, demo, parse
from kernels.result import Device, Result, Unknown
from tests.demos.reading import text

EVERY = Result.from_json(json.loads((ROOT / "tests/fixtures/results/every-block.json").read_text()))
OURS = replace(EVERY, blocks=tuple(block for block in EVERY.blocks if not isinstance(block.data, Unknown)))
SHIPPED = Records(ROOT / "content" / "recorded")
LEARNER = Learner(FIRST, "UTC", 4)
CPU = Device("cpu", "AMD EPYC", "", "2.13.0", "3.7.1")
H200 = Device("cuda", "NVIDIA H200", "580.1", "2.13.0", "3.7.1")
LINK = "/demos/attention?causal=false"


@pytest.fixture
def keep(settings: Settings) -> Callable[..., Path]:
    """Puts a record into the folder of the app."""

    def write(
        name: str = "attention",
        device: Device = CPU,
        code: str = "",
        at: str = "2026-11-28T10:00:00Z",
        **raw: object,
    ) -> Path:
        made = replace(
            OURS,
            demo=name,
            params=parse(demo(name), raw),
            device=device,
            code=code or code_hash(name),
            at=at,
        )
        return recorded.write(settings.recorded, made)

    return write


@pytest.fixture
def run(client: TestClient) -> Callable[..., str]:
    def start(demo: str = "attention", **fields: str) -> str:
        return client.post(f"/demos/{demo}/runs", data=fields).headers["location"]

    return start


def test_before_anything_ran_a_record_is_shown_with_its_device_and_date(client, keep) -> None:
    keep(causal=False)
    page = text(client.get(LINK))
    assert "Recorded 28 Nov 2026 on AMD EPYC" in page
    assert "From scores to weights" in page
    assert "From older code" not in page
    assert "No result of these parameters is kept here" in text(client.get("/demos/attention"))


def test_what_ran_here_comes_before_a_record_and_a_run_is_always_made(client, keep, run, worker) -> None:
    keep(causal=False)
    page = run(causal="false")
    assert worker.jobs.get(page.removeprefix("/runs/"), FIRST).state == "queued"
    worker.serve()
    assert "Run on 29 Nov 2026" in text(client.get(LINK))


def test_while_a_run_is_open_the_record_stands_below_it(client, keep, run, worker) -> None:
    keep(causal=False)
    page = run(causal="false")
    for path in (page, f"{page}/fragment", LINK):
        waiting = text(client.get(path))
        assert waiting.index("Next in line" if path != LINK else "has not ended") < waiting.index(
            "recorded earlier"
        )
        assert "Recorded 28 Nov 2026 on AMD EPYC" in waiting
    worker.serve()
    for path in (page, f"{page}/fragment", LINK):
        assert "recorded earlier" not in text(client.get(path))


def test_where_a_run_failed_the_record_is_still_there(client, keep, run) -> None:
    keep(causal=False)
    page = run(causal="false")
    client.post(f"{page}/cancel")
    cancelled = text(client.get(page))
    assert "Cancelled before it began" in cancelled
    assert "An earlier result of the same parameters: Recorded 28 Nov 2026" in cancelled


def test_a_record_of_older_code_says_so_and_gives_way_to_one_of_this_code(client, keep) -> None:
    keep(causal=False, code="old")
    assert "From older code" in text(client.get(LINK))
    keep(device=H200, causal=False)
    page = text(client.get(LINK))
    assert "on NVIDIA H200" in page
    assert "From older code" not in page


def test_one_can_switch_to_the_record_of_another_device(client, keep) -> None:
    keep(causal=False)
    keep(device=H200, causal=False)
    page = client.get(LINK)
    assert "Recorded 28 Nov 2026 on AMD EPYC" in text(page)
    switch = "/demos/attention?causal=false&amp;recorded-on=nvidia-h200"
    assert f'href="{switch}"' in page.text
    assert "Recorded 28 Nov 2026 on NVIDIA H200" in text(client.get(html.unescape(switch)))
    for on in ("tpu", "<b>", "x" * 300):
        none = client.get("/demos/attention", params={"causal": "false", "recorded-on": on})
        assert (none.status_code, "Nothing of these parameters was recorded" in text(none)) == (404, True)


def test_a_record_has_an_address_and_is_saved_as_it_is(client, keep) -> None:
    path = keep(causal=False)
    address = f"/demos/attention/recorded/{path.stem}"
    assert client.get(address).headers["location"] == f"{LINK}&recorded-on=cpu"
    saved = client.get(f"{address}.json")
    assert saved.text == path.read_text()
    assert 'filename="attention-causal=false.json"' in saved.headers["content-disposition"]
    assert f'href="{address}.json"' in client.get(LINK).text


def test_a_result_that_ran_here_is_saved_too(client, run, worker) -> None:
    page = run(causal="false")
    worker.serve()
    saved = client.get(f"{page}.json").json()
    assert [block["id"] for block in saved["blocks"]] == [block.id for block in EVERY.blocks]
    assert saved["origin"] == "live"
    for nothing in (
        "/runs/nothing.json",
        "/demos/attention/recorded/nothing.json",
        "/demos/nothing/recorded/x.json",
    ):
        assert client.get(nothing).status_code == 404


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b"\xff\xfe"),
        lambda path: path.write_text("no json\n"),
        lambda path: path.write_text(""),
        lambda path: path.write_text(path.read_text().replace('"recorded"', '"live"', 1)),
        lambda path: path.write_text(path.read_text()[:-200]),
        lambda path: path.write_text(path.read_text().replace('"type":"matrix"', '"type":7', 1)),
        lambda path: path.write_text(path.read_text().partition("\n")[0] + "5]}"),
        lambda path: path.write_text("null"),
        lambda path: path.rename(path.parent.parent / "flash" / path.name),
        lambda path: (path.unlink(), path.mkdir()),
    ],
    ids=["bytes", "text", "empty", "live", "half", "type", "blocks", "null", "another demo's", "folder"],
)
def test_a_file_that_is_no_record_is_left_out_with_a_warning(client, keep, caplog, spoil) -> None:
    keep(name="flash")
    spoil(keep(causal=False))
    with caplog.at_level(logging.WARNING, "aloud"):
        page = client.get(LINK)
    assert page.status_code == 200
    assert "No result of these parameters is kept here" in text(page)
    assert "is left out: " in caplog.text


def test_a_record_whose_blocks_are_none_says_so_in_their_place(client, keep) -> None:
    path = keep(causal=False)
    client.get(LINK)
    path.write_text(path.read_text().replace('"type":"matrix"', '"type":7', 1))  # since Aloud looked at it
    page = client.get(LINK)
    assert page.status_code == 200
    assert "does not fit schema 1" in text(page)
    compared = client.get("/demos/attention/compare", params={"left": path.stem, "right": path.stem})
    assert (compared.status_code, "cannot be compared" in text(compared)) == (404, True)


def test_records_of_what_is_gone_are_told_and_not_shown(settings, keep, client) -> None:
    path = keep(causal=False)
    path.write_text(path.read_text().replace('"causal":false', '"causal":"perhaps"', 1))
    other = settings.recorded / "gone" / "cpu-defaults.json"
    other.parent.mkdir()
    other.write_text(recorded.text(replace(EVERY, demo="gone", origin="recorded")))
    found = Records(settings.recorded).all
    assert [one.state for one in found] == [State.UNUSED, State.UNUSED]
    assert "causal must be true or false" in found[0].why
    assert client.get("/demos/attention/recorded/cpu-causal=false").status_code == 404


def test_a_card_shows_the_blocks_of_its_claims_first_and_the_others_on_demand(
    app, client, db, keep, records
) -> None:
    keep(causal=False)
    ids = [block.id for block in OURS.blocks]
    with db.read() as conn:
        shown = service.on_card(conn, records, LEARNER, "attention causal=false", (ids[3], ids[1]))
    assert [block.id for block in shown.result.view.blocks] == [ids[1], ids[3]]  # in the demo's order
    assert shown.result.rest == len(ids) - 2
    drawn = app.state.parts.pages.env.get_template("partials/card_demo.html").render(
        demo=shown, url=lambda path, **query: f"/{path}?" + "&".join(f"{k}={v}" for k, v in query.items())
    )
    assert f"{len(ids) - 2} more blocks" in drawn
    more = re.search(r'<more-blocks data-src="([^"]+)"', drawn)
    fetched = client.get(html.unescape(more[1]))
    assert re.findall(r'data-block="([^"]+)"', fetched.text) == [i for i in ids if i not in (ids[1], ids[3])]


def test_a_run_on_a_card_draws_the_same_blocks_first(client, run, worker) -> None:
    ids = [block.id for block in EVERY.blocks]
    page = run(causal="false")
    assert f"{page}/fragment?named={ids[2]}" in client.get(f"{page}/fragment?named={ids[2]}").text
    worker.serve()
    part = client.get(f"{page}/fragment?named={ids[2]}").text
    assert re.findall(r'data-block="([^"]+)"', part) == [ids[2]]
    assert f"{page}/blocks?without={ids[2]}" in part
    rest = client.get(f"{page}/blocks?without={ids[2]}").text
    assert len(re.findall(r'data-block="', rest)) == len(ids) - 1
    assert re.findall(r'data-block="([^"]+)"', client.get(f"{page}/fragment?named=nothing").text) == ids


def test_the_commands_list_records_with_their_state(keep, settings, capsys) -> None:
    keep(causal=False)
    keep(code="old")
    assert main(["demo", "records", str(settings.recorded)]) == 1
    told = capsys.readouterr().out
    assert re.search(r"attention causal=false +current +2026-11-28 +AMD EPYC", told)
    assert re.search(r"attention +from older code", told)
    assert "missing: kv-cache" in told
    decks = settings.content / "decks"
    assert main(["check", str(decks), "--content", str(settings.content)]) == 0
    assert (
        "Recorded results: 2, 1 from older code; `aloud demo record` makes them anew."
        in capsys.readouterr().out
    )


def test_a_record_with_blocks_of_an_unknown_type_is_not_of_the_code_that_is_here(keep, settings) -> None:
    path = keep(causal=False)
    path.write_text(path.read_text().replace('"type":"matrix"', '"type":"hologram"', 1))
    assert [one.state for one in Records(settings.recorded).all] == [State.OLDER]


def test_the_command_tells_each_file_that_cannot_be_read_once(keep, settings, capsys, caplog) -> None:
    path = keep(causal=False)
    path.write_text(path.read_text()[:3000])
    assert main(["demo", "records", str(settings.recorded)]) == 1
    told = capsys.readouterr()
    assert told.out.count(f"attention/{path.name}: It is no JSON (") == 1
    assert told.err + caplog.text == ""


def test_the_command_records_what_it_is_told(tmp_path, capsys) -> None:
    assert main(["demo", "record", "kv-cache", "batch=2", "kv-cache", "--into", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.rglob("*.json")) == ["cpu-batch=2.json", "cpu-defaults.json"]
    assert [one.state for one in Records(tmp_path).all] == [State.CURRENT] * 2
    capsys.readouterr()
    assert main(["demo", "record", "kv-cache", "batch=none"]) == 2
    assert "batch must be a whole number" in capsys.readouterr().err


def test_no_record_that_ships_and_was_made_on_a_cpu_is_stale() -> None:
    """`make record` makes them anew. Those of a GPU are listed by `aloud demo records`, and marked where they show."""
    assert [one.path.name for one in SHIPPED.stale if one.on in ("", "cpu")] == []


def test_every_line_of_the_list_has_a_record_of_a_cpu() -> None:
    assert SHIPPED.missing() == ()


def test_every_record_that_ships_is_read_whole_drawn_and_called_by_its_name() -> None:
    for one in SHIPPED.all:
        result = recorded.read(one.path.read_text(encoding="utf-8"))
        drawing.check(result)
        assert SHIPPED.folder / recorded.file_name(result) == one.path


def test_the_list_of_what_cards_and_primers_run_is_the_one_that_they_give() -> None:
    """Else a card shows nothing until its demo has run: `make record` writes the list and what is missing."""
    assert (recorded.FOLDER / recorded.CARDS).read_text(encoding="utf-8") == card_lines.text()


def test_of_many_who_ask_first_one_alone_looks(keep, settings, monkeypatch) -> None:
    keep()
    keep(causal=False)
    looked: list[Path] = []
    look, together = records._look, Barrier(8)
    monkeypatch.setattr(records, "_look", lambda path: looked.append(path) or look(path))
    found = Records(settings.recorded)

    def ask(_: int) -> int:
        together.wait(10)
        return len(found.all)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {2}
    assert len(looked) == 2


def test_they_are_read_at_the_start_before_anybody_asks(app, monkeypatch) -> None:
    looked = Event()
    monkeypatch.setattr(Records, "_look_through", lambda self: looked.set() or ())
    with TestClient(app, base_url="http://localhost"):
        assert looked.wait(10)


def test_a_record_that_is_made_replaced_or_removed_meanwhile_is_seen(client, keep) -> None:
    shown = lambda: [f"AMD {name}" in text(client.get(LINK)) for name in ("EPYC", "Ryzen")]  # noqa: E731
    assert shown() == [False, False]
    keep(causal=False)
    assert shown() == [True, False]
    path = keep(device=replace(CPU, name="AMD Ryzen"), causal=False)
    assert shown() == [False, True]
    path.unlink()
    assert shown() == [False, False]

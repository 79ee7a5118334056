"""The demo pages, as plain forms and links."""

import re
from datetime import timedelta

import pytest

from app.accounts.learner import Learner, LearnerId
from app.accounts.service import current_learner
from app.accounts.store import FIRST
from app.demos import api, pages, service
from app.jobs.standing import Device, WorkerState
from app.jobs.states import Outcome
from kernels.catalog import DEMOS
from tests.demos.reading import text

LIMIT_S = DEMOS["attention"].deadline_s
LEARNER = Learner(FIRST, "Europe/Berlin", 4)
OUT_OF_MEMORY = {
    "id": "out-of-memory", "type": "note", "title": "", "look_for": "", "role": "", "alt": "",
    "data": {"text": "Memory ran out."},
}  # fmt: skip


def test_a_run_with_a_new_seed_has_one_of_its_own_and_sent_twice_it_is_one_run(client, run, worker):
    fields = {"example": "random", "new-seed": "1", "run-key": key(client.get("/demos/attention"))}
    assert run(**fields) == run(**fields)
    seed = worker.take().payload["params"]["seed"]
    assert 0 < seed < 10_000
    assert worker.jobs.claim("w", ["demo"]) is None
    run(**{**fields, "run-key": key(client.get("/demos/attention"))})
    assert worker.take().payload["params"]["seed"] != seed
    assert "new-seed" not in client.get("/demos/kv-cache").text


def test_the_path_of_a_run_without_scripts(client, run, worker):
    page = run(example="book", causal="true")
    waiting = client.get(page)
    assert "Next in line." in text(waiting)
    assert '<noscript><p><a href="/runs/' in waiting.text
    worker.serve()
    done = client.get(page)
    assert "Permanent link" in done.text
    assert '<section class="block' in done.text


def key(answer) -> str:
    """The key of the first form on the page that runs something."""
    return re.findall(r'name="run-key" value="(\w+)"', answer.text)[0]


def test_a_form_that_is_sent_twice_is_one_run(client, run, worker):
    page = client.get("/demos/attention")
    fields = {"causal": "false", "run-key": key(page)}
    assert run(**fields) == run(**fields)
    worker.take()
    assert worker.jobs.claim("w", ["demo"]) is None


def test_a_page_drawn_anew_asks_for_another_run(client, run):
    first, second = (run(**{"run-key": key(client.get("/demos/attention"))}) for _ in range(2))
    assert first != second
    client.post(f"{first}/cancel")
    again, other = key(client.get(first)), key(client.get(first))
    assert again != other
    assert run(**{"run-key": again}) == run(**{"run-key": again}) not in (first, second)


def test_going_back_to_change_the_parameters_asks_for_another_run(client, run):
    drawn = key(client.get("/demos/attention"))
    first = run(**{"run-key": drawn})
    second = run(**{"run-key": drawn, "causal": "false"})
    assert first != second
    assert second == run(**{"run-key": drawn, "causal": "false"})


@pytest.mark.parametrize("sent", ["", "x" * 10_000, "é\x00"])
def test_a_key_that_was_not_drawn_here_does_no_harm(run, sent):
    assert run(**{"run-key": sent}).startswith("/runs/")


def test_a_permanent_link_shows_the_kept_result_with_its_time(client, run, worker, clock):
    link = "/demos/attention?causal=false"
    assert "No result of these parameters is kept here" in text(client.get(link))
    run(causal="false")
    worker.serve()
    clock.advance(days=1)
    assert "Run on 29 Nov 2026, 18:00" in text(client.get(link))
    assert "Run on" not in text(client.get("/demos/attention?causal=true"))


def test_paper_which_has_no_form_names_the_parameters(client, run, worker):
    run(causal="false")
    worker.serve()
    page = client.get("/demos/attention?causal=false").text
    (told,) = re.findall(r'<p class="paper" aria-hidden="true">(.*?)</p>', page)
    given = client.get(re.search(r'href="(/runs/[\w-]+\.json)"', page)[1]).json()["params"]
    assert told == ", ".join(f"{name} = {str(value).lower()}" for name, value in given.items())


def test_a_run_whose_memory_ran_out_hides_no_figures(client, db, run, worker, records, clock):
    kept = run(causal="false")
    worker.serve()
    clock.advance(hours=1)
    hopeless = run(causal="false")
    worker.serve(blocks=[OUT_OF_MEMORY])
    assert "Memory ran out." in text(client.get(hopeless))
    page = client.get("/demos/attention?causal=false")
    assert "Memory ran out." not in text(page)
    assert f'href="{kept}.json"' in page.text
    with db.read() as conn:
        on_card = service.on_card(conn, records, LEARNER, "attention causal=false")
    assert f"/{on_card.result.path}" == kept


def test_where_the_result_was_deleted_it_offers_to_run(client, run, worker, clock):
    page = run(causal="false")
    worker.serve()
    clock.advance(days=91)
    worker.jobs.forget_results(clock() - timedelta(days=90))
    assert "Run it to see one" in text(client.get("/demos/attention?causal=false"))
    gone = client.get(page)
    assert "was deleted" in text(gone)
    assert 'name="causal" value="false"' in gone.text


def test_a_wrong_parameter_is_told_at_its_field_and_nothing_typed_is_lost(client, worker):
    answer = client.post("/demos/attention/runs", data={"example": "random", "n_q": "none", "d_k": "64"})
    assert answer.status_code == 422
    assert re.search(r'<p class="error" id="n_q-error">n_q must be a whole number', answer.text)
    assert re.search(
        r'autofocus data-faults>.*?n_q must be .*?<a href="#n_q">Change Queries</a>', answer.text, re.DOTALL
    )
    assert re.search(r'<label for="n_q">Queries .*?<code class="called">n_q</code></label>', answer.text)
    for kept in ('name="n_q" type="text" value="none"', 'name="d_k" type="text" value="64"'):
        assert kept in answer.text
    assert worker.jobs.claim("w", ["demo"]) is None


def test_what_is_wrong_between_fields_stands_above_them(client):
    answer = client.get("/demos/attention?n_q=5")
    assert answer.status_code == 422
    assert "set example=random to choose n_q. Change Example" in text(answer)


def test_what_no_ready_worker_would_run_is_refused_at_once_and_not_queued(app, client, worker):
    workers = app.state.parts.workers
    workers.announce("laptop", WorkerState.READY, "", [Device("cpu", "Xeon", interpreter=True)])
    link, fields = "/demos/flash?dtype=bf16", {"dtype": "bf16"}
    page = client.get(link)
    assert page.status_code == 200
    assert "bf16 needs a GPU" in text(page)
    assert "Run it to see one" not in text(page)
    sent = client.post("/demos/flash/runs", data=fields)
    assert (sent.status_code, "bf16 needs a GPU" in text(sent)) == (422, True)
    asked = client.post("/api/v1/runs", json={"demo": "flash", "params": fields})
    assert (asked.status_code, "bf16 needs a GPU" in asked.json()["detail"]) == (422, True)
    assert worker.jobs.claim("w", ["demo"]) is None
    workers.announce("box", WorkerState.READY, "", [Device("cuda", "NVIDIA H200")])
    assert "bf16 needs a GPU, since" not in text(client.get(link))
    assert client.post("/demos/flash/runs", data=fields).status_code == 303


@pytest.mark.parametrize(
    "query", ["n_q=NaN", "n_q=" + "9" * 400, "x=1", "n_q=%00", "n_q=<script>", "causal=maybe"]
)
def test_no_link_breaks_the_page(client, query):
    answer = client.get(f"/demos/attention?{query}")
    assert answer.status_code == 422
    assert "<script>" not in answer.text.partition("<main")[2]


def test_unknown_demos_and_runs_are_not_found(client):
    for path in ("/demos/atention", "/runs/nothing", "/runs/nothing/fragment"):
        assert client.get(path).status_code == 404
    near = client.get("/demos/atention")
    assert "did you mean attention?" in text(near)
    assert re.findall(r'class="button" href="(/demos\b[^"]*)"', near.text) == ["/demos/attention", "/demos"]
    far = client.get("/demos/xyzzy")
    assert re.findall(r'class="button" href="(/demos\b[^"]*)"', far.text) == ["/demos"]
    assert client.post("/demos/atention/runs").status_code == 404
    assert client.post("/runs/nothing/cancel").status_code == 404


def test_what_a_learner_ran_is_seen_by_nobody_else(app, client, run, worker):
    """At every address that there is of a run, on the pages of its demo, and below another's records."""
    where = run("attention", causal="false")
    worker.serve()
    made = where.rpartition("/")[2]
    every = (*api.router.routes, *pages.router.routes)
    routes = [(r.path.format(run_id=made), r.methods) for r in every if "{run_id}" in r.path]
    addresses = [path for path, methods in routes if "GET" in methods]
    assert {where, f"{where}.json", f"{where}/blocks", f"{where}/fragment"} <= set(addresses)
    addresses += [f"/demos/attention/recorded/{made}{end}" for end in ("", ".json", "/blocks")]
    addresses += [f"/demos/attention/compare?left={made}"]
    for address in set(addresses) - {f"/demos/attention/recorded/{made}"}:  # that one leads on to a page
        assert client.get(address).status_code == 200, address
    app.dependency_overrides[current_learner] = lambda: Learner(LearnerId(2), "UTC", 4)
    for address in addresses:
        assert client.get(address).status_code == 404, address
    for path, methods in routes:
        for method in methods - {"GET", "HEAD"}:
            assert client.request(method, path).status_code == 404, path
    for page in ("/demos/attention?causal=false", "/demos/attention/compare", "/demos"):
        shown = client.get(page)
        assert (shown.status_code, made in shown.text) == (200, False), page


def test_a_run_can_be_cancelled_and_run_again(client, run):
    page = run(causal="false")
    assert client.post(f"{page}/cancel").headers["location"] == page
    assert "Cancelled before it began." in text(client.get(page))
    assert "Run it again" in text(client.get(page))


@pytest.mark.parametrize(
    ("outcome", "message", "said"),
    [
        (Outcome.FAILED, "bf16 needs a GPU.", "bf16 needs a GPU."),
        (
            Outcome.TIMED_OUT,
            "",
            f"The run was stopped after {LIMIT_S:g} s, its limit. Choose smaller lengths.",
        ),
    ],
)
def test_a_run_that_went_wrong_says_so_and_what_to_do(client, run, worker, outcome, message, said):
    page = run()
    worker.end(worker.take(), outcome, message)
    assert said in text(client.get(page))


def test_the_fragment_is_the_run_alone(client, run):
    answer = client.get(f"{run()}/fragment")
    assert answer.text.lstrip().startswith("<demo-run")
    assert "<html" not in answer.text


def test_a_card_shows_its_demo_and_the_newest_result(client, db, run, worker, records):
    with db.read() as conn:
        before = service.on_card(conn, records, LEARNER, "attention causal=false")
    assert (before.title, before.result) == (DEMOS["attention"].title, None)
    assert before.links.query == {"causal": "false"}
    run(causal="false")
    worker.serve()
    with db.read() as conn:
        after = service.on_card(conn, records, LEARNER, "attention causal=false")
    assert after.result.when == "29 Nov 2026, 19:00"
    assert after.result.view.blocks


@pytest.mark.parametrize("line", [None, "", "nothing", "attention n_q=0", "attention causal"])
def test_a_card_without_a_demo_that_runs_shows_none(db, records, line):
    with db.read() as conn:
        assert service.on_card(conn, records, LEARNER, line) is None


def test_the_card_draws_one_form_with_the_parameters_of_its_line(app, client, db, records):
    with db.read() as conn:
        demo = service.on_card(conn, records, LEARNER, "attention causal=false align=top-left")
    env = app.state.parts.pages.env
    drawn = env.get_template("partials/card_demo.html").render(
        demo=demo, url=lambda path, **query: f"/{path}"
    )
    assert drawn.count("<form") == 1
    assert f'name="run-key" value="{demo.links.key}"' in drawn
    assert 'name="align" value="top-left"' in drawn
    assert 'data-key="r"' in drawn


def test_a_run_that_waits_is_found_again_where_it_was_asked_for(client, run, worker):
    page = run(n_q="4")
    assert page in client.get("/demos").text
    again = client.get("/demos/attention?n_q=4")
    assert f'data-fragment="{page}/fragment"' in again.text
    assert "Cancel" in again.text
    assert page not in client.get("/demos/attention?example=random&n_q=5&n_kv=5").text
    worker.serve()
    assert page not in client.get("/demos").text
    assert "demo-run" not in client.get("/demos/attention?n_q=4").text

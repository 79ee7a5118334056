"""The page of the workers: who is there, what they do, what waits, what went wrong; and the corner of every page."""

import html
import re
from dataclasses import replace
from datetime import timedelta

import pytest

from app.accounts.learner import Learner, LearnerId
from app.accounts.store import FIRST
from app.jobs import lanes
from app.jobs.port import Fault, JobId, Order
from app.jobs.service import jobs as jobs_of
from app.jobs.standing import ABSENT, Device, Lane, LaneState, Worker, WorkerState, view
from app.jobs.states import Outcome, State
from app.workers.view import DeviceCard, FaultCard, span, worker_page
from kernels.catalog import DEMOS

BERLIN = Learner(FIRST, "Europe/Berlin", 4)
H200 = Device("cuda", "NVIDIA H200", False, "580.1", "2.13.0", "3.7.1")
CPU = Device("cpu", "Xeon", True, "", "2.13.0+cpu", "3.7.1")


def text(answer) -> str:
    """What stands on the page."""
    main = answer.text.partition("<main")[2] or answer.text
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main)))


@pytest.fixture
def jobs(app):
    return jobs_of(app.state.parts)


@pytest.fixture
def announce(client, settings):
    """As a worker does, over HTTP."""
    token = {"Authorization": f"Bearer {settings.worker_token()}"}

    def send(worker="box", state="ready", **more):
        body = {"worker": worker, "state": state, **more}
        answer = client.post("/api/v1/worker/announce", json=body, headers=token)
        assert answer.status_code == 200, answer.text

    return send


def order(demo="kv-cache", lane=lanes.DEMO, learner=FIRST, params=None) -> Order:
    return Order("demo", lane, learner, {"demo": demo, "params": params or {}}, "p", "c", 2.0)


def test_where_none_is_the_page_says_how_to_get_one(client):
    page = text(client.get("/worker"))
    assert "None is here" in page
    assert "aloud worker" in page
    assert "aloud token gpu-box" in page
    assert "--server http://localhost" in page
    assert "Nothing waits." in page
    assert "What went wrong of late Nothing." in page


def test_a_worker_stands_there_with_its_devices_and_what_its_lanes_do(client, announce):
    announce(
        "box 12ab",
        up_s=7200,
        devices=[
            {"kind": "cuda", "name": "NVIDIA H200", "driver": "580.1", "torch": "2.13.0", "triton": "3.7.1"}
        ],
        lanes=[
            {"state": "running", "device": "NVIDIA H200", "takes": ["gpu", "demo"], "demo": "flash", "for_s": 65,
             "lost": 2, "words": "The process that runs demos was killed; memory may have run out."},
        ],
    )  # fmt: skip
    page = text(client.get("/worker"))
    assert "Here now box 12ab Ready since 29 Nov 2026, 16:00 , with this server's own token" in page
    assert "GPU, driver 580.1, torch 2.13.0, triton 3.7.1, Triton kernels are compiled" in page
    assert f"Runs “{DEMOS['flash'].title}” for 1 min now." in page
    assert "2 children were lost since it started. The last: The process that runs demos was killed" in page
    announce("box 12ab", "absent")
    assert "None is here" in text(client.get("/worker"))


@pytest.mark.parametrize(
    ("device", "words"),
    [
        (CPU, "CPU, torch 2.13.0+cpu, triton 3.7.1, Triton kernels are interpreted"),
        (Device("cpu", "M4", False, "", "2.13.0", ""), "CPU, torch 2.13.0, no Triton kernels"),
        (H200, "GPU, driver 580.1, torch 2.13.0, triton 3.7.1, Triton kernels are compiled"),
        (Device("cuda", "A100", True), "GPU, Triton kernels are interpreted"),
    ],
)
def test_each_device_says_what_becomes_of_kernels_on_it(device, words, clock):
    worker = Worker("w", WorkerState.READY, clock(), devices=(device,))
    page = worker_page(view([worker]), [worker], [], [], BERLIN, clock())
    assert page.workers[0].devices == (DeviceCard(device.name, words, "", ""),)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (LaneState.IDLE, "Idle for 5 s."),
        (LaneState.STARTING, "Starting for 5 s."),
        (LaneState.DOWN, "Cannot start for 5 s; it keeps trying."),
    ],
)
def test_each_state_of_a_lane_has_words(state, words, clock):
    lane = Lane(state, clock() - timedelta(seconds=5), takes=lanes.takes(compiles=False))
    worker = Worker("w", WorkerState.READY, clock(), lanes=(lane,))
    (shown,) = worker_page(ABSENT, [worker], [], [], BERLIN, clock()).workers[0].devices
    assert (shown.doing, shown.lost) == (words, "")


def test_of_two_lanes_with_equal_devices_each_has_its_own(clock):
    lane = Lane(LaneState.IDLE, clock(), device=H200.name)
    worker = Worker(
        "w", WorkerState.READY, clock(), devices=(H200, H200), lanes=(lane, replace(lane, device=""), lane)
    )
    shown = worker_page(ABSENT, [worker], [], [], BERLIN, clock()).workers[0].devices
    assert [card.name for card in shown] == [H200.name, "A device that is not ready", H200.name]
    assert all(card.doing for card in shown)


def test_the_queue_is_told_lane_by_lane(client, jobs, announce, clock):
    jobs.submit(order())
    jobs.submit(order("flash", lanes.GPU))
    clock.advance(seconds=12)
    announce(devices=[{"kind": "cpu", "name": "Xeon", "interpreter": True}])
    page = client.get("/worker")
    assert "1 run waits for any worker, the first for 12 s." in text(page)
    assert "1 run waits for a GPU, the first for 12 s. No worker that is here has one." in text(page)
    announce("gpu", devices=[{"kind": "cuda", "name": "H200"}])
    assert "No worker that is here" not in text(client.get("/worker"))


def test_that_no_worker_has_a_gpu_is_said_only_where_one_is_here(client, jobs, announce):
    jobs.submit(order("flash", lanes.GPU))
    assert "1 run waits for a GPU, the first for 0 s. " in text(client.get("/worker"))
    assert "No worker that is here" not in text(client.get("/worker"))
    announce(state="installing")
    assert "No worker that is here" not in text(client.get("/worker"))


def test_the_learners_open_runs_stand_there_as_they_are_the_oldest_first_each_with_a_way_to_cancel(
    client, jobs, clock
):
    runs = []
    for n in (1, 2, 3):
        clock.advance(seconds=1)
        runs.append(jobs.submit(order(params={"batch": n})))
    jobs.claim("w", [lanes.DEMO])
    jobs.heartbeat(runs[0], "w", 1, 0.25, "Counting.")
    page = client.get("/worker")
    title = DEMOS["kv-cache"].title
    assert [f'href="/runs/{run}"' in page.text for run in runs] == [True] * 3
    told = text(page).partition("Your open runs")[2].partition("What went wrong")[0]
    assert told.split(title)[1:] == [
        " With its usual parameters Counting. Running, 25 % Cancel ",
        " batch = 2 Next in line. Waits Cancel ",
        " batch = 3 One run is before this one. Waits Cancel ",
    ]
    assert re.findall(r'action="/runs/(\w+)/cancel"', page.text) == runs
    client.post(f"/runs/{runs[2]}/cancel")
    assert runs[2] not in client.get("/worker").text.partition("What went wrong")[0]


def test_what_went_wrong_is_told_newest_first_and_leads_to_the_run(client, jobs, clock):
    def run(outcome, message="", **params):
        made = jobs.submit(order(params=params))
        claim = jobs.claim("w", [lanes.DEMO])
        clock.advance(minutes=1)
        jobs.finish(made, "w", claim.attempt, outcome, message, None)
        return made

    failed = run(Outcome.FAILED, "CUDA error: an illegal address.")
    late = run(Outcome.TIMED_OUT)
    run(Outcome.CANCELLED)
    lost = run(Outcome.DIED, "It was killed.", batch=7)
    page = client.get("/worker")
    faults = page.text.partition("What went wrong")[2]
    assert re.findall(r'class="chip">([^<]+)<', faults) == ["Lost", "Timed out", "Failed"]
    assert re.findall(r'<a class="item-main" href="/runs/(\w+)"', faults) == [lost, late, failed]
    assert "CUDA error: an illegal address." in text(page)
    assert "stopped after 2 s" in text(page)
    assert "batch = 7 It was killed. It waits for its next try." in text(page)
    jobs.finish(lost, "v", jobs.claim("v", [lanes.DEMO]).attempt, Outcome.DONE, "", None)
    assert "batch = 7 It was killed. The next try was done." in text(client.get("/worker"))


def test_a_worker_that_hears_says_so_and_with_what(client, announce, jobs):
    take = Order("speech", lanes.SPEECH, FIRST, {"recording": 1}, "p", "", 2.0, always=True)
    jobs.submit(take)
    announce("plain")
    assert "1 recording waits to be heard, the first for 0 s. No worker that is here hears" in text(
        client.get("/worker")
    )
    lane = {"state": "idle", "device": "tiny.en", "takes": ["speech"]}
    announce(
        "box", devices=[{"kind": "cpu", "name": "Xeon"}], lanes=[lane | {"state": "running", "for_s": 3}]
    )
    page = text(client.get("/worker"))
    assert (
        "Speech to text Hears what is said aloud, with the model tiny.en Hears a recording for 3 s now."
        in page
    )
    assert "No worker that is here hears" not in page
    assert "worker: CPU, hears" in client.get("/worker/corner").text


def test_a_worker_hears_though_it_runs_no_demos(client, announce, app):
    lane = {"state": "idle", "device": "tiny.en", "takes": ["speech"]}
    announce(state="failed", words="The worker cannot start.", lanes=[lane])
    view = app.state.worker_view()
    assert (view.hears, view.ready, view.words) == (True, False, "worker: failed, hears")
    announce(state="absent")
    assert app.state.worker_view().hears is False


def test_a_recording_that_was_not_heard_is_no_run(client, jobs):
    made = jobs.submit(Order("speech", lanes.SPEECH, FIRST, {"recording": 1}, "p", "", 2.0))
    claim = jobs.claim("w", [lanes.SPEECH])
    jobs.finish(made, "w", claim.attempt, Outcome.FAILED, "The sound cannot be decoded.", None)
    page = client.get("/worker")
    assert "Speech to text The sound cannot be decoded. Failed" in text(page)
    assert f"/runs/{made}" not in page.text
    assert client.get(f"/runs/{made}").status_code == 404
    assert client.get(f"/api/v1/runs/{made}").status_code == 404


@pytest.mark.parametrize("state", list(State))
def test_every_fault_has_a_sentence_and_of_anothers_run_only_its_kind_is_told(state, clock):
    lost = Fault(JobId("a"), FIRST, {"demo": "gone"}, state, 1, "It failed.", clock())
    anothers = replace(lost, learner=LearnerId(2))
    mine, other = worker_page(ABSENT, [], [], [lost, anothers], BERLIN, clock()).faults
    assert mine.words.endswith(".")
    assert (mine.title, mine.run, mine.at.words, mine.what) == ("gone", "a", "29 Nov 2026, 19:00", "Lost")
    assert other == FaultCard(mine.at, "Another learner's run", "Lost", words="", run="")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "0 s"), (59.9, "59 s"), (60, "1 min"), (3600, "1 h"), (3900, "1 h 5 min"), (86400, "1 day"),
     (200000, "2 days")],
)  # fmt: skip
def test_a_span_is_short(seconds, words):
    assert span(timedelta(seconds=seconds)) == words


def test_the_part_that_changes_is_the_same_as_on_the_whole_page(client, announce, jobs):
    announce(devices=[{"kind": "cpu", "name": "Xeon"}])
    jobs.submit(order())
    whole, part = client.get("/worker"), client.get("/worker/now")
    assert part.text.strip() in whole.text
    assert "<html" not in part.text


def test_the_corner_leads_to_the_page_and_is_told_anew(client, announce):
    assert 'href="/worker" data-state="absent" data-go="w"' in client.get("/worker/corner").text
    announce(devices=[{"kind": "cuda", "name": "NVIDIA H200"}])
    corner = client.get("/worker/corner").text
    assert "worker: H200" in corner
    assert corner.strip() in client.get("/cards").text
    assert 'data-src="/worker/corner"' in client.get("/cards").text


def test_of_several_workers_the_corner_names_each_kind_of_device(announce, client):
    for name, device in (("a", CPU), ("b", H200), ("c", H200)):
        announce(
            name, devices=[{"kind": device.kind, "name": device.name, "interpreter": device.interpreter}]
        )
    assert "worker: 2 × H200, CPU" in client.get("/worker/corner").text

"""Whatever a demo does not take, it refuses in one sentence, at its field, and nothing is queued.

SOAK counts the requests, SOAK_SEED draws others; a failure names its case.
"""

import html
import json
import os
import random
import re
from dataclasses import dataclass

from fastapi import FastAPI
from starlette.testclient import TestClient

from app.jobs.service import jobs as jobs_of
from kernels.catalog import DEMOS, BadParams, Demo, parse
from kernels.params import NotRead, Param, text
from tests.kernels.sampling import invalid, some

COUNT = int(os.environ.get("SOAK", "30"))
SEED = int(os.environ.get("SOAK_SEED", "1"))
TRIES = 200


@dataclass(frozen=True)
class Wrong:
    """A request that must be refused with `status`; `field` is the parameter that is wrong, if it is one alone."""

    demo: str
    params: dict[str, object]
    status: int = 422
    field: str = ""


def wrong(case: int) -> Wrong:
    """A value that its parameter does not take, most of the time; else a wrong name, or values that contradict."""
    rng = random.Random(f"{SEED} {case}")
    entry = rng.choice(list(DEMOS.values()))
    if case % 10 == 0:
        return Wrong(rng.choice(("", "nothing", "../flash", "é", "a" * 300)), {}, 404)
    if case % 10 == 1:
        return Wrong(entry.name, {rng.choice(("no_such", "__class__", "<b>", "é", "x" * 300)): 1})
    if case % 10 in (2, 3) and (contradiction := contradictory(entry, rng)):
        return Wrong(entry.name, contradiction)
    param = rng.choice(entry.params)
    return Wrong(entry.name, {param.name: rng.choice(refused(param))}, field=param.name)


def refused(param: Param) -> list[object]:
    """What the parameter does not read, neither as it is nor as a form would send it."""
    return [value for value in invalid(param) if not reads(param, value) and not reads(param, sent(value))]


def reads(param: Param, value: object) -> bool:
    try:
        param.read(value)
    except NotRead:
        return False
    return True


def contradictory(entry: Demo, rng: random.Random) -> dict[str, object] | None:
    """Values that are right one by one and make no sense together; None for a demo whose parameters are free."""
    for _ in range(TRIES):
        params: dict[str, object] = {param.name: some(param, rng) for param in entry.params}
        try:
            parse(entry, params)
        except BadParams:
            return params
    return None


def sent(value: object) -> str:
    return text(value) if isinstance(value, bool | int | float | str) else json.dumps(value)


def complaints(app: FastAPI, client: TestClient, given: Wrong) -> list[str]:
    """What is wrong with how the request is refused, through the API and through the form."""
    found = []
    body = json.dumps({"demo": given.demo, "params": given.params})
    asked = client.post("/api/v1/runs", content=body, headers={"Content-Type": "application/json"})
    detail = asked.json().get("detail") if asked.status_code < 500 else ""
    if asked.status_code != given.status or not is_sentence(detail):
        found.append(f"API: {asked.status_code} {detail!r}")
    if "/" not in given.demo and given.demo:
        form = {name: sent(value) for name, value in given.params.items()}
        answer = client.post(f"/demos/{given.demo}/runs", data=form)
        at_field = re.search(rf'<p class="error" id="{given.field}-error">([^<]+)</p>', answer.text)
        said = html.unescape(at_field[1]) if at_field else ""
        if answer.status_code != given.status:
            found.append(f"form: {answer.status_code}")
        elif given.field and not (is_sentence(said) and said.startswith(f"{given.field} must be ")):
            found.append(f"form, at the field: {said!r}")
        elif not given.field and not re.search(r'role="alert"|<h1', answer.text):
            found.append("form: no sentence")
    if jobs_of(app.state.parts).claim("w", ["demo", "gpu"]):
        found.append("it was queued")
    return found


def is_sentence(words: object) -> bool:
    return isinstance(words, str) and words[:1] != "" and words.rstrip().endswith((".", "?", ".”", '."'))


def test_what_does_not_fit_is_refused_in_a_sentence_and_not_run(app: FastAPI, client: TestClient) -> None:
    found = []
    for case in range(COUNT):
        given = wrong(case)
        if told := complaints(app, client, given):
            found.append((f"SOAK_SEED={SEED}, case {case}", given, told))
    assert found == []

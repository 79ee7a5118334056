"""The settings page: each change is one form, one POST, and said when it is done."""

from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from app.accounts import service as accounts
from app.accounts.learner import LearnerId
from app.accounts.service import Current
from app.choices import service, trial, view
from app.choices.trial_view import trial_view
from app.drill.hearing import ordering
from app.drill.judge import service as judge
from app.drill.judge.asking import TooMany
from app.drill.judge.chat import Judge
from app.drill.recording import service as recordings
from app.web.api import Its
from app.web.errors import Busy
from app.web.templating import url_for

router = APIRouter(prefix="/settings", include_in_schema=False)

TEST = "a test"  # what the judge's test is about: no attempt has such a key


@router.get("")
def whole(request: Request, its: Its, learner: Current, said: str = "") -> Response:
    with its.db.read() as conn:
        chosen = service.chosen(conn, learner)
        usage = recordings.usage(conn, learner, its.settings)
        asked = judge.chosen(conn, learner, judge.allowed(its.settings))
        ears = trial.ears(conn, its, learner)
    shown = view.settings_view(
        its.settings,
        learner,
        chosen,
        now=its.clock(),
        said=said,
        workers=its.workers.workers(),
        judges=judge.allowed(its.settings),
        used=(usage.recordings, usage.size),
    )
    return its.pages.render(
        request,
        "settings/settings.html",
        view=shown,
        zones=accounts.zones(),
        trial=trial_view(trial.standing(its, learner), ears),
        test=view.judge_test(asked, its.asking.about(_about(learner.id))),
    )


@router.post("/zone")
def change_zone(request: Request, its: Its, learner: Current, zone: Annotated[str, Form()]) -> Response:
    accounts.check_zone(zone.strip())
    with its.db.write() as conn:
        accounts.change_zone(conn, learner, zone.strip())
    request.app.state.asks_zone = False
    return _done(request, "zone")


@router.post("/rollover")
def change_rollover(
    request: Request, its: Its, learner: Current, hour: Annotated[str, Form()] = ""
) -> Response:
    with its.db.write() as conn:
        service.change_rollover(conn, learner, hour, its.settings)
    return _done(request, "rollover")


@router.post("/speech")
def choose_speech(request: Request, its: Its, learner: Current, provider: Annotated[str, Form()]) -> Response:
    with its.db.write() as conn:
        service.choose_speech(conn, learner, its.settings, provider)
    ordering.withdraw(its, learner)
    return _done(request, "speech")


@router.get("/speech/test")
def look_at_trial(request: Request, its: Its, learner: Current) -> Response:
    """The trial alone, for static/js/waiting.js."""
    with its.db.read() as conn:
        ears = trial.ears(conn, its, learner)
    shown = trial_view(trial.standing(its, learner), ears)
    return its.pages.render(request, "settings/_trial.html", trial=shown)


@router.post("/speech/test")
def try_speech(request: Request, its: Its, learner: Current, file: Annotated[UploadFile, File()]) -> Response:
    trial.begin(its, learner, file.file.read(trial.MOST_BYTES + 1))
    return _back(request, "trial")


@router.post("/speech/test/cancel")
def leave_trial(request: Request, its: Its, learner: Current) -> Response:
    trial.leave(its, learner)
    return _back(request, "trial")


@router.post("/judge")
def choose_judge(request: Request, its: Its, learner: Current, name: Annotated[str, Form()] = "") -> Response:
    with its.db.write() as conn:
        service.choose_judge(conn, learner, its.settings, name)
    return _done(request, "judge")


@router.get("/judge/test")
def look_at_test(request: Request, its: Its, learner: Current) -> Response:
    """The judge's test alone, for static/js/waiting.js."""
    with its.db.read() as conn:
        asked = judge.chosen(conn, learner, judge.allowed(its.settings))
    test = view.judge_test(asked, its.asking.about(_about(learner.id)))
    return its.pages.render(request, "settings/_test.html", test=test)


@router.post("/judge/test")
async def test_judge(request: Request, its: Its, learner: Current) -> Response:
    """Ask about a made-up answer. As with a take, no request waits for what comes."""

    def find() -> Judge:
        with its.db.read() as conn:
            return service.judge_of(conn, learner, its.settings)

    asked = await run_in_threadpool(find)
    try:
        its.asking.begin(_about(learner.id), lambda: service.test_judge(asked), asked.where)
    except TooMany:
        raise Busy("The judge is asked several things already; wait until one is answered.", 10) from None
    return _back(request, "test")


@router.post("/judge/test/cancel")
async def leave_test(request: Request, its: Its, learner: Current) -> Response:
    await its.asking.cancel(_about(learner.id))
    return _back(request, "test")


def _about(learner_id: LearnerId) -> tuple[LearnerId, str]:
    return learner_id, TEST


def _done(request: Request, what: str) -> Response:
    """Back to the settings, which say what was changed."""
    return RedirectResponse(f"{url_for(request)('settings', said=what)}", 303)


def _back(request: Request, place: str) -> Response:
    return RedirectResponse(f"{url_for(request)('settings')}#{place}", 303)

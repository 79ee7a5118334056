"""create_app: the only place where the parts are put together."""

import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import to_thread
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from app import __version__
from app.accounts import store as learners
from app.accounts.service import knows_zone
from app.choices import tidying, trial
from app.clock import Clock, system_clock
from app.db.engine import POOL, Database
from app.demos import outputs as demo_outputs
from app.demos.records import Records
from app.drill.hearing import service as hearing
from app.drill.judge.asking import Asking
from app.drill.recording import letting_go
from app.drill.recording.pages import MOST_UPLOAD as MOST_SOUND
from app.interchange.importing import MOST_UPLOAD
from app.jobs import background, kinds
from app.jobs.hub import Hub
from app.jobs.registry import Registry
from app.library import watching
from app.library.decks import Decks
from app.primers.shelf import Shelf
from app.settings import ROOT, Settings
from app.web import errors
from app.web.assets import Assets, ImmutableFiles
from app.web.head import Head
from app.web.parts import Parts
from app.web.prefix import Prefix
from app.web.security import Guard
from app.web.signing import Signer
from app.web.templating import Pages

ROUTERS = (
    "app.web.api",
    "app.accounts.pages",
    "app.today.pages",
    "app.rounds.pages",
    "app.primers.pages",
    "app.library.print_pages",  # its address would else be that of a card called "print"
    "app.interchange.pages",  # and its, that of one called "exchange"
    "app.library.edit_pages",  # and that of one called "new"
    "app.library.pages",
    "app.library.api",
    "app.study.pages",
    "app.listen.pages",
    "app.study.api",
    "app.drill.history.pages",
    "app.drill.recording.pages",
    "app.drill.typed.pages",
    "app.drill.pages",
    "app.drill.review.pages",
    "app.drill.judge.pages",
    "app.mock.pages",
    "app.mock.report_pages",
    "app.mock.review_pages",
    "app.progress.pages",
    "app.demos.pages",
    "app.demos.api",
    "app.jobs.api",
    "app.workers.pages",
    "app.choices.pages",
)


def create_app(settings: Settings, clock: Clock = system_clock) -> FastAPI:
    """The web side on an already migrated database (see app.db.migrate.upgrade)."""
    db = Database(settings.database)
    assets = Assets(ROOT / "static")
    hub = Hub()
    workers = Registry(clock, settings.lease_s)
    pages = Pages(ROOT / "templates", assets)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = POOL
        hub.bind()
        async with (
            background.running(app.state.parts),
            letting_go.running(app.state.parts),
            tidying.running(app.state.parts),
            watching.running(settings, app.state.parts.decks),
        ):
            yield
        await app.state.parts.asking.close()
        hub.close()
        db.close()

    app = FastAPI(
        title="Aloud",
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.parts = Parts(
        settings,
        clock,
        db,
        pages,
        Signer(settings.secret()),
        hub,
        workers,
        Records(settings.recorded),
        Shelf(settings.primers, settings.figures),
        Decks(settings, db, clock),
        kinds.by_name(demo_outputs.RUN, hearing.kind(settings), trial.kind(settings)),
        Asking(),
    )
    app.state.worker_view = workers.view
    with db.write() as conn:
        learners.ensure_first(conn, rollover=settings.rollover, now=clock())
        app.state.asks_zone = not knows_zone(conn)
    errors.install(app)
    for name in ROUTERS:
        app.include_router(importlib.import_module(name).router)
    app.mount("/static", ImmutableFiles(assets), name="static")
    app.add_middleware(GZipMiddleware, minimum_size=800)
    app.add_middleware(Head)
    larger = {"/cards/exchange": MOST_UPLOAD, "/drill/*/sound/file": MOST_SOUND}
    app.add_middleware(Guard, allowed_hosts=settings.names, larger=larger)
    app.add_middleware(Prefix, root_path=settings.root_path)
    return app

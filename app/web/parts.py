"""The parts that create_app puts together once and every handler may use."""

from dataclasses import dataclass

from fastapi import Request

from app.clock import Clock
from app.db.engine import Database
from app.demos.records import Records
from app.drill.judge.asking import Asking
from app.jobs.hub import Hub
from app.jobs.kinds import Kinds
from app.jobs.registry import Registry
from app.library.decks import Decks
from app.primers.shelf import Shelf
from app.settings import Settings
from app.web.signing import Signer
from app.web.templating import Pages


@dataclass(frozen=True)
class Parts:
    settings: Settings
    clock: Clock
    db: Database
    pages: Pages
    signer: Signer
    hub: Hub
    workers: Registry
    records: Records
    primers: Shelf
    decks: Decks
    kinds: Kinds
    asking: Asking


def parts(request: Request) -> Parts:
    """The parts of the app that serves `request`; used as a dependency."""
    found = request.app.state.parts
    assert isinstance(found, Parts)
    return found

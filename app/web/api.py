"""What every JSON handler of /api/v1 shares."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict

from app import __version__
from app.web.parts import Parts, parts

PREFIX = "/api/v1"
Its = Annotated[Parts, Depends(parts)]


class Body(BaseModel):
    """A request's or an answer's body: unknown fields are refused, so that a typo is told."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Wrong(Body):
    detail: str


WRITE = (403, 411, 413, 415)
"""What app.web.security may answer to any write."""


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error answers of a route, for OpenAPI: each has one sentence in `detail`."""
    return {status: {"model": Wrong} for status in statuses}


router = APIRouter(prefix=PREFIX, tags=["health"])


class Health(Body):
    status: str
    version: str


@router.get("/health")
def health(its: Its) -> Health:
    """Whether the server can read its database."""
    with its.db.read() as conn:
        conn.exec_driver_sql("SELECT 1")
    return Health(status="ok", version=__version__)

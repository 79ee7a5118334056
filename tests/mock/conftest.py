"""The cards of which the tests' interviews are drawn: two to be said, six to be read, one that is asked after them."""

import pytest
from sqlalchemy import select, update

from app.db import tables as t
from app.db.engine import Database
from tests.conftest import add_cards

READ = [f"read{at}" for at in range(6)]


@pytest.fixture(autouse=True)
def _cards(db: Database) -> None:
    add_cards(db, "pitch", "decode", queue="drill", deck="spoken")
    add_cards(db, *READ, deck="read")
    add_cards(db, "harder", deck="read/up", level="IC6")
    with db.write() as conn:
        for key in (*READ, "pitch", "decode"):
            body = dict(conn.execute(select(t.note.c.body).where(t.note.c.key == key)).scalar_one())
            conn.execute(update(t.note).where(t.note.c.key == key).values(body={**body, "next": ["harder"]}))

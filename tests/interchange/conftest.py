"""What the tests of the room share: a library with a card of every kind, and the official Anki where there is one."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.db.engine import Database
from app.interchange.apkg_out import package
from app.interchange.outgoing import outgoing
from app.library.service import Wanted
from app.library.source_notes import SourceDeck
from app.library.sources import found, load
from app.library.sync import sync
from app.settings import Settings

NOW = datetime(2026, 11, 29, 18, 0, tzinfo=UTC)
ADDRESS = "http://localhost:8000/aloud"
DECK = r"""---
deck: attention/every
title: Every kind
demo: attention n_q=4 n_kv=4
---
Q: Why divide by $\sqrt{d_k}$, and what does `#include <bits>` do & why?
A: Or $\q{Q}\k{K}^\top < \masked{-\infty}$ saturates:

$$
\frac{a}{b_{i}}
$$
wrong: “It is *habit*.” It is not.
id: plain
level: IC4
core: yes
tags: scaling, soft-max
source: Vaswani 2017, section 3.2.1
demo: scaling d_k=64 n_kv=16

C: The mask sets {{c1::$x_{a_{b}}$::the `a::b` ones}} to {{c2::`f({})`}} and {{c2::**more**}}.
A: Before the softmax.
id: gaps

Q: query
kind: reverse
A: key
id: ways

Q: How much?
kind: number
answer: 320 KiB
A: Count it.
id: much

Q: Which flag?
kind: typed
answer: enable_gqa
id: flag

Q: Write it.
kind: code
A: ```python
x = {"a": [1]}
```
id: code

Q: {=n} tokens: how many pairs?
kind: estimate
params: n=4|8
answer: n * n
id: pairs

Q: Which is wrong?
kind: spot
right: One.
right: Two.
wrong: Three.
A: It is.
id: spot

S: Explain it.
time: 30
point p1: Says why
  hear: why
model: Because.
id: said
"""


@pytest.fixture
def library(db: Database, settings: Settings) -> Callable[..., tuple[SourceDeck, ...]]:
    """The notes that fit a filter, from a library with a card of every kind."""
    (settings.content / "decks" / "every.md").write_text(DECK, encoding="utf-8")
    assert sync(settings, db, NOW).errors == ()

    def chosen(**wanted: str) -> tuple[SourceDeck, ...]:
        with db.read() as conn:
            places = found(conn, Wanted(**wanted))
        return load(settings, places)

    return chosen


@pytest.fixture
def collection(tmp_path: Path) -> Any:
    """A fresh collection of the official Anki; skips where the package is not installed."""
    pytest.importorskip("anki")
    from anki.collection import Collection

    made = Collection(str(tmp_path / "collection.anki2"))
    yield made
    made.close()


def apkg(decks: tuple[SourceDeck, ...], now: datetime = NOW) -> bytes:
    return package(outgoing(decks), ADDRESS, now)


def take_in(collection: Any, data: bytes, path: Path) -> Any:
    """Anki's own import of a package, as its window does it: what it added, updated and found."""
    from anki.collection import ImportAnkiPackageOptions, ImportAnkiPackageRequest

    path.write_bytes(data)
    options = ImportAnkiPackageOptions(merge_notetypes=True)
    return collection.import_anki_package(
        ImportAnkiPackageRequest(package_path=str(path), options=options)
    ).log

"""`aloud serve --watch`: the deck folders are looked at every second, and read when a file in them has changed."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from fastapi.concurrency import run_in_threadpool

from app.lasting import lasting
from app.library.decks import Decks, Look
from app.library.files import deck_paths, folders
from app.settings import Settings

log = logging.getLogger("aloud")

EVERY_S = 1.0
Stamp = tuple[
    int, int, int
]  # modified in ns, size, inode: an editor that replaces a file changes at least one


def running(settings: Settings, decks: Decks) -> AbstractAsyncContextManager[None]:
    """Watches, where the settings say so; to be put around the app's life."""
    return lasting(watch(settings, decks)) if settings.watch else lasting()


async def watch(settings: Settings, decks: Decks, every_s: float = EVERY_S) -> None:
    """For ever. A file is read once it has stood still for one look: editors may write in several strokes."""
    read: Mapping[Path, Stamp] = {}  # a file may have changed between the start's look and the first one here
    seen = read
    while True:
        await asyncio.sleep(every_s)
        try:
            now = await run_in_threadpool(stamps, settings)
            if now == seen and now != read:
                look = await run_in_threadpool(decks.look, asked=False)
                read = now
                if look.told:
                    print(words(look), flush=True)
            seen = now
        except Exception:
            log.exception("Looking for changed decks failed; it is tried again")


def stamps(settings: Settings) -> Mapping[Path, Stamp]:
    """What tells whether a deck file has changed, without reading it."""
    return {
        path: stamp
        for folder in folders(settings).values()
        for path in deck_paths(folder)
        if (stamp := _stamp(path))
    }


def words(look: Look) -> str:
    """A line for whoever watches the server."""
    told = [f"Decks: {look.synced.changes.words}.", *map(str, look.synced.errors)]
    return "\n".join(told)


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:  # gone since it was listed, or a link to nowhere
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino

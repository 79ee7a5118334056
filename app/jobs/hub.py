"""Wakes coroutines of the one web process when something they wait for has changed.

with hub.listen("queue") as change:   # first listen, then look, so that no change is missed
    while not (job := await look()) and not hub.closing:
        await change.wait(timeout=20)
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Change:
    def __init__(self) -> None:
        self._event = asyncio.Event()

    async def wait(self, timeout: float) -> bool:
        """True once the topic has changed since the last wait; False after `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True

    def wake(self) -> None:
        self._event.set()


class Hub:
    def __init__(self) -> None:
        self.closing = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: defaultdict[str, set[Change]] = defaultdict(set)

    def bind(self) -> None:
        """Remember the running loop; called once, when the app starts."""
        self._loop = asyncio.get_running_loop()

    @contextmanager
    def listen(self, topic: str) -> Iterator[Change]:
        change = Change()
        self._listeners[topic].add(change)
        try:
            yield change
        finally:
            self._listeners[topic].discard(change)
            if not self._listeners[topic]:
                del self._listeners[topic]

    def notify(self, topic: str) -> None:
        """Wake all who listen to `topic`; may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, topic)

    def close(self) -> None:
        """Wake everybody, for good: the server is stopping, and open streams must end now."""
        self.closing = True
        if self._loop is not None and not self._loop.is_closed():
            for topic in list(self._listeners):
                self._loop.call_soon_threadsafe(self._wake, topic)

    def _wake(self, topic: str) -> None:
        for change in tuple(self._listeners.get(topic, ())):
            change.wake()

"""The questions to a judge that are open: each is a task of the web process, since an answer may take a minute.

A request that waited as long would be cut off by many a proxy, and by whoever reloads the page. Kept in memory: after a
restart nothing is open, and what was asked can be asked again. What comes of it, `work` keeps.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.accounts.learner import LearnerId
from app.drill.judge.chat import NoAnswer

log = logging.getLogger("aloud")

About = tuple[LearnerId, str]  # whose question it is, and the key of what it is about

MOST_OPEN = 4
MOST_KNOWN = 100  # how many are remembered with how they ended
OURS = "The opinion could not be had for a fault on our side; the server's log says more."


class TooMany(Exception):
    """As many questions are open as may be."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and how it stands; `said` is what `work` gave back, `problem` the sentence why there is nothing.

    `whom` was asked, in words: another may be chosen before the answer comes.
    """

    open: bool = True
    said: str = ""
    problem: str = ""
    whom: str = ""


class Asking:
    """Open questions, and how the latest ended. To be used from the loop, except `about`, which any thread may ask."""

    def __init__(self) -> None:
        self._asked: dict[About, Asked] = {}
        self._tasks: dict[About, asyncio.Task[None]] = {}

    def begin(self, about: About, work: Callable[[], Awaitable[str]], whom: str = "") -> None:
        """Do `work`, which asks `whom`; nothing, where it is done already. Raises TooMany where too much is open."""
        if about in self._tasks:
            return
        if len(self._tasks) >= MOST_OPEN:
            raise TooMany
        self._asked.pop(about, None)  # the newest is last
        self._asked[about] = Asked(whom=whom)
        for oldest in list(self._asked)[:-MOST_KNOWN]:
            if oldest not in self._tasks:
                del self._asked[oldest]
        task = self._tasks[about] = asyncio.create_task(self._do(about, work, whom))
        task.add_done_callback(lambda _: self._tasks.pop(about, None))

    def about(self, about: About) -> Asked | None:
        """How a question stands; None: it was not asked, or is no longer known."""
        return self._asked.get(about)

    async def cancel(self, about: About) -> None:
        """End an open question; what has come of one that has ended, stays. It is forgotten, as if never asked."""
        task = self._tasks.get(about)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        self._asked.pop(about, None)

    async def close(self) -> None:
        """End all that is open: the server is stopping."""
        for about in list(self._tasks):
            await self.cancel(about)

    async def _do(self, about: About, work: Callable[[], Awaitable[str]], whom: str) -> None:
        try:
            ended = Asked(open=False, said=await work(), whom=whom)
        except NoAnswer as problem:
            ended = Asked(open=False, problem=str(problem), whom=whom)
        except Exception:
            log.exception("Asking a judge failed")
            ended = Asked(open=False, problem=OURS, whom=whom)
        self._asked[about] = ended

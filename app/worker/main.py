"""`aloud worker`: connects to a web side, on this machine or another, and serves its runs until told to stop."""

import asyncio
import logging
import secrets
import signal
import socket
import sys

from app.setting_rules import LONGEST_NAME
from app.settings import Settings
from app.worker.hearing import ears
from app.worker.link import Link, TurnedAway
from app.worker.supervisor import Supervisor


def work(settings: Settings) -> int:
    """Serve runs until SIGTERM or Ctrl-C; the exit status. 1 when the web side refuses this worker."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    logging.getLogger("aloud.worker").setLevel(logging.INFO)
    status = 0
    try:
        asyncio.run(_work(settings))
    except* TurnedAway as refused:
        print(refused.exceptions[0], file=sys.stderr)
        status = 1
    except* asyncio.CancelledError:
        pass
    return status


def own_name(settings: Settings) -> str:
    """What this process is called: no other one's name, or one of two on a host would take leave for both."""
    name = settings.worker_name or socket.gethostname()
    own = f" {secrets.token_hex(4)}"
    return name[: LONGEST_NAME - len(own)] + own


async def _work(settings: Settings) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, task.cancel)
    link = Link(settings.web_side, settings.worker_token(), own_name(settings))
    try:
        await Supervisor(
            link, settings.data / "cache", cap_s=settings.run_deadline_s, ears=ears(settings)
        ).run()
    finally:
        await link.close()

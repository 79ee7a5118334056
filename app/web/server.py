"""uvicorn, made to stop at once: open event streams and waiting workers are told before it waits for them."""

import contextlib
import errno
import gc
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from app.settings import Settings
from app.web.parts import Parts


class CannotListen(Exception):
    """The address cannot be listened on; the message is one sentence that says what to change."""


class Server(uvicorn.Server):
    """Calls `ready` once it answers, and closes the hub before it waits for open answers to end."""

    def __init__(self, config: uvicorn.Config, its: Parts, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._hub = its.hub
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.freeze()  # what is loaded now stays: neither a request nor the end has to search it for garbage
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._hub.close()
        super().handle_exit(sig, frame)


def run(app: FastAPI, settings: Settings, ready: Callable[[str], None]) -> int:
    """Serve until Ctrl-C or SIGTERM; the exit status. `ready` gets the address, once it answers.

    Raises CannotListen when the port is taken or the host is not this machine.
    """
    listening = _listen(settings)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    server = Server(config, app.state.parts, lambda: ready(settings.address))
    try:
        server.run([listening])
    except KeyboardInterrupt:  # uvicorn raises the signal again when all is closed
        return 0
    finally:
        listening.close()
    return 0 if server.started else 1


def _listen(settings: Settings) -> socket.socket:
    """A socket of the protocol TCP by number: asyncio turns Nagle's wait (40 ms an answer) off for no other."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
        family, kind, _, _, place = found[0]
        with contextlib.ExitStack() as unless_bound:
            listening = unless_bound.enter_context(socket.socket(family, kind, socket.IPPROTO_TCP))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen()
            unless_bound.pop_all()
    except OSError as error:
        nowhere = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        what_to_do = (
            "Name an address of this machine with --host."
            if nowhere
            else "Stop what runs there, or choose another port with --port."
        )
        raise CannotListen(
            f"Aloud cannot listen on {settings.host}:{settings.port} ({error.strerror}). {what_to_do}"
        ) from None
    return listening

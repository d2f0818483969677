"""Run an ASGI application on loopback until told to stop; the port is bound before anything opens."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import uvicorn

from fanlight.errors import ConfigError

__all__ = ["DEFAULT_PORT", "bind_loopback", "serving"]

DEFAULT_PORT = 9470
_TRIES = 100
_MAX_MESSAGE = 64 << 20


def bind_loopback(port: int | None) -> socket.socket:
    """Bind 127.0.0.1: the given port, or the first free one from 9470.

    Raises:
        ConfigError: the port is taken or out of range.
    """
    candidates = [port] if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + _TRIES)
    for candidate in candidates:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", candidate))
            # Without it a second program could bind the same port before either of them listens.
            listener.listen()
        except (OSError, OverflowError):
            listener.close()
            continue
        return listener
    if port is not None:
        raise ConfigError(
            f"port {port} cannot be used: it is taken or not allowed; choose another with --port"
        )
    raise ConfigError(
        f"no free port between {DEFAULT_PORT} and {DEFAULT_PORT + _TRIES - 1}; choose one with --port"
    )


@contextlib.asynccontextmanager
async def serving(app: Any, listener: socket.socket) -> AsyncIterator[int]:
    """Serve `app` for the length of a `with` block; yields the port."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,  # whom to believe is Host(trusted_proxies=…)'s decision, not the server's
        # Measured: this implementation without deflate is the leanest for many small messages.
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_max_size=_MAX_MESSAGE,
        timeout_graceful_shutdown=2,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        up = asyncio.create_task(server.up.wait())
        await asyncio.wait({task, up}, return_when=asyncio.FIRST_COMPLETED)
        up.cancel()
        if task.done():
            await task
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        await task
        listener.close()


class _Server(uvicorn.Server):
    """Tells when it is up, and leaves signals to the program: Ctrl-C must end children too."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield

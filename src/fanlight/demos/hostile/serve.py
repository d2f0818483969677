"""Run the hostile server over stdio with a listener of its own, until the host closes the pipe."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack

from fanlight.errors import ConfigError

from .listener import Listener
from .server import Hostile

__all__ = ["serve_stdio"]


async def serve_stdio(listen: str, name: str | None, say: Callable[[str], None]) -> None:
    """Serve one host over this process's stdin and stdout.

    Raises:
        ConfigError: `listen` is not HOST:PORT, or cannot be listened on.
    """
    host, colon, port = listen.rpartition(":")
    if not (colon and host and port.isdecimal() and int(port) < 65536):
        raise ConfigError(f"--listen is {listen!r}: expected HOST:PORT, such as 127.0.0.1:0")
    async with AsyncExitStack() as stack:
        try:
            listener = await stack.enter_async_context(Listener(host.strip("[]"), int(port), name))
        except OSError as error:
            raise ConfigError(f"--listen is {listen!r}: {error.strerror or error}") from error
        say(f"hostile: the undeclared listener is {listener.url}")
        await Hostile(listener, lambda line: say(f"hostile: {line}")).server.run_stdio_async()

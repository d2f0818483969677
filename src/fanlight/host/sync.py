"""The host for programs without an event loop: Flask, scripts, Streamlit. `with Host.sync(...) as host:`

Everything happens in the asynchronous `Host` on a thread of its own; here are only its waiting doors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Self, TypeVar
from weakref import WeakValueDictionary

from fanlight.errors import ConfigError
from fanlight.sandbox.origins import DEVELOPMENT_PAGE_HOSTS, development_origins
from fanlight.upstream.doors import CONNECT_TIMEOUT

from .background import BackgroundLoop, close_at_exit
from .host import Host
from .sync_calls import SyncCall, SyncStreamedCall, SyncView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fanlight.upstream import Tool

    from .server import Server
    from .view import View

__all__ = ["SyncHost", "SyncServer"]

T = TypeVar("T")
SyncMessageHandler = Callable[[SyncView, list[dict[str, Any]]], bool | None]
# What failed to open is closed again, which takes a moment.
_CLOSING_TIME = 30.0


class SyncHost:
    """A `Host` with its own thread and its own local server; safe to use from any thread.

    Args:
        port: of the local server on 127.0.0.1; None for the first free one from 9470.
        page_name: `localhost`, or `127.0.0.1` for browsers that do not resolve `*.localhost` (opaque views).
        messages: whether views may send messages that wait for `view.wait_message()`; with `on_message` they
            may anyway.
        settings: those of `Host`. Without `public_url`, browsers reach it at `http://<page_name>:<port>`.
    """

    def __init__(
        self,
        *,
        port: int | None = None,
        page_name: str = "localhost",
        messages: bool = False,
        **settings: Any,
    ) -> None:
        if page_name not in DEVELOPMENT_PAGE_HOSTS:
            raise ConfigError(f"page_name is {page_name!r}: choose from {list(DEVELOPMENT_PAGE_HOSTS)}")
        self._asked_port = port
        self._page_name = page_name
        self._settings = settings
        self._loop = BackgroundLoop("the host's thread")
        self._host: Host | None = None
        # A door lives as long as its view, which holds it; the host decides how long that is.
        self._views: WeakValueDictionary[str, SyncView] = WeakValueDictionary()
        self._handler: SyncMessageHandler | None = None
        self._messages = messages
        self.port = 0

    # Life

    def start(self) -> Self:
        """Start the thread and the server, for a program that has no place for a `with` block.

        It ends with `close()`, or with the program.

        Raises:
            ConfigError: the port is taken, or a setting cannot work.
        """
        if not self._loop.running:
            self._loop.start(self._live)
            close_at_exit(self.close)
        return self

    def close(self) -> None:
        """End every view, every server (children too) and the thread; a second time is harmless."""
        self._loop.stop()
        for view in list(self._views.values()):
            view.ended()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def _live(self, ready: Callable[[], None], stop: asyncio.Event) -> None:
        from .asgi import standalone
        from .serve import bind_loopback, serving

        listener = bind_loopback(self._asked_port)
        try:
            self.port = listener.port
            settings = dict(self._settings)
            if settings.get("origins") is None and settings.get("public_url") is None:
                settings["origins"] = development_origins(f"{self._page_name}:{self.port}")
            host = self._host = Host(**settings)
            if self._messages or self._handler is not None:
                host.on_message(self._deliver)
            async with serving(standalone(host), listener):
                try:
                    ready()
                    await stop.wait()
                finally:
                    await host.aclose()  # while pages can still hear it: views may save their work
        finally:
            listener.close()

    @property
    def host(self) -> Host:
        """The asynchronous host, for use on its own loop: `host.run(host.host.something())`."""
        if self._host is None:
            raise ConfigError("this host was never started: use it as `with Host.sync(...) as host:`")
        return self._host

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Do something of the asynchronous API on the host's loop and wait for it here."""
        return self._loop.run(work, timeout)

    # Servers

    def connect(
        self, name: str, target: object, *, identity: str | None = None, timeout: float = CONNECT_TIMEOUT
    ) -> SyncServer:
        """Connect a server; the targets, `identity` and the time are those of `Host.connect`.

        Raises:
            ConfigError: the target or the name cannot be used.
            UpstreamError: the server could not be reached, or not within `timeout` seconds.
        """
        connecting = self.host.connect(name, target, identity=identity, timeout=timeout)
        # The reason comes from inside, where all that can wait has a limit of its own.
        longest = timeout + self.host.server_limits.list_seconds + _CLOSING_TIME
        return SyncServer(self, self.run(connecting, longest))

    @property
    def servers(self) -> Mapping[str, SyncServer]:
        return {name: SyncServer(self, server) for name, server in self.host.servers.items()}

    # What views tell the program

    def on_message(self, handler: SyncMessageHandler) -> SyncMessageHandler:
        """Register who hears what views say: `handler(view, content_blocks)`. Usable as a decorator.

        It runs in a thread of its own, one message after the other, and may use this host.
        """
        self._handler = handler
        if self._host is not None:
            self._host.on_message(self._deliver)
        return handler

    def context_for_next_turn(self, user: str | None = None) -> list[dict[str, Any]]:
        """What views want the model to know, one entry a view; see `Host.context_for_next_turn`."""
        return self._loop.call(self.host.context_for_next_turn, user)

    async def _deliver(self, view: View, content: list[dict[str, Any]]) -> bool | None:
        shown, handler = self.wrap(view), self._handler
        if handler is None:
            return shown.keep(content)
        async with shown.speaking:
            return await asyncio.to_thread(handler, shown, content)

    # Views

    def view(self, view_id: str, *, user: str | None = None) -> SyncView | None:
        """The view of that id, if there is one in memory (of this user, where one is given)."""

        def finding() -> SyncView | None:
            found = self.host.view(view_id, user=user)
            return None if found is None else self.wrap(found)

        return self._loop.call(finding)

    def url(self, view: SyncView) -> str:
        """The page that shows only this view, to be opened in a browser."""
        origins = self.host.addresses.origins
        assert origins is not None  # made when the port was known
        return f"{origins.host}{self.host.addresses.page_path}/page#{view.id}.{view.token}"

    def wrap(self, view: View) -> SyncView:
        """The one waiting door of this view; only on the host's loop."""
        door = self._views.get(view.id)
        if door is None:
            door = self._views[view.id] = SyncView(self, view)
        return door

    def check_waits_for_messages(self) -> None:
        """Refuse to wait for what will never come.

        Raises:
            ConfigError: messages go to `on_message`, or views may send none.
        """
        if self._handler is not None:
            raise ConfigError("messages go to the function given to on_message; wait_message() gets none")
        if not self._messages:
            raise ConfigError("views may send no messages: make the host with Host.sync(messages=True)")


class SyncServer:
    """A connected server; see `fanlight.host.Server`."""

    def __init__(self, host: SyncHost, server: Server) -> None:
        self.name = server.name
        self._host = host
        self._server = server

    @property
    def tools(self) -> list[Tool]:
        return self._server.tools

    def tools_for_model(self) -> list[dict[str, Any]]:
        """The tools that a model may see, in wire form."""
        return self._server.tools_for_model()

    def call_tool(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        user: str | None = None,
        timeout: float | None = None,
    ) -> SyncCall:
        """Call a tool and wait for its result; `call.view` is set when the tool has an app.

        Raises:
            RpcError: the server answered the call with an error.
            UpstreamError: there is no such tool, or the connection broke.
            TimeoutError: not within `timeout` seconds; the call was cancelled.
        """

        async def calling() -> SyncCall:
            return SyncCall(self._host, await self._server.call_tool(name, arguments, user=user))

        return self._host.run(calling(), timeout)

    def start_call(
        self, name: str, arguments: dict[str, Any] | None = None, *, user: str | None = None
    ) -> SyncCall:
        """Start a call and return at once; `call.wait()` gives the result."""

        async def starting() -> SyncCall:
            return SyncCall(self._host, self._server.start_call(name, arguments, user=user))

        return self._host.run(starting())

    def begin_call(self, name: str, *, user: str | None = None) -> SyncStreamedCall:
        """Begin a call whose arguments are still being written: `with server.begin_call(name) as call:`."""

        async def beginning() -> SyncStreamedCall:
            return SyncStreamedCall(self._host, self._server.begin_call(name, user=user))

        return self._host.run(beginning())

    def close(self) -> None:
        """Close the connection; a stdio child is ended with it."""
        self._host.run(self._server.aclose())

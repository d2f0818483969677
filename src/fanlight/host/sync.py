"""The host for programs without an event loop: Flask, scripts, Streamlit. `with Host.sync(...) as host:`

Everything happens in the asynchronous `Host` on a thread of its own; here are only its waiting doors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar
from weakref import WeakValueDictionary

from fanlight.errors import ConfigError
from fanlight.sandbox.origins import DEVELOPMENT_PAGE_HOSTS, development_origins
from fanlight.upstream.doors import CONNECT_TIMEOUT

from .background import BackgroundLoop, close_at_exit
from .host import Host
from .sync_calls import SyncView
from .sync_handlers import HandlerThreads
from .sync_server import SyncServer

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        self._going_on: set[asyncio.Task[Any]] = set()
        self.handler_threads = HandlerThreads("a function for the host")
        self._messages = messages
        self.port = 0

    # Life

    def start(self) -> Self:
        """Start the thread and the server, for a program that has no place for a `with` block.

        It ends with `close()`, or with the program.

        Raises:
            ConfigError: the port is taken, or a setting cannot work.
        """
        if self._loop.start(self._live):
            close_at_exit(self.close)
        return self

    def close(self) -> None:
        """End every view, every server (children too) and the thread; a second time is harmless.

        A function of yours that still runs (`on_message`) is not waited for.
        """
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
                    await asyncio.gather(*self._going_on, return_exceptions=True)
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

    def run_to_end(self, work: Callable[[], Coroutine[Any, Any, T]], timeout: float | None) -> T:
        """As `run`, for what must not stop half way: after `timeout` seconds it goes on, and nobody waits."""

        async def waiting() -> T:
            task = asyncio.create_task(work())
            self._going_on.add(task)
            task.add_done_callback(self._going_on.discard)
            return await asyncio.shield(task)

        return self.run(waiting(), timeout)

    def call(self, function: Callable[..., T], *args: Any) -> T:
        """Call a plain function on the host's loop, where all state lives."""
        return self._loop.call(function, *args)

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

        It runs in a thread of its own, may use this host and may wait for a person. The messages of one view
        come one after the other, those of several views at the same time (200 of them).
        """
        self._handler = handler
        if self._host is not None:
            self._host.on_message(self._deliver)
        return handler

    def context_for_next_turn(self, user: str | None = None) -> list[dict[str, Any]]:
        """What views want the model to know, one entry a view; see `Host.context_for_next_turn`."""
        return self.call(self.host.context_for_next_turn, user)

    async def _deliver(self, view: View, content: list[dict[str, Any]]) -> bool | None:
        shown, handler = self.wrap(view), self._handler
        if handler is None:
            return shown.keep(content)
        return await self.handler_threads.run(shown.id, partial(handler, shown, content))

    # Views

    def view(self, view_id: str, *, user: str | None = None) -> SyncView | None:
        """The view of that id, if there is one in memory (of this user, where one is given)."""

        def finding() -> SyncView | None:
            found = self.host.view(view_id, user=user)
            return None if found is None else self.wrap(found)

        return self.call(finding)

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

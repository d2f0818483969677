"""A connected server, as the embedding program sees it: its tools, and calls that may become views."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import TYPE_CHECKING, Any

from fanlight.upstream import AppDocument, AppReadError, Catalog, Tool, Upstream, UpstreamState
from fanlight.upstream.telling import tell_each

from .absent import AbsentServer
from .arguments import plain_arguments
from .call import Call
from .call_terms import CallTerms, ProgressListener
from .streaming import StreamedCall
from .subscriptions import Subscriptions
from .verdicts import Verdict
from .view import View

if TYPE_CHECKING:
    from fanlight.upstream.base import ProgressHandler, StateHandler

    from .host import Host

__all__ = ["Server"]

_log = logging.getLogger("fanlight.host")


class Server:
    """One MCP server that a host is connected to."""

    def __init__(
        self, host: Host, name: str, upstream: Upstream, catalog: Catalog, identity: str | None = None
    ) -> None:
        self.name = name
        # What is left behind by this server is kept under it; a name may be another server's next time.
        self.identity = identity or name
        self._host = host
        self._upstream = upstream
        self._catalog = catalog
        self._reading: set[asyncio.Task[None]] = set()
        # Both outlive a connection: another run of the server may take its place.
        self._state_handlers: list[StateHandler] = []
        self.subscriptions = Subscriptions(catalog)
        self._follow_connection()

    @property
    def info(self) -> dict[str, Any]:
        """What the server says of itself: `{name, version, title?}`."""
        return self._upstream.server_info

    @property
    def capabilities(self) -> dict[str, Any]:
        return self._upstream.capabilities

    @property
    def state(self) -> UpstreamState:
        """Where the connection stands: connected, reconnecting, failed or closed."""
        return self._upstream.state

    def on_state(self, handler: StateHandler) -> StateHandler:
        """Call `handler(state, reason)` when the connection breaks, is back, fails or closes; a decorator.

        A connection that `replace` puts in the place of this one is told of as well.
        """
        self._state_handlers.append(handler)
        return handler

    @property
    def tools(self) -> list[Tool]:
        """Every tool, whoever may use it."""
        return self._catalog.tools

    def tool(self, name: str) -> Tool:
        """The tool of that name; UnknownToolError lists the names there are."""
        return self._catalog.tool(name)

    def tools_for_model(self) -> list[dict[str, Any]]:
        """The tools that a model may see, in wire form (R18)."""
        return [tool.raw for tool in self._catalog.tools if tool.model_may_see]

    # Calls

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        user: str | None = None,
        silence: float | None = None,
        limit: float | None = None,
        on_progress: ProgressListener | None = None,
    ) -> Call:
        """Call a tool and wait for its result; `call.view` is set when the tool has an app.

        `user` is whom the view belongs to; a host that keeps users apart needs it. Cancelling the awaiting
        task cancels the call. Everything else is as `start_call` says.
        """
        call = self.start_call(
            name, arguments, user=user, silence=silence, limit=limit, on_progress=on_progress
        )
        try:
            await call.wait()
        except asyncio.CancelledError:
            call.cancel()
            raise
        return call

    def start_call(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        user: str | None = None,
        silence: float | None = None,
        limit: float | None = None,
        on_progress: ProgressListener | None = None,
    ) -> Call:
        """Start a call and return at once: the view can be shown while the tool still works.

        The arguments are copied. Of `call.result` you may change fields, content blocks and keys of
        `structuredContent` without a change of what the view is told; copy what is deeper before you do.

        Args:
            name: the tool.
            arguments: by name; None is `{}`.
            user: whom the view belongs to; a host that keeps users apart needs it.
            silence: how many seconds the server may be silent, 300 if None; each progress starts them anew.
            limit: how many seconds the call may take in all, 3600 (or `silence`, if longer) if None.
            on_progress: called with `(done, total, message)` as often as the server says it; plain or async.

        Raises:
            ConfigError: the arguments are no dict or hold what JSON cannot carry, or a time is not above 0.
            UnknownToolError: the server has no such tool.
        """
        given, terms = plain_arguments(name, arguments), CallTerms(silence, limit, on_progress)
        tool, view = self._begin(name, user)
        if view is not None:
            view.supply_arguments(given)
        call = Call(self, tool, given, view, terms)
        call.start()
        return call

    def begin_call(
        self,
        name: str,
        *,
        user: str | None = None,
        silence: float | None = None,
        limit: float | None = None,
        on_progress: ProgressListener | None = None,
    ) -> StreamedCall:
        """Begin a call whose arguments are still being written; its view can be shown at once.

        Use it as `async with server.begin_call(name) as call:` and give it the text with
        `call.feed_arguments(piece)`; leaving the block calls the tool. `silence`, `limit` and `on_progress`
        are of that call, as `start_call` says.
        """
        terms = CallTerms(silence, limit, on_progress)
        tool, view = self._begin(name, user)
        return StreamedCall(self, tool, view, terms)

    def _begin(self, name: str, user: str | None) -> tuple[Tool, View | None]:
        self._host.users.require(user, "the call")
        tool = self.tool(name)
        if not tool.has_app and tool.problem is None:
            return tool, None
        view = View(self, tool, secrets.token_hex(8), self._host.base, user)
        self._host.add_view(view)
        self.read_document(view)
        return tool, view

    def read_document(self, view: View, *, instead: AppDocument | None = None) -> None:
        """Fetch what the view shows; it mounts when the document is there, or `instead` if it fails."""
        reading = asyncio.create_task(self._read_document(view, instead))
        self._reading.add(reading)
        reading.add_done_callback(self._reading.discard)

    async def _read_document(self, view: View, instead: AppDocument | None) -> None:
        try:
            view.loaded(await self._catalog.document(view.tool))
        except AppReadError as error:
            if instead is None:
                view.unreadable(error)
            else:
                # To be looked at: nobody knows whether it is still this server's.
                view.server = AbsentServer(self.name, self.identity)
                view.loaded(instead)
        except Exception:
            # Something that a server declared, and that we did not foresee: nobody waits for ever for it.
            _log.exception("the app %s of server %r cannot be shown", view.tool.resource_uri, self.name)
            view.decide(
                Verdict.READ_FAILED,
                "The app's document was read, but cannot be shown.",
                "The log of this program says why.",
            )

    async def document_of(self, view: View) -> tuple[Tool, AppDocument]:
        """What this server says now of the tool and the document of a view.

        Raises:
            UnknownToolError, AppReadError: it has no such tool, or does not give the document.
        """
        tool = self.tool(view.tool.name)
        return tool, await self._catalog.document(tool)

    async def forward(
        self,
        method: str,
        params: dict[str, Any],
        on_progress: ProgressHandler | None = None,
        *,
        timeout: float | None = None,
        limit: float | None = None,
    ) -> dict[str, Any]:
        """Send a request to this server and return its result unchanged; see `Upstream.request`."""
        return await self._upstream.request(
            method, params, timeout=timeout, limit=limit, on_progress=on_progress
        )

    async def replace(self, target: object) -> None:
        """Another run of the same server takes the place of this one; its views stay and show what is new.

        The old connection is closed once the new one is there. A tool that is gone leaves its views as they
        are: they show the last document, and their calls are refused by name. What views follow is followed
        on the new connection, and `on_state` handlers hear of it.

        Raises:
            ConfigError, UpstreamError: as `Host.connect`; then everything is as it was.
        """
        upstream, catalog = await self._host.open_upstream(self.name, target)
        old_catalog, old_upstream, before = self._catalog, self._upstream, self.state
        self._upstream, self._catalog = upstream, catalog
        self._follow_connection()
        self.subscriptions.move_to(catalog)
        if before is not self.state:
            self._tell_state(self.state, None)
        await self._host.show_anew(self)
        await old_catalog.aclose()
        await old_upstream.aclose("the server was loaded anew while it worked on this; try again")

    async def read_anew(self, view: View) -> None:
        """Fetch the document of a view again and show it if it is another one."""
        tool = next((tool for tool in self.tools if tool.name == view.tool.name), None)
        if tool is None:
            return
        try:
            view.replaced(tool, await self._catalog.document(tool))
        except AppReadError as error:
            view.unreadable(error)

    def _follow_connection(self) -> None:
        """Hear of what happens to the connection of now, as long as it is that."""
        upstream = self._upstream

        def state_changed(state: UpstreamState, reason: str | None) -> None:
            if upstream is self._upstream:  # else it is the end of one that was replaced
                self._tell_state(state, reason)

        upstream.on_state(state_changed)
        self._catalog.on_change(lambda change: self._host.relay_change(self, change))

    def _tell_state(self, state: UpstreamState, reason: str | None) -> None:
        tell_each("server.on_state()", self._state_handlers, state, reason)

    # The end

    async def aclose(self) -> None:
        """Tear down the server's views, which may still save their work, then close the connection.

        A stdio child is ended with it. The views can be shown again; until this server is connected
        again they can use nothing of it.
        """
        for reading in tuple(self._reading):
            reading.cancel()
        await self._host.let_go(self)
        await self._catalog.aclose()
        await self._upstream.aclose()

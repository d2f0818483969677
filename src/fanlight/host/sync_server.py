"""A connected server for programs without an event loop: waiting instead of awaiting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from .sync_calls import SyncCall, SyncStreamedCall

if TYPE_CHECKING:
    from fanlight.upstream import Tool, UpstreamState
    from fanlight.upstream.base import StateHandler

    from .call_terms import ProgressListener
    from .server import Server
    from .sync import SyncHost

__all__ = ["SyncServer"]


class Terms(TypedDict, total=False):
    """What a call may be given beside its arguments; see `fanlight.host.call_terms`."""

    silence: float | None
    limit: float | None
    on_progress: ProgressListener | None


class SyncServer:
    """A connected server; see `fanlight.host.Server`."""

    def __init__(self, host: SyncHost, server: Server) -> None:
        self.name = server.name
        self._host = host
        self._server = server

    @property
    def state(self) -> UpstreamState:
        """Where the connection stands: connected, reconnecting, failed or closed."""
        return self._server.state

    def on_state(self, handler: StateHandler) -> StateHandler:
        """Call `handler(state, reason)` when the connection breaks, is back, fails or closes; a decorator.

        It runs in a thread of its own, one change after the other, and may use the host.
        """
        threads, turn = self._host.handler_threads, object()

        def changed(state: UpstreamState, reason: str | None) -> None:
            threads.tell(turn, partial(handler, state, reason))

        self._host.call(self._server.on_state, changed)
        return handler

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
        **terms: Unpack[Terms],
    ) -> SyncCall:
        """Call a tool and wait for its result; `call.view` is set when the tool has an app.

        `silence`, `limit` and `on_progress` are as in `Server.start_call`; the listener runs in a thread.

        Raises:
            RpcError: the server answered the call with an error.
            UpstreamError: there is no such tool, or the connection broke.
            TimeoutError: not within `timeout` seconds; the call was cancelled.
        """

        async def calling() -> SyncCall:
            call = await self._server.call_tool(name, arguments, user=user, **self._threaded(terms))
            return SyncCall(self._host, call)

        return self._host.run(calling(), timeout)

    def start_call(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        user: str | None = None,
        **terms: Unpack[Terms],
    ) -> SyncCall:
        """Start a call and return at once; `call.wait()` gives the result."""

        async def starting() -> SyncCall:
            call = self._server.start_call(name, arguments, user=user, **self._threaded(terms))
            return SyncCall(self._host, call)

        return self._host.run(starting())

    def begin_call(
        self,
        name: str,
        *,
        user: str | None = None,
        timeout: float | None = None,
        **terms: Unpack[Terms],
    ) -> SyncStreamedCall:
        """Begin a call whose arguments are still being written: `with server.begin_call(name) as call:`.

        Leaving the block waits for the tool, `timeout` seconds at most; then it raises TimeoutError, and the
        call is cancelled.
        """

        async def beginning() -> SyncStreamedCall:
            call = self._server.begin_call(name, user=user, **self._threaded(terms))
            return SyncStreamedCall(self._host, call, timeout)

        return self._host.run(beginning())

    def _threaded(self, terms: Terms) -> Terms:
        """The same terms; a listener of the program's is not called on the host's loop."""
        listener = terms.get("on_progress")
        if listener is None:
            return terms
        threads, turn = self._host.handler_threads, object()

        def progressed(done: float, total: float | None, message: str | None) -> None:
            threads.tell(turn, partial(listener, done, total, message))

        return {**terms, "on_progress": progressed}

    def close(self, timeout: float | None = None) -> None:
        """Close the connection; a stdio child is ended with it. Its views may still save their work.

        Raises:
            TimeoutError: not done within `timeout` seconds; it goes on.
        """
        self._host.run_to_end(self._server.aclose, timeout)

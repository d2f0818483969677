"""A session: one showing of a view in one page. It pumps messages; the protocol core decides.

page socket ↔ translator (dialects) ↔ HostConnection (protocol) ↔ requests (upstream, policy).
A page that is reloaded gets a new session of the same view.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from fanlight.dialects import Translator
from fanlight.errors import LocalProtocolError, RpcError
from fanlight.protocol.events import (
    Initialized,
    LogMessage,
    PeerFault,
    RequestCancelled,
    RequestFailed,
    RequestReceived,
    ResponseReceived,
    SizeChanged,
    TeardownRequested,
    TornDown,
    ViewToolsChanged,
)
from fanlight.protocol.host import HostConnection
from fanlight.protocol.limits import Limits
from fanlight.protocol.state import ConnectionState
from fanlight.sandbox import Origins, allow_attribute

from .absent import AbsentServer
from .context import frame_size, host_context, page_part
from .gate import Gate
from .modes import Modes
from .requests import serve_request
from .supply import ToolSupply
from .tap import Direction, TapRecord
from .verdicts import Outcome, Stage, Verdict
from .view_logs import ViewLog
from .view_tools import ViewTools, closed_view

if TYPE_CHECKING:
    from fanlight.protocol.events import Event

    from .host import Host
    from .showing import Showing
    from .view import View

__all__ = ["Session"]

# Messages whose passing is a stage of the view's way to the screen.
_STAGE_METHODS = frozenset(
    {"ui/notifications/tool-input", "ui/notifications/tool-result", "ui/notifications/tool-cancelled"}
)


class Session:
    """Carries one view's conversation with one page.

    `send` takes a frame for the page and never blocks; the socket behind it bounds the queue.
    """

    def __init__(
        self,
        host: Host,
        view: View,
        origins: Origins,
        page: dict[str, Any],
        send: Callable[[dict[str, Any]], None],
    ) -> None:
        self.view = view
        self.closed = False
        # False while the page's socket is broken: then its silence says nothing about the view.
        self.page_there = True
        # Whoever carries the session learns of its end here.
        self.on_close: Callable[[str], None] | None = None
        # Whether the page reads slower than it is written to.
        self.crowded: Callable[[], bool] = lambda: False
        # Whether the page said goodbye: its document is gone, and the view with it.
        self.page_left = False
        self._host = host
        self._origins = origins
        self._page = page
        self._send = send
        self._connection: HostConnection | None = None
        self._supply: ToolSupply | None = None
        self.modes: Modes | None = None
        self._translator = Translator()
        self._running: dict[str | int, asyncio.Task[None]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._showing: Showing | None = None
        self._over = asyncio.Event()
        self._ending = ""
        self._loop = asyncio.get_running_loop()
        self._asked: dict[str | int, asyncio.Future[dict[str, Any]]] = {}
        self.gate = Gate(host, view, self._to_page, self._note)
        self.view_tools = ViewTools(self, view.tools_changed)
        self._log = ViewLog(view, self.gate, self._note)

    # The way to the screen

    def mount(self) -> None:
        """Give the page its frame, once the document is there."""
        document = self.view.document
        if document is None or self._connection is not None or self.closed:
            return
        showing = self._host.open_showing(self.view, document, self._origins)
        self._showing = showing
        self._connection = HostConnection(
            host_info=self._host.info,
            capabilities=self._host.capabilities_for(self.view, showing.permissions, showing.csp.applied),
            context=host_context(
                self.view.tool, self.view.call_id, self._page, self._host.user_agent, self._host.theme
            ),
            limits=Limits(max_message_size=self._host.link.message_limit),
        )
        for source in showing.csp.dropped:
            self._note(f"csp: dropped {source.field} {source.value!r}: {source.reason}")
        for warning in (*self.view.tool.warnings, *document.warnings):
            self._note(str(warning))
        self.modes = Modes(self._connection, self._to_page, self._drain)
        self._supply = ToolSupply(self._connection, self.view)
        self._supply.update()
        border = document.meta.get("prefersBorder")
        self._to_page(
            "mount",
            src=showing.proxy_url,
            origin=self._origins.sandbox,
            allow=allow_attribute(showing.permissions),
            label=self.view.label,
            app=self.view.tool.title,
            server=self.view.server.name,
            **({"border": border} if isinstance(border, bool) else {}),
        )
        self.view.stage("mounted")
        self._limit("proxy", self._host.proxy_timeout, self._proxy_timed_out)

    def signal(self, name: str) -> None:
        """The page or the proxy tells what happened to the frames."""
        match name:
            case "proxy-ready":
                self._met("proxy")
                self.view.stage("proxy-ready")
                self._limit("handshake", self._host.handshake_timeout, self._handshake_timed_out)
            case "view-loaded":
                self.view.stage("document-loaded")
            case "view-navigated":
                self.view.decide(
                    Verdict.NAVIGATED,
                    "The app's document was replaced while it was shown.",
                    "An app must not navigate or reload itself; use ui/open-link for addresses.",
                )
                self.close("the view navigated away")
            case "not-json":
                self._note("dropped a message of the view that cannot be written as JSON")
            case _:
                self._note(f"unknown signal {name[:40]!r} from the page")

    def _proxy_timed_out(self) -> None:
        if not self.page_there:
            self._limit("proxy", self._host.proxy_timeout, self._proxy_timed_out)
            return
        self.view.decide(
            Verdict.PROXY_TIMEOUT,
            f"The sandbox at {self._origins.sandbox} did not load.",
            "Check that this name resolves to this server in your browser, or open the page on 127.0.0.1.",
        )

    def _handshake_timed_out(self) -> None:
        if not self.page_there:
            self._limit("handshake", self._host.handshake_timeout, self._handshake_timed_out)
            return
        self.view.decide(
            Verdict.HANDSHAKE_TIMEOUT,
            "The app loaded but never completed ui/initialize.",
            "Look for a script error or a blocked resource in the browser's console.",
        )

    # The conversation

    def receive(self, message: object, size: int | None = None) -> None:
        """The view said something; `size` is the length of its JSON text, if it is known."""
        if self._connection is None or self.closed:
            return
        self._tap("from-view", message)
        for canonical in self._translator.inbound(message):
            refusal = self._refused_without_server(canonical)
            if refusal is None:
                self._connection.receive(canonical, self._loop.time(), size=size)
            else:
                for answer in self._translator.outbound(refusal):
                    self._to_view(answer)
        self._drain()

    def _refused_without_server(self, message: object) -> dict[str, Any] | None:
        # The core would only say that it was not advertised; a view that had it yesterday should hear why.
        assert self._connection is not None
        open_states = (ConnectionState.READY, ConnectionState.CLOSING)
        server = self.view.server
        if not isinstance(server, AbsentServer) or self._connection.state not in open_states:
            return None
        return server.refusal(message)

    def page_changed(self, page: dict[str, Any]) -> None:
        """The page's theme, width or language changed."""
        self._page = page
        if self._connection is not None:
            self._connection.update_context(page_part(page))
            self._drain()

    def tool_call_changed(self) -> None:
        """More of the view's tool call is known: arguments, the result, or that it was cancelled."""
        if self._supply is not None and not self.closed:
            self._supply.update(partials=not self.crowded())
            self._drain()

    def capabilities_changed(self) -> None:
        """The view's server came back: offer again what it offers."""
        if self._connection is not None and self._showing is not None and not self.closed:
            showing = self._showing
            self._connection.update_capabilities(
                self._host.capabilities_for(self.view, showing.permissions, showing.csp.applied)
            )

    def list_changed(self, what: Literal["tools", "resources"]) -> None:
        """A list of the view's server changed."""
        if self._connection is not None and not self.closed:
            # A view that cannot be told now (it is closing, or was never offered it) does without.
            with contextlib.suppress(LocalProtocolError):
                self._connection.notify_list_changed(what)
            self._drain()

    def answer(self, request_id: str | int, result: dict[str, Any]) -> None:
        if self._connection is not None and not self.closed:
            self._connection.answer(request_id, result)
            self._drain()

    def refuse(self, request_id: str | int, code: int, message: str, data: Any = None) -> None:
        if self._connection is not None and not self.closed:
            self._connection.refuse(request_id, code, message, data)
            self._drain()

    def progress(self, request_id: str | int, done: float, total: float | None, message: str | None) -> None:
        if self._connection is not None and not self.closed:
            self._connection.send_progress(request_id, done, total, message)
            self._drain()

    def mode_chosen(self, mode: str) -> None:
        """The person pressed a display-mode control of the page."""
        if self.modes is not None and not self.closed:
            self.modes.choose(mode)

    @property
    def provides_tools(self) -> bool:
        """Whether the view declared tools of its own."""
        connection = self._connection
        return connection is not None and connection.app_capabilities.get("tools") is not None

    async def ask_view(self, send: Callable[[HostConnection, float], str | int]) -> dict[str, Any]:
        """Send the view a request (`send` makes it and returns its id) and wait for the answer.

        Raises:
            RpcError: the view refused it, was too slow, or is over.
        """
        connection = self._connection
        if connection is None or self.closed:
            raise closed_view(self.view.id)
        request_id = send(connection, self._loop.time())
        answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._asked[request_id] = answer
        self._drain()
        try:
            return await answer
        finally:
            del self._asked[request_id]
            if answer.cancelled() and not self.closed:
                connection.cancel(request_id, "the program waits no longer")
                self._drain()

    def _drain(self) -> None:
        """Carry everything that is ready, until neither side has more to say."""
        connection, translator = self._connection, self._translator
        assert connection is not None
        while True:
            for event in connection.events():
                self._on_event(event)
            outgoing = translator.replies()
            for message in connection.messages_to_send():
                outgoing += translator.outbound(message)
            outgoing += translator.replies()
            for message in outgoing:
                self._to_view(message)
            # What the translator answers in the place of a view whose dialect has no word for it.
            answers = translator.answers()
            for answer in answers:
                connection.receive(answer, self._loop.time())
            if not outgoing and not answers:
                break
        for warning in translator.warnings():
            self._note(str(warning))
        self._schedule_tick(connection)

    def _to_view(self, message: dict[str, Any]) -> None:
        self._tap("to-view", message)
        self._to_page("message", message=message)
        if message.get("method") in _STAGE_METHODS:
            self.view.stage(message["method"].rpartition("/")[2])

    def _on_event(self, event: Event) -> None:
        match event:
            case Initialized():
                self._met("handshake")
                self.view.stage("initialized")
                self.view.decide(Verdict.OK)
                if self.modes is not None:
                    self.modes.tell_page()
            case RequestReceived(request_id=request_id, method=method, params=params):
                self._start(request_id, serve_request(self._host, self, request_id, method, params))
            case RequestCancelled(request_id=request_id):
                task = self._running.pop(request_id, None)
                if task is not None:
                    task.cancel()
            case SizeChanged(width=width, height=height):
                # Which reports change the frame is the page's business: it knows what it did to the view.
                self.view.stage("first-size")
                self._apply_size(width, height)
            case TeardownRequested():
                self._begin_teardown("the app asked to be closed")
            case TornDown():
                self.end(self._ending)
            case LogMessage(level=level, data=data, logger=logger):
                self._log.put(level, data, logger)
            case PeerFault(reason=reason, message=message):
                self._note(f"fault: {reason}: {message}")
            case ResponseReceived(request_id=request_id, result=result):
                self._settle(request_id, result)
            case RequestFailed(request_id=request_id, code=code, message=message, data=data):
                self._settle(request_id, RpcError(code, message, data))
            case ViewToolsChanged():
                self.view_tools.changed(self._loop.time(), partial(self._limit, "tools"))
            case _:
                pass

    def _settle(self, request_id: str | int, outcome: dict[str, Any] | RpcError) -> None:
        answer = self._asked.get(request_id)
        if answer is None or answer.done():
            return
        if isinstance(outcome, RpcError):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    def _apply_size(self, width: float | None, height: float | None) -> None:
        """Give the frame its height now, or when the rate allows it: the last report always counts."""
        self._met("size")
        wait = self.gate.waits("sizes")
        if wait:
            self._limit("size", wait, lambda: self._apply_size(width, height))
        else:
            self._to_page("size", **frame_size(self._page, width, height))

    def _start(self, request_id: str | int, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._running[request_id] = task
        # Compared: a view that initialised again uses its ids again.
        task.add_done_callback(
            lambda done: self._running.pop(request_id) if self._running.get(request_id) is done else None
        )

    # The end

    async def teardown(self, reason: str) -> None:
        """Tell the view that it ends, give it a moment to save its work, then end it (R55, R56)."""
        self._begin_teardown(reason)
        await self._over.wait()

    def _begin_teardown(self, reason: str) -> None:
        state = None if self._connection is None else self._connection.state
        if self.closed or state is ConnectionState.CLOSING:
            return
        self._ending = reason
        if self._connection is None or state is not ConnectionState.READY or self.page_left:
            self.end(reason)  # nothing is shown yet or any more, so there is nobody to tell
            return
        self._connection.teardown(self._loop.time(), timeout=self._host.teardown_grace, reason=reason)
        self._drain()

    def end(self, reason: str) -> None:
        """The view is over for this page: say so and stop."""
        if self.view.session is self:
            self.view.decide(Verdict.CLOSED, f"Closed: {reason}.")
        self.close(reason)

    def fail(self, verdict: Verdict, reason: str, remedy: str) -> None:
        """The view cannot go on in this page: say why and stop."""
        self.view.decide(verdict, reason, remedy)
        self.close(reason)

    def supersede(self) -> None:
        """Another page shows the view from now on: this one saves its work and ends, without a verdict."""
        if self.view.session is self:
            self.view.session = None
        self._begin_teardown("it is now shown in another place")

    def leave(self, reason: str) -> None:
        """The page is gone for good: what it had handed over is still done, and nobody hears the answers."""
        if not self.closed:
            self._host.links.finish(self._running.values())
            self._running = {}
            self.close(reason)

    def close(self, reason: str) -> None:
        """The page is gone or shows something else: stop every wait and every running request."""
        if self.closed:
            return
        self._log.flush()
        self.gate.close()
        self.closed = True
        self._over.set()
        for request_id in tuple(self._asked):
            self._settle(request_id, closed_view(self.view.id))
        for timer in self._timers.values():
            timer.cancel()
        for task in self._running.values():
            task.cancel()
        if self._connection is not None:
            self._connection.close(reason)
        if self._showing is not None:
            self._host.close_showing(self._showing)
        if self.view.session is self:
            self.view.session = None
        if self.on_close is not None:
            self.on_close(reason)

    # What the page is told

    def tell(self, text: str) -> None:
        """Something that the person should know, in words."""
        self._note(text)
        self._to_page("notice", text=text)

    def show_stage(self, stage: Stage) -> None:
        self._to_page("stage", **stage.as_json())

    def show_outcome(self) -> None:
        outcome: Outcome = self.view.outcome
        failed = outcome.verdict not in (Verdict.OK, Verdict.PENDING)
        text = {"text": self.view.text} if failed and self.view.text else {}
        self._to_page("verdict", **outcome.as_json(), **text)

    def show_violation(self, violation: dict[str, Any]) -> None:
        self._to_page("violation", violation=violation)

    def _to_page(self, op: str, **fields: Any) -> None:
        if not self.closed:
            self._send({"op": op, "view": self.view.id, **fields})

    def _tap(self, direction: Direction, message: Any) -> None:
        self._host.tap.put(TapRecord(self._loop.time(), self.view.id, direction, message))

    def _note(self, text: str) -> None:
        self._tap("note", text)

    # Time

    def _limit(self, name: str, seconds: float, expired: Callable[[], None]) -> None:
        self._met(name)
        self._timers[name] = self._loop.call_later(seconds, expired)

    def _met(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _schedule_tick(self, connection: HostConnection) -> None:
        self._met("tick")
        deadline = connection.next_deadline()
        if deadline is not None and not self.closed:
            self._timers["tick"] = self._loop.call_at(deadline, self._tick)

    def _tick(self) -> None:
        if self._connection is not None and not self.closed:
            self._connection.tick(self._loop.time())
            self._drain()

"""The conversation of one session: pumps messages between page and protocol core, which decides.

page socket ↔ translator (dialects) ↔ HostConnection (protocol) ↔ requests (upstream, policy).
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
from fanlight.protocol.state import ConnectionState
from fanlight.wire.json_text import Unwritable

from .absent import AbsentServer
from .capabilities import capabilities_for
from .context import frame_size, page_part
from .modes import Modes
from .questions import Questions
from .requests import serve_request
from .supply import ToolSupply
from .unread import answer_to, instead_of
from .view_tools import closed_view

if TYPE_CHECKING:
    from fanlight.protocol.events import Event
    from fanlight.protocol.host import HostConnection

    from .host import Host
    from .session import Session
    from .showing import Showing

__all__ = ["Conversation"]

# Messages whose passing is a stage of the view's way to the screen.
_STAGE_METHODS = frozenset(
    {"ui/notifications/tool-input", "ui/notifications/tool-result", "ui/notifications/tool-cancelled"}
)


class Conversation:
    """What a view and the host say to each other; nothing before `begin()` and after the session's end.

    `page` is what is known of the page: theme, width, language.
    """

    def __init__(self, host: Host, session: Session, page: dict[str, Any]) -> None:
        self.page = page
        self.modes: Modes | None = None
        # What the view asked for and is being done.
        self.running: dict[str | int, asyncio.Task[None]] = {}
        self._host = host
        self._session = session
        self._view = session.view
        self._connection: HostConnection | None = None
        self._showing: Showing | None = None
        self._supply: ToolSupply | None = None
        self._translator = Translator()
        self._loop = asyncio.get_running_loop()
        self._questions = Questions(self._loop)

    def begin(self, connection: HostConnection, showing: Showing) -> None:
        """The view is about to be shown: what is known of its tool call waits for it."""
        self._connection, self._showing = connection, showing
        self.modes = Modes(connection, self._session.page.send, self._drain)
        self._supply = ToolSupply(connection, self._view)
        self._supply.update()

    @property
    def state(self) -> ConnectionState | None:
        """How far it is; None before `begin()`."""
        return None if self._connection is None else self._connection.state

    @property
    def _open(self) -> HostConnection | None:
        return None if self._session.closed else self._connection

    def tear_down(self, seconds: float, reason: str) -> None:
        """Tell the view that it ends; it has so long to answer."""
        if self._connection is not None:
            self._connection.teardown(self._loop.time(), timeout=seconds, reason=reason)
            self._drain()

    def close(self, reason: str) -> None:
        """Nobody hears anything any more: stop every wait and every running request."""
        self._questions.fail_all(closed_view(self._view.id))
        for task in self.running.values():
            task.cancel()
        if self._connection is not None:
            self._connection.close(reason)

    # From the page

    def receive(self, message: object, size: int | None = None) -> None:
        """The view said something; `size` is the length of its JSON text, if it is known."""
        connection = self._open
        if connection is None:
            return
        self._session.page.passed("from-view", message)
        for canonical in self._translator.inbound(message):
            refusal = self._refused_without_server(canonical)
            if refusal is None:
                connection.receive(canonical, self._loop.time(), size=size)
            else:
                for answer in self._translator.outbound(refusal):
                    self._to_view(answer)
        self._drain()

    def _refused_without_server(self, message: object) -> dict[str, Any] | None:
        # The core would only say that it was not advertised; a view that had it yesterday should hear why.
        open_states = (ConnectionState.READY, ConnectionState.CLOSING)
        server = self._view.server
        if not isinstance(server, AbsentServer) or self.state not in open_states:
            return None
        return server.refusal(message)

    def refuse_unread(self, message: Any, why: str) -> None:
        """The view said something that was not read; `message` is what is known of it."""
        self._session.page.note(f"dropped a message of the view: {why}")
        answer = answer_to(message, why)
        if answer is not None:
            self._to_view(answer)

    def page_changed(self, page: dict[str, Any]) -> None:
        """The page's theme, width or language changed."""
        self.page = page
        self.context_changed(page_part(page))

    def context_changed(self, part: dict[str, Any]) -> None:
        """Tell the view; one that has not come up yet has it from the beginning."""
        if self._connection is not None:
            self._connection.update_context(part)
            self._drain()

    def mode_chosen(self, mode: str) -> None:
        """The person pressed a display-mode control of the page."""
        if self.modes is not None and not self._session.closed:
            self.modes.choose(mode)

    # From the host

    def tool_call_changed(self) -> None:
        """More of the view's tool call is known: arguments, the result, or that it was cancelled."""
        if self._supply is not None and not self._session.closed:
            self._supply.update(partials=not self._session.crowded())
            self._drain()

    def capabilities_changed(self) -> None:
        """The view's server came back: offer again what it offers."""
        if self._open is not None and self._showing is not None:
            self._open.update_capabilities(capabilities_for(self._host, self._view, self._showing))

    def list_changed(self, what: Literal["tools", "resources"]) -> None:
        """A list of the view's server changed."""
        if self._open is not None:
            # A view that cannot be told now (it is closing, or was never offered it) does without.
            with contextlib.suppress(LocalProtocolError):
                self._open.notify_list_changed(what)
            self._drain()

    def resource_updated(self, uri: str) -> None:
        """A resource that the view follows has changed."""
        if self._open is not None:
            with contextlib.suppress(LocalProtocolError):
                self._open.notify_resource_updated(uri)
            self._drain()

    def answer(self, request_id: str | int, result: dict[str, Any]) -> None:
        if self._open is not None:
            self._open.answer(request_id, result)
            self._drain()

    def refuse(self, request_id: str | int, code: int, message: str, data: Any = None) -> None:
        if self._open is not None:
            self._open.refuse(request_id, code, message, data)
            self._drain()

    def progress(self, request_id: str | int, done: float, total: float | None, message: str | None) -> None:
        if self._open is not None:
            self._open.send_progress(request_id, done, total, message)
            self._drain()

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
        connection = self._open
        if connection is None:
            raise closed_view(self._view.id)
        request_id = send(connection, self._loop.time())
        answer = self._questions.put(request_id)
        self._drain()
        try:
            return await answer
        finally:
            if answer.cancelled() and not self._session.closed:
                connection.cancel(request_id, "the program waits no longer")
                self._drain()

    # The pump

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
            self._session.page.note(str(warning))
        self._schedule_tick(connection)

    def _to_view(self, message: dict[str, Any]) -> None:
        page = self._session.page
        page.passed("to-view", message)
        try:
            page.send("message", message=message)
        except Unwritable as error:
            page.note(f"a message to the view cannot be carried: {error}")
            other = instead_of(message, str(error))
            if other is not None:
                page.send("message", message=other)
        if message.get("method") in _STAGE_METHODS:
            self._view.stage(message["method"].rpartition("/")[2])

    def _on_event(self, event: Event) -> None:
        session = self._session
        match event:
            case Initialized():
                session.appearing.initialized()
                if self.modes is not None:
                    self.modes.tell_page()
            case RequestReceived(request_id=request_id, method=method, params=params):
                self._start(request_id, serve_request(self._host, session, request_id, method, params))
            case RequestCancelled(request_id=request_id):
                task = self.running.pop(request_id, None)
                if task is not None:
                    task.cancel()
            case SizeChanged(width=width, height=height):
                # Which reports change the frame is the page's business: it knows what it did to the view.
                self._view.stage("first-size")
                self._apply_size(width, height)
            case TeardownRequested():
                session.ending.begin("the app asked to be closed")
            case TornDown():
                session.ending.torn_down()
            case LogMessage(level=level, data=data, logger=logger):
                session.log.put(level, data, logger)
            case PeerFault(reason=reason, message=message):
                session.page.note(f"fault: {reason}: {message}")
            case ResponseReceived(request_id=request_id, result=result):
                self._questions.settle(request_id, result)
            case RequestFailed(request_id=request_id, code=code, message=message, data=data):
                self._questions.settle(request_id, RpcError(code, message, data))
            case ViewToolsChanged():
                session.view_tools.changed(self._loop.time(), partial(session.deadlines.within, "tools"))
            case _:
                pass

    def _apply_size(self, width: float | None, height: float | None) -> None:
        """Give the frame its height now, or when the rate allows it: the last report always counts."""
        session = self._session
        session.deadlines.met("size")
        wait = session.gate.waits("sizes")
        if wait:
            session.deadlines.within("size", wait, lambda: self._apply_size(width, height))
        else:
            session.page.send("size", **frame_size(self.page, width, height))

    def _start(self, request_id: str | int, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.running[request_id] = task
        # Compared: a view that initialised again uses its ids again.
        task.add_done_callback(
            lambda done: self.running.pop(request_id) if self.running.get(request_id) is done else None
        )

    def _schedule_tick(self, connection: HostConnection) -> None:
        deadline = connection.next_deadline()
        if deadline is None or self._session.closed:
            self._session.deadlines.met("tick")
        else:
            self._session.deadlines.at("tick", deadline, self._tick)

    def _tick(self) -> None:
        if self._open is not None:
            self._open.tick(self._loop.time())
            self._drain()

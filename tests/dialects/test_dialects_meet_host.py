"""Every dialect against the real ``HostConnection``: what a view says in it must be no fault to that one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fanlight.dialects import DIALECTS, Translator
from fanlight.protocol import (
    ConnectionState,
    HostConnection,
    PeerFault,
    RequestFailed,
    RequestReceived,
    ResponseReceived,
    TornDown,
)

CORPUS = Path(__file__).parents[1] / "corpus"
CAPABILITIES: dict[str, Any] = {
    "openLinks": {},
    "serverTools": {},
    "serverResources": {},
    "logging": {},
    "message": {"text": {}},
    "updateModelContext": {"text": {}, "structuredContent": {}},
}
CONTEXT: dict[str, Any] = {
    "theme": "dark",
    "displayMode": "inline",
    "availableDisplayModes": ["inline", "fullscreen"],
    "containerDimensions": {"width": 400, "maxHeight": 600},
}


class Session:
    """A connection and its translator, pumped until nobody has anything to say."""

    def __init__(self) -> None:
        self.host = HostConnection(
            host_info={"name": "h", "version": "1"}, capabilities=CAPABILITIES, context=CONTEXT
        )
        self.translator = Translator()
        self.events: list[Any] = []
        self.view_heard: list[dict[str, Any]] = []

    def view_says(self, message: object) -> None:
        for heard in self.translator.inbound(message):
            self.host.receive(heard, 0.0)
            self.pump()
        self.pump()

    def pump(self) -> None:
        """Bounded: each round hands on what the round before produced."""
        for _ in range(20):
            self.view_heard.extend(self.translator.replies())
            for sent in self.host.messages_to_send():
                self.view_heard.extend(self.translator.outbound(sent))
            for answer in self.translator.answers():
                self.host.receive(answer, 0.0)
            for event in self.host.events():
                self.events.append(event)
                if isinstance(event, RequestReceived):
                    self.answer(event)

    def answer(self, request: RequestReceived) -> None:
        results: dict[str, dict[str, Any]] = {
            "ui/request-display-mode": {"mode": request.params.get("mode")},
            "tools/call": {"content": []},
            "resources/list": {"resources": []},
        }
        self.host.answer(request.request_id, results.get(request.method, {}))

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def view_lines(dialect: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (CORPUS / f"{dialect}.jsonl").read_text("utf-8").splitlines()[1:]]
    said = [line["says"] for line in lines if line["who"] == "view"]
    # This host answers at once, so a cancellation is too late; and from a view it takes no sandbox word.
    left_out = ("notifications/cancelled", "ui/notifications/sandbox-ready")
    return [message for message in said if "result" not in message and message.get("method") not in left_out]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_whole_conversation_is_no_fault_to_the_connection(dialect: str) -> None:
    session = Session()
    for message in view_lines(dialect):
        session.view_says(message)
    assert session.of(PeerFault) == []
    assert session.host.state is ConnectionState.READY


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_tool_call_reaches_the_view_after_its_handshake(dialect: str) -> None:
    session = Session()
    session.host.send_tool_input({"city": "Oslo"})
    session.host.send_tool_result({"content": [], "structuredContent": {"t": 3}})
    for message in view_lines(dialect)[:2]:
        session.view_says(message)
    told = json.dumps(session.view_heard)
    assert '{"city": "Oslo"}' in told
    assert '{"t": 3}' in told
    assert told.index('"Oslo"') < told.index('"t": 3')


@pytest.mark.parametrize("dialect", ["frontmcp", "mcp-ui"])
def test_a_view_that_answers_nothing_is_torn_down_cleanly_and_fails_its_tools_at_once(dialect: str) -> None:
    session = Session()
    for message in view_lines(dialect):
        session.view_says(message)
    pinged = session.host.ping(0.0, timeout=5)
    session.pump()
    assert [(failed.request_id, failed.timed_out) for failed in session.of(RequestFailed)] == [
        (pinged, False)
    ]
    session.host.teardown(0.0, timeout=5)
    session.pump()
    assert [torn.clean for torn in session.of(TornDown)] == [True]


def test_tools_that_a_widget_registered_are_listed_by_the_connection() -> None:
    session = Session()
    for message in view_lines("frontmcp")[:2]:
        session.view_says(message)
    tool = {"name": "zoom", "description": "Zoom", "inputSchema": {"type": "object"}}
    session.view_says({"jsonrpc": "2.0", "id": 50, "method": "ui/registerTool", "params": tool})
    session.host.list_view_tools(0.0, timeout=5)
    session.pump()
    assert [answer.result for answer in session.of(ResponseReceived)] == [{"tools": [tool]}]
    session.host.call_view_tool("zoom", {}, 0.0, timeout=5)
    session.pump()
    assert [(failed.code, failed.timed_out) for failed in session.of(RequestFailed)] == [(-32003, False)]

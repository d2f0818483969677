"""Any sequence of messages and calls keeps the promises of both ends, and a sleep changes nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st
from talk import (
    ALL_CAPABILITIES,
    HOST_ANSWER,
    INITIALIZED,
    RESULT,
    TOOL_CANCELLED,
    TOOL_INPUT,
    TOOL_PARTIAL,
    TOOL_RESULT,
    introduction,
    new_host,
    new_view,
)

from fanlight.errors import ConfigError, LocalProtocolError
from fanlight.protocol import (
    Closed,
    ConnectionState,
    Event,
    HostConnection,
    HostReady,
    Initialized,
    InitializeReceived,
    Limits,
    RequestFailed,
    ResponseReceived,
    TornDown,
    ViewConnection,
)
from fanlight.wire import (
    FROM_HOST,
    FROM_VIEW,
    JSONObject,
    error,
    is_request_id,
    notification,
    request,
    response,
)

End = HostConnection | ViewConnection
C = TypeVar("C", HostConnection, ViewConnection)
Step = tuple[str, Callable[[Any], object]]

LIMITS = Limits(
    max_message_size=2000,
    max_id_length=20,
    max_requests_from_peer=3,
    max_requests_to_peer=3,
    max_held_messages=3,
    max_view_tools=2,
    max_view_tool_result=400,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)
NOT_JSON = st.sampled_from(
    [object(), {1, 2}, float("nan"), {"params": float("inf")}, b"bytes", {"jsonrpc": "2.0", "id": {1}}]
)
IDS = st.sampled_from([0, 1, 2, 3, 4, "0", "1", "a", "x" * 30, None, 1.5, True])
OBJECTS = st.dictionaries(st.text(max_size=5), JSON, max_size=3)
METHODS = st.sampled_from(
    sorted({*FROM_VIEW, *FROM_HOST, "nothing/known", "ui/notifications/sandbox-proxy-ready"})
)
PARAMS = st.sampled_from(
    [
        {},
        {"name": "t", "arguments": {}, "_meta": {"progressToken": 0}},
        {"url": "https://a", "uri": "ui://a", "mode": "fullscreen", "content": "hi", "contents": []},
        {"messages": [], "maxTokens": 1, "tools": [], "content": [{"type": "text", "text": "a"}]},
        {"requestId": 0, "progressToken": 1, "progress": 1, "width": -4, "level": "warn", "data": 1},
        {"requestId": 1, "arguments": {"a": 1}, "theme": "dark", "mode": "pip"},
        {"requestId": 2, "filler": "x" * 3000},
        introduction({"tools": {}})["params"],
        introduction({"tools": {}, "availableDisplayModes": ["inline"]})["params"],
    ]
)
RESULTS: st.SearchStrategy[Any] = st.sampled_from(
    [{}, RESULT, {"tools": ["a", "b", "c"]}, {"mode": "pip"}, HOST_ANSWER, {"content": "x" * 500}, None, []]
)
LIKELY = st.one_of(
    st.builds(request, IDS.filter(is_request_id), METHODS, PARAMS),
    st.builds(notification, METHODS, PARAMS),
    st.builds(lambda i, r: {"jsonrpc": "2.0", "id": i, "result": r}, IDS, RESULTS),
    st.builds(lambda i: error(i, -32601, "no"), st.sampled_from([1, 2, 3])),
    st.just(INITIALIZED),
    st.builds(introduction, st.sampled_from([{}, {"tools": {}}]), st.sampled_from([0, 1])),
)
WILD = st.dictionaries(
    st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]),
    st.one_of(JSON, st.just("2.0"), METHODS, PARAMS, IDS),
)
MESSAGES = st.one_of(LIKELY, LIKELY, LIKELY, LIKELY, WILD, JSON, NOT_JSON)
TIMES = st.integers(0, 40)
TIMEOUTS = st.sampled_from([1, 5, 30, 31, 0])
ANSWER_IDS = st.sampled_from([0, 1, 2, 3, "0", "a"])


def call(
    name: str, *parts: st.SearchStrategy[Any], **named: st.SearchStrategy[Any]
) -> st.SearchStrategy[Step]:
    """A call of the program, by name."""

    def step(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Step:
        return name, lambda end: getattr(end, name)(*args, **kwargs)

    return st.builds(step, st.tuples(*parts), st.fixed_dictionaries(named))


def receive(message: object, now: float) -> Step:
    return "receive", lambda end: end.receive(message, now)


COMMON = [
    st.builds(receive, MESSAGES, TIMES),
    st.builds(receive, LIKELY, TIMES),
    call("tick", TIMES),
    call("answer", ANSWER_IDS, st.sampled_from([{}, RESULT, {"mode": "fullscreen"}, {"tools": []}])),
    call("refuse", ANSWER_IDS, st.just(-32000), st.just("no")),
    call("send_progress", ANSWER_IDS, st.just(0.5)),
    call("ping", TIMES, timeout=TIMEOUTS),
    call("cancel", st.sampled_from([1, 2, 3])),
]
RARE_END = st.one_of(call("close", st.just("gone")), *COMMON)
HOST_STEPS = st.one_of(
    *COMMON,
    RARE_END,
    st.builds(receive, st.just(introduction({"tools": {}})), TIMES),
    st.builds(receive, st.just(INITIALIZED), TIMES),
    call("send_tool_input_partial", OBJECTS),
    call("send_tool_input", st.none() | OBJECTS),
    call("send_tool_result", st.just(RESULT)),
    call("send_tool_cancelled"),
    call(
        "update_context",
        st.sampled_from([{"theme": "dark"}, {"theme": "light"}, {"theme": None}, {"theme": "x"}, {"y": 1}]),
    ),
    call("update_capabilities", st.sampled_from([{}, ALL_CAPABILITIES])),
    call("notify_list_changed", st.sampled_from(["tools", "resources", "prompts"])),
    call("call_view_tool", st.just("t"), st.none(), TIMES, timeout=TIMEOUTS),
    call("list_view_tools", TIMES, timeout=TIMEOUTS),
    call("teardown", TIMES, timeout=TIMEOUTS),
)
VIEW_STEPS = st.one_of(
    *COMMON,
    RARE_END,
    call("initialize", TIMES, timeout=TIMEOUTS),
    st.builds(receive, st.just(response(1, HOST_ANSWER)), TIMES),
    call("call_tool", st.just("t"), st.none(), TIMES, timeout=TIMEOUTS),
    call("send_message", st.just("hi"), TIMES, timeout=TIMEOUTS),
    call("request_display_mode", st.just("fullscreen"), TIMES, timeout=TIMEOUTS),
    call("send_size", st.just(4)),
    call("send_log", st.just("info"), st.just("x")),
    call("request_teardown"),
)


@dataclass
class Watch:
    """Looks at what an end says and reports, and knows what may not be."""

    is_host: bool
    ready: bool = False
    closed: bool = False
    heard: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    asked: set[Any] = field(default_factory=set)
    settled: Counter[Any] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    def hears(self, message: object) -> None:
        if isinstance(message, dict) and is_request_id(message.get("id")):
            self.heard[repr(message["id"])] += 1

    def look(self, messages: list[JSONObject], events: list[Event]) -> None:
        was_closed = self.closed
        for event in events:
            if isinstance(event, Initialized | HostReady):
                self.ready = True
            elif isinstance(event, InitializeReceived):
                self.ready = False
            elif isinstance(event, ResponseReceived | RequestFailed):
                self.settled[event.request_id] += 1
                assert self.settled[event.request_id] == 1
            elif isinstance(event, TornDown | Closed):
                self.closed = True
        assert not (was_closed and messages), "something was said after the end"
        for message in messages:
            json.dumps(message, allow_nan=False)
            if "method" in message:
                self._call(message)
            else:
                self._answer(message)

    def _answer(self, message: JSONObject) -> None:
        key = repr(message["id"])
        self.answered[key] += 1
        assert self.answered[key] <= self.heard[key], "something was answered more often than it was asked"
        if not self.ready and "result" in message:
            assert message["result"] == {} or "protocolVersion" in message["result"]

    def _call(self, message: JSONObject) -> None:
        method, params = message["method"], message["params"]
        row = (FROM_HOST if self.is_host else FROM_VIEW)[method]
        assert row.params.model_validate(params).to_wire() == params
        if "id" in message:
            assert message["id"] not in self.asked, "an id was used twice"
            self.asked.add(message["id"])
        if self.is_host:
            assert self.ready, "R32"
            self._tool_data(method)

    def _tool_data(self, method: str) -> None:
        ends = {TOOL_RESULT, TOOL_CANCELLED}
        if method == TOOL_PARTIAL:
            assert not {TOOL_INPUT, *ends} & set(self.told), "R50"
        elif method == TOOL_INPUT:
            assert not {TOOL_INPUT, *ends} & set(self.told), "R49"
        elif method in ends:
            assert not ends & set(self.told)
            assert method == TOOL_CANCELLED or TOOL_INPUT in self.told, "R49"
        self.told.append(method)


def outcome(end: End, step: Step) -> str:
    """Run one step. A message may never raise; a call may raise what the program did wrong."""
    name, act = step
    if name == "receive":
        act(end)
        return "received"
    try:
        return repr(act(end))
    except (LocalProtocolError, ConfigError) as fault:
        return repr(fault)


def live(end: C, steps: list[Step], sleeps: list[bool]) -> None:
    """Run the steps on an end that never sleeps and on its twin that does, and watch both."""
    watch = Watch(isinstance(end, HostConnection))
    twin = type(end).restore(json.loads(json.dumps(end.snapshot())))
    for step, sleep in zip(steps, sleeps, strict=True):
        if step[0] == "receive":
            step[1](_Ear(watch))
        assert outcome(end, step) == outcome(twin, step)
        if sleep:
            twin = type(end).restore(json.loads(json.dumps(twin.snapshot())))
        messages, events = end.messages_to_send(), end.events()
        assert (twin.messages_to_send(), twin.events()) == (messages, events)
        assert (twin.state, twin.next_deadline()) == (end.state, end.next_deadline())
        watch.look(messages, events)
        assert (end.state is ConnectionState.CLOSED) is watch.closed
        if end.state is ConnectionState.CLOSED:
            assert end.next_deadline() is None


class _Ear:
    """Stands in for an end, to learn which message a step will give it."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def receive(self, message: object, now: float) -> None:
        self._watch.hears(message)


def with_sleeps(steps: st.SearchStrategy[Step]) -> st.SearchStrategy[tuple[list[Step], list[bool]]]:
    pairs = st.lists(st.tuples(steps, st.booleans()), max_size=40)
    return pairs.map(lambda both: ([step for step, _ in both], [sleep for _, sleep in both]))


@settings(max_examples=200)
@given(with_sleeps(HOST_STEPS), st.booleans())
def test_a_host_keeps_its_promises_whatever_is_said_and_asked(
    plan: tuple[list[Step], list[bool]], shaken_hands: bool
) -> None:
    """Holds: R32, R48, R49, R50, R67."""
    steps, sleeps = plan
    if shaken_hands:
        steps = [receive(introduction({"tools": {}}), 0), receive(INITIALIZED, 0), *steps]
        sleeps = [True, True, *sleeps]
    live(new_host(limits=LIMITS), steps, sleeps)


@settings(max_examples=200)
@given(with_sleeps(VIEW_STEPS), st.booleans())
def test_a_view_keeps_its_promises_whatever_is_said_and_asked(
    plan: tuple[list[Step], list[bool]], shaken_hands: bool
) -> None:
    """Holds: R35, R39, R67."""
    steps, sleeps = plan
    if shaken_hands:
        hello: Step = ("initialize", lambda end: end.initialize(0, timeout=50))
        steps = [hello, receive(response(1, HOST_ANSWER), 0), *steps]
        sleeps = [True, True, *sleeps]
    live(new_view({"tools": {}}, LIMITS), steps, sleeps)


@given(st.lists(st.one_of(JSON, WILD, NOT_JSON), max_size=10))
def test_nothing_that_is_received_ever_raises(messages: list[object]) -> None:
    """Holds: R67."""
    for end in (new_host(limits=LIMITS), new_view(limits=LIMITS)):
        for message in messages:
            end.receive(message, 0.0)
            end.receive(message, 0.0, size=1)
        json.dumps(end.messages_to_send())

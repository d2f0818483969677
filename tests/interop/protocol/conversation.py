"""A conversation between one of our connections and the published class at the other end of a pipe.

One reader, no background task: each wait pumps lines until its condition holds or its time is over.
What our core sends is checked against the official schema before it leaves. What the official code has
to say (an event, the outcome of a promise, an ``onerror``) arrives in ``reports``. Time is a
number that only the test moves.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import pytest
from official_schema import problems

from fanlight.protocol.events import Event, PeerFault
from fanlight.wire.jsonrpc import JSONObject
from plugins.peers import NODE_HOME, REMEDY

__all__ = ["PATIENCE", "VERSIONS", "Conversation", "NodePeer", "Outcome", "official"]

VERSIONS = ("2.0.4", "1.7.5")
PATIENCE = 40.0  # seconds; a healthy answer takes milliseconds, a start on a busy machine many of them

T = TypeVar("T")
E = TypeVar("E")


class Connection(Protocol):
    """The sans-I/O door that both of our roles have."""

    def receive(self, message: object, now: float) -> None: ...
    def messages_to_send(self) -> list[JSONObject]: ...
    def events(self) -> list[Event]: ...
    def tick(self, now: float) -> None: ...
    def snapshot(self) -> JSONObject: ...
    @classmethod
    def restore(cls, snapshot: JSONObject) -> Self: ...


C = TypeVar("C", bound=Connection)


@dataclass(frozen=True)
class Outcome:
    """How a promise of the official code ended: its value, or the error it was rejected with."""

    ok: bool
    value: Any = None
    error: JSONObject = field(default_factory=dict)


class NodePeer:
    """One Node process that runs a driver: lines in, lines out."""

    def __init__(self, process: asyncio.subprocess.Process, version: str) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin = process.stdin
        self._stdout = process.stdout
        self.version = version
        self.refs = itertools.count(1)

    @classmethod
    @asynccontextmanager
    async def running(cls, program: str, driver: str, version: str) -> AsyncIterator[NodePeer]:
        """Start ``driver`` for one published version; the process ends with the block."""
        process = await asyncio.create_subprocess_exec(
            program,
            str(NODE_HOME / "drivers" / driver),
            version,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=2**24,
        )
        peer = cls(process, version)
        try:
            async with asyncio.timeout(PATIENCE):
                assert await peer.read_line() == {"driver": {"event": "ready"}}
            yield peer
        finally:
            peer._stdin.close()
            try:
                async with asyncio.timeout(PATIENCE):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()

    async def create(self, settings: JSONObject) -> None:
        """Put a fresh official object on the stage; what is left of the previous test is thrown away."""
        ref = next(self.refs)
        self.write_line({"driver": {"ref": ref, "run": "create", "args": [settings]}})
        async with asyncio.timeout(PATIENCE):
            while (said := (await self.read_line()).get("driver", {})).get("outcome") != ref:
                pass
        assert said["ok"], said

    def write_line(self, line: object) -> None:
        self._stdin.write(json.dumps(line).encode() + b"\n")

    async def read_line(self) -> JSONObject:
        await self._stdin.drain()
        line = await self._stdout.readline()
        assert line, f"the Node process ended (see stderr); if a package is missing, {REMEDY}"
        parsed: JSONObject = json.loads(line)
        return parsed


def official(driver: str) -> Any:
    """A fixture that runs ``driver``: one process for each published version and test module.

    It fails, and tells the remedy, when Node or the packages are missing.
    """

    @pytest.fixture(scope="module", params=VERSIONS)
    async def running_driver(
        request: pytest.FixtureRequest, node: str, peers: Path
    ) -> AsyncIterator[NodePeer]:
        async with NodePeer.running(node, driver, request.param) as peer:
            yield peer

    return running_driver


class Conversation(Generic[C]):
    """Our connection ``ours`` talks to the official object behind ``node``.

    A ``sleepy`` one is put to sleep as JSON and woken again after every step.
    """

    def __init__(self, node: NodePeer, ours: C, *, sleepy: bool = False) -> None:
        self.node = node
        self.ours = ours
        self.sleepy = sleepy
        self.now = 0.0
        self.log: list[tuple[str, JSONObject]] = []  # ("sent" | "received", message), in order
        self.reports: list[JSONObject] = []
        self.pending_events: list[Event] = []
        self.all_events: list[Event] = []
        self._outcomes: dict[int, Outcome] = {}
        self._asked: dict[Any, str] = {}  # id of a peer's request → its method

    # ------------------------------------------------------------------ the pipe

    def flush(self) -> None:
        """Put on the pipe what our core has to say, after the official schema has seen it."""
        for message in self.ours.messages_to_send():
            wrong = problems(message, self._asked.get(message.get("id")) if "method" not in message else None)
            assert not wrong, f"the official schema refuses what we send: {wrong}\n{message}"
            self.log.append(("sent", message))
            self.node.write_line(message)
        events = self.ours.events()
        self.pending_events += events
        self.all_events += events
        if self.sleepy:
            self.ours = self.ours.restore(json.loads(json.dumps(self.ours.snapshot())))

    async def _read_one(self) -> None:
        line = await self.node.read_line()
        if "driver" not in line:
            self.log.append(("received", line))
            if "method" in line and "id" in line:
                self._asked[line["id"]] = line["method"]
            self.ours.receive(line, self.now)
            self.flush()
        elif "outcome" in line["driver"]:
            said = line["driver"]
            self._outcomes[said["outcome"]] = Outcome(said["ok"], said.get("value"), said.get("error", {}))
        else:
            self.reports.append(line["driver"])

    async def until(self, condition: Callable[[], T | None], what: str) -> T:
        """Pump until ``condition`` gives something other than None."""
        self.flush()
        try:
            async with asyncio.timeout(PATIENCE):
                while (found := condition()) is None:
                    await self._read_one()
                return found
        except TimeoutError:
            raise AssertionError(f"waited {PATIENCE} s for {what}\n{self.describe()}") from None

    def describe(self) -> str:
        """The end of the conversation, for the message of a failed test."""
        lines = [f"{way}: {json.dumps(message)[:300]}" for way, message in self.log[-12:]]
        lines += [f"report: {json.dumps(report)[:300]}" for report in self.reports[-12:]]
        lines += [f"event: {event!r:.300}" for event in self.all_events[-12:]]
        return "\n".join(lines)

    # ------------------------------------------------------------------ the official side

    def start(self, command: str, *args: object) -> int:
        """Start a command of the driver; ``outcome`` awaits its end."""
        self.flush()
        ref = next(self.node.refs)
        self.node.write_line({"driver": {"ref": ref, "run": command, "args": list(args)}})
        return ref

    def abort(self, ref: int, reason: str) -> None:
        """Abort the AbortSignal that a started command was given."""
        self.node.write_line({"driver": {"abort": ref, "reason": reason}})

    async def outcome(self, ref: int) -> Outcome:
        return await self.until(lambda: self._outcomes.pop(ref, None), f"the outcome of command {ref}")

    async def run(self, command: str, *args: object) -> Any:
        """Run a command that must succeed, and give its value."""
        outcome = await self.outcome(self.start(command, *args))
        assert outcome.ok, f"{command} was rejected: {outcome.error}\n{self.describe()}"
        return outcome.value

    async def report(self, event: str) -> JSONObject:
        """The next report of this name (each is given once); those of other names stay."""

        def take() -> JSONObject | None:
            for index, report in enumerate(self.reports):
                if report["event"] == event:
                    return self.reports.pop(index)
            return None

        return await self.until(take, f"a report {event!r}")

    async def reported(self, *names: str) -> list[JSONObject]:
        """All reports of these names so far, in order, once Node has come to rest."""
        await self.run("sync")
        return [report for report in self.reports if report["event"] in names]

    # ------------------------------------------------------------------ our side

    async def event(self, kind: type[E]) -> E:
        """The next event of this class (each is given once); those of other classes stay."""

        def take() -> E | None:
            for index, event in enumerate(self.pending_events):
                if isinstance(event, kind):
                    del self.pending_events[index]
                    return event
            return None

        return await self.until(take, f"an event {kind.__name__}")

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.ours.tick(self.now)
        self.flush()

    def sent(self, method: str) -> list[JSONObject]:
        """The messages of this method that we have sent."""
        return [message for way, message in self.log if way == "sent" and message.get("method") == method]

    async def official_side_is_content(self) -> None:
        """The official code has not objected: no ``onerror``, no console warning, no lost exception."""
        await self.run("sync")
        objections = [
            report
            for report in self.reports
            if report["event"] in ("error", "unhandled") or report.get("level") in ("warn", "error")
        ]
        assert not objections, f"{objections}\n{self.describe()}"

    def our_side_is_content(self) -> None:
        """Our core has found no fault in what the official code said."""
        faults = [event for event in self.all_events if isinstance(event, PeerFault)]
        assert not faults, f"{faults}\n{self.describe()}"

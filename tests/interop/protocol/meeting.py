"""`view.js` and the published `AppBridge`, each in a Node process, joined by a pipe that the test reads.

What the view says is checked against the official schema before it is passed on. What either side has to say
of itself arrives in its `reports`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from conversation import PATIENCE, NodePeer, Outcome
from official_schema import problems
from scenes import ALL_CAPABILITIES, FULL_CONTEXT, HOST_INFO

from fanlight.runtime import read_asset
from fanlight.wire.jsonrpc import JSONObject

__all__ = ["Meeting", "Side", "meeting"]

T = TypeVar("T")


class Side:
    """One of the two: what it reported, and how the commands it was given ended."""

    def __init__(self, peer: NodePeer, meeting: Meeting) -> None:
        self.peer = peer
        self.reports: list[JSONObject] = []
        self._outcomes: dict[int, Outcome] = {}
        self._meeting = meeting

    def take(self, said: JSONObject) -> None:
        if "outcome" in said:
            self._outcomes[said["outcome"]] = Outcome(said["ok"], said.get("value"), said.get("error", {}))
        else:
            self.reports.append(said)

    def start(self, command: str, *args: object) -> int:
        """Start a command of the driver; `outcome` awaits its end."""
        ref = next(self.peer.refs)
        self.peer.write_line({"driver": {"ref": ref, "run": command, "args": list(args)}})
        return ref

    def abort(self, ref: int, reason: str) -> None:
        self.peer.write_line({"driver": {"abort": ref, "reason": reason}})

    async def outcome(self, ref: int) -> Outcome:
        return await self._meeting.until(
            lambda: self._outcomes.pop(ref, None), f"the outcome of command {ref}"
        )

    async def run(self, command: str, *args: object) -> Any:
        """Run a command that must succeed, and give its value."""
        outcome = await self.outcome(self.start(command, *args))
        assert outcome.ok, f"{command} was rejected: {outcome.error}\n{self._meeting.describe()}"
        return outcome.value

    async def refused(self, command: str, *args: object) -> JSONObject:
        """Run a command that must fail, and give its error."""
        outcome = await self.outcome(self.start(command, *args))
        assert not outcome.ok, f"{command} gave {outcome.value}"
        return outcome.error

    async def report(self, event: str) -> JSONObject:
        """The next report of this name; each is given once."""

        def take() -> JSONObject | None:
            for index, report in enumerate(self.reports):
                if report["event"] == event:
                    return self.reports.pop(index)
            return None

        return await self._meeting.until(take, f"a report {event!r}")


class Meeting:
    """Both sides and everything that passed between them."""

    def __init__(self, bridge: NodePeer, view: NodePeer) -> None:
        self.bridge = Side(bridge, self)
        self.view = Side(view, self)
        self.log: list[tuple[str, JSONObject]] = []
        self._asked: dict[Any, str] = {}
        self._news = asyncio.Event()

    async def carry(self, source: Side, target: Side) -> None:
        """Pass on what one side says, for ever."""
        who = "view" if source is self.view else "bridge"
        while True:
            line = await source.peer.read_line()
            if "driver" in line:
                source.take(line["driver"])
            else:
                self._check(who, line)
                self.log.append((who, line))
                target.peer.write_line(line)
            self._news.set()

    def _check(self, who: str, message: JSONObject) -> None:
        if who == "bridge":
            if "method" in message and "id" in message:
                self._asked[message["id"]] = message["method"]
            return
        asked = self._asked.get(message.get("id")) if "method" not in message else None
        wrong = problems(message, asked)
        assert not wrong, f"the official schema refuses what the view sends: {wrong}\n{message}"

    async def until(self, condition: Callable[[], T | None], what: str) -> T:
        try:
            async with asyncio.timeout(PATIENCE):
                while (found := condition()) is None:
                    self._news.clear()
                    await self._news.wait()
                return found
        except TimeoutError:
            raise AssertionError(f"waited {PATIENCE} s for {what}\n{self.describe()}") from None

    def said(self, method: str, who: str = "view") -> list[JSONObject]:
        """The params of all messages of this method."""
        return [
            message.get("params", {})
            for speaker, message in self.log
            if speaker == who and message.get("method") == method
        ]

    async def bridge_is_content(self) -> None:
        """The official code has not objected: no `onerror`, no console warning, no lost exception."""
        await self.bridge.run("sync")
        objections = [
            report
            for report in self.bridge.reports
            if report["event"] in ("error", "unhandled") or report.get("level") in ("warn", "error")
        ]
        assert not objections, f"{objections}\n{self.describe()}"

    def describe(self) -> str:
        """The end of the conversation, for the message of a failed test."""
        lines = [f"{who}: {str(message)[:300]}" for who, message in self.log[-12:]]
        for side in (self.bridge, self.view):
            lines += [f"report: {str(report)[:300]}" for report in side.reports[-8:]]
        return "\n".join(lines)


@asynccontextmanager
async def meeting(
    bridge: NodePeer,
    view: NodePeer,
    *,
    answers: JSONObject | None = None,
    capabilities: JSONObject | None = None,
    context: JSONObject | None = None,
    bridge_at_fault: bool = False,
    **page: Any,
) -> AsyncIterator[Meeting]:
    """A fresh AppBridge and a fresh page with the script, connected; `page` goes to the view's driver."""
    settings = {
        "info": HOST_INFO,
        "capabilities": ALL_CAPABILITIES if capabilities is None else capabilities,
        "context": FULL_CONTEXT if context is None else context,
        "answers": answers or {},
    }
    await bridge.create(settings)
    met = Meeting(bridge, view)
    # The view speaks as soon as it is there, so its page is made when both ways are being read.
    carriers = [
        asyncio.create_task(met.carry(met.bridge, met.view)),
        asyncio.create_task(met.carry(met.view, met.bridge)),
    ]
    try:
        await met.view.run("create", {"script": read_asset("view.js").decode(), **page})
        await met.bridge.report("initialized")
        yield met
        if not bridge_at_fault:
            await met.bridge_is_content()
        # No line may be left that the next test would read as its own.
        await met.view.run("sync")
        await met.bridge.run("sync")
    finally:
        for carrier in carriers:
            carrier.cancel()
        results = await asyncio.gather(*carriers, return_exceptions=True)
        for failed in results:
            if isinstance(failed, AssertionError):
                raise failed

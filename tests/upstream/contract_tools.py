"""The contract's tools that need nothing of an SDK, for the server objects of each."""

from __future__ import annotations

import asyncio
import json
from typing import Any

ABSENT = "absent"


class SharedTools:
    """What the calls of one server object share."""

    def __init__(self) -> None:
        self.cancelled = 0
        self.hanging = 0
        self._present = 0
        self._all_here = asyncio.Event()

    async def echo(self, a: Any = ABSENT, b: Any = ABSENT, d: Any = ABSENT, text: Any = ABSENT) -> str:
        given = {"a": a, "b": b, "d": d, "text": text}
        return json.dumps({name: value for name, value in given.items() if value != ABSENT})

    async def hang(self) -> str:
        self.hanging += 1
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return ""

    async def meet(self, count: int) -> str:
        """Nobody leaves before everybody is here: answers only if the calls run at the same time."""
        self._present += 1
        if self._present == count:
            self._all_here.set()
        await self._all_here.wait()
        return str(self._present)

    async def steps(self, report: Any, count: int, pause: float) -> str:
        for step in range(1, count + 1):
            await asyncio.sleep(pause)
            await report(step, 100, f"step {step}")
        await asyncio.sleep(pause)
        return "done"

    def seen(self, capabilities: Any) -> str:
        known = {} if capabilities is None else capabilities.model_dump(by_alias=True, exclude_none=True)
        return json.dumps({"capabilities": known, "hanging": self.hanging, "cancelled": self.cancelled})

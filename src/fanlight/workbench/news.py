"""What happened to the servers since the page looked: numbered, so that a page can wait for the next."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["News"]


class News:
    """The last thing that `fanlight dev` has to tell, and its number."""

    def __init__(self) -> None:
        self.number = 0
        self.problem: str | None = None
        self._next = asyncio.Event()
        self._closed = False

    def tell(self, problem: str | None) -> None:
        """The servers were loaded anew, or could not be: then `problem` says why."""
        self.number += 1
        self.problem = problem
        self._next.set()
        self._next = asyncio.Event()

    def close(self) -> None:
        """There will be no more: whoever waits is let go."""
        self._closed = True
        self._next.set()

    async def after(self, number: int, seconds: float) -> dict[str, Any]:
        """The news once their number is another, or as they are after so many seconds."""
        if number == self.number and not self._closed:
            try:
                async with asyncio.timeout(seconds):
                    await self._next.wait()
            except TimeoutError:
                pass
        return {"number": self.number, **({"problem": self.problem} if self.problem else {})}

"""What the page of a session is told, and what the tap is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .reported import policy_facts
from .tap import Direction, Tap, TapRecord
from .verdicts import Stage, Verdict

if TYPE_CHECKING:
    from .view import View

__all__ = ["PageSide"]


class PageSide:
    """The page that shows a view, until `closed`. `send` takes a frame and never blocks."""

    def __init__(self, view: View, tap: Tap, send: Callable[[dict[str, Any]], None]) -> None:
        self.closed = False
        self._view = view
        self._tap = tap
        self._send = send
        self._loop = asyncio.get_running_loop()

    def send(self, op: str, **fields: Any) -> None:
        """A frame for the page.

        Raises:
            Unwritable: the page could not read it.
        """
        if not self.closed:
            self._send({"op": op, "view": self._view.id, **fields})

    def tell(self, text: str) -> None:
        """Something that the person should know, in words."""
        self.note(text)
        self.send("notice", text=text)

    def show_stage(self, stage: Stage) -> None:
        """A step of the view's way to the screen was reached."""
        self.send("stage", **stage.as_json())

    def show_outcome(self) -> None:
        """The verdict as it is now, with the tool's text where the view cannot be seen."""
        outcome = self._view.outcome
        failed = outcome.verdict not in (Verdict.OK, Verdict.PENDING)
        text = {"text": self._view.text} if failed and self._view.text else {}
        self.send("verdict", **outcome.as_json(), **text)

    def show_violation(self, violation: dict[str, Any]) -> None:
        """What was refused, and in `declare` the whole policy that would refuse nothing of it."""
        fix = policy_facts(self._view).get("fix")
        declare = {} if fix is None else {"declare": fix}
        self.send("violation", violation={**violation, **declare})

    # What only the tap hears

    def passed(self, direction: Direction, message: Any) -> None:
        """A message passed in this direction."""
        self._tap.put(TapRecord(self._loop.time(), self._view.id, direction, message))

    def note(self, text: str) -> None:
        self.passed("note", text)

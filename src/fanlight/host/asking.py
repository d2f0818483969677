"""Questions to a page: each has an id, a deadline, and at most one answer.

A question is either for the person (a dialog, under a tag) or for the page itself (open this, save that).
Nothing is decided here.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["PageAnswer", "PageQuestions"]


@dataclass(frozen=True)
class PageAnswer:
    """What came back: the word, whether to remember it, and whether it was remembered meanwhile."""

    word: str
    remember: bool = False
    remembered: bool = False


@dataclass
class _Question:
    tag: Hashable
    answer: asyncio.Future[PageAnswer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class PageQuestions:
    """What one page was asked and has not answered. `send` takes an operation and its fields."""

    def __init__(self, send: Callable[..., None]) -> None:
        self.closed = False
        self._send = send
        self._waiting: dict[str, _Question] = {}

    def count(self) -> int:
        """How many questions wait for the person."""
        return sum(question.tag is not None for question in self._waiting.values())

    async def put(self, op: str, seconds: float, *, tag: Hashable = None, **fields: Any) -> PageAnswer | None:
        """Ask, and wait for the answer; None when the time is up or the page is gone.

        Whoever stops waiting (also by cancellation) takes the question off the page.
        """
        if self.closed:
            return None
        name, question = secrets.token_hex(8), _Question(tag)
        self._waiting[name] = question
        self._send(op, id=name, **fields)
        over = True
        try:
            async with asyncio.timeout(seconds):
                answer = await question.answer
            over = answer.remembered
            return answer if answer.word else None
        except TimeoutError:
            return None
        finally:
            del self._waiting[name]
            if over:
                self._send("ask-over", id=name)

    def answered(self, frame: dict[str, Any]) -> None:
        """A `decision` frame came. One for a question that is over, or that never was, is ignored."""
        name, word = frame.get("id"), frame.get("answer")
        question = self._waiting.get(name) if isinstance(name, str) else None
        if question is not None and not question.answer.done() and isinstance(word, str):
            question.answer.set_result(PageAnswer(word, remember=frame.get("remember") is True))

    def settle(self, tag: Hashable, word: str) -> None:
        """Another question of the same tag was answered for good: that answers these too."""
        for question in self._waiting.values():
            if question.tag == tag and not question.answer.done():
                question.answer.set_result(PageAnswer(word, remembered=True))

    def close(self) -> None:
        """The page is gone: nobody will answer."""
        self.closed = True
        for name, question in self._waiting.items():
            self._send("ask-over", id=name)
            if not question.answer.done():
                question.answer.set_result(PageAnswer(""))

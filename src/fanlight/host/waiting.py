"""Waiting for a view without waiting for ever: the outcome, or how far it came in the time there was."""

from __future__ import annotations

import asyncio
from collections.abc import Container
from typing import TYPE_CHECKING

from .verdicts import Outcome, Verdict

if TYPE_CHECKING:
    from .view import View

__all__ = ["wait_for"]


async def wait_for(view: View, verdicts: Container[Verdict], timeout: float) -> Outcome:
    """The outcome as soon as its verdict is one of these, or as it is after `timeout` seconds."""
    changed = asyncio.Event()
    stop = view.watch(changed.set)
    try:
        async with asyncio.timeout(timeout):
            while view.verdict not in verdicts:
                await changed.wait()
                changed.clear()
    except TimeoutError:
        if view.verdict is Verdict.PENDING:
            return Outcome(Verdict.PENDING, *_how_far(view, timeout))
    finally:
        stop()
    return view.outcome


def _how_far(view: View, timeout: float) -> tuple[str, str]:
    if view.session is None:
        return (
            f"No page showed the view within {timeout:g} s.",
            "Put view.embed_html() into a page, or open view.url.",
        )
    reached = view.stages[-1].name if view.stages else "nothing"
    return (
        f"The view was not ready within {timeout:g} s; it came as far as: {reached}.",
        "Wait longer, or look at view.stages and the browser's console.",
    )

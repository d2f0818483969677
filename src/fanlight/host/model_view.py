"""What of a tool's result a model should read: the view gets everything, the model what is meant for it."""

from __future__ import annotations

from typing import Any

__all__ = ["result_for_model"]

_CUT = "\n[… {left} more characters were left out; the app shows all of it]"


def result_for_model(
    result: dict[str, Any], *, max_text: int = 100_000, structured: bool = False
) -> dict[str, Any]:
    """`content` and `isError` of a result, without what is only for the view or the person.

    `_meta` never goes to a model. `structuredContent` goes with `structured=True`, or when there is no
    content at all, since then it is all there is. Blocks whose `annotations.audience` names only the user
    are left out. Text beyond `max_text` characters in all is cut with a sentence that says so.
    """
    blocks = [block for block in result.get("content") or [] if _for_assistant(block)]
    seen: dict[str, Any] = {"content": _capped(blocks, max_text)}
    if "structuredContent" in result and (structured or not result.get("content")):
        seen["structuredContent"] = result["structuredContent"]
    if result.get("isError") is True:
        seen["isError"] = True
    return seen


def _for_assistant(block: dict[str, Any]) -> bool:
    audience = (block.get("annotations") or {}).get("audience")
    return audience is None or "assistant" in audience


def _capped(blocks: list[dict[str, Any]], max_text: int) -> list[dict[str, Any]]:
    room = max_text
    kept = []
    for block in blocks:
        text = block.get("text")
        shown = {key: value for key, value in block.items() if key != "_meta"}
        if isinstance(text, str):
            if len(text) > room:
                shown["text"] = text[:room] + _CUT.format(left=len(text) - room)
            room = max(0, room - len(text))
        kept.append(shown)
    return kept

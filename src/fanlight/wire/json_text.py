"""JSON text that every peer can read, and how deep it may be nested.

Python's reader and writer give up at about a thousand levels (`RecursionError`), the SDKs' at about two
hundred, and a writer of ours that says `NaN` or half a surrogate pair breaks the reader of the other side. So
the depth is checked where text of strangers comes in, and what cannot be written is found where it goes out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate

from .jsonrpc import JSONValue

__all__ = ["MAX_DEPTH", "Unwritable", "encode", "is_deeper", "nests_deeper", "shallow"]

# Below what both SDKs read and write (about 195 levels), envelope included.
MAX_DEPTH = 150

# For texts without escaped quotes. A string that does not end reaches to the end of the text: every match
# succeeds at once, so a scan never goes back, whatever a stranger wrote.
_STRING = re.compile(r'"[^"]*"?')
_PIECE = re.compile(r'"[^"]*"?|[\[{\]}]')
_HALF_PAIR = re.compile("[\ud800-\udfff]")
# One level down, one level up, as signed bytes.
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class Unwritable(ValueError):
    """A value that JSON cannot carry; the text says why."""


def encode(value: JSONValue) -> str:
    """The compact JSON text of a value.

    Raises:
        Unwritable: it is nested too deeply, or has something that is not JSON, such as NaN.
    """
    try:
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        # Half a pair is no UTF-8; escaped, it is JSON.
        if not text.isascii() and _HALF_PAIR.search(text):
            text = json.dumps(value, separators=(",", ":"))
    except RecursionError:
        raise Unwritable("it is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise Unwritable(f"it is not JSON: {error}") from None
    return text


def nests_deeper(text: str, limit: int = MAX_DEPTH) -> bool:
    """Whether this text of a JSON value is nested deeper than `limit`. Cheap, and never recursive."""
    if text.count("[") + text.count("{") <= limit:
        return False
    steps = (
        _STRING.sub("", _without_escapes(text))
        .encode("utf-8", "surrogatepass")
        .translate(_STEPS, _NO_BRACKETS)
    )
    return max(accumulate(memoryview(steps).cast("b")), default=0) > limit


def is_deeper(value: JSONValue, limit: int = MAX_DEPTH) -> bool:
    """The same of a value in memory."""
    waiting: list[Iterator[JSONValue]] = [iter((value,))]
    while waiting:
        for item in waiting[-1]:
            if isinstance(item, dict | list):
                if len(waiting) > limit:
                    return True
                waiting.append(iter(item.values() if isinstance(item, dict) else item))
                break
        else:
            waiting.pop()
    return False


def shallow(text: str, depth: int) -> str:
    """The text of a JSON value without what is nested deeper than `depth`: `null` stands there instead."""
    parts: list[str] = []
    level = begin = 0
    for piece in _PIECE.finditer(_without_escapes(text)):
        if piece[0] in "[{":
            level += 1
            if level == depth + 1:
                parts.append(text[begin : piece.start()])
        elif piece[0] in "]}":
            level -= 1
            if level == depth:
                parts.append("null")
                begin = piece.end()
    parts.append(text[begin:] if level <= depth else "null")
    return "".join(parts)


def _without_escapes(text: str) -> str:
    """The same text, as long as before, without escaped quotes and backslashes."""
    return text.replace("\\\\", "__").replace('\\"', "__")

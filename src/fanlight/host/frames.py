"""From the text of a page's frame to the frame: how deep it may be, and how much of a stranger is read."""

from __future__ import annotations

import json
import re
from typing import Any

from fanlight.wire.json_text import nests_deeper

from .unread import read_shallow

__all__ = ["LONGEST_OF_STRANGERS", "long_left", "read_frame"]

# Characters. What a page says before it shows a view is short, or comes in chunks of 1 MiB (`LEFT_CHUNK` in
# `runtime/carried.js`), of which only one that holds a single long message is longer.
LONGEST_OF_STRANGERS = (1 << 20) + (64 << 10)
# How `runtime/carried.js` begins a frame of what an older document left.
_LEFT = re.compile(
    r'\{"op":"left","view":"([\w-]{1,64})","token":"([\w-]{1,64})","session":"([\w-]{8,64})","frames":'
)


def read_frame(text: str) -> Any:
    """The frame, its message cut off where it is nested too deeply.

    Raises:
        ValueError: it is no JSON.
    """
    return read_shallow(text) if nests_deeper(text) else json.loads(text)


def long_left(text: str) -> dict[str, Any] | None:
    """Who hands over a long message of an older document, with that message counted as lost; None: nobody."""
    head = _LEFT.match(text)
    if head is None:
        return None
    return {
        "op": "left", "view": head[1], "token": head[2], "session": head[3], "frames": [], "lost": 1,
    }  # fmt: skip

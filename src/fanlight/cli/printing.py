"""Print for a terminal: what a server or a view wrote must not move its cursor, colour it or hide in it."""

from __future__ import annotations

import json
import re
from typing import Any

import click

__all__ = ["plain", "say", "say_json"]

# Controls (newline and tab aside), bidi marks and what takes no room; as runtime/visible.js has it.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def plain(text: str) -> str:
    """The text with everything spelled out that a terminal would obey or not show."""
    return _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def say_json(value: Any) -> None:
    """Print a value as JSON; the same characters are escaped there."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    click.echo(_HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], text))


def say(text: str, *, err: bool = False) -> None:
    """Print a text that strangers may have written parts of."""
    click.echo(plain(text), err=err)

"""What scripts of a page complain about, each with its place: `TypeError: … (js/late.js:5:3)`. No browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fanlight.server.script_files import script_files

__all__ = ["KEEP_UNREAD", "UNREAD", "Complaint", "Place", "complaint_lines", "location", "stack"]

Place = tuple[str, int, int]
"""An address, and line and column counted from one; 0 where there are no lines."""

# A line of a stack; built-in functions, which have no place, match nothing.
_FRAME = re.compile(r"^\s+at .*?([^\s(]+):(\d+):(\d+)\)?$", re.MULTILINE)
UNREAD = 'globalThis[Symbol.for("fanlight.render.unread")]'
"""Where a document keeps what `KEEP_UNREAD` heard."""
KEEP_UNREAD = f"""addEventListener("error", ({{ error, filename, lineno, colno }}) => {{
  if (error instanceof SyntaxError) ({UNREAD} ??= []).push([String(error), filename, lineno, colno]);
}});"""
"""Before every other script: of one that cannot be read Playwright tells no place, the browser does."""


@dataclass(frozen=True)
class Complaint:
    """What was said, and every known place of it, nearest first."""

    words: str
    places: list[Place]


def stack(text: str | None) -> list[Place]:
    """The places of an error's stack, as Chromium writes it."""
    return [(file, int(line), int(column)) for file, line, column in _FRAME.findall(text or "")]


def location(found: Mapping[str, Any] | None, line: str, column: str) -> list[Place]:
    """The place that Playwright tells. It counts from zero, and says zero for what has none: a picture."""
    if not found or not found.get("url"):
        return []
    first = 1 if found[line] or found[column] else 0
    return [(found["url"], found[line] + first, found[column] + first)]


def complaint_lines(complaints: list[Complaint], unread: list[Any], address: str, html: str) -> list[str]:
    """Each complaint as a line, in the words of the author of the document `html`, which is at `address`.

    Args:
        unread: what the document kept at `UNREAD`.
    """
    rest = list(unread)
    return [_line(one, one.places or _taken(rest, one.words), address, html) for one in complaints]


def _taken(unread: list[Any], words: str) -> list[Place]:
    """The place of the first script that says these words; it says them once."""
    found = next((entry for entry in unread if entry[0] == words), None)
    if found is None:
        return []
    unread.remove(found)
    _, file, line, column = found
    return [(file, line, column)]


def _line(complaint: Complaint, places: list[Place], address: str, html: str) -> str:
    if not places:
        return complaint.words
    page = address.partition("#")[0]
    # The first that is in a file; a callback of a library in the document is less of a help.
    file, line, column = next((place for place in places if place[0] != page), places[0])
    if file == page:
        found = next((one for one in script_files(html) if one.first <= line <= one.last), None)
        file, line = ("document", line) if found is None else (found.name, line - found.first + 1)
    return f"{complaint.words} ({file}:{line}:{column})" if line else f"{complaint.words} ({file})"

"""Which lines of a document came from which file.

A browser names the file of a script by the comment at its end (`script_text.source_url`). In a script that it
cannot read it never comes to that comment, and tells the line of the document instead.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from .html_tokens import StartTag, Text, tokens

__all__ = ["ScriptFile", "script_files"]

_NAME = re.compile(r"\n//# sourceURL=(\S+)\s*\Z")


class ScriptFile(NamedTuple):
    """The first and the last line of a document that a file fills, counted from one."""

    first: int
    last: int
    name: str


def script_files(html: str) -> list[ScriptFile]:
    """Every script of a document that came from a file, in their order."""
    found: list[ScriptFile] = []
    for tag, inside in pairwise(tokens(html)):
        if not isinstance(tag, StartTag) or not isinstance(inside, Text) or inside.of != "script":
            continue
        text = html[inside.start : inside.end]
        if name := _NAME.search(text):
            first = html.count("\n", 0, inside.start) + 1
            found.append(ScriptFile(first, first + text.count("\n"), name[1]))
    return found

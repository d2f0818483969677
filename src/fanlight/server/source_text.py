"""One text with a name: offsets become lines and columns, edits become a new text.

Every finding about a document is told as `name:line:column`, also when the text is a script inside a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fanlight.errors import ConfigError

__all__ = ["Edit", "Source", "apply_edits"]


@dataclass(frozen=True)
class Edit:
    """`text` takes the place of what stands between two offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Source:
    """A text, the name that people know it by, and where it begins when it is a part of a larger one."""

    name: str
    text: str
    whole: Source | None = None
    begins: int = 0

    def part(self, start: int, end: int) -> Source:
        """What stands between two offsets; its places are still told in the whole."""
        return Source(self.name, self.text[start:end], self, start)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1."""
        if self.whole is not None:
            return self.whole.place(self.begins + offset)
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start + 1

    def at(self, offset: int) -> str:
        """`name:line:column`, as editors and terminals understand it."""
        line, column = self.place(offset)
        return f"{self.name}:{line}:{column}"

    def error(self, offset: int, text: str) -> ConfigError:
        """The error to raise about this place; `text` says what is wrong and what to do."""
        return ConfigError(f"{self.at(offset)}: {text}")


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Make all edits at once; what none covers stays as it is. Edits at one offset keep their order."""
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*pieces, text[done:]])

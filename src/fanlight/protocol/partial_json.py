"""An incremental JSON reader for tool arguments that a model streams.

Why it exists: a host may show a view while the model is still writing the arguments (the healed JSON of
`ui/notifications/tool-input-partial`). Re-parsing the text at every delta is quadratic; this reader looks at
every character a bounded number of times, however the text is cut.

What is shown of an unfinished document. The rule: **what is shown never changes in kind.**

- An object or array is shown from its opening bracket, a string from its opening quote; both only grow.
- An escape sequence is shown when it is whole. The escape of a high surrogate waits until its partner has
  come or cannot come any more; a lone surrogate is kept, as `json.loads` keeps it.
- A number is shown when the character after it has come (`1` may become `12`, `1.5` or `1e9`); at the top
  level, where nothing has to follow, `finish()` shows it. A literal is shown with its last letter.
- A key is shown together with its value. A repeated key overwrites, as in `json.loads`.

The grammar is strict JSON: `NaN` and `Infinity`, which `json.loads` lets through, are refused.
The file knows nothing of MCP, and nothing in it recurses: depth costs memory only.
"""

from __future__ import annotations

import codecs
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # in every Python 3, not in the stubs
from typing import Any, cast

from .json_machine import JsonMachine, PartialJsonError
from .json_patterns import PLAIN_BYTES, scan_cut_escape

__all__ = ["PartialJson", "PartialJsonError"]


class PartialJson(JsonMachine):
    """Reads one JSON document piece by piece; `value` is the best partial value at any time.

    Cost: all `feed` calls together are linear in the text, whatever its shape. `value` hands out the reader's
    own containers; a string that is still growing is put together when `value` is asked for. In CPython that
    costs what came since the last time, plus one copy of this string if somebody else refers to it (such as a
    snapshot); at worst, elsewhere, the length of this one string.
    """

    def __init__(self) -> None:
        super().__init__()
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    @property
    def value(self) -> Any:
        """What has come, as far as it can be shown; None before anything can.

        The dicts and lists are the reader's own and go on growing: use them at once and do not change them,
        or take a `snapshot()`. After an error, what came before the offending character.
        """
        fresh = self._fresh
        if fresh:
            self._fresh = ""
            if self._parts:
                fresh += "".join(self._parts)
                self._parts.clear()
            box, slot = self._box, self._slot
            shown = box[slot]
            box[slot] = None  # with no other reference left, CPython extends the string in place
            shown += fresh
            box[slot] = shown
        return self._outer[""]

    @property
    def error(self) -> PartialJsonError | None:
        """The error that ended the reading, if one did."""
        return self._error

    def snapshot(self) -> Any:
        """A copy of `value` that later deltas do not change; costs the size of the value."""
        outer = {"": self.value}
        todo: list[Any] = [outer]
        while todo:
            box = todo.pop()
            for slot, child in box.items() if type(box) is dict else enumerate(box):
                if type(child) is dict or type(child) is list:
                    box[slot] = child.copy()
                    todo.append(box[slot])
        return outer[""]

    def feed(self, text: str) -> None:
        """Read the next delta, of any size.

        Raises:
            PartialJsonError: once, when the text can no longer become JSON. What comes later is ignored.
        """
        if self._growing:
            # The short ways through a long string, of which there may be thousands of deltas.
            piece = None
            if "\\" in text or self._held:
                piece = self._unescaped(self._held + text)
            else:
                try:
                    data = text.encode()
                    if data.translate(PLAIN_BYTES) is data:
                        self._offset += len(text)
                        piece = text
                except UnicodeEncodeError:  # a lone surrogate
                    pass
            if piece is not None:
                if self._fresh:
                    self._parts.append(piece)
                else:
                    self._fresh = piece
                return
        if self._error is None:
            self._read(text)

    def feed_bytes(self, data: bytes) -> None:
        """Read the next delta as UTF-8, which may end inside a character.

        Raises:
            PartialJsonError: as `feed`, and for bytes that are not UTF-8.
        """
        try:
            text = self._decoder.decode(data)
        except UnicodeDecodeError as bad:
            self.feed(bad.object[: bad.start].decode())
            if self._error is None:
                found = f"byte 0x{bad.object[bad.start]:02x}"
                raise self._fail(self._held, len(self._held), "UTF-8", found) from None
        else:
            self.feed(text)

    def finish(self) -> Any:
        """Say that no more text comes; returns the value, equal to what `json.loads` makes of the same text.

        Raises:
            PartialJsonError: the document is incomplete, or the error that ended the reading.
        """
        if self._error is not None:
            raise self._error
        if self._decoder.getstate()[0]:
            raise self._error_at(self._held, len(self._held), "the rest of a UTF-8 character")
        self._finish()
        return self.value

    def _unescaped(self, text: str) -> str | None:
        """Read a delta with escapes that lies inside a string, and decode it; None if there is more to it."""
        cut_escape = ""
        last = text.rfind("\\")
        if last + len("\\ud800") > len(text) and text[last + 1 : last + 2] in ("", "u"):
            if scan_cut_escape(text, last).end() < len(text):
                return None
            text, cut_escape = text[:last], text[last:]
        try:
            piece, end = scanstring(text + '"', 0)
        except JSONDecodeError:
            return None
        if end <= len(text) or "\ud800" <= piece[-1:] <= "\udbff":
            return None
        self._offset += len(text)
        self._held = cut_escape
        return cast("str", piece)

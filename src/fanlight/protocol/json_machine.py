"""The stack machine under `PartialJson`: one function per state, no recursion.

It decides what every character of strict JSON means and puts values where they belong; its rules of what is
shown when are told in `partial_json`, which is the door to it.
"""

from __future__ import annotations

from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]  # there in every Python 3, not in the stubs
from typing import Any, Final, TypeAlias

from fanlight.errors import FanlightError

from .json_patterns import (
    FLOAT,
    INTEGER,
    KEY,
    LAST_INTEGER_PHASE,
    LITERAL,
    LITERAL_BY_LETTER,
    LITERALS,
    NUMBER_MAY_END,
    NUMBER_SO_FAR,
    OPENING,
    STRING,
    is_cut_element,
    is_cut_low_surrogate,
    is_cut_member,
    scan_cut_escape,
    scan_element,
    scan_key,
    scan_member,
    scan_number,
    scan_plain,
    scan_space,
    scan_string_body,
)

_State: TypeAlias = "Callable[[JsonMachine, str, int], int]"
THE_END: Final = "the end of the text"

# The cut beginning of a member or element is read again with the next delta when it is this short; a longer
# one is read in parts, so that no delta costs more than its own length and this.
_HELD_LIMIT: Final = 64


class PartialJsonError(FanlightError):
    """The text is not JSON, or it ended too early.

    `offset` (from 0) and `line` and `column` (from 1) count characters and name the first one with which the
    text stopped being the beginning of any JSON document.
    """

    def __init__(self, offset: int, line: int, column: int, expected: str, found: str) -> None:
        super().__init__(offset, line, column, expected, found)
        self.offset = offset
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column} (offset {self.offset})"
        return f"{place}: expected {self.expected}, found {self.found}"


class JsonMachine:
    """The state of one document that is being read."""

    def __init__(self) -> None:
        # The document is the one member of an outer object, so that the top level is no special case.
        self._outer: dict[str, Any] = {"": None}
        self._box: Any = self._outer  # the innermost open object or array
        self._slot: str | int = ""  # where in the box the value is: its key, or -1 for the last element
        self._stack: list[Any] = []  # the boxes around the box
        self._state: _State = _value  # reads what comes next
        self._growing = False  # inside a string value
        self._fresh = ""  # what came of that string and is not in the box yet: the first piece ...
        self._parts: list[str] = []  # ... and the others
        self._token: list[str] = []  # the pieces of a key or a number
        self._phase = 0  # how far that number has come
        self._held = ""  # the end of the last delta, to be read in front of the next
        self._offset = 0  # of the first character of the held text, or of the next delta
        self._line = 1  # of that character
        self._line_start = 0
        self._error: PartialJsonError | None = None

    def _read(self, text: str) -> None:
        if self._held:
            text = self._held + text
            self._held = ""
        at, end = 0, len(text)
        while at < end:
            at = self._state(self, text, at)
        end -= len(self._held)
        newline = text.rfind("\n", 0, end)
        if newline >= 0:
            self._line += text.count("\n", 0, end)
            self._line_start = self._offset + newline + 1
        self._offset += end
        self._growing = self._state is _value_text

    @property
    def complete(self) -> bool:
        """Whether the whole document has been read; a number at the top level is whole after `finish()`."""
        return self._state is _end and self._error is None

    def _finish(self) -> None:
        """Say that no more text comes.

        Raises:
            PartialJsonError: the document is incomplete.
        """
        if self._state is _number and not self._stack and NUMBER_MAY_END[self._phase]:
            _end_number(self, "", 0)
        if self._state is not _end:
            raise self._error_at(self._held, len(self._held), self._missing())

    def _missing(self) -> str:
        if self._state is _value_text or self._state is _key_text:
            return "the end of a string"
        if self._stack:
            return "the end of an object" if type(self._box) is dict else "the end of an array"
        return "a digit" if self._state is _number else "a value"

    def _place(self, value: Any) -> None:
        """Show a value where it belongs, and expect what follows a whole value."""
        if type(self._box) is dict:
            self._box[self._slot] = value
        else:
            self._box.append(value)
            self._slot = -1
        self._state = _after if self._stack else _end

    def _close(self) -> None:
        self._box = self._stack.pop()
        self._state = _after if self._stack else _end

    def _error_at(self, text: str, at: int, expected: str, found: str = "") -> PartialJsonError:
        """The error at `text[at]`, where `text` begins at the reader's offset."""
        offset = self._offset + at
        newline = text.rfind("\n", 0, at)
        line_start = self._line_start if newline < 0 else self._offset + newline + 1
        line = self._line + text.count("\n", 0, at)
        found = found or (repr(text[at]) if at < len(text) else THE_END)
        return PartialJsonError(offset, line, offset - line_start + 1, expected, found)

    def _fail(self, text: str, at: int, expected: str, found: str = "") -> PartialJsonError:
        """The same error as the end of the reading."""
        self._growing = False
        self._error = self._error_at(text, at, expected, found)
        return self._error


# The states. Each reads one token of `text` from `at`, sets the next state and returns where it stopped. Of a
# token that the end of the text cuts, it keeps what the next delta needs and returns the end.


def _value(reader: JsonMachine, text: str, at: int) -> int:
    at = scan_space(text, at).end()
    if at == len(text):
        return at
    char = text[at]
    if char == '"':
        at += 1
        stop = scan_plain(text, at).end()
        if text.startswith('"', stop):
            reader._place(text[at:stop])
            return stop + 1
        reader._place("")
        reader._state = _value_text
        return at
    if char in "{[":
        child: Any = {} if char == "{" else []
        reader._place(child)
        reader._stack.append(reader._box)
        reader._box = child
        reader._state = _opened
        return at + 1
    if char in "-0123456789":
        reader._phase = 0
        reader._state = _number
    elif char in LITERAL_BY_LETTER:
        reader._state = _literal
    else:
        raise reader._fail(text, at, "a value")
    return at


def _opened(reader: JsonMachine, text: str, at: int) -> int:
    at = scan_space(text, at).end()
    if at == len(text):
        return at
    if text[at] == ("}" if type(reader._box) is dict else "]"):
        reader._close()
        return at + 1
    return _items(reader, text, at)


def _items(reader: JsonMachine, text: str, at: int) -> int:
    """The fast lane: all whole members and elements and the brackets between them; then one token more."""
    box = reader._box
    keyed = type(box) is dict
    reader._state = _items
    while match := scan_member(text, at) if keyed else scan_element(text, at):
        kind = match.lastindex
        at = match.end()
        value: Any
        if kind == STRING:
            value = match[STRING]
        elif kind == INTEGER:
            value = int(match[INTEGER])
        elif kind == FLOAT:
            value = float(match[FLOAT])
        elif kind == LITERAL:
            value = LITERALS[match[LITERAL]]
        else:
            value = {} if text[at - 1] == "{" else []
        if keyed:
            box[match[KEY]] = value
        else:
            box.append(value)
        if kind == OPENING:
            reader._stack.append(box)
            reader._box = box = value
            reader._state = _opened
            keyed = type(box) is dict
            continue
        while text[at - 1] != ",":
            reader._close()
            box = reader._box
            keyed = type(box) is dict
            if reader._state is _end or not text.startswith((",", "}" if keyed else "]"), at):
                return at
            at += 1
        reader._state = _items
    if reader._state is _opened:
        return at
    if len(text) - at <= _HELD_LIMIT and (is_cut_member if keyed else is_cut_element)(text, at):
        reader._held = text[at:]
        return len(text)
    return _key(reader, text, at) if keyed else _value(reader, text, at)


def _key(reader: JsonMachine, text: str, at: int) -> int:
    match = scan_key(text, at)
    if match is not None:
        reader._slot = match[KEY]
        reader._state = _value
        return match.end()
    at = scan_space(text, at).end()
    if at == len(text):
        return at
    if text[at] != '"':
        raise reader._fail(text, at, "a key")
    reader._state = _key_text
    return at + 1


def _colon(reader: JsonMachine, text: str, at: int) -> int:
    at = scan_space(text, at).end()
    if at == len(text):
        return at
    if text[at] != ":":
        raise reader._fail(text, at, "':'")
    reader._state = _value
    return at + 1


def _after(reader: JsonMachine, text: str, at: int) -> int:
    at = scan_space(text, at).end()
    if at == len(text):
        return at
    if text[at] == ",":
        return _items(reader, text, at + 1)
    closing = "}" if type(reader._box) is dict else "]"
    if text[at] != closing:
        raise reader._fail(text, at, f"',' or '{closing}'")
    reader._close()
    return at + 1


def _end(reader: JsonMachine, text: str, at: int) -> int:
    at = scan_space(text, at).end()
    if at < len(text):
        raise reader._fail(text, at, THE_END)
    return at


def _value_text(reader: JsonMachine, text: str, at: int) -> int:
    piece, at, expected = _string_piece(reader, text, at)
    if at == len(text):
        if reader._fresh:
            reader._parts.append(piece)
        else:
            reader._fresh = piece
        return at
    box, slot = reader._box, reader._slot
    box[slot] = "".join((box[slot], reader._fresh, *reader._parts, piece))
    reader._fresh = ""
    reader._parts.clear()
    if expected:
        raise reader._fail(text, at, expected)
    reader._state = _after if reader._stack else _end
    return at + 1


def _key_text(reader: JsonMachine, text: str, at: int) -> int:
    piece, at, expected = _string_piece(reader, text, at)
    if expected:
        raise reader._fail(text, at, expected)
    reader._token.append(piece)
    if at == len(text):
        return at
    reader._slot = "".join(reader._token)
    reader._token.clear()
    reader._state = _colon
    return at + 1


def _number(reader: JsonMachine, text: str, at: int) -> int:
    known = NUMBER_SO_FAR[reader._phase]
    match = scan_number(known + text, 0) if known else scan_number(text, at)
    stop = match.end() - len(known)
    reader._token.append(text[at:stop])
    reader._phase = match.lastindex or 0
    if stop < len(text):
        if not NUMBER_MAY_END[reader._phase]:
            raise reader._fail(text, stop, "a digit")
        _end_number(reader, text, stop)
    return stop


def _end_number(reader: JsonMachine, text: str, at: int) -> None:
    digits = "".join(reader._token)
    reader._token.clear()
    try:
        number = int(digits) if reader._phase <= LAST_INTEGER_PHASE else float(digits)
    except ValueError:  # sys.set_int_max_str_digits, which binds json.loads too
        raise reader._fail(text, at, "an integer of fewer digits", f"one of {len(digits)}") from None
    reader._place(number)


def _literal(reader: JsonMachine, text: str, at: int) -> int:
    word = LITERAL_BY_LETTER[text[at]]
    if text.startswith(word, at):
        reader._place(LITERALS[word])
        return at + len(word)
    stop = at
    while stop < len(text) and text[stop] == word[stop - at]:
        stop += 1
    if stop < len(text):
        raise reader._fail(text, stop, f"'{word}'")
    reader._held = text[at:]
    return stop


def _string_piece(reader: JsonMachine, text: str, at: int) -> tuple[str, int, str]:
    """The text of a string from `at`: decoded, where it ended, and what was expected there if it is wrong.

    It ends at the closing quote, at a wrong character, or at the end of the text; an escape that is cut, and
    a high surrogate before it, is held.
    """
    stop = scan_string_body(text, at).end()
    piece = scanstring(text[at:stop] + '"', 0)[0]
    if text.startswith('"', stop):
        return piece, stop, ""
    end = scan_cut_escape(text, stop).end()
    expected = ""
    if end < len(text):
        expected = ("a character of a string", "an escape character", "a hexadecimal digit")[
            min(end - stop, 2)
        ]
    if ends_high(piece) and piece[-1] != text[stop - 1] and is_cut_low_surrogate(text, stop, end):
        piece = piece[:-1]
        stop -= len("\\ud800")
    reader._held = text[stop:end]
    return piece, end, expected


def ends_high(piece: str) -> bool:
    return "\ud800" <= piece[-1:] <= "\udbff"

"""Streamed arguments: every prefix is healed, the end is what `json.loads` says, the work is linear."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from fanlight.errors import FanlightError
from fanlight.protocol import json_machine, partial_json
from fanlight.protocol.partial_json import PartialJson, PartialJsonError

# -- an independent oracle ----------------------------------------------------------------------------------

CUT_NUMBER = re.compile(r"(?:-|-?[0-9][-+.0-9eE]*)\Z")
HIGH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
LOW_ESCAPE_BEGUN = re.compile(r"(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?")


def closing(text: str) -> tuple[str, bool]:
    """The characters that close everything open at the end of `text`, and whether a string is open there."""
    brackets: list[str] = []
    in_string = escaped = False
    for char in text:
        if in_string:
            in_string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            in_string = True
        elif char in "{[":
            brackets.append("}" if char == "{" else "]")
        elif char in "}]":
            brackets.pop()
    return ('"' if in_string else "") + "".join(reversed(brackets)), in_string


def heal(prefix: str) -> Any:
    """What should be shown: the longest part that is JSON once closed, less what may still change."""
    whole = prefix if closing(prefix)[1] else CUT_NUMBER.sub("", prefix)
    for cut in range(len(whole), -1, -1):
        part = whole[:cut]
        end, in_string = closing(part)
        if in_string and HIGH_ESCAPE.search(part) and LOW_ESCAPE_BEGUN.fullmatch(whole, cut):
            continue
        try:
            return json.loads(part + end)
        except ValueError:
            pass
    return None


def heal_before_error(prefix: str) -> Any:
    """The same for a prefix whose next character is wrong, which ends a number if there is one."""
    end, in_string = closing(prefix)
    try:
        return heal(prefix) if in_string else json.loads(prefix + end)
    except ValueError:
        return heal(prefix)


def strict(text: str) -> Any:
    """`json.loads` without NaN and Infinity."""

    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def same(left: Any, right: Any) -> bool:
    """Equal in value, kind and order: 1, 1.0 and True differ, and so do 0.0 and -0.0."""
    return repr(left) == repr(right)


# -- documents, spelled in every way ------------------------------------------------------------------------

SHORT_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "/": "\\/",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}


def unicode_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


@st.composite
def spelled_characters(draw: st.DrawFn) -> str:
    char = draw(
        st.sampled_from('"\\/\n\tau0é中😀\u2028\x7f\ud83d\ude00') | st.characters(exclude_categories=())
    )
    spelling = draw(st.sampled_from(["raw", "short", "unicode", "UNICODE"]))
    if spelling == "UNICODE":
        return unicode_escape(char).upper().replace("\\U", "\\u")
    if spelling == "short" and char in SHORT_ESCAPES:
        return SHORT_ESCAPES[char]
    if spelling == "raw" and char not in '"\\' and char >= " " and not "\ud800" <= char <= "\udfff":
        return char
    return unicode_escape(char)


spaces = st.text(" \t\n\r", max_size=2)
strings = st.lists(spelled_characters(), max_size=6).map(lambda chars: f'"{"".join(chars)}"')
numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,4})?([eE][-+]?[0-9]{1,3})?", fullmatch=True)
scalars = strings | numbers | st.sampled_from(["true", "false", "null"])
keys = st.sampled_from(['""', '"a"', '"b"', '"\\u0061"']) | strings


def spaced(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(spaces, parts, spaces).map("".join)


def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    members = st.tuples(spaced(keys), spaced(inner)).map(":".join)
    return (
        st.lists(spaced(inner), max_size=4).map(lambda items: f"[{','.join(items)}]")
        | st.lists(members, max_size=4).map(lambda items: f"{{{','.join(items)}}}")
        | st.sampled_from(["[ ]", "{\n}"])
    )


documents = spaced(st.recursive(scalars, containers, max_leaves=8))


def pieces(text: str, cuts: list[int]) -> Iterator[str]:
    """`text` cut at the given places (counted modulo its length)."""
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, stop in pairwise(places):
        yield text[start:stop]


cut_lists = st.lists(st.integers(min_value=0, max_value=10_000), max_size=12)


def read(text: str, size: int = 1) -> PartialJson:
    reader = PartialJson()
    for at in range(0, len(text), size):
        reader.feed(text[at : at + size])
    return reader


# -- the properties -----------------------------------------------------------------------------------------


@given(documents)
@example('{"a": "\\ud83d\\ude00", "b": "\\ud83d\\n", "c": "\\ud83dx", "d": "\\ud83d\\u0041"}')
@example('{"a\\nb": [1, -2.5e+3, 12345678901234567890123], "c": {"a": true, "a": [false, null]}}')
def test_every_prefix_of_every_document_is_healed_and_the_end_is_the_plain_parse(document: str) -> None:
    reader = PartialJson()
    for stop, char in enumerate(document, start=1):
        reader.feed(char)
        assert same(reader.value, heal(document[:stop]))
    assert same(reader.finish(), strict(document))
    assert reader.complete


@given(documents, cut_lists)
def test_the_cutting_of_the_text_makes_no_difference(document: str, cuts: list[int]) -> None:
    reader = PartialJson()
    read_so_far = ""
    for piece in pieces(document, cuts):
        reader.feed(piece)
        read_so_far += piece
        assert same(reader.value, heal(read_so_far))
    assert same(reader.finish(), strict(document))


@given(documents, cut_lists)
def test_a_reader_that_is_never_looked_at_gives_the_same_end(document: str, cuts: list[int]) -> None:
    reader = PartialJson()
    for piece in pieces(document, cuts):
        reader.feed(piece)
    assert same(reader.finish(), strict(document))


@given(documents, cut_lists)
def test_bytes_may_be_cut_inside_a_character(document: str, cuts: list[int]) -> None:
    data = document.encode()
    reader = PartialJson()
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, stop in pairwise(places):
        reader.feed_bytes(data[start:stop])
        assert same(reader.value, heal(data[:stop].decode(errors="ignore")))
    assert same(reader.finish(), strict(document))


MUTANTS = '"\\{}[],:-+.0123456789eEtrufalsn \n\t\x00\x1f/bNI\u00e9\ud83d\ufeff'


@given(documents, st.integers(min_value=0), st.sampled_from(["", *MUTANTS]), st.booleans(), cut_lists)
def test_a_document_with_one_wrong_character_parses_like_json_loads_or_is_refused_at_that_character(
    document: str, place: int, char: str, replace: bool, cuts: list[int]
) -> None:
    at = place % (len(document) + 1)
    text = document[:at] + char + document[at + replace :]
    reader = PartialJson()
    try:
        for piece in pieces(text, cuts):
            reader.feed(piece)
        outcome = reader.finish()
    except PartialJsonError as refusal:
        error = refusal
    else:
        assert same(outcome, strict(text))
        return
    with pytest.raises(ValueError):
        strict(text)
    good = text[: error.offset]
    assert same(reader.value, heal(good) if good == text else heal_before_error(good))
    assert error.line == good.count("\n") + 1
    assert error.column == len(good) - good.rfind("\n")
    read(good)  # the text before the offending character is the beginning of some document ...
    if good != text:
        with pytest.raises(PartialJsonError):  # ... and with it, of none
            read(text[: error.offset + 1])


def extends(later: Any, earlier: Any) -> bool:
    if type(earlier) is dict:
        return type(later) is dict and all(extends(later.get(key), earlier[key]) for key in earlier)
    if type(earlier) is list:
        return type(later) is list and all(extends(*pair) for pair in zip(later, earlier, strict=False))
    if type(earlier) is str:
        return type(later) is str and later.startswith(earlier)
    return same(later, earlier)


def has_repeated_keys(document: str) -> bool:
    repeated = False

    def look(members: list[tuple[str, Any]]) -> None:
        nonlocal repeated
        repeated = repeated or len(dict(members)) < len(members)

    json.loads(document, object_pairs_hook=look)
    return repeated


@given(documents)
def test_what_is_shown_only_grows_and_never_changes_in_kind(document: str) -> None:
    assume(not has_repeated_keys(document))
    reader = PartialJson()
    shown = None
    for char in document:
        reader.feed(char)
        assert shown is None or extends(reader.value, shown)
        shown = reader.snapshot()


# -- decisions, one by one ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", None),
        (" {", {}),
        ('{"a', {}),
        ('{"a"', {}),
        ('{"a":', {}),
        ('{"a":"', {"a": ""}),
        ('{"a":"Os', {"a": "Os"}),
        ('{"a":[[', {"a": [[]]}),
        ('{"a":-', {}),
        ('{"a":1', {}),
        ('{"a":1.', {}),
        ('{"a":1e', {}),
        ('{"a":1,', {"a": 1}),
        ("[12", []),
        ("[12 ", [12]),
        ("[tru", []),
        ("[true", [True]),
        ("12", None),
        ("12\n", 12),
        ('"abc', "abc"),
        ('["a\\', ["a"]),
        ('["a\\u00e', ["a"]),
        ('["a\\ud83d', ["a"]),
        ('["a\\ud83d\\', ["a"]),
        ('["a\\ud83d\\ude0', ["a"]),
        ('["a\\ud83d\\ude00', ["a😀"]),
        ('["a\\ud83d\\u0', ["a\ud83d"]),
        ('["a\\ud83d\\n', ["a\ud83d\n"]),
        ('["a\\ud83db', ["a\ud83db"]),
        ('["a\ud83d', ["a\ud83d"]),
        ('["a\ud83d\ude00b', ["a\ud83d\ude00b"]),
        ('{"a":1,"a":', {"a": 1}),
        ('{"a":1,"a":"', {"a": ""}),
    ],
)
def test_what_is_shown_of_a_beginning(text: str, shown: Any) -> None:
    for size in (1, 2, 100):
        assert same(read(text, size).value, shown)


@pytest.mark.parametrize(
    ("text", "offset", "expected", "found"),
    [
        ("NaN", 0, "a value", "'N'"),
        ("[Infinity", 1, "a value", "'I'"),
        ("[-Infinity", 2, "a digit", "'I'"),
        ("\ufeff{}", 0, "a value", "'\\ufeff'"),
        ("[1,]", 3, "a value", "']'"),
        ("[,", 1, "a value", "','"),
        ("[1}", 2, "',' or ']'", "'}'"),
        ('{"a":1]', 6, "',' or '}'", "']'"),
        ("{1", 1, "a key", "'1'"),
        ('{"a":1,}', 7, "a key", "'}'"),
        ('{"a\\n" 1', 7, "':'", "'1'"),
        ("[trxe", 3, "'true'", "'x'"),
        ("[01", 2, "',' or ']'", "'1'"),
        ("[1.x", 3, "a digit", "'x'"),
        ("{} {", 3, "the end of the text", "'{'"),
        ('["\n', 2, "a character of a string", "'\\n'"),
        ('["\\x', 3, "an escape character", "'x'"),
        ('["\\u12"', 6, "a hexadecimal digit", "'\"'"),
        ('{"\\x', 3, "an escape character", "'x'"),
    ],
)
def test_invalid_text_is_refused_where_it_goes_wrong(
    text: str, offset: int, expected: str, found: str
) -> None:
    for size in (1, 2, 100):
        with pytest.raises(PartialJsonError) as caught:
            read(text, size)
        error = caught.value
        assert (error.offset, error.expected, error.found) == (offset, expected, found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "a value"),
        ("  ", "a value"),
        ("-", "a digit"),
        ("1e", "a digit"),
        ('"abc', "the end of a string"),
        ('{"a\\n', "the end of a string"),
        ('{"a"', "the end of an object"),
        ("[12", "the end of an array"),
        ("tru", "a value"),
    ],
)
def test_an_incomplete_document_cannot_be_finished_but_can_be_continued(text: str, expected: str) -> None:
    reader = read(text)
    assert not reader.complete
    with pytest.raises(PartialJsonError) as caught:
        reader.finish()
    assert (caught.value.offset, caught.value.expected) == (len(text), expected)
    assert caught.value.found == "the end of the text"
    assert reader.error is None


def test_an_error_says_line_column_and_offset() -> None:
    reader = PartialJson()
    reader.feed('{"a": 1,\n\n')
    with pytest.raises(FanlightError) as caught:
        reader.feed('  "b": ?')
    assert str(caught.value) == "line 3, column 8 (offset 17): expected a value, found '?'"
    incomplete = PartialJson()
    incomplete.feed('{\n"a": 1,\n ')
    with pytest.raises(PartialJsonError, match=re.escape("line 3, column 2 (offset 11)")):
        incomplete.finish()


def test_an_error_is_raised_once_and_the_last_good_value_stays() -> None:
    reader = PartialJson()
    reader.feed('{"a": [1, 2')
    with pytest.raises(PartialJsonError) as caught:
        reader.feed(', "thr\x00ee"]}')
    reader.feed("more")
    reader.feed_bytes(b"\xff")
    assert reader.value == {"a": [1, 2, "thr"]}
    assert reader.error is caught.value
    assert not reader.complete
    with pytest.raises(PartialJsonError) as again:
        reader.finish()
    assert again.value is caught.value


@pytest.mark.parametrize("start", ['["', '["a', '["\\n', '["\\n\\', '{"', '{"a'])
def test_no_control_character_passes_inside_a_string(start: str) -> None:
    for char in map(chr, range(0x20)):
        reader = read(start)
        with pytest.raises(PartialJsonError, match=re.escape(f"(offset {len(start)})")):
            reader.feed(f"{char}x")


def test_text_after_a_complete_document_is_refused() -> None:
    reader = read('{"a": 1}\n')
    assert reader.complete
    with pytest.raises(PartialJsonError):
        reader.feed("{")
    assert not reader.complete
    assert reader.value == {"a": 1}


def test_bytes_that_are_not_utf8_are_refused_after_the_text_before_them_was_read() -> None:
    reader = PartialJson()
    reader.feed_bytes(b'["a')
    with pytest.raises(PartialJsonError) as caught:
        reader.feed_bytes(b"b\xff")
    assert (caught.value.offset, caught.value.found) == (4, "byte 0xff")
    assert reader.value == ["ab"]
    with pytest.raises(PartialJsonError):
        PartialJson().feed_bytes(b'x"\xff')


def test_the_end_inside_a_character_is_an_incomplete_document() -> None:
    reader = PartialJson()
    reader.feed_bytes(b'{"a": 1}\xc3')
    with pytest.raises(PartialJsonError, match="the rest of a UTF-8 character"):
        reader.finish()


def test_the_value_is_the_readers_own_and_a_snapshot_is_not() -> None:
    reader = read('{"a": [{"b": "x')
    value, snapshot = reader.value, reader.snapshot()
    reader.feed('y"}, 1], "c": 2}')
    assert reader.value is value
    assert value == {"a": [{"b": "xy"}, 1], "c": 2}
    assert snapshot == {"a": [{"b": "x"}]}


def test_depth_needs_no_recursion() -> None:
    depth = 100_000
    reader = read("[" * depth + "]" * depth, size=1000)
    assert reader.complete
    node, seen = reader.snapshot(), 1
    while node:
        (node,) = node
        seen += 1
    assert seen == depth


def test_an_integer_beyond_the_interpreters_limit_is_refused_as_json_loads_refuses_it() -> None:
    digits = "9" * 5000
    with pytest.raises(ValueError):
        json.loads(digits)
    with pytest.raises(PartialJsonError, match="an integer of fewer digits, found one of 5000"):
        read(f"[{digits}]", 100)
    with pytest.raises(PartialJsonError, match="an integer of fewer digits"):
        read(digits, 100).finish()
    assert read(f"[{digits}.0]", 100).finish() == [float(digits)]


@pytest.mark.parametrize("size", [1, 7, 63, 64, 65, 1000])
def test_tokens_longer_than_what_is_held_are_read_in_parts(size: int) -> None:
    key, number, space = "k" * 300, "1234567890" * 30, " \n" * 150
    first = f'"{key}"{space}:{space}{number}{space}'
    second = f'"{key}\\n": -{number}.{number}e-1'
    document = f'{{{first},{second},{space}"x":[{number},{number}]}}'
    assert same(read(document, size).finish(), json.loads(document))


# -- linear work, counted -----------------------------------------------------------------------------------


class Scans:
    """Counts the characters that each scan could have looked at: from where it began to the end."""

    def __init__(self) -> None:
        self.characters = 0

    def counted(self, scan: Callable[..., Any]) -> Callable[..., Any]:
        def count(text: str, at: int, *rest: int) -> Any:
            self.characters += len(text) - at
            return scan(text, at, *rest)

        return count


def scans_for(document: str, monkeypatch: pytest.MonkeyPatch) -> int:
    scans = Scans()
    with monkeypatch.context() as patch:
        for module in (json_machine, partial_json):
            for name, scan in list(vars(module).items()):
                if isinstance(getattr(scan, "__self__", None), re.Pattern) or name == "scanstring":
                    patch.setattr(module, name, scans.counted(scan))
        reader = PartialJson()
        for at in range(0, len(document), 64):
            reader.feed(document[at : at + 64])
            assert type(reader.value) is dict
        assert reader.finish() is not None
    return scans.characters


SHAPES: dict[str, Callable[[int], str]] = {
    "plain string": lambda n: '{"a": "' + "lorem " * (n // 6) + '"}',
    "escaped string": lambda n: '{"a": "' + "line\\n" * (n // 6) + '"}',
    "surrogates": lambda n: '{"a": "' + "\\ud83d\\ude00" * (n // 12) + '"}',
    "long key": lambda n: '{"' + "k" * n + '": 1}',
    "long number": lambda n: '{"a": 1.' + "3" * n + "}",
    "white space": lambda n: '{"a":' + " " * n + "1}",
    "array of objects": lambda n: '{"a": [' + '{"id": 1, "name": "one", "ok": true}, ' * (n // 38) + "0]}",
    "empty boxes": lambda n: '{"a": [' + "[], " * (n // 4) + "0]}",
    "depth": lambda n: '{"a": ' + "[" * (n // 2) + "]" * (n // 2) + "}",
    "long fields": lambda n: '{"a": [' + ('{"' + "k" * 90 + '": "' + "v" * 90 + '"}, ') * (n // 190) + "0]}",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_text_is_ten_times_the_work(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = (scans_for(SHAPES[shape](size), monkeypatch) for size in (4_000, 40_000))
    assert large < 10.5 * max(small, 4_000)
    assert large < 40 * 40_000

"""What JSON looks like to a scanner: the patterns and tables of `partial_json`.

Kept apart so that the reader is about states and this file about characters; it holds no logic.
Every repetition is possessive (`*+`) or atomic (`(?>…)`): a scan never goes back, so its cost is the text it
passes. Groups are atomic rather than possessive because Python before 3.11.5 (Debian 12 has 3.11.2) forgets
where a possessive group began when its inside fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias, cast

_Scan: TypeAlias = "Callable[[str, int], re.Match[str] | None]"
_SureScan: TypeAlias = "Callable[[str, int], re.Match[str]]"

_SPACE: Final = r"[ \t\n\r]*+"
_PLAIN: Final = r'[^"\\\x00-\x1f]*+'
_KEY: Final = rf'{_SPACE}"({_PLAIN})"{_SPACE}:{_SPACE}'
_EXPONENT: Final = r"[eE][-+]?+[0-9]++"
# Eighteen digits are converted at once; more go the way that checks the interpreter's limit.
_INTEGER: Final = r"-?+(?:0|[1-9][0-9]{0,17}+)(?![.eE0-9])"
_FLOAT: Final = rf"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++(?>(?:{_EXPONENT})?)|{_EXPONENT})"
_LITERAL: Final = "true|false|null"
_SCALAR: Final = rf'(?:"({_PLAIN})"|({_INTEGER})|({_FLOAT})|({_LITERAL}))'
_CUT_NUMBER: Final = r"-?+(?>(?:(?:0|[1-9][0-9]*+)(?>(?:\.[0-9]*+)?)(?>(?:(?<=[0-9])[eE][-+]?+[0-9]*+)?))?)"
_CUT_SCALAR: Final = rf"(?:t(?>(?:ru?+)?)|f(?>(?:a(?>(?:ls?+)?))?)|n(?>(?:ul?+)?)|{_CUT_NUMBER})"


def _sure(pattern: str) -> _SureScan:
    """A scan that always matches, if only nothing."""
    return cast("_SureScan", re.compile(pattern).match)


scan_space: Final = _sure(_SPACE)
scan_plain: Final = _sure(_PLAIN)
scan_string_body: Final = _sure(r'(?>(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)')
scan_cut_escape: Final = _sure(r"(?>(?:\\(?>(?:u[0-9a-fA-F]*+)?))?)")
scan_key: Final[_Scan] = re.compile(_KEY).match
is_cut_low_surrogate: Final = re.compile(
    r"(?>(?:\\(?>(?:u(?>(?:[dD](?>(?:[c-fC-F][0-9a-fA-F]?+)?))?))?))?)"
).fullmatch

# A whole member or element, up to its comma or closing bracket, or to the opening bracket of a container.
# Both have the same groups, the key of an element being empty; `lastindex` tells what the value is.
scan_member: Final[_Scan] = re.compile(rf"{_KEY}(?:{_SCALAR}{_SPACE}[,}}]|([{{\[]))").match
scan_element: Final[_Scan] = re.compile(rf"{_SPACE}()(?:{_SCALAR}{_SPACE}[,\]]|([{{\[]))").match
KEY, STRING, INTEGER, FLOAT, LITERAL, OPENING = range(1, 7)

# The beginning of a member or element of which nothing can be shown yet.
is_cut_member: Final = re.compile(
    rf'{_SPACE}(?>(?:"{_PLAIN}(?>(?:"{_SPACE}(?>(?::{_SPACE}{_CUT_SCALAR})?))?))?)'
).fullmatch
is_cut_element: Final = re.compile(_SPACE + _CUT_SCALAR).fullmatch

# A number, or the beginning of one. By its last group: the shortest text that leads to the same place in a
# number (put in front of the next delta, it resumes the number there), and whether the number may end there.
scan_number: Final = _sure(
    r"(?>(-)?)(?>(?:(0)|([1-9][0-9]*+))?)(?>(?:(?<=[0-9])(\.)(?>([0-9]++)?))?)"
    r"(?>(?:(?<=[0-9])([eE])(?>([-+])?)(?>([0-9]++)?))?)"
)
NUMBER_SO_FAR: Final = ("", "-", "0", "1", "1.", "1.0", "1e", "1e+", "1e1")
NUMBER_MAY_END: Final = (False, False, True, True, False, True, False, False, True)
LAST_INTEGER_PHASE: Final = 3

LITERALS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
LITERAL_BY_LETTER: Final = {word[0]: word for word in LITERALS}

# `bytes.translate` returns the very same object if the table changes nothing: the cheapest test there is that
# a delta has no quote, no backslash and no control character.
PLAIN_BYTES: Final = bytes(0xFF if byte < 0x20 or byte in b'"\\' else byte for byte in range(256))

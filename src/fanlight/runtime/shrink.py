"""The text of a script without what only its readers need: comments, spaces, long names of its own.

For our own scripts, not for JavaScript in general. It holds for a file in which every statement ends with a
semicolon or a brace, a `//` comment has its line for itself, a regular expression stands behind `(` or `!`,
and no sign follows the same sign (`a - -b`). The tests compare what it makes with the file itself, through a
real parser.
"""

from __future__ import annotations

import re

from .short_names import with_short_names

__all__ = ["shrink"]

# A literal, which stays as it is, or a comment, which goes.
_WHOLE = re.compile(
    r"""(?P<literal>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|(?<=[(!])/(?![*/])(?:[^/\\\n]|\\.)+/\w*)"""
    r"""|/\*.*?\*/|^[ \t]*//[^\n]*""",
    re.DOTALL | re.MULTILINE,
)
_SPACES = re.compile(r"\s+")
_AROUND_SIGNS = re.compile(r" ?([{}()\[\]=,:;?<>+*&|!-]) ?")
_BEFORE_END = re.compile(r"[,;](?=})|,(?=[)\]])")
_AROUND_PARAMETER = re.compile(r"(?<!\w)\((\w+)\)=>")


def shrink(source: str) -> str:
    """The same program, shorter."""
    literals: list[str] = []

    def set_aside(match: re.Match[str]) -> str:
        if match["literal"] is None:
            return ""
        literals.append(match["literal"])
        return "\0"

    code = _SPACES.sub(" ", _WHOLE.sub(set_aside, source)).strip()
    code = _BEFORE_END.sub("", _AROUND_SIGNS.sub(r"\1", code))
    code = _AROUND_PARAMETER.sub(r"\1=>", with_short_names(code, literals))
    return re.sub("\0", lambda _: literals.pop(0), code)

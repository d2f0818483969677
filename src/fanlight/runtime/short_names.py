"""Short names for all that a script declares, scope by scope; for `shrink.py`, whose literals are set aside.

No name hides another: a scope takes its names behind those of the scopes around it, so only neighbours share
them. It knows the forms that our scripts use: functions, arrows, methods, `catch`, `for` and blocks, and one
name or one pattern after each `const` and `let`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from string import ascii_uppercase

__all__ = ["with_short_names"]

# The most common letters of code first: compressed, they cost least.
_LETTERS = "etnoraislcdpumhfgbvywkxjqz" + ascii_uppercase
_WORD = re.compile(r"(?<![\w$])[a-zA-Z_]\w*")
_DECLARED = re.compile(r"\b(?:const|let|function)\b ?")
_TEMPLATE_CODE = re.compile(r"\$\{[^}]*\}")
_BEFORE_BLOCK = re.compile(r"(?:\)|=>|[;}]|^|\b(?:else|try|catch|finally))$")
_BEFORE_CONDITION = re.compile(r"\b(?:if|while|switch)$")
_ALONE = re.compile(r"[,}]|=(?![=>])")
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}


@dataclass
class _Scope:
    """A part of the program, the names that it declares, and how many are declared around it."""

    start: int
    end: int
    names: list[str] = field(default_factory=list)
    around: int = 0


def with_short_names(code: str, literals: list[str]) -> str:
    """The same code; the names in templates among `literals` are changed there."""
    program = _Program(code)
    uses: list[tuple[int, int, int, str]] = []  # where a word stands, what it names, what stands before it
    for match in _WORD.finditer(code):
        before = program.property_at(match)
        slot = None if before is None else program.slot(match.start(), match[0])
        if slot is not None:
            uses.append((match.start(), match.end(), slot, before or ""))
    templates = [
        (number, place, [*_template_words(literals[number])])
        for number, place in enumerate(place for place, sign in enumerate(code) if sign == "\0")
    ]
    counts = Counter(slot for *_, slot, _ in uses)
    short = dict(zip([slot for slot, _ in counts.most_common()], _unused(program, literals), strict=False))
    for number, place, words in templates:
        for match in reversed(words):
            slot = program.slot(place, match[0])
            if slot is not None:
                text = literals[number]
                literals[number] = text[: match.start()] + short[slot] + text[match.end() :]
    for start, end, slot, before in reversed(uses):
        code = code[:start] + before + short[slot] + code[end:]
    return code


def _template_words(literal: str) -> Iterator[re.Match[str]]:
    """The variables in the code of a template."""
    if literal.startswith("`"):
        for part in _TEMPLATE_CODE.finditer(literal):
            for word in _WORD.finditer(literal, part.start() + 2, part.end()):
                if literal[word.start() - 1] != ".":
                    yield word


def _unused(program: _Program, literals: list[str]) -> Iterator[str]:
    """Short names that mean nothing yet."""
    taken = set(_WORD.findall(" ".join([program.code, *literals]))) - program.declared
    for length in (1, 2):
        for letters in product(_LETTERS, repeat=length):
            if (name := "".join(letters)) not in taken:
                yield name


class _Program:
    """Which brackets belong together, what declares names, and what they are called."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._partner: dict[int, int] = {}
        self._inside: list[int] = []  # for each place the bracket around it
        opened = [-1]
        for place, sign in enumerate(code):
            self._inside.append(opened[-1])
            if sign in _CLOSED_BY:
                opened.append(place)
            elif sign in ")]}":
                self._partner[place] = opened.pop()
                self._partner[self._partner[place]] = place
        self._scopes = sorted(self._find_scopes(), key=lambda scope: (scope.start, -scope.end))
        for found in _DECLARED.finditer(code):
            self._innermost(found.start()).names += self._names(
                found.end(), self._expression_end(found.end())
            )
        for scope in self._scopes:
            outer = [other for other in self._around(scope.start) if other is not scope]
            scope.names = list(dict.fromkeys(scope.names))
            scope.around = sum(len(other.names) for other in outer)
        self.declared = {name for scope in self._scopes for name in scope.names}

    # What names what

    def slot(self, place: int, name: str) -> int | None:
        """A number for the variable of this name here; None if it is not ours."""
        for scope in reversed(self._around(place)):
            if name in scope.names:
                return scope.around + scope.names.index(name)
        return None

    def property_at(self, word: re.Match[str]) -> str | None:
        """None for a property; for a variable what has to stand before its new name."""
        code, start = self.code, word.start()
        if code.endswith(".", 0, start) and not code.endswith("...", 0, start):
            return None
        if self._in_object(start) and code.endswith(("{", ",", "async "), 0, start):
            if code.startswith((":", "("), word.end()):
                return None
            if _ALONE.match(code, word.end()):
                return f"{word[0]}:"
        return ""

    def _in_object(self, place: int) -> bool:
        opened = self._inside[place]
        return opened >= 0 and self.code[opened] == "{" and not self._is_block(opened)

    def _is_block(self, place: int) -> bool:
        return _BEFORE_BLOCK.search(self.code, max(0, place - 8), place) is not None

    # Scopes

    def _around(self, place: int) -> list[_Scope]:
        """The scopes that a place is in, from the whole program inwards."""
        return [scope for scope in self._scopes if scope.start <= place <= scope.end]

    def _innermost(self, place: int) -> _Scope:
        return self._around(place)[-1]

    def _find_scopes(self) -> Iterator[_Scope]:
        code = self.code
        yield _Scope(0, len(code))
        for arrow in re.finditer("=>", code):
            word = re.search(r"\w+$", code[: arrow.start()])
            start = word.start() if word else self._partner[arrow.start() - 1]
            end = self._expression_end(arrow.end())
            yield _Scope(
                start,
                end,
                self._names(start, arrow.start()) if word else self._names(start + 1, arrow.start() - 1),
            )
        for place, sign in enumerate(code):
            if sign == "{" and self._is_block(place):
                yield _Scope(place, self._partner[place])
            elif sign == "(":
                yield from self._with_parameters(place)

    def _with_parameters(self, place: int) -> Iterator[_Scope]:
        code, closed = self.code, self._partner[place]
        if code.endswith("for", 0, place):
            # What it declares is found with all `const` and `let`.
            yield _Scope(place, self._expression_end(closed + 1))
        elif code.startswith("{", closed + 1) and not _BEFORE_CONDITION.search(
            code, max(0, place - 6), place
        ):
            yield _Scope(place, self._partner[closed + 1], self._names(place + 1, closed))

    def _expression_end(self, place: int) -> int:
        """Where what begins here ends: before a comma, a semicolon, or the bracket around it."""
        code = self.code
        if code.startswith("{", place) and self._is_block(place):
            return self._partner[place]
        while place < len(code) and code[place] not in ",;)]}":
            place = self._partner[place] + 1 if code[place] in _CLOSED_BY else place + 1
        return place

    # Patterns

    def _names(self, place: int, end: int) -> list[str]:
        """What a list of parameters or patterns declares."""
        found: list[str] = []
        while place < end:
            last = min(self._expression_end(place), end)
            begin = place + 3 if self.code.startswith("...", place) else place
            if self.code[begin] in "[{":
                found += self._names(begin + 1, self._partner[begin])
            else:
                word = _WORD.match(self.code, begin, last)
                after = word.end() if word else last
                if self.code.startswith(":", after):
                    found += self._names(after + 1, last)
                elif word:
                    found.append(word[0])
            place = last + 1
        return found

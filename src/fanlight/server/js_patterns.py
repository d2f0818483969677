"""Which names a declaration makes, and which of a module's names can never change.

Both are read from tokens. Where tokens do not suffice the answer is the careful one: the name may change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .js_tokens import JsKind, JsToken

__all__ = ["constant_names", "declared_names", "pattern_end"]

_OPEN = frozenset({"(", "[", "{"})
_CLOSE = frozenset({")", "]", "}"})
_ASSIGN = frozenset(
    {"=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??="}
)
_STEP = frozenset({"++", "--"})
# A line that begins with a word or one of these begins a new statement; with anything else it goes on.
_BEGINS_STATEMENT = frozenset({"{", "++", "--", "!", "~", "@"})
# After these words the expression goes on in the next line, and before these it does.
_GOES_ON_AFTER = frozenset(
    {
        "async",
        "await",
        "class",
        "delete",
        "extends",
        "function",
        "in",
        "instanceof",
        "new",
        "typeof",
        "void",
        "yield",
    }
)
_GOES_ON_BEFORE = frozenset({"in", "instanceof"})


def pattern_end(code: Sequence[JsToken], at: int) -> int:
    """The index behind the bracket that the token at `at` opens."""
    depth = 0
    while at < len(code):
        depth += _depth(code[at])
        at += 1
        if depth == 0:
            break
    return at


def _depth(token: JsToken) -> int:
    if token.kind is JsKind.TEMPLATE:
        return int(token.text.endswith("${")) - int(token.text.startswith("}"))
    if token.kind is not JsKind.PUNCTUATOR:
        return 0
    return int(token.text in _OPEN) - int(token.text in _CLOSE)


def declared_names(code: Sequence[JsToken], at: int) -> list[str]:
    """The names that the declaration at `at` makes: variables, patterns, a function or a class."""
    word = code[at].text if at < len(code) else ""
    if word == "async" and at + 1 < len(code) and code[at + 1].text == "function":
        at, word = at + 1, "function"
    if word in ("function", "class"):
        at += 2 if at + 1 < len(code) and code[at + 1].text == "*" else 1
        return [code[at].text] if at < len(code) and code[at].kind is JsKind.NAME else []
    if word not in ("const", "let", "var"):
        return []
    names: list[str] = []
    at += 1
    while at < len(code):
        end = pattern_end(code, at)
        names += _pattern_names(code[at:end])
        at = _declarator_end(code, end)
        if at >= len(code) or code[at].text != ",":
            break
        at += 1
    return names


def _declarator_end(code: Sequence[JsToken], at: int) -> int:
    """The index of the `,` or of whatever ends the declaration, behind an initialiser if there is one."""
    if at >= len(code) or code[at].text != "=":
        return at
    at += 1
    begun = False
    while at < len(code):
        token = code[at]
        if token.kind is JsKind.PUNCTUATOR and token.text in (",", ";", *_CLOSE):
            break
        if begun and token.line_before and _ended(code[at - 1]) and _begins(token):
            break
        at = pattern_end(code, at) if _depth(token) > 0 else at + 1
        begun = True
    return at


def _ended(token: JsToken) -> bool:
    """Whether an expression may end with this token."""
    if token.kind is JsKind.NAME:
        return token.text not in _GOES_ON_AFTER
    return token.kind is not JsKind.PUNCTUATOR or token.text in _CLOSE | _STEP


def _begins(token: JsToken) -> bool:
    """Whether this token, first in its line, cannot go on with the expression before it."""
    if token.kind is JsKind.PUNCTUATOR:
        return token.text in _BEGINS_STATEMENT
    if token.kind is JsKind.NAME:
        return token.text not in _GOES_ON_BEFORE
    return token.kind in (JsKind.STRING, JsKind.NUMBER)


def _pattern_names(tokens: Sequence[JsToken]) -> Iterator[str]:
    """The names in `name`, `{ a, b: c = 1, ...d }` or `[ e, , [f] ]`."""
    if tokens and tokens[0].kind is JsKind.NAME:
        yield tokens[0].text
    if not tokens or tokens[0].text not in _OPEN:
        return
    for element in _elements(tokens[1:-1]):
        if element and element[0].text == "...":
            element = element[1:]
        if tokens[0].text == "{":
            key_end = pattern_end(element, 0)
            if key_end < len(element) and element[key_end].text == ":":
                element = element[key_end + 1 :]
        yield from _pattern_names(element[: pattern_end(element, 0)])


def _elements(tokens: Sequence[JsToken]) -> Iterator[Sequence[JsToken]]:
    """What stands between the commas of this level."""
    depth = start = 0
    for index, token in enumerate(tokens):
        depth += _depth(token)
        if depth == 0 and token.text == "," and token.kind is JsKind.PUNCTUATOR:
            yield tokens[start:index]
            start = index + 1
    yield tokens[start:]


def constant_names(code: Sequence[JsToken]) -> set[str]:
    """The names declared at the top level by `const`, or as function or class and assigned nowhere."""
    constant: set[str] = set()
    functions: set[str] = set()
    depth = 0
    for at, token in enumerate(code):
        if depth == 0 and token.kind is JsKind.NAME:
            if token.text == "const":
                constant.update(declared_names(code, at))
            elif token.text in ("function", "class") and _begins_declaration(code, at):
                functions.update(declared_names(code, at))
        depth += _depth(token)
    assigned = {
        token.text for at, token in enumerate(code) if token.text in functions and _is_assigned(code, at)
    }
    return constant | (functions - assigned)


def _begins_declaration(code: Sequence[JsToken], at: int) -> bool:
    """Whether `function` or `class` at `at` is a statement of its own, not part of an expression."""
    if at == 0 or code[at - 1].text in (";", "}", "export", "default", "async"):
        return True
    return code[at].line_before and _ended(code[at - 1])


def _is_assigned(code: Sequence[JsToken], at: int) -> bool:
    before = code[at - 1].text if at else ""
    after = code[at + 1].text if at + 1 < len(code) else ""
    return before not in (".", "?.") and (before in _STEP or after in _ASSIGN | _STEP)

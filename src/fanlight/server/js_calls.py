"""Calls in a script whose first argument is written out: `fetch("…")`, `new Worker("…")`, `import("…")`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .js_modules import ModuleSyntax
from .js_tokens import JsKind, JsToken, string_value

__all__ = ["LiteralCall", "beginning", "literal_calls"]

_DOTS = (".", "?.")
_DECLARING = ("class", "const", "function", "let", "var")
# Objects whose methods are the browser's; `open` is one only of a request.
_BROWSERS_OBJECTS = ("globalThis", "navigator", "self", "window")


@dataclass(frozen=True)
class LiteralCall:
    """A call by name with a literal; `argument` is its text up to the first `${`, at `token`.

    `complete` is false when something is added behind it. `method` is the first argument of
    `open(method, address)`, whose second one is told. `of_browser` is false when the name may well be the
    program's own: a method of some object, a function that it declares.
    """

    callee: str
    argument: str
    complete: bool
    token: JsToken
    of_browser: bool
    method: str = ""


def beginning(token: JsToken) -> tuple[str, bool] | None:
    """The value of a string or template up to its first `${`, and whether that is all; None for others."""
    value = string_value(token)
    if value is not None:
        return value, True
    if token.kind is JsKind.TEMPLATE and token.text.startswith("`"):
        return token.text[1:-2], False
    return None


def literal_calls(script: ModuleSyntax) -> Iterator[LiteralCall]:
    """Every call `name("literal"…`, also as `new name(` and `object.name(`."""
    code = script.tokens
    own = _own_names(script)
    requests = {code[at].text for at in range(len(code) - 3) if _is_new_request(code[at + 1 : at + 4])}
    for at in range(len(code) - 2):
        name, bracket = code[at], code[at + 1]
        if name.kind is not JsKind.NAME or bracket.text != "(" or bracket.kind is not JsKind.PUNCTUATOR:
            continue
        argument, method = at + 2, ""
        if name.text == "open" and at + 4 < len(code) and code[at + 3].text == ",":
            argument, method = at + 4, (string_value(code[at + 2]) or "").upper()
        found = beginning(code[argument])
        if found is None:
            continue
        text, whole = found
        complete = whole and argument + 1 < len(code) and code[argument + 1].text in (",", ")")
        owner = code[at - 2].text if at >= 2 and code[at - 1].text in _DOTS else None
        if owner is None:
            of_browser = name.text not in own
        else:
            known = requests if name.text == "open" else _BROWSERS_OBJECTS
            of_browser = owner in known and not (at >= 3 and code[at - 3].text in _DOTS)
        yield LiteralCall(name.text, text, complete, code[argument], of_browser, method)


def _is_new_request(code: Sequence[JsToken]) -> bool:
    return [token.text for token in code] == ["=", "new", "XMLHttpRequest"]


def _own_names(script: ModuleSyntax) -> set[str]:
    """The names that a script gives a meaning of its own, wherever in it that holds."""
    declared = {name.text for word, name in pairwise(script.tokens) if word.text in _DECLARING}
    return declared | {binding.local for found in script.imports for binding in found.names}

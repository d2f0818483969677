"""The tokens of a script: enough to know code from strings, templates, regular expressions and comments.

Whether `/` divides or begins a regular expression is decided by what stands before it and by how the
brackets around it were opened. This is no parser: it knows no statements and checks no grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

__all__ = ["JsKind", "JsSyntaxError", "JsToken", "js_tokens", "string_value"]


class JsKind(StrEnum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    TEMPLATE = "template"
    """A whole template, or the piece of one before, between or after its `${…}`."""
    REGEXP = "regexp"
    PUNCTUATOR = "punctuator"
    COMMENT = "comment"


class JsToken(NamedTuple):
    """One token; `line_before` is true when a line ended between it and the token before.

    `tagged` is true for the pieces of a template that a function reads in the raw: tag`…`.
    """

    kind: JsKind
    start: int
    end: int
    text: str
    line_before: bool
    tagged: bool = False


class JsSyntaxError(ValueError):
    """The text is no JavaScript that this can read; `offset` says where."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(offset, message)
        self.offset = offset
        self.message = message


_LINE_END = re.compile(r"[\n\r\u2028\u2029]")
# What can be told without its surroundings, the most frequent first. A template or a slash needs a look back.
_TOKEN = re.compile(
    r"(?P<name>(?:[A-Za-z_$#]|[^\x00-\x7f\s\ufeff]|\\u[0-9A-Fa-f]{4}|\\u\{[0-9A-Fa-f]+\})"
    r"(?:[\w$#]|[^\x00-\x7f\s\ufeff]|\\u[0-9A-Fa-f]{4}|\\u\{[0-9A-Fa-f]+\})*)"
    r"|(?P<space>[\s\ufeff]+)"
    r"|(?P<number>0[xXbBoO]\w+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?n?)"
    r"|(?P<string>\"(?:[^\"\\\n\r]|\\(?:\r\n|[\s\S]))*\"|'(?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*')"
    r"|(?P<comment>//[^\n\r\u2028\u2029]*|/\*[\s\S]*?\*/)"
    r"|(?P<html><!--|-->)"
    r"|(?P<slash>/=?)"
    r"|(?P<brace>\})"
    r"|(?P<punctuator>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?"
    r"|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|%=|&=|\|=|\^=|<<|>>|\*\*|[{()\[\];,<>+\-*%&|^!~?:=.@])"
)
_TEMPLATE = re.compile(r"[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)")
_REGEXP = re.compile(r"/(?:[^\\/\[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+/[\w$]*")
_NEVER_CLOSED = {
    '"': "a string",
    "'": "a string",
    "/": "a regular expression",
    "/*": "a comment",
    "`": "a template",
    "}": "a template",
}
# After these words a value begins: `{` begins an object, `/` a regular expression.
_BEFORE_VALUE = frozenset(
    {"await", "case", "default", "delete", "extends", "in", "instanceof", "new", "of", "return", "throw"}
    | {"typeof", "void", "yield"}
)
# After these a statement begins: `{` begins a block, `/` a regular expression all the same.
_BEFORE_STATEMENT = frozenset({"do", "else"})
_BEFORE_ANYTHING = _BEFORE_VALUE | _BEFORE_STATEMENT
_CONDITIONS = frozenset({"if", "while", "for", "with"})


@dataclass
class _Open:
    """An open bracket: what it means for the token after its end."""

    bracket: str
    ends_expression: bool
    ternaries: int = 0
    tagged: bool = False


@dataclass
class _Scanner:
    text: str
    module: bool
    tokens: list[JsToken] = field(default_factory=list)
    open: list[_Open] = field(default_factory=lambda: [_Open("", ends_expression=False)])
    ended_expression: bool = False
    """Whether the last token can be the end of an expression: then `/` divides."""
    before: JsToken | None = None
    """The last token that is no comment."""
    before_that: JsToken | None = None
    value_after_colon: bool = False
    """Whether the last `:` stands before a value: in an object or after `?`; else it ends a label."""

    def scan(self) -> list[JsToken]:
        text, tokens = self.text, self.tokens
        at, line_before = 0, True
        if text.startswith("#!"):
            at = self.line_end(0)
            tokens.append(JsToken(JsKind.COMMENT, 0, at, text[:at], True))
        while at < len(text):
            match = _TOKEN.match(text, at)
            group = match.lastgroup if match else None
            if match is not None and group == "space":
                line_before = line_before or _LINE_END.search(match[0]) is not None
                at = match.end()
                continue
            token = self.next(at, match, line_before)
            tokens.append(token)
            at = token.end
            if token.kind is JsKind.COMMENT:
                line_before = line_before or _LINE_END.search(token.text) is not None
            else:
                line_before = False
                self.before_that, self.before = self.before, token
        if len(self.open) > 1:
            raise JsSyntaxError(len(text), f"a {self.open[-1].bracket!r} is never closed")
        return tokens

    def next(self, at: int, match: re.Match[str] | None, line_before: bool) -> JsToken:
        group = match.lastgroup if match else ""
        if match is not None and group == "name":
            after_dot = self.before is not None and self.before.text in (".", "?.")
            self.ended_expression = after_dot or match[0] not in _BEFORE_ANYTHING
            return JsToken(JsKind.NAME, at, match.end(), match[0], line_before)
        if match is not None and group in ("string", "number"):
            self.ended_expression = True
            return JsToken(JsKind(group), at, match.end(), match[0], line_before)
        if match is not None and group == "comment":
            return JsToken(JsKind.COMMENT, at, match.end(), match[0], line_before)
        if match is not None and group == "html":
            return self.html_comment(at, match[0], line_before)
        in_template = group == "brace" and self.open[-1].bracket == "${"
        if in_template or self.text[at] == "`":
            return self.template(self.whole(JsKind.TEMPLATE, _TEMPLATE, at, line_before))
        if group == "slash" and not self.ended_expression:
            self.ended_expression = True
            return self.whole(JsKind.REGEXP, _REGEXP, at, line_before)
        if match is None:
            raise self.fault(at)
        self.punctuator(match[0], at)
        return JsToken(JsKind.PUNCTUATOR, at, match.end(), match[0], line_before)

    def whole(self, kind: JsKind, pattern: re.Pattern[str], at: int, line_before: bool) -> JsToken:
        """A literal of its own grammar, from its first to its last character."""
        match = pattern.match(self.text, at)
        if match is None:
            raise self.fault(at)
        return JsToken(kind, at, match.end(), match[0], line_before)

    def line_end(self, at: int) -> int:
        found = _LINE_END.search(self.text, at)
        return found.start() if found else len(self.text)

    def fault(self, at: int) -> JsSyntaxError:
        """Why nothing can be read here: something begins that has no end, or that is no JavaScript."""
        begun = "/*" if self.text.startswith("/*", at) else self.text[at]
        if begun in _NEVER_CLOSED:
            return JsSyntaxError(at, f"{_NEVER_CLOSED[begun]} is never closed")
        return JsSyntaxError(at, f"{begun!r} cannot stand here")

    def html_comment(self, at: int, mark: str, line_before: bool) -> JsToken:
        """`<!--`, and `-->` at the beginning of a line: comments in classic scripts, operators in modules."""
        if not self.module and (mark == "<!--" or line_before):
            end = self.line_end(at)
            return JsToken(JsKind.COMMENT, at, end, self.text[at:end], line_before)
        operator = "<" if mark == "<!--" else "--"
        self.punctuator(operator, at)
        return JsToken(JsKind.PUNCTUATOR, at, at + len(operator), operator, line_before)

    def template(self, piece: JsToken) -> JsToken:
        tagged = self.open.pop().tagged if piece.text.startswith("}") else self.ended_expression
        self.ended_expression = piece.text.endswith("`")
        if not self.ended_expression:
            self.open.append(_Open("${", ends_expression=False, tagged=tagged))
        return piece._replace(tagged=tagged)

    def punctuator(self, text: str, at: int) -> None:
        ended, self.ended_expression = self.ended_expression, False
        if text in ("(", "["):
            condition = (
                text == "(" and self.before is not None and self._word_before_condition() in _CONDITIONS
            )
            self.open.append(_Open(text, ends_expression=not condition))
        elif text == "{":
            self.open.append(_Open(text, ends_expression=self._begins_object()))
        elif text in (")", "]", "}"):
            if self.open[-1].bracket != {")": "(", "]": "[", "}": "{"}[text]:
                raise JsSyntaxError(at, f"{text!r} closes nothing")
            self.ended_expression = self.open.pop().ends_expression
        elif text in ("++", "--"):
            self.ended_expression = ended
        elif text == "?":
            self.open[-1].ternaries += 1
        elif text == ":":
            frame = self.open[-1]
            self.value_after_colon = (
                bool(frame.ternaries) or frame.bracket not in ("{", "") or frame.ends_expression
            )
            frame.ternaries = max(0, frame.ternaries - 1)

    def _word_before_condition(self) -> str:
        """The word that a `(` belongs to; `for await (` is a `for`. Empty for a property `.if(`."""
        word, before = self.before, self.before_that
        assert word is not None, "asked after a token"
        if before is not None and before.text in (".", "?."):
            return ""
        return "for" if word.text == "await" and before is not None and before.text == "for" else word.text

    def _begins_object(self) -> bool:
        before = self.before
        if before is None or before.text in (";", "{", "}", ")", "=>"):
            return False
        if before.text == ":":
            return self.value_after_colon
        if before.kind is JsKind.NAME:
            return before.text in _BEFORE_VALUE
        return before.kind is JsKind.PUNCTUATOR


def js_tokens(text: str, *, module: bool) -> list[JsToken]:
    """All tokens of a script, comments too. In a module `<!--` is no comment.

    Raises:
        JsSyntaxError: something is never closed, closes nothing, or is no JavaScript.
    """
    return _Scanner(text, module).scan()


_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]+)\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(\r\n|[\s\S]))")
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def string_value(token: JsToken) -> str | None:
    """The value of a string or of a template without `${…}`; None for anything else."""
    if (
        token.kind not in (JsKind.STRING, JsKind.TEMPLATE)
        or token.text[0] == "}"
        or token.text.endswith("${")
    ):
        return None

    def one(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        if code is not None:
            return chr(min(int(code, 16), 0x10FFFF))
        return "" if match[4] in ("\n", "\r\n", "\r", "\u2028", "\u2029") else _SIMPLE.get(match[4], match[4])

    return _ESCAPE.sub(one, token.text[1:-1])

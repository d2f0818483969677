"""HTML from t-strings and from templates with values: every value is escaped for the place it stands in.

A place where no escaping is enough (a script, a style sheet, an unquoted attribute) refuses values at all.
"""

from __future__ import annotations

import html as html_module
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from string import Formatter
from typing import Any, Protocol

from fanlight.errors import ConfigError

from .html_tokens import StartTag, Text, Token, tokens

__all__ = ["Markup", "html", "markup", "template"]

_ESCAPING_TEXTS = frozenset({"", "textarea", "title"})
_ADDRESSES = frozenset({"action", "cite", "data", "formaction", "href", "poster", "src", "xlink:href"})
_RUNS = re.compile(r"(?:javascript:|vbscript:|data:text/html)", re.IGNORECASE)
_CONVERSIONS: dict[str, Callable[[object], str]] = {"r": repr, "s": str, "a": ascii}
_PLAIN_STYLE = re.compile(r"[\w\s.,%#+-]*")


class Markup(str):
    """Text that is HTML already; `html()` and Jinja2 put it in as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


class TemplateLike(Protocol):
    """What a t-string of Python 3.14 has (PEP 750)."""

    @property
    def strings(self) -> tuple[str, ...]: ...
    @property
    def interpolations(self) -> tuple[Any, ...]: ...


@dataclass(frozen=True)
class _Interpolation:
    value: object
    expression: str
    conversion: str | None
    format_spec: str


@dataclass(frozen=True)
class _Template:
    strings: tuple[str, ...]
    interpolations: tuple[_Interpolation, ...]


def markup(text: str) -> Markup:
    """Say that `text` is trusted HTML. Never for what a user, a model or a network wrote."""
    return Markup(text)


def template(text: str, /, **values: object) -> TemplateLike:
    """The t-string of Pythons before 3.14: `html(template("<b>{name}</b>", name=name))`.

    `text` is written as for `str.format`: `{name!r:>10}` works, and a brace of the HTML is doubled.

    Raises:
        ConfigError: a name in it has no value, or its braces do not fit together.
    """
    strings = [""]
    found: list[_Interpolation] = []
    formatter = Formatter()
    try:
        for literal, name, spec, conversion in formatter.parse(text):
            strings[-1] += literal
            if name is not None:
                value, _ = formatter.get_field(name, (), values)
                found.append(_Interpolation(value, name, conversion, spec or ""))
                strings.append("")
    except (KeyError, IndexError, AttributeError) as error:
        raise ConfigError(f"template() has no value for {error}; give it as a keyword argument") from None
    except ValueError as error:
        raise ConfigError(f"template(): {error}; a brace that is no value is doubled: {{{{ }}}}") from None
    return _Template(tuple(strings), tuple(found))


def html(template: TemplateLike) -> Markup:
    """A t-string (Python 3.14) or a `template()` as HTML, every value escaped unless it is `markup()`.

    Lists give their items one after the other, None gives nothing, a template in a template is HTML itself.

    Raises:
        ConfigError: a value stands where no escaping makes it safe; the message says what to do instead.
    """
    if not hasattr(template, "strings") or not hasattr(template, "interpolations"):
        raise ConfigError(
            f"html() got a {type(template).__name__}: give a t-string (Python 3.14) or template(text, x=…). "
            "A plain string could be an f-string whose values nobody escaped; markup() says it is trusted"
        )
    mark = _free_mark(template.strings)
    pieces = [template.strings[0]]
    for index, text in enumerate(template.strings[1:]):
        pieces += [f"{mark}{index}{mark}", text]
    marked = "".join(pieces)
    places = re.compile(f"{mark}([0-9]+){mark}")
    return Markup(
        "".join(_filled(token, marked, places, template.interpolations) for token in tokens(marked))
    )


def _free_mark(strings: Iterable[str]) -> str:
    """A character that the template does not use, from those that mean nothing to anybody."""
    used = set().union(*strings)
    return next(char for char in map(chr, range(0xE000, 0xF8FF)) if char not in used)


def _filled(token: Token, marked: str, places: re.Pattern[str], values: tuple[Any, ...]) -> str:
    """One token with its values in place."""
    text = marked[token.start : token.end]
    if not places.search(text):
        return text
    name = values[int(places.findall(text)[0])].expression
    if isinstance(token, Text):
        if token.of not in _ESCAPING_TEXTS:
            remedy = (
                "use json_script() for data" if token.of == "script" else "set a style attribute or a class"
            )
            raise ConfigError(
                f"html(): {{{name}}} stands inside <{token.of}>, where nothing can be escaped; {remedy}"
            )
        return places.sub(lambda match: _as_text(values[int(match[1])]), text)
    if not isinstance(token, StartTag):
        raise ConfigError(
            f"html(): {{{name}}} stands in a comment or an end tag; put it into text or an attribute"
        )
    pieces: list[str] = []
    done = token.start
    for attribute in token.attributes:
        raw = marked[attribute.value_start : attribute.end]
        if not places.search(raw):
            continue
        if not attribute.quote:
            raise ConfigError(
                f"html(): the attribute {attribute.name}={{{name}}} needs quotes around its value"
            )
        filled = places.sub(lambda match: _as_attribute(values[int(match[1])]), raw)
        _check_attribute(attribute.name, filled[1:-1], raw, places, values)
        pieces += [marked[done : attribute.value_start], filled]
        done = attribute.end
    rest = marked[done : token.end]
    if places.search("".join(pieces[::2]) + rest):
        raise ConfigError(
            f"html(): {{{name}}} stands in the name of a tag or an attribute; write the name out"
        )
    return "".join([*pieces, rest])


def _check_attribute(
    name: str, filled: str, raw: str, places: re.Pattern[str], values: tuple[Any, ...]
) -> None:
    """Refuse a value that an attribute would run."""
    plain = re.sub(r"[\x00-\x20]", "", html_module.unescape(filled))
    if name.startswith("on") or name == "srcdoc":
        raise ConfigError(
            f"html(): {name}= runs its value; use addEventListener and data- attributes instead"
        )
    if name in _ADDRESSES and _RUNS.match(plain):
        raise ConfigError(
            f"html(): {name}= is {plain[:40]!r}, which would run as a script; give an https: address"
        )
    if name == "style":
        for match in places.finditer(raw):
            value = _formatted(values[int(match[1])])
            if not _PLAIN_STYLE.fullmatch(str(value)):
                raise ConfigError(
                    f"html(): style= gets {str(value)[:40]!r}; give numbers, names or colours only"
                )


def _formatted(interpolation: Any) -> Any:
    """The value as an f-string would show it; unchanged where it says nothing about its form."""
    value = interpolation.value
    if interpolation.conversion:
        value = _CONVERSIONS[interpolation.conversion](value)
    return format(value, interpolation.format_spec) if interpolation.format_spec else value


def _as_text(interpolation: Any) -> str:
    return _escaped(_formatted(interpolation))


def _escaped(value: Any) -> str:
    if value is None:
        return ""
    if hasattr(value, "__html__"):
        return str(value.__html__())
    if hasattr(value, "strings") and hasattr(value, "interpolations"):
        return html(value)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | dict):
        return "".join(map(_escaped, value))
    return html_module.escape(str(value))


def _as_attribute(interpolation: Any) -> str:
    value = _formatted(interpolation)
    if hasattr(value, "__html__"):
        # Its references stay, but no quote of it may end the attribute.
        text = str(value.__html__())
        return text.replace('"', "&quot;").replace("'", "&#x27;").replace("<", "&lt;").replace(">", "&gt;")
    return _escaped(value)

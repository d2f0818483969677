"""What a tool with an app returns: text for the model, data for the view, and what only the view may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fanlight.errors import ConfigError
from fanlight.wire.jsonrpc import JSONObject
from fanlight.wire.plain import fault_in

from .unsendable import why_not_plain

__all__ = ["Reply", "ReplyError", "reply", "wire_result"]


# Told where it is written; what only becomes no object when it is written as JSON is told then.
_NO_OBJECTS = (str, bytes, int, float, list, tuple, set, frozenset)


class ReplyError(ConfigError):
    """A tool with an app returned what cannot be sent; the text says what to return instead."""


@dataclass(frozen=True)
class Reply:
    """Made by `reply()`. The attributes are what was given, so that a test can look at them."""

    text: str
    data: Any = None
    private: Mapping[str, Any] | None = None
    text_only: str | None = None
    error: bool = False


def reply(
    text: str,
    *,
    data: Any = None,
    private: Mapping[str, Any] | None = None,
    text_only: str | None = None,
    error: bool = False,
) -> Reply:
    """The result of a tool that has an app.

    Args:
        text: what the model reads, and what people see where no view is shown. Never empty (R10).
        data: an object for the view (``structuredContent``): a dict, a dataclass or a pydantic model.
        private: an object for the view only (``_meta``); hosts keep it from the model.
        text_only: said instead of `text` to clients that did not say that they show apps.
        error: the call failed, and `text` says why.

    Raises:
        ReplyError: there is no text, or `data` or `private` is not an object.
    """
    said: list[tuple[str, Any]] = [("text", text)] + ([] if text_only is None else [("text_only", text_only)])
    for name, value in said:
        if not (isinstance(value, str) and value.strip()):
            raise ReplyError(
                f"reply({name}=…) is {value!r}: say in words what the view shows, for the model and for "
                "people without a view"
            )
    if private is not None and not isinstance(private, Mapping):
        raise ReplyError(
            f"reply(private=…) is a {type(private).__name__}: give an object, such as {{'id': 7}}"
        )
    if isinstance(data, _NO_OBJECTS):
        raise _no_object("data", data)
    return Reply(text, data, private, text_only, error)


def wire_result(given: Reply, *, shows_apps: bool) -> JSONObject:
    """The ``CallToolResult`` as it goes over the wire; no field is null.

    Raises:
        ReplyError: the data is not an object, or something cannot be written as JSON.
    """
    name = "text" if shows_apps or given.text_only is None else "text_only"
    text = getattr(given, name)
    _check_can_be_sent(name, text)
    result: JSONObject = {"content": [{"type": "text", "text": text}]}
    if given.data is not None:
        result["structuredContent"] = _as_object("data", given.data)
    if given.private:
        result["_meta"] = _as_object("private", given.private)
    if given.error:
        result["isError"] = True
    return result


def _as_object(name: str, value: Any) -> JSONObject:
    from pydantic_core import to_jsonable_python

    try:
        plain = to_jsonable_python(value, by_alias=True, inf_nan_mode="null")
    except (ValueError, RecursionError) as error:  # the first is also that of pydantic and of Unicode
        raise _unsendable(name, why_not_plain(value, name) or str(error)) from error
    if not isinstance(plain, dict):
        raise _no_object(name, value)
    _check_can_be_sent(name, plain)
    return plain


def _check_can_be_sent(name: str, plain: object) -> None:
    """An SDK writes without a look at it, and over stdio one wrong character ends the whole server."""
    fault = fault_in(plain, name)
    if fault is not None:
        raise _unsendable(name, str(fault))


def _unsendable(name: str, reason: str) -> ReplyError:
    # This goes to the client itself, so it must not have what it complains of.
    said = reason.encode("utf-8", "backslashreplace").decode()
    return ReplyError(f"reply({name}=…) cannot be written as JSON: {said}")


def _no_object(name: str, value: object) -> ReplyError:
    return ReplyError(
        f"reply({name}=…) is a {type(value).__name__}: give an object, such as {{'items': …}}; "
        "the protocol has no other form"
    )

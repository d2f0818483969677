"""Values that JSON can carry: where one holds something that it cannot, and copies that share no container.

A view is a stranger and a program makes mistakes; the SDKs write what they are given without a look at it,
and one value that cannot be written ends the connection of everybody. So a value is looked at before.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from .json_text import MAX_DEPTH

__all__ = ["Fault", "fault_in", "plain_copy"]

T = TypeVar("T")

_HARMLESS = frozenset({int, bool, type(None)})
_KEY_SHOWN = 40
_PLACE_SHOWN = 200
# 4300 digits: Python neither writes nor reads a longer number (`sys.set_int_max_str_digits`).
_INT_BITS = 14_284


class Fault(NamedTuple):
    """What of a value JSON cannot carry: where it stands (`arguments.when[2]`) and what is wrong with it."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place} {self.reason}"


def fault_in(value: object, name: str, limit: int = MAX_DEPTH) -> Fault | None:
    """The first thing in `value`, which is called `name`, that no JSON text can say; None if there is none.

    That is half a surrogate pair in a text or a key, NaN and infinity, keys that are no texts, values that
    are no JSON (a set, bytes, a date), and what is nested deeper than `limit`. Tuples are arrays. Never
    recursive, and linear.
    """
    # One level of nesting each: what is left of it, and the key under which it stands in the level above.
    waiting: list[Iterator[tuple[Any, Any]]] = [iter(((name, value),))]
    keys: list[Any] = []
    while waiting:
        for key, item in waiting[-1]:
            kind = type(item)
            if kind is str:
                if not item.isascii() and _has_half_pair(item):
                    return Fault(_place([*keys, key]), "has half of a surrogate pair: give whole characters")
            elif kind in _HARMLESS and (kind is not int or item.bit_length() <= _INT_BITS):
                continue
            elif isinstance(item, dict | list | tuple):
                if len(waiting) > limit:
                    return Fault(name, f"is nested deeper than {limit} levels: make it flatter")
                odd = _odd_key(item) if isinstance(item, dict) else None
                if odd is not None:
                    return Fault(_place([*keys, key]), odd)
                keys.append(key)
                waiting.append(iter(item.items() if isinstance(item, dict) else enumerate(item)))
                break
            else:
                reason = _odd_value(item)
                if reason is not None:
                    return Fault(_place([*keys, key]), reason)
        else:
            waiting.pop()
            if keys:
                keys.pop()
    return None


def plain_copy(value: T) -> T:
    """The same JSON value in dicts and lists of its own. Texts are shared: the length of one costs nothing.

    Only for what has no fault: it is recursive.
    """
    copied: Any = value
    if isinstance(value, dict):
        copied = {key: plain_copy(item) if _holds(item) else item for key, item in value.items()}
    elif isinstance(value, list | tuple):
        copied = [plain_copy(item) if _holds(item) else item for item in value]
    return copied  # type: ignore[no-any-return]


def _holds(item: object) -> bool:
    return isinstance(item, dict | list | tuple)


def _odd_key(mapping: dict[Any, Any]) -> str | None:
    try:
        text = "".join(mapping)
    except TypeError:
        key = next(key for key in mapping if not isinstance(key, str))
        return f"has the key {_short(key)} of type {type(key).__name__}: keys are texts"
    if text.isascii() or not _has_half_pair(text):
        return None
    key = next(key for key in mapping if _has_half_pair(key))
    return f"has the key {_short(key)}, with half of a surrogate pair: give whole characters"


def _odd_value(item: object) -> str | None:
    """For values of types that are rare in JSON, or of subclasses such as those of enums."""
    if isinstance(item, float):
        return None if isfinite(item) else f"is {item!r}: JSON has only finite numbers"
    if isinstance(item, str):
        return "has half of a surrogate pair: give whole characters" if _has_half_pair(item) else None
    if isinstance(item, int):
        fits = item.bit_length() <= _INT_BITS
        return None if fits else "is a number too long to be written: give it as a text"
    return f"is of type {type(item).__name__}, which JSON cannot carry: give texts, numbers, dicts and lists"


def _has_half_pair(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _place(keys: list[Any]) -> str:
    """The way there in the words of a program; a stranger's keys are shortened, and spelled in ASCII."""
    place = str(keys[0]) + "".join(_step(key) for key in keys[1:])
    return place if len(place) <= _PLACE_SHOWN else place[:_PLACE_SHOWN] + "…"


def _step(key: Any) -> str:
    if isinstance(key, str) and key.isascii() and key.isidentifier() and len(key) <= _KEY_SHOWN:
        return f".{key}"
    return f"[{_short(key)}]"


def _short(key: object) -> str:
    shown = ascii(key)
    return shown if len(shown) <= _KEY_SHOWN else shown[:_KEY_SHOWN] + "…"

"""Which part of a tool's data cannot become JSON. Asked only after that has failed, to name the place."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fanlight.wire.json_text import MAX_DEPTH

__all__ = ["why_not_plain"]

_MANY = (list, tuple, set, frozenset)
_KEY_SHOWN = 40
_SMALL_INT = 64  # bits; a number of thousands of digits cannot be written


def why_not_plain(value: object, name: str) -> str | None:
    """The first part that cannot be written, where it is and what to give instead; None if none is found.

    Never recursive, and linear: each level on the way to a part is held once.
    """
    fault = _fault_of(value, set())
    if fault is not None:
        return f"{name} {fault}"
    steps, levels, above = [name], [_parts(value)], [id(value)]
    around = set(above)
    while levels:
        found = next(levels[-1], None)
        if found is None:
            levels.pop()
            steps.pop()
            around.discard(above.pop())
            continue
        step, part = found
        fault = _fault_of(part, around)
        if len(levels) > MAX_DEPTH:
            return f"{name} is nested deeper than {MAX_DEPTH} levels: make it flatter"
        if fault is not None:
            return f"{''.join(steps)}{step} {fault}"
        steps.append(step)
        levels.append(_parts(part))
        above.append(id(part))
        around.add(id(part))
    return None


def _fault_of(part: object, around: set[int]) -> str | None:
    if id(part) in around and not _is_atom(part):
        return "holds itself: JSON has no circles, so leave it out there or give an id"
    if isinstance(part, (bytes, bytearray)):
        return _fault_of_bytes(part)
    if isinstance(part, Mapping):
        return next((fault for key in part if (fault := _fault_of_key(key)) is not None), None)
    if _is_atom(part) or _is_record(part) or isinstance(part, _MANY):
        return None
    return _fault_by_trial(part)


def _fault_of_bytes(part: bytes | bytearray) -> str | None:
    try:
        part.decode()
    except UnicodeDecodeError:
        return "is bytes that are no UTF-8 text: send base64 text, base64.b64encode(…).decode()"
    return None


def _fault_of_key(key: object) -> str | None:
    try:
        str(key.decode() if isinstance(key, bytes) else key).encode()
    except UnicodeError:
        return f"has the key {_short(key)}, which is no UTF-8 text: give whole characters"
    return None


def _fault_by_trial(part: object) -> str | None:
    """Of what pydantic alone knows, such as dates, paths and its own types."""
    from pydantic_core import to_jsonable_python

    try:
        to_jsonable_python(part)
    except (ValueError, RecursionError) as error:
        return f"is a {type(part).__name__}: give texts, numbers, dicts and lists ({error})"
    return None


def _is_atom(part: object) -> bool:
    if isinstance(part, int):
        return part.bit_length() < _SMALL_INT
    return part is None or isinstance(part, (str, float))


def _is_record(part: object) -> bool:
    is_model = hasattr(part, "model_fields_set")
    return is_model or (dataclasses.is_dataclass(part) and not isinstance(part, type))


def _parts(value: object) -> Iterator[tuple[str, Any]]:
    """What is one level below, each with the step to it as programs write that."""
    if isinstance(value, Mapping):
        return _named(value.items())
    if _is_record(value):
        return _named(vars(value).items() if hasattr(value, "__dict__") else ())
    if isinstance(value, _MANY):
        return ((f"[{number}]", part) for number, part in enumerate(value))
    return iter(())


def _named(items: Iterable[tuple[object, Any]]) -> Iterator[tuple[str, Any]]:
    for key, part in items:
        yield (f".{key}" if _is_plain_name(key) else f"[{_short(key)}]"), part


def _is_plain_name(key: object) -> bool:
    return isinstance(key, str) and key.isascii() and key.isidentifier() and len(key) <= _KEY_SHOWN


def _short(key: object) -> str:
    shown = ascii(key)
    return shown if len(shown) <= _KEY_SHOWN else shown[:_KEY_SHOWN] + "…"

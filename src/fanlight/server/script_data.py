"""JSON as it may stand inside a `<script>`, be it data or a piece of JavaScript."""

from __future__ import annotations

import json
import re

from fanlight.errors import ConfigError
from fanlight.wire.jsonrpc import JSONValue

__all__ = ["script_json"]

# `<` begins every way out of a script; `>` and `&` are for those who put it into XML; U+2028 and U+2029 once
# ended a line of JavaScript; a lone surrogate cannot be written as UTF-8.
_ESCAPED = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def script_json(data: JSONValue) -> str:
    """`data` as JSON that reads the same as JavaScript and cannot leave a `<script>`.

    Raises:
        ConfigError: something in it is no JSON; the message says where.
    """
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"embedded data {_fault(data)}: {error}; give plain JSON values") from None
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _fault(data: object) -> str:
    """Where the first value stands that is no JSON."""
    waiting: list[tuple[str, object]] = [("", data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{path}[{key!r}]", item) for key, item in reversed(value.items())]
        elif isinstance(value, list | tuple):
            waiting += [(f"{path}[{index}]", item) for index, item in reversed(list(enumerate(value)))]
        else:
            try:
                json.dumps(value, allow_nan=False)
            except (TypeError, ValueError):
                return f"at {path or 'its top'} is no JSON"
        if len(path) > 500:
            break
    return "is no JSON"

"""Check tool arguments before anything is sent: that they are JSON, and that the tool's input schema fits."""

from __future__ import annotations

from typing import Any

from fanlight.errors import ConfigError
from fanlight.upstream import Tool
from fanlight.wire.plain import fault_in, plain_copy

__all__ = ["check_arguments", "plain_arguments"]


def plain_arguments(tool: str, arguments: Any) -> dict[str, Any]:
    """A copy of the arguments for the tool of that name; None is `{}`. The program may go on using its own.

    Raises:
        ConfigError: they are no dict, or hold something that JSON cannot carry; names the place.
    """
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise ConfigError(
            f"the arguments of {tool!r} are of type {type(arguments).__name__}: "
            "give a dict of names and values, or None for no arguments"
        )
    fault = fault_in(arguments, "arguments")
    if fault is not None:
        raise ConfigError(f"the arguments of {tool!r} cannot be sent: {fault}")
    return plain_copy(arguments)


def check_arguments(tool: Tool, arguments: Any) -> dict[str, Any]:
    """Return the arguments if they fit; the error names the field, the value and what was expected.

    Raises:
        ConfigError: they do not fit the tool's input schema.
    """
    if not isinstance(arguments, dict):
        raise ConfigError(
            f"the arguments of {tool.name} must be a JSON object, not {type(arguments).__name__}"
        )
    from jsonschema import SchemaError, validators

    schema = tool.input_schema
    try:
        validator_class = validators.validator_for(schema)
        validator_class.check_schema(schema)
    except SchemaError:
        return arguments  # the server's own fault; it may still accept what it is given
    best = min(
        validator_class(schema).iter_errors(arguments), key=lambda error: len(error.path), default=None
    )
    if best is None:
        return arguments
    where = ".".join(str(part) for part in best.absolute_path)
    subject = f"argument {where}" if where else "arguments"
    raise ConfigError(f"{subject} of {tool.name}: {best.message}")

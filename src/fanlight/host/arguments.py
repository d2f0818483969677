"""Check tool arguments against the tool's input schema, before anything is sent."""

from __future__ import annotations

from typing import Any

from fanlight.errors import ConfigError
from fanlight.upstream import Tool

__all__ = ["check_arguments"]


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

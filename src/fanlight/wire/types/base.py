"""The base of all wire models and the value types they share."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from fanlight.wire.jsonrpc import JSONObject

__all__ = ["DisplayMode", "LogLevel", "MetaModel", "Number", "Platform", "Theme", "WireModel"]

Theme: TypeAlias = Literal["light", "dark"]
DisplayMode: TypeAlias = Literal["inline", "fullscreen", "pip"]
Platform: TypeAlias = Literal["web", "desktop", "mobile"]
LogLevel: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
# A union, so that 400 stays 400 on the wire and does not become 400.0.
Number: TypeAlias = int | float


class WireModel(BaseModel):
    """A shape on the wire: immutable, camelCase outside, snake_case inside, unknown fields kept.

    Strict, because pydantic's friendly conversions ("yes" to true) would let through what an official peer
    refuses.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        strict=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        populate_by_name=True,
        # Built at first use: most programs never need most of these, and imports must stay quick.
        defer_build=True,
    )

    def to_wire(self) -> JSONObject:
        """The JSON object to send: camelCase names, and no null where a field is absent.

        Only fields of models are dropped when empty; a null inside opaque data (a JSON Schema, a structured
        result) is data and stays.
        """
        return self.model_dump(by_alias=True, exclude_none=True)


class MetaModel(WireModel):
    """A shape that may carry ``_meta``."""

    meta: dict[str, Any] | None = Field(default=None, alias="_meta")

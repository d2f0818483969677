"""One tool of a server, and what Fanlight reads from its metadata, in whichever dialect it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fanlight.dialects import DialectWarning, canonical_tool
from fanlight.errors import MetadataError
from fanlight.wire.meta import app_may_call, model_may_see, ui_resource_uri

from .base import JSONObject

__all__ = ["Tool", "read_tool"]


@dataclass(frozen=True)
class Tool:
    """One tool as the server lists it, with what Fanlight reads from its metadata."""

    raw: JSONObject
    resource_uri: str | None
    problem: str | None = None
    warnings: tuple[DialectWarning, ...] = ()

    @property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def title(self) -> str:
        annotations = self.raw.get("annotations") or {}
        return str(self.raw.get("title") or annotations.get("title") or self.name)

    @property
    def description(self) -> str:
        return str(self.raw.get("description") or "")

    @property
    def input_schema(self) -> JSONObject:
        schema = self.raw.get("inputSchema")
        return schema if isinstance(schema, dict) else {"type": "object"}

    @property
    def has_app(self) -> bool:
        return self.resource_uri is not None

    @property
    def read_only(self) -> bool:
        annotations = self.raw.get("annotations")
        return isinstance(annotations, dict) and annotations.get("readOnlyHint") is True

    @property
    def model_may_see(self) -> bool:
        return model_may_see(self.raw)

    @property
    def app_may_call(self) -> bool:
        return app_may_call(self.raw)


def read_tool(entry: JSONObject) -> Tool | None:
    """The tool of a `tools/list` entry; None for one without a name, which nobody could call."""
    name: Any = entry.get("name")
    if not isinstance(name, str) or not name:
        return None
    canonical, warnings = canonical_tool(entry)
    try:
        return Tool(canonical, ui_resource_uri(canonical), warnings=tuple(warnings))
    except MetadataError as error:
        return Tool(canonical, None, problem=str(error), warnings=tuple(warnings))

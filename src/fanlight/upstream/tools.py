"""One tool of a server, and what Fanlight reads from its metadata, in whichever dialect it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from fanlight.dialects import DialectWarning, canonical_tool
from fanlight.errors import MetadataError
from fanlight.wire.json_text import Unwritable, encode
from fanlight.wire.meta import app_may_call, model_may_see, ui_resource_uri

from .base import JSONObject
from .documents import uri_problem

__all__ = ["Tool", "read_tool", "read_tools"]


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
        return str(self.raw.get("title") or self._annotations.get("title") or self.name)

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
        return self._annotations.get("readOnlyHint") is True

    @property
    def model_may_see(self) -> bool:
        """Whether it lists "model"; a tool whose visibility cannot be read is hidden (R18)."""
        try:
            return model_may_see(self.raw)
        except MetadataError:
            return False

    @property
    def app_may_call(self) -> bool:
        """Whether it lists "app"; a tool whose visibility cannot be read is hidden (R19)."""
        try:
            return app_may_call(self.raw)
        except MetadataError:
            return False

    @property
    def _annotations(self) -> JSONObject:
        annotations = self.raw.get("annotations")
        return annotations if isinstance(annotations, dict) else {}


def read_tool(entry: JSONObject) -> Tool | None:
    """The tool of a `tools/list` entry; None for one without a name, which nobody could call."""
    name: Any = entry.get("name")
    if not isinstance(name, str) or not name:
        return None
    try:
        encode(entry)
    except Unwritable as why:
        return Tool({"name": name}, None, problem=f"what the server says of this tool cannot be used: {why}")
    canonical, warnings = canonical_tool(entry)
    try:
        uri = ui_resource_uri(canonical)
        problem = None if uri is None else uri_problem(uri)
    except MetadataError as error:
        uri, problem = None, str(error)
    return Tool(canonical, None if problem else uri, problem=problem, warnings=tuple(warnings))


def read_tools(entries: Iterable[JSONObject]) -> dict[str, Tool]:
    """The tools of a list, by name. Of several with one name the first counts, and says so."""
    tools: dict[str, Tool] = {}
    twice: set[str] = set()
    for entry in entries:
        tool = read_tool(entry)
        if tool is not None and tools.setdefault(tool.name, tool) is not tool:
            twice.add(tool.name)
    for name in twice:
        warning = DialectWarning(
            "duplicate",
            f"another tool named {name[:100]!r}",
            None,
            "Only the first is used; give each tool a name of its own.",
        )
        tools[name] = replace(tools[name], warnings=(*tools[name].warnings, warning))
    return tools

"""The clock: one tool, one app. Its view shows the tool's result, asks again on a button, and resizes."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, TextContent, ToolAnnotations

__all__ = ["server"]

CLOCK_URI = "ui://clock/clock.html"
_READ_ONLY = ToolAnnotations(read_only_hint=True)

apps = Apps()
apps.add_html_resource(
    CLOCK_URI,
    files("fanlight.demos").joinpath("clock.html").read_text(encoding="utf-8"),
    title="Clock",
    prefers_border=True,
)


@apps.tool(
    resource_uri=CLOCK_URI,
    name="show_time",
    title="Show the time",
    description="Show the current time of a time zone on a clock.",
    annotations=_READ_ONLY,
    structured_output=False,
)
def show_time(timezone: str = "UTC") -> CallToolResult:
    """The current time of an IANA time zone, such as Europe/Oslo."""
    try:
        now = datetime.now(UTC if timezone == "UTC" else ZoneInfo(timezone))
    except (ZoneInfoNotFoundError, ValueError):
        text = f"There is no time zone {timezone!r}. Use an IANA name such as Europe/Oslo."
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
    offset = now.strftime("%z")
    return CallToolResult(
        content=[TextContent(type="text", text=f"It is {now:%H:%M:%S} on {now:%A, %d %B %Y} in {timezone}.")],
        structured_content={
            "iso": now.isoformat(timespec="milliseconds"),
            "timezone": timezone,
            "offset": f"{offset[:3]}:{offset[3:5]}",
            "weekday": f"{now:%A}",
            "date": f"{now:%d %B %Y}",
        },
    )


server = MCPServer("clock", title="Clock", version="1.0.0", extensions=[apps])

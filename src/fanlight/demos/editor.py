"""The editor: text that appears while the model writes it; download, fullscreen, and a look of its own."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from fanlight.server import App, AppResource, Reply, reply

__all__ = ["server"]

_TEXT = """# Roof garden

Plants that like **wind** and *little water*:

- thyme
- sedum
- lavender

Water them with `two` cans a week.
"""

server = MCPServer("editor", title="Editor", version="1.0.0")
editor = App("ui://editor/view.html", AppResource.folder("views", entry="editor.html"), title="Editor")


@editor.tool(server, title="Write a note", annotations=ToolAnnotations(read_only_hint=True))
def write_note(title: str = "Roof garden", text: str = _TEXT) -> Reply:
    """Write a note in Markdown that the person can edit, download, and read on the whole screen."""
    words = len(text.split())
    return reply(
        f"The note {title!r} with {words} words is open in the editor.", data={"title": title, "text": text}
    )

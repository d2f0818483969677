"""The board: cards in columns, kept by the view over reloads; the view offers the model a tool of its own."""

from __future__ import annotations

from typing import Literal

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import BaseModel

from fanlight.server import App, AppResource, Reply, reply

__all__ = ["server"]


class Card(BaseModel):
    """One card."""

    text: str
    column: Literal["todo", "doing", "done"] = "todo"


_FIRST_CARDS = (
    Card(text="Measure the roof", column="done"),
    Card(text="Choose plants that like wind", column="doing"),
    Card(text="Ask the neighbours"),
    Card(text="Carry up the soil"),
)

server = MCPServer("board", title="Board", version="1.0.0")
board = App("ui://board/view.html", AppResource.folder("views", entry="board.html"), title="Board")


@board.tool(server, title="Show a board", annotations=ToolAnnotations(read_only_hint=True))
def show_board(title: str = "Roof garden", cards: list[Card] | None = None) -> Reply:
    """Show cards in the columns todo, doing and done; the person moves them."""
    shown = [*(_FIRST_CARDS if cards is None else cards)]
    words = ", ".join(f"{card.text} ({card.column})" for card in shown) or "no cards yet"
    return reply(
        f"{title}: {words}.",
        data={
            "title": title,
            "cards": [{"id": str(number), **card.model_dump()} for number, card in enumerate(shown)],
        },
    )

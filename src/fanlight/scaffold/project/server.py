"""%TITLE%: an MCP server whose tool has an app."""

from __future__ import annotations

import random
from typing import Annotated

from mcp.server import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from fanlight.server import App, AppResource, Reply, reply

Count = Annotated[int, Field(ge=1, le=12, description="How many dice")]
Sides = Annotated[int, Field(ge=2, le=100, description="How many sides each has")]
# These tools change nothing; of others a host asks the person before the view may call them.
READ_ONLY = ToolAnnotations(read_only_hint=True)

server = MCPServer("%NAME%")
dice = App("ui://%NAME%/view.html", AppResource.folder("view"), title="%TITLE%")


@dice.tool(server, annotations=READ_ONLY)
def roll_dice(count: Count = 2, sides: Sides = 6) -> Reply:
    """Roll dice and show them."""
    rolls = [random.randint(1, sides) for _ in range(count)]
    return reply(
        f"Rolled {', '.join(map(str, rolls))}: {sum(rolls)} in all.",  # for the model
        data={"rolls": rolls, "sides": sides},  # for the view
    )


@dice.tool(server, visibility=["app"], annotations=READ_ONLY)
def roll_again(count: Count, sides: Sides) -> Reply:
    """What the view's button calls; the model does not see it."""
    return roll_dice(count, sides)


if __name__ == "__main__":
    server.run()

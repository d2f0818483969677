"""The data explorer: it draws while the arguments are still written, and drills down by an app-only tool.

The figures are made up, always the same for the same district.
"""

from __future__ import annotations

import math
import random

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import BaseModel

from fanlight.server import App, AppResource, Reply, reply

__all__ = ["server"]

_READ_ONLY = ToolAnnotations(read_only_hint=True)
_MORNING, _EVENING = 8, 17


class District(BaseModel):
    """One row of the chart."""

    name: str
    trips: int


_TOWN = (
    District(name="Old town", trips=3380),
    District(name="University", trips=2950),
    District(name="Harbour", trips=4210),
    District(name="Hillside", trips=940),
    District(name="Station", trips=2640),
    District(name="Riverside", trips=1870),
)

server = MCPServer("explorer", title="Data explorer", version="1.0.0")
explorer = App(
    "ui://explorer/view.html", AppResource.folder("views", entry="explorer.html"), title="Data explorer"
)


@explorer.tool(server, title="Explore bicycle trips", annotations=_READ_ONLY)
def explore_trips(title: str = "Bicycle trips by district", districts: list[District] | None = None) -> Reply:
    """Draw bicycle trips by district as bars. Give rows of your own, or none for a town that is built in."""
    rows = [*(_TOWN if districts is None else districts)]
    return reply(f"{title}: {_in_words(rows)}.", data={"title": title, "districts": rows})


@explorer.tool(server, title="Trips by hour", visibility=["app"], annotations=_READ_ONLY)
def trips_by_hour(district: str) -> Reply:
    """The hours of one district, for the view that drills down."""
    chance = random.Random(district)
    early = chance.uniform(0.6, 1.2)
    hours = [round(20 + 300 * (_bump(hour, _MORNING) * early + _bump(hour, _EVENING))) for hour in range(24)]
    peak = hours.index(max(hours))
    return reply(
        f"the trips of {district} by hour, with most between {peak} and {peak + 1} o'clock.",
        data={"district": district, "hours": hours},
    )


def _in_words(rows: list[District]) -> str:
    if not rows:
        return "no trips, for there is no district in the list"
    total = sum(row.trips for row in rows)
    most = max(rows, key=lambda row: row.trips)
    return f"{total} trips in {len(rows)} districts, most of them ({most.trips}) in {most.name}"


def _bump(hour: int, around: int) -> float:
    return math.exp(-(((hour - around) / 2.2) ** 2))

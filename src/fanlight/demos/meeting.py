"""The meeting planner: a form that tells the model what is in it, and ends in a message."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from fanlight.server import App, AppResource, Reply, reply

__all__ = ["server"]

Minutes = Annotated[int, Field(ge=15, le=90, description="How long the meeting takes")]
_READ_ONLY = ToolAnnotations(read_only_hint=True)
_FIRST, _LAST = 9, 17

server = MCPServer("meeting", title="Meeting planner", version="1.0.0")
meeting = App(
    "ui://meeting/view.html", AppResource.folder("views", entry="meeting.html"), title="Meeting planner"
)


@meeting.tool(server, title="Plan a meeting", annotations=_READ_ONLY)
def plan_meeting(topic: str = "", minutes: Minutes = 30, people: list[str] | None = None) -> Reply:
    """Let the person fill in a form about a meeting; what they ask for comes back as a message."""
    day = _next_weekday(dt.date.today())
    invited = people or []
    about = f" about {topic}" if topic else ""
    return reply(
        f"The person sees a form for a meeting{about} and will send it to the conversation.",
        data={
            "topic": topic,
            "day": day.isoformat(),
            "minutes": minutes,
            "people": invited,
            "free": _free(day, minutes),
        },
    )


@meeting.tool(server, title="Free times", visibility=["app"], annotations=_READ_ONLY)
def free_times(day: dt.date, minutes: Minutes) -> Reply:
    """The times of a day that are still free."""
    free = _free(day, minutes)
    return reply(f"Free on {day}: {', '.join(free) or 'nothing'}.", data={"free": free})


def _next_weekday(day: dt.date) -> dt.date:
    later = day + dt.timedelta(days=1)
    return later if later.weekday() < 5 else _next_weekday(later)


def _free(day: dt.date, minutes: int) -> list[str]:
    """Made up, and always the same for one day. Nobody works at weekends."""
    if day.weekday() >= 5:
        return []
    chance = random.Random(day.isoformat())
    starts = [dt.time(hour, half) for hour in range(_FIRST, _LAST) for half in (0, 30)]
    fitting = [start for start in starts if start.hour * 60 + start.minute + minutes <= _LAST * 60]
    return [f"{start:%H:%M}" for start in fitting if chance.random() < 0.45]

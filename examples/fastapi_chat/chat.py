"""One visitor's conversation, and a "model" made of rules that calls tools. Put your own there."""

import asyncio
import re
from typing import Any

from fanlight import Call, Host

ZONES = {
    "oslo": "Europe/Oslo",
    "tokyo": "Asia/Tokyo",
    "new york": "America/New_York",
    "sydney": "Australia/Sydney",
}
HELP = "I can show the time (“time in Tokyo”) and today's menu (“what is for lunch?”)."


class Chat:
    """The messages of one visitor; whoever listens gets each one as it comes."""

    def __init__(self, host: Host, visitor: str) -> None:
        self.messages: list[dict[str, Any]] = []
        self._host = host
        self._visitor = visitor
        self._listeners: set[asyncio.Queue[dict[str, Any]]] = set()
        self._one_turn_at_a_time = asyncio.Lock()

    async def say(self, text: str, view: str | None = None) -> None:
        """The visitor speaks, or a view in the visitor's conversation does; then the model answers."""
        async with self._one_turn_at_a_time:
            self._add("user", text, **({"from": view} if view else {}))
            await self._model(text)

    async def listen(self) -> Any:
        """Every message from the first on, and then each new one."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        for message in self.messages:
            queue.put_nowait(message)
        self._listeners.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            self._listeners.discard(queue)

    def context(self) -> list[dict[str, Any]]:
        """What the views of this conversation want the model to know."""
        return self._host.context_for_next_turn(user=self._visitor)

    def _add(self, role: str, text: str, **more: Any) -> None:
        message = {"id": len(self.messages), "role": role, "text": text, **more}
        self.messages.append(message)
        for queue in self._listeners:
            queue.put_nowait(message)

    # The "model"

    async def _model(self, text: str) -> None:
        words = text.lower()
        zone = next((zone for city, zone in ZONES.items() if city in words), None)
        dish = re.search(r"order (?:the )?([\w ]+)", words)
        if "time" in words or zone:
            await self._use("clock", "show_time", {"timezone": zone or "UTC"})
        elif dish:
            await self._use("canteen", "order", {"dish": dish[1].strip()})
        elif re.search(r"\b(lunch|menu|eat|food)\b", words):
            await self._use("canteen", "show_menu", {})
        elif "vegetarian" in words:
            self._add("assistant", self._about_the_selected_dish())
        else:
            self._add("assistant", HELP)

    async def _use(self, server: str, tool: str, arguments: dict[str, Any]) -> None:
        call: Call = await self._host.servers[server].call_tool(tool, arguments, user=self._visitor)
        if call.view is None:
            self._add("assistant", call.result["content"][0]["text"])
        else:
            view = {"id": call.view.id, "token": call.view.token, "label": call.view.label}
            self._add("assistant", "Here you are:", view=view)

    def _about_the_selected_dish(self) -> str:
        """A real model gets these entries in its prompt, marked as the words of a view."""
        for entry in self.context():
            dish = entry.get("structuredContent", {}).get("selected")
            if dish:
                return f"{dish['name']} is {'' if dish['vegetarian'] else 'not '}vegetarian."
        return "Which dish do you mean? Select one in the menu."

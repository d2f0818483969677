"""A demo that is given an empty list shows no invented data."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from fanlight.host import Host

TOOLS = {"board": ("show_board", "cards"), "explorer": ("explore_trips", "districts")}


async def called(name: str, **arguments: Any) -> Any:
    async with Host() as host:
        server = await host.connect(name, import_module(f"fanlight.demos.{name}").server)
        return (await server.call_tool(TOOLS[name][0], arguments)).result


@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_an_empty_list_stays_empty_and_the_model_is_told_so(name: str) -> None:
    field = TOOLS[name][1]
    result = await called(name, title="Mine", **{field: []})
    assert result["structuredContent"] == {"title": "Mine", field: []}
    (text,) = result["content"]
    assert text["text"].startswith("Mine: no ")


@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_without_a_list_there_is_something_to_look_at(name: str) -> None:
    result = await called(name)
    assert len(result["structuredContent"][TOOLS[name][1]]) > 3

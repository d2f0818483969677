"""docs/servers.md: its code runs, and what it says of it is so."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
from doc_code import run_page
from mcp.client import Client
from mcp.server.mcpserver import MCPServer

from fanlight import Host
from fanlight.errors import UpstreamError
from fanlight.upstream import HttpTarget, ObjectTarget, doors


async def test_an_open_connection_is_used_and_an_address_gets_headers_and_authentication(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = run_page("servers.md")
    asked: list[Any] = []
    real_door = doors._door

    def door(target: Any, *rest: Any) -> Any:
        asked.append(target)
        return real_door(
            target if isinstance(target, ObjectTarget) else HttpTarget("http://127.0.0.1:9"), *rest
        )

    monkeypatch.setattr(doors, "_door", door)
    provider = httpx2.BasicAuth("me", "secret")
    async with Client(MCPServer("notes")) as session, Host() as host:
        with pytest.raises(UpstreamError, match="refused"):
            await code["connect_all"](host, session, provider)
        assert host.servers["notes"].info["name"] == "notes"
    assert asked[1] == HttpTarget("https://weather.example/mcp", {"X-Tenant": "blue"}, provider)


async def test_the_state_of_a_connection_is_told() -> None:
    said: list[str] = []
    async with Host() as host:
        server = await host.connect("notes", MCPServer("notes"))
        run_page("servers.md")["watch"](server, said.append)
    assert said == ["notes is closed: fine"]

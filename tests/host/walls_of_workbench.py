"""The walls of the workbench: its link, the two halves of a pass, who asks, and for what."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from page_client import HOST_NAME, http_client, page_socket
from raw_request import ask
from two_servers import make_server
from wall import ServerWall, away
from websockets.exceptions import InvalidStatus

import fanlight.host.guard
import fanlight.host.headers
import fanlight.workbench.app
import fanlight.workbench.launch
import fanlight.workbench.passes
from fanlight.errors import ConfigError
from fanlight.host import Host
from fanlight.host.limits import Rate
from fanlight.host.serve import bind_loopback, serving
from fanlight.workbench.app import Workbench
from fanlight.workbench.launch import Reach
from fanlight.workbench.passes import Passes

__all__ = ["WALLS_OF_WORKBENCH"]

TOKEN = "the-token-of-this-run"
CALL = {"server": "one", "tool": "plain", "arguments": {}}


@dataclass
class Bench:
    """A workbench, and the headers of a browser that has a pass for it."""

    port: int
    workbench: Workbench
    headers: dict[str, str]

    @property
    def origin(self) -> str:
        return f"http://{HOST_NAME}:{self.port}"

    async def asks(self, method: str, path: str, content: Any = None, **changed: str) -> httpx.Response:
        """One request with the pass; `changed` headers replace its own, an empty one is left out."""
        named = {name.replace("_", "-"): value for name, value in changed.items()}
        headers = {name: value for name, value in {**self.headers, **named}.items() if value}
        address = f"http://127.0.0.1:{self.port}{path}"
        async with http_client() as client:
            return await client.request(method, address, json=content, headers=headers)

    async def redeems(self, token: str) -> httpx.Response:
        return await self.asks("POST", "/api/pass", {"token": token}, Cookie="", Authorization="")


@asynccontextmanager
async def bench(access_token: str | None = None) -> AsyncIterator[Bench]:
    async with Host() as host:
        await host.connect("one", make_server("one"))
        made = Workbench(host, None if access_token else TOKEN, access_token=access_token)
        async with serving(made.asgi(), bind_loopback(0)) as port:
            own = f"{HOST_NAME}:{port}"
            found = Bench(port, made, {"Host": own, "Origin": f"http://{own}"})
            if access_token is None:
                answer = await found.redeems(TOKEN)
                found.headers["Cookie"] = answer.headers["set-cookie"].partition(";")[0]
                found.headers["Authorization"] = f"Bearer {answer.json()['key']}"
            yield found


async def link_twice(folder: Path) -> bool:
    async with bench() as found:
        return (await found.redeems(TOKEN)).status_code == 201


async def old_link(folder: Path) -> bool:
    async with bench() as found:
        token = found.workbench.passes.new_token()
        found.workbench.passes._link_until -= 2 * 3600  # two hours later
        return (await found.redeems(token)).status_code == 201


async def key_alone(folder: Path) -> bool:
    async with bench() as found:
        return (await found.asks("GET", "/api/state", Cookie="")).status_code == 200


async def cookie_alone(folder: Path) -> bool:
    async with bench() as found:
        return (await found.asks("GET", "/api/state", Authorization="Bearer x")).status_code == 200


async def socket_without_pass(folder: Path) -> bool:
    async with bench() as found:
        try:
            async with page_socket(found.port):
                return True
        except InvalidStatus:
            return False


async def guessing(folder: Path) -> bool:
    token = "a-token-that-a-person-chose"
    async with bench(access_token=token) as found:
        for number in range(20):
            await found.redeems(f"guess number {number}")
        return (await found.redeems(token)).status_code == 201


async def foreign_call(folder: Path) -> bool:
    async with bench() as found:
        answer = await found.asks("POST", "/api/calls", CALL, Origin="http://evil.example")
        return answer.status_code == 201


async def call_of_nobody(folder: Path) -> bool:
    """A form of another page, or a program of this machine: no Origin at all."""
    async with bench() as found:
        return (await found.asks("POST", "/api/calls", CALL, Origin="")).status_code == 201


async def foreign_subresource(folder: Path) -> bool:
    async with bench() as found:
        told = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}
        return (await found.asks("GET", "/workbench.js", Origin="", **told)).status_code == 200


async def two_origins(folder: Path) -> bool:
    async with bench() as found:
        headers = [f"{name}: {value}" for name, value in found.headers.items()]
        answer = await ask(found.port, "/api/state", *headers, "Origin: http://evil.example")
        return answer.status == 200


async def source_of_the_program(folder: Path) -> bool:
    async with bench() as found:
        answer = await ask(found.port, "/..%2fapp.py", f"Host: {HOST_NAME}:{found.port}")
        return "import annotations" in answer.body


async def large_body(folder: Path) -> bool:
    async with bench() as found:
        answer = await found.asks("POST", "/api/calls", {**CALL, "more": "x" * (9 << 20)})
        return answer.status_code == 201


async def bare_answer(folder: Path) -> bool:
    async with bench() as found:
        answer = await found.asks("GET", "/nothing")
        wanted = {"content-security-policy", "x-content-type-options", "referrer-policy", "cache-control"}
        return answer.status_code == 404 and not wanted & {name.lower() for name in answer.headers}


async def reached_from_elsewhere(folder: Path) -> bool:
    try:
        return Reach("0.0.0.0").access_token is None
    except ConfigError:
        return False


_GUARD, _APP, _PASSES = fanlight.host.guard, fanlight.workbench.app, fanlight.workbench.passes


def nobody(*args: object, **kwargs: object) -> None:
    """In the place of what refuses."""


WALLS_OF_WORKBENCH = [
    ServerWall(
        "the workbench's link works once", "it is used again", link_twice, away((Passes, "_spend", nobody))
    ),
    ServerWall(
        "the workbench's link is for an hour",
        "it is used after two",
        old_link,
        away((_PASSES, "_LINK_SECONDS", float("inf"))),
    ),
    ServerWall(
        "the pass's cookie",
        "the key alone asks",
        key_alone,
        away((_PASSES, "_among", lambda given, known: True)),
    ),
    ServerWall(
        "the pass's key",
        "the cookie alone asks, as another port's server could",
        cookie_alone,
        away((Passes, "admits", lambda self, cookies, key: self.knows(cookies))),
    ),
    ServerWall(
        "a pass for the socket",
        "a browser without one opens it",
        socket_without_pass,
        away((Passes, "knows", lambda self, cookies: True)),
    ),
    ServerWall(
        "tries of an access token",
        "the right one after twenty wrong ones",
        guessing,
        away((_PASSES, "_TRIES", Rate(1e9, 1e9))),
    ),
    ServerWall(
        "Origin of the API",
        "another page calls a tool with a stolen pass",
        foreign_call,
        away((_APP, "stranger", nobody)),
    ),
    ServerWall(
        "an Origin where something changes",
        "a call without one",
        call_of_nobody,
        away((_APP, "stranger", nobody)),
    ),
    ServerWall(
        "Sec-Fetch-Site", "another page loads a file", foreign_subresource, away((_GUARD, "_FOREIGN", ()))
    ),
    ServerWall("one Origin header", "a second, foreign one", two_origins, away((_GUARD, "_ONCE", ("host",)))),
    ServerWall(
        "odd paths",
        "`/..%2fapp.py`",
        source_of_the_program,
        away((_APP, "malformed", nobody)),
    ),
    ServerWall("size of a request", "9 MiB", large_body, away((_APP, "_MAX_BODY", 1 << 40))),
    ServerWall(
        "headers of every answer",
        "an error without them",
        bare_answer,
        away((fanlight.host.headers, "_BYTES", [])),
    ),
    ServerWall(
        "loopback unless there is an access token",
        "`--bind 0.0.0.0`",
        reached_from_elsewhere,
        away((fanlight.workbench.launch, "is_loopback", lambda address: True)),
    ),
]

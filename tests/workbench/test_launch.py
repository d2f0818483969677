"""Starting a workbench: who can reach it, which links it prints, and what it refuses to do."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from bench_client import browser
from page_client import http_client

from fanlight.errors import ConfigError
from fanlight.host.limits import Rate
from fanlight.upstream import parse_target
from fanlight.workbench.launch import Reach, run_workbench

LINK = re.compile(r"http://([\w.]+):(\d+)/#token=([\w-]+)")
TOKEN = "a long access token"
WAIT = 30.0


@asynccontextmanager
async def launched(reach: Reach | None = None, port: int | None = None) -> AsyncIterator[list[str]]:
    """A workbench on the demo server; yields what it printed once it is up."""
    said: list[str] = []
    up, stop = asyncio.Event(), asyncio.Event()

    def say(text: str) -> None:
        said.append(text)
        if "Ctrl-C" in text:
            up.set()

    work = asyncio.create_task(
        run_workbench(
            parse_target("fanlight.demos.clock:server"),
            port=port,
            open_browser=False,
            say=say,
            reach=reach,
            stop=stop,
        )
    )
    try:
        async with asyncio.timeout(WAIT):
            await asyncio.wait({work, asyncio.create_task(up.wait())}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
        yield said
    finally:
        stop.set()
        await asyncio.gather(work, return_exceptions=True)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.5"])
def test_an_address_that_others_reach_needs_an_access_token(address: str) -> None:
    with pytest.raises(ConfigError, match="can be reached by others") as caught:
        Reach(address)
    for remedy in ("--access-token", "FANLIGHT_ACCESS_TOKEN", "ssh -L"):
        assert remedy in str(caught.value)
    Reach(address, TOKEN)


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1", "127.0.0.9", "::1"])
def test_loopback_needs_none(address: str) -> None:
    Reach(address)


def test_a_token_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least 16"):
        Reach("0.0.0.0", "secret")


def test_a_name_is_refused_and_so_is_a_path() -> None:
    with pytest.raises(ConfigError, match="not a name"):
        Reach("example.com")
    with pytest.raises(ConfigError, match="leave the path"):
        Reach("0.0.0.0", TOKEN, public_url="https://bench.example/path")


async def test_both_links_have_one_token_that_works_once() -> None:
    async with launched() as said:
        links = LINK.findall("\n".join(said))
        assert [name for name, _, _ in links] == ["fanlight.localhost", "127.0.0.1"]
        (port,) = {port for _, port, _ in links}
        (token,) = {token for _, _, token in links}
        assert any("works once" in line for line in said)
        async with browser(int(port), token) as client:
            assert (await client.get("/api/state")).json()["servers"][0]["name"] == "clock"
        async with browser(int(port), None) as client:
            assert (await client.post("/api/pass", json={"token": token})).status_code == 410


async def test_with_an_access_token_none_is_printed_and_every_browser_gives_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No new try comes while this test runs, however slow the machine is.
    monkeypatch.setattr("fanlight.workbench.passes._TRIES", Rate(10, 0.001))
    async with launched(Reach("0.0.0.0", TOKEN)) as said:
        text = "\n".join(said)
        assert TOKEN not in text
        assert "token=" not in text
        assert "ssh -L" in text  # in clear over the network
        found = re.search(r"http://fanlight\.localhost:(\d+)/", text)
        assert found is not None
        port = int(found[1])
        for _ in range(2):
            async with browser(port, TOKEN) as client:
                assert (await client.get("/api/state")).status_code == 200
        async with browser(port, None) as client:
            answers = [
                (await client.post("/api/pass", json={"token": f"guess {n}"})).status_code for n in range(10)
            ]
            assert answers == [401] * 8 + [429] * 2
        # Reachable from elsewhere, and still only under our names: a rebinding name gets nothing.
        async with http_client() as client:
            response = await client.get(f"http://127.0.0.1:{port}/", headers={"Host": f"evil.example:{port}"})
            assert response.status_code == 421


async def test_a_workbench_with_names_of_its_own_answers_to_those() -> None:
    with socket.socket() as held:
        # Bound and not listening: the workbench can have the port, and nobody else is given it meanwhile.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        reach = Reach(
            "127.0.0.1",
            TOKEN,
            public_url=f"http://bench.example:{port}",
            sandbox_url=f"http://box.example:{port}",
        )
        async with launched(reach, port) as said, http_client() as client:
            assert any(f"http://bench.example:{port}/" in line for line in said)
            for name, status in (("bench.example", 200), ("box.example", 421), ("127.0.0.1", 421)):
                response = await client.get(f"http://127.0.0.1:{port}/", headers={"Host": f"{name}:{port}"})
                assert response.status_code == status, name

"""What is said to a page leaves at once: of two small writes, none waits until the other was acknowledged."""

from __future__ import annotations

import asyncio
import socket

from page_client import WAIT

from fanlight.host.serve import bind_loopback


async def test_connections_of_our_listeners_do_not_gather_small_writes() -> None:
    listener = bind_loopback(0)
    met: asyncio.Queue[int] = asyncio.Queue()

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        met.put_nowait(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    for bound in listener.sockets:
        async with await asyncio.start_server(greet, sock=bound):
            _, writer = await asyncio.open_connection(*bound.getsockname()[:2])
            async with asyncio.timeout(WAIT):
                assert await met.get() != 0
            writer.close()

"""HTTP written by hand: what no client library would send, to a server that runs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

__all__ = ["RawAnswer", "ask", "send_raw"]

WAIT = 30.0


@dataclass(frozen=True)
class RawAnswer:
    """Status, headers in lower case, and body; status 0 when the server only closed the connection."""

    status: int
    headers: dict[str, str]
    body: str


async def send_raw(port: int, head: bytes) -> RawAnswer:
    """Send these bytes and read until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = b""
    try:
        async with asyncio.timeout(WAIT):
            writer.write(head)
            # A server that refuses closes at any moment, also while a long head is still being written.
            await writer.drain()
            while piece := await reader.read(65536):
                answer += piece
    except ConnectionError:
        pass  # what came before is the answer
    finally:
        writer.close()
    top, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = top.decode("latin-1").split("\r\n")
    pairs = [line.partition(":") for line in lines]
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    return RawAnswer(int(first.split()[1]) if first else 0, headers, body.decode("utf-8", "replace"))


async def ask(port: int, target: str, *headers: str, method: str = "GET") -> RawAnswer:
    """One request with exactly these header lines."""
    # A socket that is refused is closed by the server.
    ending = [] if "Connection: Upgrade" in headers else ["Connection: close"]
    lines = [f"{method} {target} HTTP/1.1", *headers, *ending, "", ""]
    return await send_raw(port, "\r\n".join(lines).encode("latin-1"))

"""A server as a child process of ours: JSON lines over its pipes, and nothing left of it afterwards.

The SDKs' own transport joins and splits its whole buffer for every piece that arrives, so that a result of
20 MB takes seconds of computing; here the cost grows with the size. For POSIX: on Windows the SDK's is used.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TextIO

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from .base import StdioTarget

__all__ = ["Codec", "child_streams"]

_PIECE = 256 * 1024
# The order of the specification: close the input, wait, ask to terminate, wait, kill.
_EXIT_TIME = 2.0
_TERMINATE_TIME = 2.0


@dataclass(frozen=True)
class Codec:
    """How an SDK writes a message as one line, and reads one (raising ValueError for anything else)."""

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]


@asynccontextmanager
async def child_streams(
    target: StdioTarget, environment: dict[str, str], errors: TextIO, codec: Codec
) -> AsyncIterator[tuple[Any, Any]]:
    """Start the command and give the two streams of a session with it; leaving ends the process."""
    process = await asyncio.create_subprocess_exec(
        target.command,
        *target.args,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=errors,
        env={**environment, **(target.env or {})},
        cwd=target.cwd,
        start_new_session=True,  # its own children can be ended with it
        limit=_PIECE,
    )
    arriving, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, leaving = anyio.create_memory_object_stream[Any](0)
    try:
        async with arriving, incoming, outgoing, leaving, anyio.create_task_group() as tasks:
            tasks.start_soon(_receive, process, codec, arriving)
            tasks.start_soon(_send, process, codec, leaving)
            yield incoming, outgoing
            tasks.cancel_scope.cancel()
    finally:
        await _end(process)


async def _receive(
    process: asyncio.subprocess.Process, codec: Codec, arriving: MemoryObjectSendStream[Any]
) -> None:
    assert process.stdout is not None
    async with arriving:
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
            async for line in _lines(process.stdout):
                # Servers print to their output by mistake; that is not a reason to end the talk.
                with contextlib.suppress(ValueError):
                    await arriving.send(codec.decode(line))


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The lines of a stream, however long, each piece copied once."""
    parts: list[bytes] = []
    while piece := await stream.read(_PIECE):
        first, *rest = piece.split(b"\n")
        parts.append(first)
        for following in rest:
            line = b"".join(parts)
            parts = [following]
            if line.strip():
                yield line


async def _send(
    process: asyncio.subprocess.Process, codec: Codec, leaving: MemoryObjectReceiveStream[Any]
) -> None:
    assert process.stdin is not None
    with contextlib.suppress(ConnectionError):
        async for message in leaving:
            process.stdin.write(codec.encode(message) + b"\n")
            await process.stdin.drain()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Give the process the chance to end by itself; whatever interrupts the waiting, it does not survive."""
    assert process.stdin is not None
    try:
        process.stdin.close()
        if not await _exited(process, _EXIT_TIME):
            _signal(process, signal.SIGTERM)
            await _exited(process, _TERMINATE_TIME)
    finally:
        if process.returncode is None:
            _signal(process, signal.SIGKILL)
            await process.wait()


async def _exited(process: asyncio.subprocess.Process, seconds: float) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await process.wait()
    return process.returncode is not None


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)

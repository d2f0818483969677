"""A server as a child process of ours: JSON lines over its pipes, and nothing left of it afterwards.

The SDKs' own transport joins and splits its whole buffer for every piece that arrives, so that a result of
20 MB takes seconds of computing; here the cost grows with the size. For POSIX: on Windows the SDK's is used.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TextIO

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from fanlight.wire.json_text import shallow
from fanlight.wire.jsonrpc import ErrorCode, ErrorResponse, Response, classify
from fanlight.wire.jsonrpc import error as failure

from .base import StdioTarget
from .failures import TooLarge
from .limits import MAX_MESSAGE_BYTES

__all__ = ["Codec", "child_streams"]

_PIECE = 256 * 1024
# Looking for the id in what cannot be read takes time.
_LONGEST_UNREAD = 1 << 20
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
    process = await _started(target, environment, errors)
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


async def _started(
    target: StdioTarget, environment: dict[str, str], errors: TextIO
) -> asyncio.subprocess.Process:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: _Family(_PIECE, loop),
        target.command,
        *target.args,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=errors,
        env={**environment, **(target.env or {})},
        cwd=target.cwd,
        start_new_session=True,  # its own children can be ended with it
    )
    return asyncio.subprocess.Process(transport, protocol, loop)


class _Family(asyncio.subprocess.SubprocessStreamProtocol):
    """A process with which end all that it started, however it ended.

    They would hold its pipes open, so that neither we nor asyncio would call it over.
    """

    _transport: asyncio.SubprocessTransport

    def process_exited(self) -> None:
        _signal(self._transport.get_pid(), signal.SIGKILL)
        super().process_exited()


async def _receive(
    process: asyncio.subprocess.Process, codec: Codec, arriving: MemoryObjectSendStream[Any]
) -> None:
    assert process.stdout is not None
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
        try:
            async for line in _lines(process.stdout):
                # Servers print to their output by mistake; that is not a reason to end the talk.
                with contextlib.suppress(ValueError, RecursionError):
                    await arriving.send(_decode(codec, line))
        except TooLarge:
            _signal(process.pid, signal.SIGKILL)  # it writes on, and would not see its input end
            raise
    await arriving.aclose()


def _decode(codec: Codec, line: bytes) -> Any:
    """The message of a line. An answer that cannot be read fails its request at once, not by its deadline.

    Raises:
        ValueError, RecursionError: it is no message.
    """
    try:
        return codec.decode(line)
    except ValueError as error:
        if len(line) > _LONGEST_UNREAD:
            raise
        head = classify(json.loads(shallow(line.decode("utf-8", "replace"), 1)))
        if not isinstance(head, Response | ErrorResponse) or head.id is None:
            raise
        why = f"the server's answer cannot be read: {' '.join(str(error).split())[:200]}"
        return codec.decode(json.dumps(failure(head.id, ErrorCode.INTERNAL_ERROR, why)).encode())


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The lines of a stream, each piece copied once.

    Raises:
        TooLarge: one does not end.
    """
    parts: list[bytes] = []
    size = 0
    while piece := await stream.read(_PIECE):
        first, *rest = piece.split(b"\n")
        parts.append(first)
        size += len(first)
        if size > MAX_MESSAGE_BYTES:
            raise TooLarge(MAX_MESSAGE_BYTES)
        for following in rest:
            line = b"".join(parts)
            parts = [following]
            size = len(following)
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
            _signal(process.pid, signal.SIGTERM)
            await _exited(process, _TERMINATE_TIME)
    finally:
        if process.returncode is None:
            _signal(process.pid, signal.SIGKILL)
            await process.wait()


async def _exited(process: asyncio.subprocess.Process, seconds: float) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await process.wait()
    return process.returncode is not None


def _signal(process: int, number: signal.Signals) -> None:
    """To the process and to what it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, number)

"""Keep the last lines that a child process wrote to its standard error, to say why it died."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import TextIO

__all__ = ["StderrTail"]

_KEPT_LINES = 20
_LINE_LIMIT = 400


class StderrTail:
    """A pipe whose reading end remembers only the last lines; bounded whatever the child writes."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._transport: asyncio.ReadTransport | None = None
        self._reader: asyncio.Task[None] | None = None
        self.writer: TextIO | None = None

    async def open(self) -> TextIO:
        """Create the pipe; the returned file goes to the child."""
        read_fd, write_fd = os.pipe()
        stream = asyncio.StreamReader(limit=64 * 1024)
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(read_fd, "rb", buffering=0)
        )
        self.writer = os.fdopen(write_fd, "w")
        self._reader = asyncio.create_task(self._read(stream))
        return self.writer

    async def _read(self, stream: asyncio.StreamReader) -> None:
        rest = b""
        while chunk := await stream.read(8192):
            *lines, rest = (rest + chunk).split(b"\n")
            self._lines.extend(line.decode(errors="replace").rstrip()[:_LINE_LIMIT] for line in lines)
            rest = rest[-_LINE_LIMIT:]
        if rest:
            self._lines.append(rest.decode(errors="replace"))

    @property
    def lines(self) -> list[str]:
        """What the child said last, as far as it was read."""
        return [line for line in self._lines if line.strip()]

    async def tail(self) -> list[str]:
        """What the child said last, after its end of the pipe closed or half a second passed."""
        self._close_writer()
        if self._reader is not None:
            await asyncio.wait({self._reader}, timeout=0.5)
        return self.lines

    def _close_writer(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer = None

    async def aclose(self) -> None:
        """Close both ends."""
        self._close_writer()
        if self._transport is not None:
            self._transport.close()
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

"""What interop tests see of a host: everything that passed its tap, and bounded waits for what has not yet.

It only listens; nothing here speaks for a view or a server.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from typing import Any

from playwright.async_api import Frame, Page

from fanlight.host import Host, TapRecord

WAIT = 40.0
_COLOURS = """async (encoded) => {
  const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
  const paper = new OffscreenCanvas(image.width, image.height).getContext("2d");
  paper.drawImage(image, 0, 0);
  return new Set(new Uint32Array(paper.getImageData(0, 0, image.width, image.height).data.buffer)).size;
}"""


class Watch:
    """Keeps every record of a host's tap. Positions in `records` are the marks that waits begin at."""

    def __init__(self, host: Host) -> None:
        self.records: list[TapRecord] = []
        self._news = asyncio.Event()
        host.tap.listen(self._put)

    def _put(self, record: TapRecord) -> None:
        self.records.append(record)
        self._news.set()

    @property
    def mark(self) -> int:
        return len(self.records)

    async def until(self, wanted: Callable[[TapRecord], object], since: int = 0) -> TapRecord:
        """The first record from `since` on that is wanted, waiting for it if it has not passed yet."""
        position = since
        async with asyncio.timeout(WAIT):
            while True:
                self._news.clear()
                for record in self.records[position:]:
                    if wanted(record):
                        return record
                position = len(self.records)
                await self._news.wait()

    async def said(
        self, method: str, params: dict[str, Any] | None = None, since: int = 0, view: str | None = None
    ) -> dict[str, Any]:
        """What the view (any, if none is named) said under this method; its params hold at least `params`."""
        wanted = (params or {}).items()
        record = await self.until(
            lambda record: (
                record.direction == "from-view"
                and view in (None, record.view)
                and isinstance(record.message, dict)
                and record.message.get("method") == method
                and wanted <= record.message.get("params", {}).items()
            ),
            since,
        )
        message: dict[str, Any] = record.message
        return message

    async def answer(
        self, request: dict[str, Any], since: int = 0, view: str | None = None
    ) -> dict[str, Any]:
        """The host's whole answer to a request of the view."""
        record = await self.until(
            lambda record: (
                record.direction == "to-view"
                and view in (None, record.view)
                and record.message.get("id") == request["id"]
                and "method" not in record.message
            ),
            since,
        )
        message: dict[str, Any] = record.message
        return message

    async def noted(self, text: str, since: int = 0) -> str:
        """The note that contains this text."""
        record = await self.until(
            lambda record: record.direction == "note" and text in str(record.message), since
        )
        return str(record.message)

    @property
    def notes(self) -> list[str]:
        return [str(record.message) for record in self.records if record.direction == "note"]


async def view_frames(page: Page, count: int) -> list[Frame]:
    """The frames of all views on this page, once Playwright knows of that many: the host may hear first."""
    while len(found := [frame for frame in page.frames if "/view/" in frame.url]) < count:
        await page.wait_for_event("framenavigated", timeout=WAIT * 1000)
    return found


async def picture(frame: Frame, selector: str) -> bytes:
    """What an element looks like once it stands still."""
    element = frame.locator(selector).first
    async with asyncio.timeout(WAIT):
        before = await element.screenshot()
        while (now := await element.screenshot()) != before:
            before = now
    return now


async def colours_in(frame: Frame, png: bytes) -> int:
    """How many different colours a picture has; a blank one has a single colour."""
    return int(await frame.evaluate(_COLOURS, base64.b64encode(png).decode()))

"""The stream on which a server of the modern era tells what changed: held open, and opened again.

That era has no unasked notifications and repeats nothing. So a stream is replaced only by one that is open
already, and whatever may have changed while there was none is told as changed.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Iterable

from mcp import MCPError
from mcp.client.session import ClientSession
from mcp.client.subscriptions import ListenNotSupportedError, listen
from mcp.shared.subscriptions import event_to_notification
from mcp_types import METHOD_NOT_FOUND

from .base import JSONObject
from .link import Events

__all__ = ["Changes"]

_FIRST_DELAY = 1.0
_LONGEST_DELAY = 60.0
_STEADY = 30.0  # a stream that was open this long starts the delays anew
_FIRST_WORD = 2.0
_LISTS = ("tools", "resources", "prompts")


class Changes:
    """What one server tells of its lists and of the resources that are watched."""

    def __init__(self, session: ClientSession, events: Events, capabilities: JSONObject) -> None:
        self._session = session
        self._events = events
        self._lists = [name for name in _LISTS if (capabilities.get(name) or {}).get("listChanged")]
        self._latest: asyncio.Task[None] | None = None  # what listens to what is wanted now
        self._open: asyncio.Task[None] | None = None  # what hears; not the latest until that one is open
        self._ever_open = False
        self._missed = False
        self._first_word = asyncio.Event()

    async def begin(self) -> None:
        """Listen. What is asked after this returned is not older than what will be told."""
        self.watch(())
        if self._latest is None:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_WORD):
                await self._first_word.wait()
        # Nobody waits longer than that: what changes from here on is told when the stream opens.
        self._missed = self._open is None

    def watch(self, uris: Iterable[str]) -> None:
        """Listen to the lists and to exactly these resources."""
        wanted = sorted(uris)
        if self._latest is not None and self._latest is not self._open:
            self._latest.cancel()
        self._latest = None
        if self._lists or wanted:
            self._latest = asyncio.create_task(self._keep_listening(wanted))
        elif self._open is not None:
            self._open.cancel()

    async def _keep_listening(self, uris: list[str]) -> None:
        attempts = 0
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            try:
                await self._hear_one_stream(uris)
            except ListenNotSupportedError:
                return
            except MCPError as error:
                if error.error.code == METHOD_NOT_FOUND and not self._ever_open:
                    return
            except Exception:
                pass  # whatever ended it, it is opened again
            finally:
                self._first_word.set()
            if self._latest is not asyncio.current_task():
                return
            attempts = 0 if clock() - began > _STEADY else attempts + 1
            delay = min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(attempts, 10))
            await asyncio.sleep(delay * random.uniform(0.5, 1))

    async def _hear_one_stream(self, uris: list[str]) -> None:
        me = asyncio.current_task()
        async with listen(
            self._session,
            tools_list_changed="tools" in self._lists,
            resources_list_changed="resources" in self._lists,
            prompts_list_changed="prompts" in self._lists,
            resource_subscriptions=uris,
        ) as changes:
            replaced, self._open = self._open, me
            if replaced is not None:
                replaced.cancel()
            self._ever_open = True
            self._first_word.set()
            self._tell_what_was_missed(uris)
            try:
                async for change in changes:
                    notification = event_to_notification(change, {}).model_dump(
                        by_alias=True, mode="json", exclude_none=True
                    )
                    self._events.notify(notification["method"], notification.get("params") or {})
            finally:
                if self._open is me:
                    self._open, self._missed = None, True

    def _tell_what_was_missed(self, uris: list[str]) -> None:
        if not self._missed:
            return
        self._missed = False
        for name in self._lists:
            self._events.notify(f"notifications/{name}/list_changed", {})
        for uri in uris:
            self._events.notify("notifications/resources/updated", {"uri": uri})

    async def aclose(self) -> None:
        tasks = [task for task in (self._latest, self._open) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

"""What a view lacked is there again: its server, or a document that could not be read.

A stored document is only looked at until its server says that it is still the one it ships: what another
version of an app wrote down must not use the tools of today's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fanlight.errors import FanlightError

from .absent import AbsentServer
from .verdicts import Verdict

if TYPE_CHECKING:
    from .server import Server
    from .view import View

__all__ = ["Returning"]

_log = logging.getLogger("fanlight.host")
# Verdicts of a document that the server did not give; another reading may give it.
_UNREAD = frozenset({Verdict.READ_FAILED, Verdict.BAD_MIME, Verdict.NO_UI})

_PATIENCE = 5.0


class Returning:
    """Gives views back what they wait for. `servers` are those that are connected now, by name."""

    def __init__(self, servers: dict[str, Server]) -> None:
        self._servers = servers
        self._confirming: dict[str, asyncio.Task[None]] = {}

    async def connected(self, server: Server, views: Iterable[View]) -> None:
        """A server is there: those of these views that waited for it have it again when this returns.

        A server that is slow to give their documents is not waited for; they have it when it did.
        """
        waited = [
            self._confirm_soon(view, server)
            for view in tuple(views)
            if isinstance(view.server, AbsentServer) and view.server.identity == server.identity
        ]
        if waited:
            await asyncio.wait(waited, timeout=_PATIENCE)

    def shown(self, view: View) -> None:
        """A page shows this view anew: whatever it lacks is looked for again."""
        present = view.server
        if isinstance(present, AbsentServer):
            server = self._servers.get(present.name)
            if server is not None and server.identity == present.identity:
                self._confirm_soon(view, server)
        elif view.document is None and view.verdict in _UNREAD:
            view.reconsider()
            present.read_document(view)

    def _confirm_soon(self, view: View, server: Server) -> asyncio.Task[None]:
        task = self._confirming.get(view.id)
        if task is None:
            task = self._confirming[view.id] = asyncio.create_task(self._confirm(view, server))
            task.add_done_callback(lambda _: self._confirming.pop(view.id, None))
        return task

    async def _confirm(self, view: View, server: Server) -> None:
        try:
            tool, document = await server.document_of(view)
        except FanlightError as error:
            _log.warning("view %s is shown without its server: %s", view.id, error)
            return
        if self._servers.get(server.name) is not server or not isinstance(view.server, AbsentServer):
            return
        view.server = server
        if view.document is None:
            view.loaded(document)
        elif view.document.html != document.html:
            view.replaced(tool, document)
        elif view.session is not None:
            view.session.conversation.capabilities_changed()

    async def aclose(self) -> None:
        """Nobody waits any more."""
        tasks = tuple(self._confirming.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

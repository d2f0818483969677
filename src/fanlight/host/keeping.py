"""Views go to sleep and wake up: what changes is saved in the background, what is asked for is restored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fanlight.stores import StoreError, ViewStore

from .absent import AbsentServer
from .records import document_of, document_to_store, record_of, view_of
from .verdicts import Verdict

if TYPE_CHECKING:
    from .host import Host
    from .view import View

__all__ = ["Keeper"]

_log = logging.getLogger("fanlight.host")
# A page or a program waits for a view that is restored, and nobody for one that is saved.
_WAKE_SECONDS = 15.0
_WRITE_SECONDS = 30.0
# But the end of the program waits for all that is not saved yet, together so long at most, and for the store.
_LAST_WRITES_SECONDS = 15.0
_CLOSE_SECONDS = 5.0
_MAX_REFUSED = 10_000


class Keeper:
    """Saves the views of one host and brings them back.

    Saving never delays or fails a view: changes that come while one is written are written together, and a
    store that fails is said in the log.
    """

    def __init__(self, store: ViewStore) -> None:
        self._store = store
        self._dirty: dict[str, View] = {}
        self._writing: set[str] = set()
        self._writer: asyncio.Task[None] | None = None
        # Views that were closed: none comes back, also not while it is on its way out.
        self._refused: dict[str, None] = {}

    def keep(self, view: View) -> None:
        """Save this view now and whenever it changes."""
        view.keep_with(self._changed)
        self._changed(view)

    def _changed(self, view: View) -> None:
        self._dirty[view.id] = view
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())

    async def _write(self) -> None:
        while self._dirty:
            view = self._dirty.pop(next(iter(self._dirty)))
            self._writing = {view.id}
            try:
                async with _answering_within(_WRITE_SECONDS):
                    await self._store.save(view.id, record_of(view), document_to_store(view))
            except StoreError as error:
                _log.error("view %s was not saved: %s", view.id, error)
        self._writing = set()

    async def flush(self) -> None:
        """Wait until everything that changed is saved."""
        while self._writer is not None and not self._writer.done():
            await asyncio.shield(self._writer)

    def refuse(self, view_id: str) -> None:
        """This view is being closed: nobody restores it any more."""
        self._refused[view_id] = None
        if len(self._refused) > _MAX_REFUSED:
            del self._refused[next(iter(self._refused))]

    async def forget(self, view_id: str, view: View | None) -> bool:
        """Remove a view for good; False if nothing was stored."""
        if view is not None:
            view.keep_with(None)
        self._dirty.pop(view_id, None)
        try:
            async with _answering_within(_WRITE_SECONDS):
                await self.flush()
                return await self._store.delete(view_id)
        except StoreError as error:
            _log.error("view %s is still stored: %s", view_id, error)
            return False

    async def aclose(self) -> None:
        """Save what is left and close the store: within a time, and what goes wrong is said in the log."""
        try:
            async with _answering_within(_LAST_WRITES_SECONDS):
                await self.flush()
        except StoreError as error:
            _log.error("what changed last of %d views is not saved: %s", len(self._unsaved), error)
            await self._stop_writing()
        try:
            async with _answering_within(_CLOSE_SECONDS):
                await self._store.aclose()
        except StoreError as error:
            _log.error("the store was not closed: %s", error)

    @property
    def _unsaved(self) -> set[str]:
        return {*self._dirty, *self._writing}

    async def _stop_writing(self) -> None:
        self._dirty.clear()
        if self._writer is not None:
            self._writer.cancel()
            # A store that does not let go is left alone.
            await asyncio.wait({self._writer}, timeout=_CLOSE_SECONDS)

    async def wake(self, host: Host, view_id: str) -> View | None:
        """As `restore`, for a page: what is wrong is said in the log too.

        Raises:
            StoreError: the store cannot be read, or holds something else under this id.
        """
        try:
            return await self.restore(host, view_id)
        except StoreError as error:
            _log.error("view %s was not restored: %s", view_id, error)
            raise

    async def restore(self, host: Host, view_id: str) -> View | None:
        """The view that is stored under this id, as far as it can be shown; None if nothing is.

        Raises:
            StoreError: the store cannot be read, does not answer, or holds something else under this id.
        """
        async with _answering_within(_WAKE_SECONDS):
            return await self._restore(host, view_id)

    async def _restore(self, host: Host, view_id: str) -> View | None:
        record = await self._store.load(view_id)
        if record is None:
            return None
        stored = record.get("document")
        html = await self._store.load_document(stored["sha256"]) if isinstance(stored, dict) else None
        if view_id in self._refused:
            return None
        alive = host.view(view_id)  # another task may have been faster
        if alive is not None:
            return alive
        name = str(record.get("server"))
        identity = str(record.get("identity", name))
        server = host.servers.get(name)
        if server is not None and server.identity != identity:
            server = None  # another server has the name now: what this view knows is not for it
        view = view_of(record, server or AbsentServer(name, identity), host.base)
        view.stage("restored")
        host.add_view(view)
        document = document_of(record, html)
        if server is not None:
            server.read_document(view, instead=document)
        elif document is not None:
            view.loaded(document)
        else:
            view.decide(
                Verdict.UNAVAILABLE,
                f"The app is not available: its document was not stored and server {view.server.name!r} "
                "is not connected.",
                "Connect the server again.",
            )
        return view


@asynccontextmanager
async def _answering_within(seconds: float) -> AsyncIterator[None]:
    """Whatever a store does wrong is a `StoreError`: it may be the program's own, and nobody else suffers."""
    clock = asyncio.timeout(seconds)
    try:
        async with clock:
            yield
    except StoreError:
        raise
    except Exception as error:
        if not clock.expired():
            raise StoreError(f"the store failed: {error!r}") from error
        raise StoreError(
            f"the store did not answer within {seconds:g} s: try again later, or look what it waits for "
            "(a network, a lock, a disk)"
        ) from error

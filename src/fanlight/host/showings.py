"""The showings of a host, found by the ticket in their frames' addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanlight.sandbox import read_report

from .policy_log import PolicyLog
from .reported import entry_for
from .showing import Showing
from .tokens import fingerprint

if TYPE_CHECKING:
    from fanlight.sandbox import Origins
    from fanlight.upstream import AppDocument

    from .host import Host
    from .view import View

__all__ = ["Showings"]

_MAX_ENDED = 100


class Showings:
    """Every view that a page shows now."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._by_ticket: dict[str, Showing] = {}
        # Those that ended last: a browser reports a moment later what it refused, and so why they ended.
        self._ended: dict[str, Showing] = {}
        self._log = PolicyLog()

    def open(self, view: View, document: AppDocument, origins: Origins) -> Showing:
        """Make the frames of a view for a page on these origins."""
        host = self._host
        showing = Showing(
            view,
            document,
            origins,
            addresses=host.addresses,
            level=host.csp_level,
            permissions=host.allowed_permissions,
            rules=host.domain_rules.reserving(host.addresses.reserved(origins)),
        )
        self._by_ticket[fingerprint(showing.ticket)] = showing
        view.shown_under(showing.csp)
        self._log.opened(showing)
        return showing

    def report(self, showing: Showing, body: bytes) -> None:
        """The browser reports what the policy of a view refused, or what only the strict level would."""
        violation = read_report(body, showing.ticket)
        if violation is None:
            return
        entry = entry_for(violation, showing.csp)
        if violation.enforced:
            self._log.violated(showing, entry)
            showing.view.violated(entry)
        else:
            self._log.beyond_strict(showing, entry)
            showing.view.went_beyond_strict(entry)

    def close(self, showing: Showing) -> None:
        """Its frames are gone; their addresses lead nowhere."""
        key = fingerprint(showing.ticket)
        if self._by_ticket.pop(key, None) is not None:
            self._ended[key] = showing
        if len(self._ended) > _MAX_ENDED:
            del self._ended[next(iter(self._ended))]

    def reporting(self, ticket: str) -> Showing | None:
        """The showing that a report of this ticket is about, also if it has ended lately."""
        return self.get(ticket) or self._ended.get(fingerprint(ticket))

    def get(self, ticket: str) -> Showing | None:
        return self._by_ticket.get(fingerprint(ticket))

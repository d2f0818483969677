"""What the log says of policies: what was dropped, what was refused. Once for each app."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from fanlight.sandbox.sources import plain_text

if TYPE_CHECKING:
    from .showing import Showing

__all__ = ["PolicyLog"]

_logger = logging.getLogger("fanlight.host")
# An app that finds ever new things to be refused, or a server with ever new addresses, fills neither log nor
# memory.
_LINES_PER_APP = 20
_MAX_APPS = 1000


class PolicyLog:
    """Remembers what it said of which app."""

    def __init__(self) -> None:
        self._said: dict[tuple[str, str], set[str]] = {}

    def opened(self, showing: Showing) -> None:
        """An app is shown: what holds for it (R16), and what of its declaration does not."""
        view, csp = showing.view, showing.csp
        policy = csp.policy.partition("; report-uri ")[0]  # the rest is the ticket
        _logger.debug("view %s of %r, %s: %s", view.id, view.server.name, _uri(showing), policy)
        for sentence in showing.dropped:
            self._say(logging.WARNING, showing, f"dropped {sentence}")

    def violated(self, showing: Showing, violation: dict[str, Any]) -> None:
        """The browser refused something."""
        what = f"{violation['directive']} refused {_site(violation['blocked'])}. {violation['advice']}"
        self._say(logging.WARNING, showing, what)

    def beyond_strict(self, showing: Showing, use: dict[str, Any]) -> None:
        """The app used something that the strict level would refuse."""
        self._say(logging.INFO, showing, f"{use['directive']} {use['blocked']} would be refused by strict")

    def _say(self, level: int, showing: Showing, text: str) -> None:
        app = (showing.view.server.name, showing.document.uri)
        said = self._said.setdefault(app, set())
        if text in said or len(said) >= _LINES_PER_APP:
            return
        said.add(text)
        if len(self._said) > _MAX_APPS:
            del self._said[next(iter(self._said))]
        _logger.log(level, "app %s of %r: %s", _uri(showing), showing.view.server.name, text)


def _uri(showing: Showing) -> str:
    return plain_text(showing.document.uri, 200)


def _site(blocked: str) -> str:
    """Paths may hold a person's data: the log has only whose address it was."""
    scheme, mark, rest = blocked.partition("://")
    return f"{scheme}{mark}{rest.partition('/')[0]}"

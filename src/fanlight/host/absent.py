"""A server that is not connected: what a view that woke without its server has in the server's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from fanlight.errors import UpstreamError
from fanlight.wire.jsonrpc import ErrorCode, JSONObject, Request, classify, error

from .requests.of_server import SERVER_HANDLERS

if TYPE_CHECKING:
    from fanlight.upstream import Tool
    from fanlight.upstream.base import ProgressHandler

    from .subscriptions import Subscriptions

__all__ = ["AbsentServer"]


class AbsentServer:
    """Keeps who it is and offers nothing: capabilities are derived, so a view is promised nothing either."""

    def __init__(self, name: str, identity: str) -> None:
        self.name = name
        self.identity = identity
        self.info: dict[str, Any] = {"name": name}
        self.capabilities: dict[str, Any] = {}
        self.tools: list[Tool] = []

    @property
    def sentence(self) -> str:
        """What a view is told that asks for something of this server."""
        return (
            f"server {self.name!r} is not connected at the moment: the app shows what it showed last, "
            "and can use its tools again when the server is back"
        )

    def refusal(self, message: object) -> JSONObject | None:
        """The answer to a request that only this server could serve; None for every other message."""
        envelope = classify(message)
        if isinstance(envelope, Request) and envelope.method in SERVER_HANDLERS:
            return error(envelope.id, ErrorCode.METHOD_NOT_FOUND, self.sentence)
        return None

    @property
    def subscriptions(self) -> Subscriptions:
        self._refuse()

    def tool(self, name: str) -> Tool:
        self._refuse()

    async def forward(
        self, method: str, params: dict[str, Any], on_progress: ProgressHandler | None = None
    ) -> dict[str, Any]:
        self._refuse()

    def _refuse(self) -> Never:
        raise UpstreamError(self.name, "not connected at the moment; connect the same server again")

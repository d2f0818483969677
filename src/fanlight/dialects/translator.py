"""One view's translator: between the raw channel and the canonical connection.

Pump it like this: everything the view says goes through ``inbound`` to the host, everything the host says
through ``outbound`` to the view; after either, drain ``replies`` (to the view), ``answers`` (to the host)
and ``warnings``. Nothing here raises for what a peer said: what is not understood passes unchanged, and the
connection deals with it.
"""

from __future__ import annotations

from typing import Any, Self

from fanlight.errors import ConfigError
from fanlight.wire.jsonrpc import JSONObject, Notification, Request, classify, is_request_id

from . import mcpui
from .base import STABLE, Answer, Dialect, DialectWarning, Memory, Rule, Said
from .handshake import DIALECTS, STANDARD, welcome

__all__ = ["Translator"]

_RULES: dict[str, tuple[Dialect, Rule]] = {
    rule.foreign: (dialect, rule) for dialect in DIALECTS.values() for rule in dialect.rules
}
#: Every method that may need a second look. The one lookup that a message of a stable view costs.
_KNOWN = frozenset(STANDARD) | frozenset(_RULES)

_ANSWERS: dict[str, Answer] = {"welcome": welcome}
for _dialect in DIALECTS.values():
    _ANSWERS.update(_dialect.answers)


class Translator:
    """Turns what one view says into the canonical protocol, and what the host says into what it understands.

    ``dialect`` fixes the dialect beforehand, for a view that gives no sign of it; ``tool_name`` is for
    dialects whose tool messages name the tool (else it is read from the host context's ``toolInfo``).

    Raises:
        ConfigError: there is no dialect of that name.
    """

    def __init__(self, *, dialect: str = STABLE, tool_name: str | None = None) -> None:
        if dialect not in DIALECTS:
            raise ConfigError(f"no dialect named {dialect!r} (known: {', '.join(DIALECTS)})")
        self._memory = Memory(dialect=dialect, tool_name=tool_name)

    @property
    def dialect(self) -> str:
        """The name of the dialect the view was recognised by; ``"stable"`` as long as it was not."""
        return self._memory.dialect

    def inbound(self, message: object) -> list[object]:
        """What the view said → what the host hears. A message that needs nothing is returned as it is."""
        if not isinstance(message, dict):
            return [message]
        method = message.get("method")
        if isinstance(method, str):
            if method not in _KNOWN:
                return [message]
            said = classify(message)
            if not isinstance(said, Request | Notification):
                return [message]
            heard = self._translate(said)
        else:
            heard = None if "jsonrpc" in message else mcpui.inbound(self._memory, message)
        return [message] if heard is None else list(heard)

    def _translate(self, said: Said) -> list[JSONObject] | None:
        standard = STANDARD.get(said.method)
        if standard is not None:
            return standard(self._memory, said)
        dialect, rule = _RULES[said.method]
        self._memory.warn(dialect.name, rule.foreign, rule.canonical, dialect.remedy)
        if rule.adopts:
            self._memory.adopt(dialect.name)
        return rule.translate(self._memory, said)

    def outbound(self, message: JSONObject) -> list[JSONObject]:
        """What the host says → what the view hears, nothing at all if it has no word for it."""
        memory = self._memory
        if memory.dialect == STABLE and not memory.awaited:
            return [message]
        method = message.get("method")
        if isinstance(method, str):
            return DIALECTS[memory.dialect].outbound(memory, message)
        request_id: Any = message.get("id")
        entry = memory.awaited.pop(request_id, None) if is_request_id(request_id) else None
        return [message] if entry is None else _ANSWERS[entry["as"]](memory, entry, message)

    def replies(self) -> list[JSONObject]:
        """Drain what the translator itself tells the view: acknowledgements and answers to void calls."""
        drained, self._memory.to_view = self._memory.to_view, []
        return drained

    def answers(self) -> list[JSONObject]:
        """Drain what the translator tells the host in the place of a view that cannot say it."""
        drained, self._memory.to_host = self._memory.to_host, []
        return drained

    def warnings(self) -> list[DialectWarning]:
        """Drain the warnings: one for each foreign spelling, the first time it is met."""
        drained, self._memory.warnings = self._memory.warnings, []
        return drained

    def registered_tools(self) -> list[JSONObject]:
        """Tools the view registered in its dialect, as ``{name, description, inputSchema}``."""
        return [dict(tool) for tool in self._memory.tools.values()]

    def snapshot(self) -> JSONObject:
        """Everything known about the view as plain JSON. Payloads are shared, not copied: only read them."""
        memory = self._memory
        return {
            "dialect": memory.dialect,
            "toolName": memory.tool_name,
            "handshake": memory.handshake,
            "initializedForView": memory.initialized_for_view,
            "missed": list(memory.missed),
            "awaited": [[request_id, entry] for request_id, entry in memory.awaited.items()],
            "tools": list(memory.tools.values()),
            "modelContext": memory.model_context,
            "modelContextNumber": memory.model_context_number,
            "renderData": dict(memory.render_data),
            "nextNumber": memory.next_number,
            "warned": sorted([dialect, foreign] for dialect, foreign in memory.warned),
            "toView": list(memory.to_view),
            "toHost": list(memory.to_host),
            "warnings": [[w.dialect, w.foreign, w.canonical, w.remedy] for w in memory.warnings],
        }

    @classmethod
    def restore(cls, snapshot: dict[str, Any]) -> Self:
        """A translator with the same future as the one the snapshot was taken of."""
        restored = cls()
        restored._memory = Memory(
            dialect=snapshot["dialect"],
            tool_name=snapshot["toolName"],
            handshake=snapshot["handshake"],
            initialized_for_view=snapshot["initializedForView"],
            missed=list(snapshot["missed"]),
            awaited=dict(snapshot["awaited"]),
            tools={tool["name"]: tool for tool in snapshot["tools"]},
            model_context=snapshot["modelContext"],
            model_context_number=snapshot["modelContextNumber"],
            render_data=dict(snapshot["renderData"]),
            next_number=snapshot["nextNumber"],
            warned={(dialect, foreign) for dialect, foreign in snapshot["warned"]},
            to_view=list(snapshot["toView"]),
            to_host=list(snapshot["toHost"]),
            warnings=[DialectWarning(*fields) for fields in snapshot["warnings"]],
        )
        return restored

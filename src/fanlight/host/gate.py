"""The gate of one showing of a view: rate, policy, memory, person, in this order; each outcome is audited.

Everything that a view wants passes here, and so does what the program wants of a view's own tools.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fanlight.errors import RpcError
from fanlight.wire.jsonrpc import ErrorCode

from .asking import PageQuestions
from .audit import AuditEntry, utc_now
from .grants import Grant
from .limits import Meter
from .links import site_of
from .policy import Action, ActionKind, Decision, Word, deny

if TYPE_CHECKING:
    from .host import Host
    from .view import View

__all__ = ["Gate"]

_log = logging.getLogger("fanlight.policy")
# More than a person reads; the rest is counted in the dialog.
_DETAIL_LENGTH = 20_000
_SUBJECT_LENGTH = 2_000
# Which limit a wish falls under; the program's own calls of view tools are not limited.
_RATES = {
    ActionKind.TOOL_CALL: "tool_calls",
    ActionKind.MESSAGE: "messages",
    ActionKind.OPEN_LINK: "links",
    ActionKind.DOWNLOAD: "downloads",
    ActionKind.SAMPLING: "sampling",
    ActionKind.DISPLAY_MODE: "display_modes",
}
# The kinds in which one answer means one tool or app; for the others a remembered one means the whole kind.
_BY_SUBJECT = (ActionKind.TOOL_CALL, ActionKind.VIEW_TOOL, ActionKind.CHANGED_APP)


# What one answer of a person covers: the kind, and a tool, a site or "" for all of the kind.
Scope = tuple[ActionKind, str]


@dataclass(frozen=True)
class _Outcome:
    """An answer without "ask", and who gave it."""

    allowed: bool
    by: str
    reason: str = ""


class Gate:
    """Lets the wishes of one showing through, or not. `send` reaches the page, `note` the tap."""

    def __init__(
        self, host: Host, view: View, send: Callable[..., None], note: Callable[[str], None]
    ) -> None:
        self.limits = host.limits
        self.page = PageQuestions(send)
        self._host = host
        self._view = view
        self._note = note
        self._loop = asyncio.get_running_loop()
        self._meters: dict[str, Meter] = {}
        self._allowed: set[Scope] = set()
        self._unasked: str | None = None
        self._answers_until = math.inf
        self._asked_last = -math.inf
        # Refusals since the last one that was written down.
        self._unwritten = 0

    # The way through

    async def permit(
        self,
        kind: ActionKind,
        subject: str,
        arguments: dict[str, Any],
        *,
        annotations: Any = None,
        detail: str | None = None,
    ) -> None:
        """Return when it may be done. `detail` is shown to the person instead of the arguments.

        Raises:
            RpcError: it may not, and why.
        """
        began = self._loop.time()
        scope = (kind, _scope(kind, subject))
        action = Action(
            kind,
            self._view.user,
            self._view.server.name,
            self._view.id,
            subject,
            arguments,
            annotations if isinstance(annotations, dict) else {},
            scope in self._allowed,
        )
        try:
            if kind in _RATES:
                self.take(_RATES[kind], kind, subject, arguments)
            outcome = await self._decide(action, scope, detail)
        except asyncio.CancelledError:
            by = "gone" if self.page.closed else "view"
            self._record(action, "cancelled", by, "nobody waits for it any more", began)
            raise
        if outcome.allowed:
            self._allowed.add(scope)
        self._record(action, "allow" if outcome.allowed else "deny", outcome.by, outcome.reason, began)
        if not outcome.allowed:
            raise RpcError(ErrorCode.DENIED, outcome.reason)

    def take(self, rate: str, kind: str, subject: str, arguments: Any = None) -> None:
        """Use one token of a rate.

        Raises:
            RpcError: there is none; `data.retryAfter` says in how many seconds there is.
        """
        wait = self.waits(rate)
        if wait:
            seconds = math.ceil(wait * 1000) / 1000
            sentence = f"too many requests of this kind ({kind}): try again in {seconds:g} s"
            raise self.refused("limit", sentence, kind, subject, arguments, {"retryAfter": seconds})

    def waits(self, rate: str) -> float:
        """Use one token of a rate and return 0, or return the seconds until there is one."""
        now = self._loop.time()
        meter = self._meters.get(rate)
        if meter is None:
            meter = self._meters[rate] = Meter(getattr(self.limits, rate), now)
        return meter.take(now)

    def refused(
        self, by: str, reason: str, kind: str, subject: str, arguments: Any = None, data: Any = None
    ) -> RpcError:
        """Record that a hard rule said no, and make the error to raise.

        A view can ask for what is refused without end: beyond a rate its refusals are counted, not written.
        """
        if self.waits("refusals"):
            self._unwritten += 1
        else:
            self._write_count()
            self._put(kind, subject, arguments, "deny", by, reason, 0.0)
        return RpcError(ErrorCode.DENIED, reason, data)

    def ask_nobody(self, why: str) -> None:
        """From now on nobody can be asked: what would be asked is denied with this reason."""
        self._unasked = why

    def ask_until(self, when: float) -> None:
        """From now on a person has to answer until this time of the loop's clock."""
        self._answers_until = when

    @property
    def asked_last(self) -> float:
        """When a person was asked something last: now, while a question is open."""
        return self._loop.time() if self.page.count() else self._asked_last

    def close(self) -> None:
        """The page is gone; whoever waits for it is told so."""
        self._write_count()
        self.page.close()

    # Deciding

    async def _decide(self, action: Action, scope: Scope, detail: str | None) -> _Outcome:
        decision = await self._ask_policy(action)
        match decision.word:
            case Word.ALLOW:
                return _Outcome(True, "policy", decision.reason)
            case Word.DENY:
                return _Outcome(False, "policy", decision.reason or "this host's policy denies it")
            case Word.ASK:
                return await self._ask(action, scope, decision.reason, detail)

    async def _ask_policy(self, action: Action) -> Decision:
        try:
            async with asyncio.timeout(self.limits.policy_seconds):
                decision = await self._host.policy(action)
        except TimeoutError:
            return deny("this host's policy did not answer in time")
        except Exception:
            _log.exception("the policy failed; %s is denied", action.kind)
            return deny("this host's policy failed, so it is denied")
        if not isinstance(decision, Decision):
            _log.error("the policy answered %r: it must return a Decision, so it is denied", decision)
            return deny("this host's policy gave no usable answer, so it is denied")
        return decision

    async def _ask(self, action: Action, scope: Scope, reason: str, detail: str | None) -> _Outcome:
        remembered = self._host.grants.find(action.user, self._view.server.identity, *scope)
        if remembered is not None:
            return _remembered(remembered.allowed)
        match self._host.ask:
            # A pin that gives way when nobody looks would hold nothing.
            case "allow" if action.kind is not ActionKind.CHANGED_APP:
                return _Outcome(True, "host", "nobody can be asked; this host allows it")
            case "allow" | "deny":
                return _Outcome(False, "host", "nobody can be asked, so it is denied")
        if self._unasked is not None:
            return _Outcome(False, "rule", self._unasked)
        if self.page.count() >= self.limits.pending_questions:
            count = self.limits.pending_questions
            sentence = f"{count} questions of this app wait for the person already, so it is denied"
            return _Outcome(False, "limit", sentence)
        self._note(f"asking the person: {action.kind} {action.subject[:80]!r}")
        seconds = min(self.limits.question_seconds, max(self._answers_until - self._loop.time(), 0.0))
        question = self._question(action, scope, reason, detail)
        try:
            answer = await self.page.put("ask", seconds, tag=scope, deadline=seconds, **question)
        finally:
            self._asked_last = self._loop.time()
        if answer is None:
            if self.page.closed:
                return _Outcome(False, "gone", "the page went away before anybody answered")
            return _Outcome(False, "deadline", f"nobody answered within {seconds:g} s, so it is denied")
        allowed = answer.word == "allow"
        if answer.remembered:
            return _remembered(allowed)
        if answer.remember and action.kind is not ActionKind.CHANGED_APP:
            self._host.remember(self._grant(action, scope, allowed))
        return _Outcome(allowed, "person", "" if allowed else "the person at the host said no")

    def _grant(self, action: Action, scope: Scope, allowed: bool) -> Grant:
        identity = self._view.server.identity
        named = None if identity == action.server else identity
        return Grant(action.user, action.server, scope[0].value, scope[1], allowed, named)

    def settle(self, grant: Grant) -> None:
        """An answer was remembered somewhere: it may be the answer to what waits here."""
        if (grant.user, grant.whose) == (self._view.user, self._view.server.identity):
            self.page.settle((grant.kind, grant.subject), "allow" if grant.allowed else "deny")

    def _question(self, action: Action, scope: Scope, reason: str, detail: str | None) -> dict[str, Any]:
        text = _pretty(action.arguments) if detail is None else detail
        shown, rest = text[:_DETAIL_LENGTH], max(len(text) - _DETAIL_LENGTH, 0)
        facts = {
            "app": self._view.tool.title[:_SUBJECT_LENGTH],
            "server": action.server,
            "action": action.kind.value,
            "subject": action.subject[:_SUBJECT_LENGTH],
            "detail": f"{shown}\n… and {rest} more characters" if rest else shown,
            "scope": scope[1][:_SUBJECT_LENGTH],
            "reason": reason,
        }
        return {key: value for key, value in facts.items() if value}

    # Recording

    def _record(self, action: Action, decision: str, by: str, reason: str, began: float) -> None:
        ms = round((self._loop.time() - began) * 1000, 1)
        self._put(action.kind.value, action.subject, action.arguments, decision, by, reason, ms)

    def _write_count(self) -> None:
        count, self._unwritten = self._unwritten, 0
        if count:
            self._put(
                "refusals", "", None, "deny", "limit", f"{count} more were refused and not written", 0.0
            )

    def _put(
        self, kind: str, subject: str, arguments: Any, decision: str, by: str, reason: str, ms: float
    ) -> None:
        view = self._view
        if kind == ActionKind.OPEN_LINK:
            # The address is a view's text like any argument: its hash is kept, and whose it is.
            subject, arguments = site_of(subject), subject
        self._host.audit.put(
            AuditEntry(
                utc_now(), view.user, view.id, view.server.name, kind, subject, arguments, decision, by,
                reason, ms,
            )
        )  # fmt: skip
        if (decision, by) != ("allow", "policy"):
            self._note(f"{decision} by {by}: {kind} {subject[:80]!r}" + (f": {reason}" if reason else ""))


def _remembered(allowed: bool) -> _Outcome:
    return _Outcome(allowed, "remembered", "" if allowed else "the person at the host said no before")


def _scope(kind: ActionKind, subject: str) -> str:
    if kind in _BY_SUBJECT:
        return subject
    return urlsplit(subject).netloc.lower() if kind is ActionKind.OPEN_LINK else ""


def _pretty(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, indent=2, ensure_ascii=False) if arguments else ""

"""Every requirement of MCP Apps as data: who it binds, how strongly, in our words, and what is still open.

R01–R71 are the stable specification (2026-01-26), D01–D15 the newer draft. Which test holds a requirement is
said by the test itself, in a docstring line `Holds: R32.`; the docs page lists them. A requirement that no
test holds carries its gap here, as a sentence: `tests/conformance/test_requirements.py` allows neither a
silent gap nor a gap that a test has closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["REQUIREMENTS", "Level", "Party", "Requirement", "Source"]


class Level(StrEnum):
    """How strongly the text demands it."""

    MUST = "MUST"
    MUST_NOT = "MUST NOT"
    SHOULD = "SHOULD"
    SHOULD_NOT = "SHOULD NOT"
    REQUIRED = "REQUIRED"
    MAY = "MAY"
    DUTY = "duty"
    """Said without a key word."""


class Party(StrEnum):
    """Who is bound."""

    SERVER = "server"
    HOST = "host"
    SANDBOX = "sandbox"
    VIEW = "view"


class Source(StrEnum):
    """Which text says it."""

    STABLE = "2026-01-26"
    DRAFT = "draft"


@dataclass(frozen=True)
class Requirement:
    """One sentence of the specification, in our words."""

    id: str
    level: Level
    binds: tuple[Party, ...]
    sentence: str
    gap: str | None = None

    @property
    def source(self) -> Source:
        return Source.STABLE if self.id.startswith("R") else Source.DRAFT


_MUST, _MUST_NOT, _SHOULD, _SHOULD_NOT, _REQUIRED, _MAY, _DUTY = Level
_SERVER, _HOST, _SANDBOX, _VIEW = ((party,) for party in Party)
_RUNTIME = "It is advice to the authors of views; no test of ours can show it."


def _row(
    id: str, level: Level, binds: tuple[Party, ...], sentence: str, gap: str | None = None
) -> Requirement:
    return Requirement(id, level, binds, sentence, gap)


_ROWS = (
    _row("R01", _MUST, _SERVER, "The address of a UI resource begins with ui://."),
    _row("R02", _SHOULD, _SERVER, "A UI resource is listed with the MIME type text/html;profile=mcp-app."),
    _row("R03", _MUST, _SERVER, "What resources/read returns for it has that MIME type."),
    _row("R04", _MUST, _SERVER, "The document comes as text or as a base64 blob."),
    _row("R05", _MUST, _SERVER, "The document is valid HTML5."),
    _row("R06", _MUST, _SERVER, "A declared domain has the form that the host in question documents."),
    _row("R07", _MUST, _SERVER, "The resource that a tool names exists on the same server."),
    _row("R08", _SHOULD, _SERVER, "UI tools are registered only after a look at the client's capabilities."),
    _row("R09", _SHOULD, _SERVER, "Every UI tool has a fallback in text."),
    _row("R10", _MUST, _SERVER, "A UI tool still returns content that means something without its UI."),
    _row("R11", _REQUIRED, _HOST, "The extension's settings list the MIME types that the host shows."),
    _row("R12", _MUST, (Party.HOST, Party.SERVER), "Support is negotiated through the extension capability."),
    _row("R13", _MUST, _HOST, "The policy of a view is built from the domains that its server declared."),
    _row("R14", _MUST, _HOST, "Without a declaration the restrictive default policy applies."),
    _row("R15", _MUST_NOT, _HOST, "A domain that was not declared is never allowed; tightening is."),
    _row("R16", _SHOULD, _HOST, "The policy in force is written to a log for review."),
    _row("R17", _MUST, _HOST, "The document is fetched by resources/read."),
    _row("R18", _MUST_NOT, _HOST, "A tool whose visibility lacks model is not offered to the model."),
    _row("R19", _MUST, _HOST, "A view's call of a tool whose visibility lacks app is refused."),
    _row("R20", _DUTY, _HOST, "A view calls tools of its own server's connection only."),
    _row("R21", _MUST, _HOST, "In a web host a sandbox proxy stands between page and view."),
    _row("R22", _MUST, (Party.HOST, Party.SANDBOX), "Host and sandbox have different origins."),
    _row(
        "R23", _MUST, (Party.HOST, Party.SANDBOX), "The sandbox frame may run scripts and keeps its origin."
    ),
    _row("R24", _MUST, _SANDBOX, "The sandbox announces that it is ready."),
    _row("R25", _MUST, _HOST, "The host then hands the document over in sandbox-resource-ready."),
    _row("R26", _MUST, _SANDBOX, "The document is loaded under a policy that enforces the declared domains."),
    _row("R27", _MUST, _SANDBOX, "Frames inside a view come from declared frame domains, or there are none."),
    _row("R28", _MUST, _SANDBOX, "Base addresses come from declared domains, or from the view itself."),
    _row("R29", _MUST, _SANDBOX, "Plug-in objects are never allowed."),
    _row("R30", _MUST, _SANDBOX, "The defaults are restrictive where nothing is declared."),
    _row("R31", _MUST, _SANDBOX, "Everything is relayed both ways, except the reserved sandbox messages."),
    _row("R32", _MUST_NOT, _HOST, "Nothing is asked of or told to a view before its initialized."),
    _row("R33", _SHOULD_NOT, _SANDBOX, "The sandbox makes no requests of its own."),
    _row("R34", _SHOULD, _HOST, "What is passed through keeps to MCP."),
    _row("R35", _MUST, _VIEW, "ui/initialize carries the view's capabilities."),
    _row("R36", _SHOULD, _HOST, "Its answer carries the host context."),
    _row("R37", _MUST, _HOST, "Where a dimension is flexible, the frame follows size-changed."),
    _row("R38", _MUST, _VIEW, "All display modes that a view can do are declared at the start."),
    _row("R39", _MUST, _VIEW, "A mode is asked for only if the host offers it."),
    _row("R40", _MUST, _VIEW, "A view copes with another mode than the one it asked for."),
    _row("R41", _MUST_NOT, _HOST, "A view is never moved into a mode that it did not declare."),
    _row("R42", _MUST, _HOST, "A request for a mode is answered with the mode that results."),
    _row("R43", _SHOULD, _HOST, "For a mode that is not available that is the current one."),
    _row("R44", _SHOULD, _HOST, "Links open in the person's browser, in a new tab."),
    _row("R45", _SHOULD, _HOST, "A view's message becomes part of the conversation, with its role."),
    _row("R46", _SHOULD, _HOST, "The stored model context is given to the model in later turns."),
    _row("R47", _SHOULD, _HOST, "Of several context updates before a turn, the last counts."),
    _row("R48", _MUST, _HOST, "The complete arguments are sent once the view is initialized."),
    _row("R49", _DUTY, _HOST, "They are sent at most once, and before the result."),
    _row("R50", _MUST, _HOST, "No partial arguments follow the complete ones."),
    _row("R51", _MUST_NOT, _VIEW, "Partial arguments are not used for anything that matters."),
    _row("R52", _SHOULD, _VIEW, "A view copes with fields that come and change between partials."),
    _row("R53", _MUST, _HOST, "The result is sent when the tool finishes while the view is shown."),
    _row("R54", _MUST, _HOST, "A cancelled call is told to the view, whatever the cause."),
    _row("R55", _MUST, _HOST, "A view is told before it is torn down, for any reason."),
    _row("R56", _SHOULD, _HOST, "The host waits for its answer to that."),
    _row("R57", _SHOULD, _VIEW, "A view reports when the size of its body changes."),
    _row("R58", _SHOULD, _VIEW, "Context changes are merged into the known context."),
    _row("R59", _SHOULD_NOT, _VIEW, "A view does not take requested permissions for granted.", _RUNTIME),
    _row(
        "R60", _MUST, _HOST, "All content of views is shown in sandboxed frames with restricted permissions."
    ),
    _row("R61", _MUST, _HOST, "The policy from the resource's metadata is enforced."),
    _row("R62", _MUST, _HOST, "Connections to undeclared domains are blocked."),
    _row(
        "R63",
        _SHOULD,
        _HOST,
        "People are warned when a UI needs domains outside.",
        "The page does not warn yet.",
    ),
    _row("R64", _DUTY, _VIEW, "A view reads the container's dimensions and fits itself to them.", _RUNTIME),
    _row("R65", _DUTY, _HOST, "Variables that depend on the theme use light-dark()."),
    _row("R66", _DUTY, _VIEW, "A view has a fallback for every variable that it uses."),
    _row("R67", _DUTY, _HOST, "Messages of a frame are validated, malformed ones refused, calls logged."),
    _row(
        "R68",
        _DUTY,
        _HOST,
        "Documents can be reviewed, hashed and allowed or blocked by hash.",
        "Documents have a hash; allow and block lists by hash are not there yet.",
    ),
    _row(
        "R69",
        _DUTY,
        _HOST,
        "People can see where sandboxed content begins, and its use of resources is limited.",
    ),
    _row("R70", _DUTY, (Party.HOST, Party.SERVER), "Without support a UI tool is a plain tool."),
    _row("R71", _DUTY, _HOST, "A context update starts no turn."),
    _row(
        "D01", _MUST, _HOST, "Metadata is looked for in list entry and content item; the content item wins."
    ),
    _row("D02", _MUST, _VIEW, "Sampling, and sampling with tools, is asked for only where it is offered."),
    _row("D03", _SHOULD, _HOST, "Sampling is limited and approved by a person."),
    _row("D04", _SHOULD, _HOST, "A download is confirmed."),
    _row("D05", _SHOULD, _HOST, "The name of a download is the last part of its address."),
    _row("D06", _SHOULD, _HOST, "Names of downloads cannot lead out of the folder."),
    _row("D07", _MUST, _VIEW, "A view that declares tools answers tools/list and tools/call."),
    _row("D08", _SHOULD, _VIEW, "It checks names and arguments and tells failures as results."),
    _row("D09", _MUST, _HOST, "A view that asks for its teardown gets the whole procedure."),
    _row("D10", _SHOULD, _VIEW, "Work that outlives a view is done by the server, as a task.", _RUNTIME),
    _row("D11", _SHOULD, _HOST, "Tools of views are attributed, confirmed, limited, throttled and audited."),
    _row("D12", _MUST, _HOST, "They live and die with their view."),
    _row("D13", _MUST_NOT, _HOST, "They are not kept across sessions."),
    _row("D14", _MUST, _HOST, "Calling a tool of a view that is gone is an error."),
    _row("D15", _MAY, _HOST, "Read-only tools are approved without asking, others are asked for."),
)

REQUIREMENTS: dict[str, Requirement] = {row.id: row for row in _ROWS}

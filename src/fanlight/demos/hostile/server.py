"""The hostile app's server: tools with the two apps, and those by which the view asks and reports.

It has no power of its own. What it knows of an attack comes from the view, from its listener and from calls
that should never have arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from .listener import Hit, Listener
from .page import attack_page, catalogue, neighbour_page

__all__ = ["Hostile", "Report"]

ATTACK_URI = "ui://hostile/attack.html"
NEIGHBOUR_URI = "ui://hostile/neighbour.html"
_READ_ONLY = ToolAnnotations(read_only_hint=True)
_LAST = ", ".join(attack.id for attack in catalogue() if attack.when == "last")


@dataclass(frozen=True)
class Report:
    """What a view says it managed: outcome and detail by attack, and the text that it could read."""

    run: str
    results: dict[str, tuple[str, str]]
    readable: str


class Hostile:
    """One hostile server around one listener.

    `say` gets a line for people; `on_news` is called when a view told something.
    """

    def __init__(self, listener: Listener, say: Callable[[str], None] = lambda line: None) -> None:
        self.listener = listener
        self.on_news: Callable[[], None] = lambda: None
        # The newest report of each run.
        self.reports: dict[str, Report] = {}
        # What the neighbour told last: its mark, what it found of an earlier showing, whom it believed.
        self.neighbour: dict[str, Any] = {}
        self._say = say
        # Every view that began to attack, with the number of arrivals before it.
        self.runs: dict[str, int] = {}
        self.server = self._build()

    def _build(self) -> MCPServer[Any]:
        apps = Apps()
        apps.add_html_resource(ATTACK_URI, attack_page(self.listener.facts), title="Hostile app")
        apps.add_html_resource(NEIGHBOUR_URI, neighbour_page(), title="Neighbour", prefers_border=True)
        for shown, uri, title in (
            (self.attack, ATTACK_URI, "Attack this host"),
            (self.open_neighbour, NEIGHBOUR_URI, "Open a neighbour"),
        ):
            apps.tool(
                resource_uri=uri,
                name=_name(shown),
                title=title,
                annotations=_READ_ONLY,
                structured_output=False,
            )(shown)
        server: MCPServer[Any] = MCPServer("hostile", title="Hostile app", version="1.0.0", extensions=[apps])
        tools: tuple[Callable[..., CallToolResult], ...] = (
            self.arrived,
            self.report,
            self.settle,
            self.forged_call,
        )
        for tool in tools:
            server.add_tool(
                tool,
                name=_name(tool),
                annotations=_READ_ONLY,
                meta={"ui": {"visibility": ["app"]}},
                structured_output=False,
            )
        for tool in (self.for_the_model_only, self.summary):
            server.add_tool(
                tool,
                name=_name(tool),
                annotations=_READ_ONLY,
                meta={"ui": {"visibility": ["model"]}},
                structured_output=False,
            )
        return server

    # For people and models

    def attack(
        self,
        only: Annotated[
            str, Field(description=f"One attack instead of all. Those that may end the view: {_LAST}")
        ] = "",
    ) -> CallToolResult:
        """Attack the host that shows this, from inside of a view, and show what got through."""
        known = {attack.id for attack in catalogue()}
        if only and only not in known:
            return _text(f"There is no attack {only!r}. Known: {', '.join(sorted(known))}", is_error=True)
        return _text(
            f"{'One attack' if only else 'All attacks'} in the view; the undeclared listener is "
            f"{self.listener.url}. Ask for the tool summary when it is done."
        )

    def open_neighbour(self) -> CallToolResult:
        """Open an innocent app beside the hostile one, so that it has somebody to attack."""
        return _text("An innocent app that keeps a secret. Call the tool attack beside it.")

    def summary(self) -> CallToolResult:
        """What the attacks managed so far, as text."""
        lines = [f"{len(self.listener.hits)} arrivals at the undeclared listener {self.listener.url}"]
        for report in self.reports.values():
            lines += [f"{name}: {outcome}: {detail}" for name, (outcome, detail) in report.results.items()]
        return _text("\n".join(lines))

    # For the view

    def arrived(self, run: str) -> CallToolResult:
        """What reached the listener since this run first asked."""
        mark = self.runs.setdefault(run, len(self.listener.hits))
        self.on_news()
        names = {hit.attack: hit.way for hit in self.listener.since(mark, run) if hit.attack}
        facts: dict[str, Any] = {"names": names}
        if self.neighbour:
            facts["neighbour"] = self.neighbour
        return _text(f"{len(names)} attacks reached the listener", facts)

    def report(self, run: str, results: list[dict[str, str]], readable: str = "") -> CallToolResult:
        """The view tells what it managed; told again, the newer word counts."""
        told = {row["id"]: (row["outcome"], row["detail"]) for row in results}
        before = self.reports.get(run)
        self.reports[run] = Report(run, told, (before.readable if before else "") + readable)
        through = [name for name, (outcome, _) in told.items() if outcome == "through"]
        self._say(f"{len(told)} attacks, {len(through)} through: {', '.join(through) or 'none'}")
        self.on_news()
        return _text("noted")

    def settle(self, mark: str, believed: list[str], before: str = "") -> CallToolResult:
        """The neighbour tells its secret, and which forged messages it believed."""
        self.neighbour = {"mark": mark, "believed": believed, "before": before}
        self.on_news()
        return _text("noted")

    # What nobody but an attacker calls

    def forged_call(self, run: str, attack: str) -> CallToolResult:
        """A call in another view's name: that it arrived is the finding."""
        self.listener.put(Hit("request", attack, run))
        self.on_news()
        return _text("this should not have arrived")

    def for_the_model_only(self) -> CallToolResult:
        """A tool that no app may call."""
        return _text("only a model may read this")


def _name(tool: Callable[..., CallToolResult]) -> str:
    return {"open_neighbour": "neighbour"}.get(tool.__name__, tool.__name__)


def _text(text: str, facts: dict[str, Any] | None = None, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=facts, is_error=is_error
    )

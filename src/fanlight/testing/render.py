"""Render one app headlessly and say what happened: verdict, stages, text, console, violations, messages."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fanlight.errors import FanlightError, NoAppError
from fanlight.host import Call, Host, Server, Stage, TapRecord, Verdict, View
from fanlight.host.arguments import check_arguments
from fanlight.host.asgi import standalone
from fanlight.host.reported import blocked_outcome, policy_facts
from fanlight.host.serve import bind_loopback, serving

from .chromium import launch
from .page_errors import KEEP_UNREAD, UNREAD, Complaint, complaint_lines, location, stack

if TYPE_CHECKING:
    from playwright.async_api import ConsoleMessage, Frame, Page, WebError

    from fanlight.upstream import Target

__all__ = ["RenderReport", "render_call", "render_target"]

TEXT_LIMIT = 2000
# What counts as something to see besides text.
_VISIBLE = """() => {
  const shown = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1;
  };
  return document.body.innerText.trim() !== ""
    || [...document.querySelectorAll("canvas, svg, img, video, input, button, iframe")].some(shown);
}"""
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


@dataclass
class RenderReport:
    """Everything that is known after one rendering; `as_json()` is what `fanlight render --json` prints."""

    verdict: Verdict
    reason: str | None = None
    remedy: str | None = None
    stages: list[Stage] = field(default_factory=list)
    text: str = ""
    console_errors: list[str] = field(default_factory=list)
    violations: list[dict[str, Any]] = field(default_factory=list)
    beyond_strict: list[dict[str, Any]] = field(default_factory=list)
    csp: dict[str, Any] = field(default_factory=dict)
    messages: dict[str, dict[str, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tool_result: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        why = {key: value for key, value in (("reason", self.reason), ("remedy", self.remedy)) if value}
        return {
            "verdict": self.verdict.value,
            **why,
            "stages": [stage.as_json() for stage in self.stages],
            "text": self.text,
            "console_errors": self.console_errors,
            "violations": self.violations,
            "beyond_strict": self.beyond_strict,
            "csp": self.csp,
            "messages": self.messages,
            "notes": self.notes,
            "tool_result": self.tool_result,
        }

    def as_text(self) -> str:
        """The report for a terminal."""
        lines = [f"verdict  {self.verdict.value}"]
        lines += [
            f"{name:<8} {value}"
            for name, value in (("reason", self.reason), ("remedy", self.remedy))
            if value
        ]
        lines.append("stages   " + ", ".join(f"{stage.name} {stage.ms:g} ms" for stage in self.stages))
        lines += [f"console  {error}" for error in self.console_errors]
        for entry in self.violations:
            lines += [f"blocked  {_what(entry)}", f"         {entry['advice']}"]
        lines += [f"beyond   {_what(entry)}: strict would refuse it" for entry in self.beyond_strict]
        lines += [f"note     {note}" for note in self.notes]
        if "fix" in self.csp:
            lines.append(f"fix      put into the resource's _meta.ui: {json.dumps(self.csp['fix'])}")
        if self.text:
            lines += ["", self.text]
        return "\n".join(lines)


async def render_target(
    host: Host, name: str, target: Target, tool: str, arguments: dict[str, Any], **options: Any
) -> RenderReport:
    """Connect one server, render one of its apps, and close everything again; options as for `render_call`.

    Raises:
        UpstreamError: the server failed.
        UnknownToolError, NoAppError: there is nothing to render.
        ConfigError: the arguments do not fit the tool's schema.
        BrowserError: there is no browser.
    """
    async with host:
        server = await host.connect(name, target)
        found = server.tool(tool)
        if not found.has_app and found.problem is None:
            raise NoAppError(name, tool)
        return await render_call(host, server, tool, check_arguments(found, arguments), **options)


async def render_call(
    host: Host,
    server: Server,
    tool: str,
    arguments: dict[str, Any],
    *,
    timeout: float,
    settle: float = 0.0,
    screenshot: Path | None = None,
    dark: bool = False,
) -> RenderReport:
    """Call the tool, show its view in a headless Chromium, and report, within `timeout` + `settle`.

    The host must be mounted nowhere else; it is served here, on a free loopback port.
    """
    traffic: dict[str, Counter[str]] = {"from-view": Counter(), "to-view": Counter()}
    notes: list[str] = []

    def count(record: TapRecord) -> None:
        if record.direction == "note":
            notes.append(str(record.message))
        else:
            traffic[record.direction][_kind(record.message)] += 1

    stop_counting = host.tap.listen(count)
    listener = bind_loopback(0)
    try:
        async with serving(standalone(host), listener) as port, launch() as browser:
            context = await browser.new_context(
                viewport={"width": 1024, "height": 768}, color_scheme="dark" if dark else "light"
            )
            page = await context.new_page()
            errors = await _collect_errors(page)
            call = server.start_call(tool, arguments)
            view = call.view
            assert view is not None
            page.on("crash", lambda _: view.decide(Verdict.CRASHED, "The browser page crashed."))
            await page.goto(f"http://fanlight.localhost:{port}{view.url}")
            text = await _watch(page, host, view, call, timeout)
            await asyncio.sleep(settle)
            if settle and view.verdict is Verdict.OK:
                text = await _read_text(_view_frame(page, host)) or text
            if screenshot is not None:
                await page.locator("main").screenshot(path=screenshot)
            result = await _result_now(call)
            return RenderReport(
                verdict=view.verdict,
                reason=view.outcome.reason,
                remedy=view.outcome.remedy,
                stages=view.stages,
                text=text[:TEXT_LIMIT],
                console_errors=await _with_places(errors, _view_frame(page, host), view),
                violations=view.violations,
                beyond_strict=view.beyond_strict,
                csp=policy_facts(view),
                messages={direction: dict(counts) for direction, counts in traffic.items()},
                notes=notes,
                tool_result=result,
            )
    finally:
        stop_counting()


async def _watch(page: Page, host: Host, view: View, call: Call, timeout: float) -> str:
    """Wait for the verdict, the tool's answer and something to see; return the readable text."""
    changed = asyncio.Event()
    view.watch(changed.set)
    text = ""
    try:
        async with asyncio.timeout(timeout):
            while view.verdict is Verdict.PENDING:
                await changed.wait()
                changed.clear()
            if view.verdict is not Verdict.OK:
                return text
            # A failed tool is the view's to show; the report has it too.
            with contextlib.suppress(FanlightError):
                await call.wait()
            frame = await _await_view_frame(page, host)
            await frame.wait_for_function(_VISIBLE, timeout=timeout * 1000)
            await frame.evaluate(_PAINTED)
            text = await _read_text(frame)
    except (TimeoutError, _playwright_error()):
        if view.verdict is Verdict.PENDING:
            view.decide(
                Verdict.HANDSHAKE_TIMEOUT, f"The app was not up within {timeout:g} s.", "Raise --timeout."
            )
        elif view.verdict is Verdict.OK:
            problem = "The app connected but shows nothing."
            blocked = blocked_outcome(view, problem)
            if blocked is not None:
                view.decide(Verdict.CSP_BLOCKED, *blocked)
            else:
                view.decide(Verdict.BLANK, problem, "Look at console_errors.")
    return text


def _playwright_error() -> type[Exception]:
    from playwright.async_api import Error

    return Error


def _view_frame(page: Page, host: Host) -> Frame | None:
    return next((frame for frame in page.frames if f"{host.mount}/view/" in frame.url), None)


async def _await_view_frame(page: Page, host: Host) -> Frame:
    """The view's frame; the host may hear from the view before Playwright hears of its frame."""
    while (frame := _view_frame(page, host)) is None:
        await page.wait_for_event("framenavigated")
    return frame


async def _read_text(frame: Frame | None) -> str:
    return "" if frame is None else str(await frame.evaluate("() => document.body.innerText")).strip()


async def _result_now(call: Call) -> dict[str, Any] | None:
    try:
        return await asyncio.wait_for(call.wait(), 0.05)
    except TimeoutError:
        return None
    except FanlightError as error:
        return {"isError": True, "content": [{"type": "text", "text": str(error)}]}


async def _collect_errors(page: Page) -> list[Complaint]:
    """Hear of errors from now on; the page must not have been opened yet."""
    errors: list[Complaint] = []

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(Complaint(message.text, location(message.location, "lineNumber", "columnNumber")))

    def thrown(web: WebError) -> None:
        error = web.error
        name, message = getattr(error, "name", ""), getattr(error, "message", str(error))
        # What is no Error has no stack; newer versions of Playwright know its place all the same.
        places = stack(getattr(error, "stack", "")) or location(
            getattr(web, "location", None), "line", "column"
        )
        errors.append(Complaint(f"{name}: {message}" if name else message, places))

    page.on("console", said)
    page.context.on("weberror", thrown)
    await page.add_init_script(KEEP_UNREAD)
    return errors


async def _with_places(errors: list[Complaint], frame: Frame | None, view: View) -> list[str]:
    unread: list[Any] = []
    if frame is not None and any(not error.places for error in errors):
        with contextlib.suppress(_playwright_error()):  # it may be gone
            unread = await frame.evaluate(f"() => {UNREAD} ?? []")
    html = "" if view.document is None else view.document.html
    return complaint_lines(errors, unread, "" if frame is None else frame.url, html)


def _what(entry: dict[str, Any]) -> str:
    times = f" (×{entry['count']})" if entry["count"] > 1 else ""
    return f"{entry['directive']} {entry['blocked']}{times}"


def _kind(message: Any) -> str:
    if not isinstance(message, dict):
        return "malformed"
    if isinstance(message.get("method"), str):
        return str(message["method"])
    return "error" if "error" in message else "response"

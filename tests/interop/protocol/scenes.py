"""What the interop tests have in common: a host that offers everything, and the two ways to set the stage.

Nothing here asserts about the protocol; the tests do.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from conversation import Conversation, NodePeer

from fanlight.protocol import HostConnection, HostReady, ViewConnection
from fanlight.wire.jsonrpc import JSONObject

__all__ = [
    "ALL_CAPABILITIES",
    "APP_INFO",
    "FULL_CONTEXT",
    "HOST_INFO",
    "PATIENT",
    "host_meets_app",
    "view_meets_bridge",
]

PATIENT = 60.0  # a timeout in the test's own time, which only the test moves
HOST_INFO: JSONObject = {"name": "fanlight-test", "version": "1.0"}
APP_INFO: JSONObject = {"name": "test-app", "version": "7", "title": "A test"}
MODALITIES: JSONObject = {
    "text": {},
    "image": {},
    "resource": {},
    "resourceLink": {},
    "structuredContent": {},
}
ALL_CAPABILITIES: JSONObject = {
    "openLinks": {},
    "downloadFile": {},
    "serverTools": {"listChanged": True},
    "serverResources": {"listChanged": True},
    "logging": {},
    "updateModelContext": MODALITIES,
    "message": MODALITIES,
    "sampling": {"tools": {}},
    "sandbox": {"permissions": {"camera": {}}, "csp": {"connectDomains": ["https://api.example.com"]}},
}
FULL_CONTEXT: JSONObject = {
    "toolInfo": {
        "id": 0,
        "tool": {"name": "get_weather", "inputSchema": {"type": "object", "properties": {"city": {}}}},
    },
    "theme": "dark",
    "styles": {
        "variables": {"--color-background-primary": "light-dark(#fff, #000)", "--font-sans": "Inter"},
        "css": {"fonts": "@font-face {}"},
    },
    "displayMode": "inline",
    "availableDisplayModes": ["inline", "fullscreen", "pip"],
    "containerDimensions": {"width": 640, "maxHeight": 480},
    "locale": "nb-NO",
    "timeZone": "Europe/Oslo",
    "userAgent": "fanlight-test/1.0",
    "platform": "web",
    "deviceCapabilities": {"touch": False, "hover": True},
    "safeAreaInsets": {"top": 0, "right": 1, "bottom": 2, "left": 3},
    "x-of-this-host": {"kept": True},
}


@asynccontextmanager
async def host_meets_app(
    node: NodePeer,
    *,
    capabilities: JSONObject | None = None,
    context: JSONObject | None = None,
    app: JSONObject | None = None,
    connect: bool = True,
    sleepy: bool = False,
    view_at_fault: bool = False,
    host_at_fault: bool = False,
) -> AsyncIterator[Conversation[HostConnection]]:
    """Our host and a fresh official App, connected unless the test wants to see that happen.

    At the end of the block neither side may have complained about the other, unless the test provokes it.
    """
    await node.create({"info": APP_INFO, **(app or {})})
    ours = HostConnection(host_info=HOST_INFO, capabilities=capabilities, context=context)
    talk = Conversation(node, ours, sleepy=sleepy)
    if connect:
        await talk.run("connect")
    yield talk
    if not host_at_fault:
        await talk.official_side_is_content()
    if not view_at_fault:
        talk.our_side_is_content()


@asynccontextmanager
async def view_meets_bridge(
    node: NodePeer,
    *,
    host_capabilities: JSONObject | None = None,
    context: JSONObject | None = None,
    answers: JSONObject | None = None,
    capabilities: JSONObject | None = None,
    connect: bool = True,
    sleepy: bool = False,
    host_at_fault: bool = False,
    view_at_fault: bool = False,
) -> AsyncIterator[Conversation[ViewConnection]]:
    """Our view and a fresh official AppBridge, which answers from the table ``answers``.

    At the end of the block neither side may have complained about the other, unless the test provokes it.
    """
    offered = {"capabilities": host_capabilities or {}, "context": context or {}, "answers": answers or {}}
    await node.create({"info": HOST_INFO, **offered})
    ours = ViewConnection(app_info=APP_INFO, capabilities=capabilities)
    talk = Conversation(node, ours, sleepy=sleepy)
    if connect:
        ours.initialize(talk.now, timeout=PATIENT)
        await talk.event(HostReady)
        await talk.report("initialized")
    yield talk
    if not view_at_fault:
        await talk.official_side_is_content()
    if not host_at_fault:
        talk.our_side_is_content()

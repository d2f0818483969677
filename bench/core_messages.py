"""What does the protocol core cost, beside reading and writing the same JSON?

Each conversation is one request of a view and its answer. `bare` only decodes the request and encodes the
answer, as any program must; `core` does the same through a HostConnection: receive, events, answer, drain.
Both are timed in turn, several times, and the smallest time of each is kept.
Run: python bench/core_messages.py
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from fanlight.protocol.events import RequestReceived
from fanlight.protocol.host import HostConnection
from fanlight.wire.jsonrpc import response

ROUNDS = 7
TARGET = 3.0


def connection() -> HostConnection:
    """A connection whose handshake is over."""
    made = HostConnection(host_info={"name": "bench", "version": "1"}, capabilities={"serverTools": {}})
    made.receive(
        {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "ui/initialize",
            "params": {
                "appInfo": {"name": "a", "version": "1"},
                "appCapabilities": {},
                "protocolVersion": "2026-01-26",
            },
        },
        0.0,
    )
    made.receive({"jsonrpc": "2.0", "method": "ui/notifications/initialized", "params": {}}, 0.0)
    made.events()
    made.messages_to_send()
    return made


def requests(count: int, size: int) -> list[str]:
    """Different ids, arguments of about `size` bytes in a realistic shape (rows of small objects)."""
    row = {"name": "row", "value": 12.5, "tags": ["a", "b"], "active": True}
    rows = [row] * max(0, size // len(json.dumps(row)))
    return [
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": number + 1,
                "method": "tools/call",
                "params": {"name": "poll", "arguments": {"rows": rows} if rows else {"page": 7}},
            }
        )
        for number in range(count)
    ]


def bare(texts: list[str], result: dict[str, Any]) -> int:
    written = 0
    for text in texts:
        message = json.loads(text)
        written += len(json.dumps(response(message["id"], result)))
    return written


def through_core(texts: list[str], result: dict[str, Any]) -> int:
    conn = connection()
    written = 0
    for text in texts:
        conn.receive(json.loads(text), 0.0)
        for event in conn.events():
            assert isinstance(event, RequestReceived)
            conn.answer(event.request_id, result)
        for message in conn.messages_to_send():
            written += len(json.dumps(message))
    return written


def best(work: Callable[[list[str], dict[str, Any]], int], texts: list[str], result: dict[str, Any]) -> float:
    began = time.perf_counter()
    work(texts, result)
    return time.perf_counter() - began


def main() -> int:
    worst = 0.0
    print(f"{'conversation':<34}{'bare/s':>12}{'core/s':>12}{'ratio':>8}   (target: at most {TARGET:g})")
    for label, count, size in (("small call, small answer", 4000, 0), ("8 kB call, 8 kB answer", 400, 8_000)):
        texts = requests(count, size)
        payload = json.loads(texts[0])["params"]["arguments"]
        result = {"content": [{"type": "text", "text": "ok"}], "structuredContent": payload}
        assert bare(texts, result) == through_core(texts, result)
        times = [(best(bare, texts, result), best(through_core, texts, result)) for _ in range(ROUNDS)]
        plain, core = min(t[0] for t in times), min(t[1] for t in times)
        worst = max(worst, core / plain)
        print(f"{label:<34}{count / plain:>12,.0f}{count / core:>12,.0f}{core / plain:>8.2f}")
    print("within the target" if worst <= TARGET else "ABOVE the target")
    return 0 if worst <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())

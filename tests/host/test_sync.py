"""The host for programs without an event loop: everything waits, nothing hangs, everything ends."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from two_servers import make_server

from fanlight import Host
from fanlight.errors import ConfigError, LocalProtocolError, UnknownToolError, UpstreamError
from fanlight.host import Verdict

THREAD = "the host's thread"
WAIT = 30.0


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == THREAD]


def test_a_call_gives_its_result_and_its_view_and_everything_ends_with_the_block() -> None:
    # A port that no other test takes meanwhile: the usual ones are tried in order by all of them.
    with Host.sync(name="script", port=0) as host:
        assert threads() == [THREAD]
        server = host.connect("one", make_server("one"))
        assert [tool["name"] for tool in server.tools_for_model()][:1] == ["show"]
        call = server.call_tool("show", {"city": "Bergen"}, timeout=WAIT)
        assert call.result["content"][0]["text"] == "one shows Bergen"
        assert call.view is not None
        assert call.view.text == "one shows Bergen"
        assert server.call_tool("plain").view is None
        assert host.view(call.view.id) is call.view
        assert host.view("nothing") is None
        assert sorted(host.servers) == ["one"]
        page, _, secret = call.view.url.partition("#")
        assert secret == f"{call.view.id}.{call.view.token}"
        address, own = page.replace("localhost", "127.0.0.1"), {"Host": f"localhost:{host.port}"}
        answer = httpx.get(address, headers=own, timeout=WAIT)
        assert answer.status_code == 200
    assert threads() == []
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)


def test_a_child_process_ends_with_the_block(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = f"import os; open({str(note)!r}, 'w').write(str(os.getpid()))\n"
    code += "from fanlight.demos.clock import server; server.run()"
    with Host.sync() as host:
        server = host.connect("clock", [sys.executable, "-c", code])
        assert server.call_tool("show_time").result["structuredContent"]["timezone"] == "UTC"
        os.kill(int(note.read_text()), 0)
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def test_arguments_can_be_streamed() -> None:
    with Host.sync() as host:
        server = host.connect("one", make_server("one"))
        with server.begin_call("show") as call:
            assert call.view is not None
            for piece in ('{"ci', 'ty": "Os', 'lo"}'):
                call.feed_arguments(piece)
        assert call.wait()["content"][0]["text"] == "one shows Oslo"


def test_a_call_can_be_started_and_waited_for_later() -> None:
    with Host.sync() as host:
        call = host.connect("one", make_server("one")).start_call("show")
        assert call.wait(WAIT) == call.result
        call.cancel()  # too late, and harmless


def test_several_threads_use_one_host() -> None:
    found: list[str] = []
    with Host.sync() as host:
        server = host.connect("one", make_server("one"))

        def work(number: int) -> None:
            found.append(server.call_tool("show", {"city": str(number)}).result["content"][0]["text"])

        workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(WAIT)
    assert sorted(found) == [f"one shows {number}" for number in range(8)]


def test_messages_are_offered_only_where_somebody_takes_them() -> None:
    """Promise 4: advertised is what is implemented."""
    with Host.sync() as host:
        view = host.connect("one", make_server("one")).call_tool("show").view
        assert view is not None
        assert host.host.message_handler is None
        with pytest.raises(ConfigError, match="messages=True"):
            view.wait_message(WAIT)
        host.on_message(lambda view, content: None)
        assert host.host.message_handler is not None
    early = Host.sync()
    early.on_message(lambda view, content: None)
    with early:
        assert early.host.message_handler is not None


def test_messages_wait_until_the_program_asks_for_them() -> None:
    with Host.sync(messages=True) as host:
        call = host.connect("one", make_server("one")).call_tool("show")
        view = call.view
        assert view is not None
        say(host, view.id, "first")
        say(host, view.id, "second")
        assert [view.wait_message(WAIT), view.wait_message(WAIT)] == [text("first"), text("second")]
        with pytest.raises(TimeoutError, match="sent no message within"):
            view.wait_message(0.05)
        view.close()
        assert host.view(view.id) is None


def test_who_waits_for_a_message_is_told_that_the_host_ended() -> None:
    heard: list[object] = []
    with Host.sync(messages=True) as host:
        view = host.connect("one", make_server("one")).call_tool("show").view
        assert view is not None
        waiter = threading.Thread(target=lambda: heard.append(view.wait_message(WAIT)))
        waiter.start()
    waiter.join(WAIT)
    assert heard == [None]
    assert view.wait_message(WAIT) is None


def test_a_handler_runs_in_its_own_thread_and_may_use_the_host() -> None:
    heard: list[Any] = []
    with Host.sync() as host:
        server = host.connect("one", make_server("one"))

        @host.on_message
        def on_message(view: Any, content: list[dict[str, Any]]) -> None:
            again = server.call_tool("show", {"city": content[0]["text"]}, user=view.user)
            heard.append((view.user, again.result["content"][0]["text"]))

        view = server.call_tool("show", user="ann").view
        assert view is not None
        say(host, view.id, "Voss")
        assert heard == [("ann", "one shows Voss")]
        with pytest.raises(ConfigError, match="on_message"):
            view.wait_message(0.05)


def test_a_view_that_nobody_opens_is_pending_and_says_so() -> None:
    with Host.sync() as host:
        view = host.connect("one", make_server("one")).call_tool("show").view
        assert view is not None
        outcome = view.wait_ready(0.05)
        assert outcome.verdict is Verdict.PENDING
        assert "No page showed the view" in (outcome.reason or "")
        assert host.context_for_next_turn() == []


def test_mistakes_are_told_at_once_with_the_remedy() -> None:
    with pytest.raises(ConfigError, match="never started"):
        Host.sync().connect("one", make_server("one"))
    with pytest.raises(ConfigError, match="page_name"):
        Host.sync(page_name="evil.example")
    with pytest.raises(ConfigError, match="csp_level"):
        Host.sync(csp_level="lax").start()
    assert threads() == []
    with Host.sync() as host:
        server = host.connect("one", make_server("one"))
        with pytest.raises(UnknownToolError):
            server.call_tool("nothing")
        with pytest.raises(UpstreamError):
            host.connect("gone", "http://127.0.0.1:9/mcp", timeout=WAIT)
        silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
        with pytest.raises(UpstreamError, match=r"did not answer within 0\.5 s"):
            host.connect("silent", silent, timeout=0.5)

        async def inside() -> None:
            server.call_tool("show")

        with pytest.raises(LocalProtocolError, match="must never wait"):
            host.run(inside())
    with pytest.raises(LocalProtocolError, match="not running"):
        server.call_tool("show")
    host.close()


def test_a_taken_port_is_told_and_leaves_nothing_behind() -> None:
    with Host.sync() as host:
        other = Host.sync(port=host.port)
        with pytest.raises(ConfigError, match=f"port {host.port} cannot be used"):
            other.start()
        other.close()
        assert threads() == [THREAD]


def test_start_and_close_serve_programs_without_a_place_for_a_block() -> None:
    host = Host.sync().start()
    assert host.start() is host
    assert threads() == [THREAD]
    host.close()
    host.close()
    assert threads() == []


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words}]


def say(host: Any, view_id: str, words: str) -> None:
    """What the host does when a view sends `ui/message`."""

    async def saying() -> None:
        await host.host.message_handler(host.host.view(view_id), text(words))

    host.run(saying())


def test_a_program_that_runs_for_long_does_not_collect_views() -> None:
    with Host.sync(idle_views=2) as host:
        server = host.connect("one", make_server("one"))
        ids = [view.id for _ in range(5) if (view := server.call_tool("show").view) is not None]
        late = time.monotonic() + WAIT
        alive: list[bool] = []
        while alive != [False, False, False, True, True]:
            assert time.monotonic() < late, alive
            # What worked for the last call on the host's thread may hold its view a little longer.
            host.run(asyncio.sleep(0))
            gc.collect()
            alive = [host.view(known) is not None for known in ids]


def test_a_program_that_forgets_to_close_ends_cleanly_and_its_children_too(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    child = f"import os; open({str(note)!r}, 'w').write(str(os.getpid()))\n"
    child += "from fanlight.demos.clock import server; server.run()"
    program = "import sys\nfrom fanlight import Host\nhost = Host.sync().start()\n"
    program += f"host.connect('clock', [sys.executable, '-c', {child!r}])\nprint('forgotten')"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, "forgotten\n", "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)

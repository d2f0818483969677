"""Where documents come from, and which of them no host would show."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fanlight.errors import ConfigError
from fanlight.server import AppResource, rendering
from fanlight.server.resource import DEV_VARIABLE

HTML = "<!doctype html><html lang=en><head><title>A</title></head><body><p>a</p></body></html>"
OWN_BRIDGE = HTML.replace("<p>a</p>", "<script>parent.postMessage({method: 'ui/initialize'}, '*')</script>")
HERE = Path(__file__).parent
NOT_TEXT: Any = Path("view.html")
BYTES: Any = HTML.encode()


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "view.html"
    file.write_text(HTML, "utf-8")
    return file


async def test_a_text_is_read_as_it_is_with_the_runtime_in_it() -> None:
    html = (await AppResource.text(HTML).read()).html
    assert "<p>a</p>" in html
    assert "ui/initialize" in html
    assert html.index("ui/initialize") < html.index("<p>a</p>")


async def test_a_document_with_its_own_bridge_stays_as_it_is() -> None:
    document = await AppResource.text(OWN_BRIDGE, runtime=False).read()
    assert document.html == document.source == OWN_BRIDGE


def test_two_bridges_in_one_document_are_refused() -> None:
    with pytest.raises(ConfigError, match="say runtime=False to keep the document's own bridge"):
        AppResource.text(OWN_BRIDGE)


@pytest.mark.parametrize("mention", ["<p>ui/initialize</p>", "<script type=a/b>ui/initialize</script>"])
def test_a_document_may_speak_of_the_greeting(mention: str) -> None:
    assert AppResource.text(HTML.replace("<p>a</p>", mention)).document is not None
    with pytest.raises(ConfigError, match="no host would show it"):
        AppResource.text(HTML.replace("<p>a</p>", mention), runtime=False)


DEAD_CALL = OWN_BRIDGE.replace("<script>", "<script>if (0) fetch('/api');")


def test_a_call_that_is_never_made_can_be_overruled(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ConfigError, match=r"finds no server in a view.*check=False"):
        AppResource.text(DEAD_CALL, runtime=False)
    AppResource.text(DEAD_CALL, runtime=False, check=False)
    assert "finds no server in a view" in caplog.text


def test_a_document_that_would_never_greet_the_host_is_refused() -> None:
    with pytest.raises(ConfigError, match="no host would show it: leave out runtime=False"):
        AppResource.text(HTML, runtime=False)


@pytest.mark.parametrize(
    "script",
    [
        '<script src="https://cdn.example/app.js"></script>',
        '<script type="module">import { App } from "https://cdn.example/app.js"</script>',
    ],
)
def test_a_bridge_from_elsewhere_may_greet(script: str) -> None:
    AppResource.text(HTML.replace("<p>a</p>", script), runtime=False)


async def test_data_stands_in_the_document_and_cannot_leave_its_place() -> None:
    html = (await AppResource.text(HTML, data={"name": "</script><b>"}).read()).html
    assert "</script><b>" not in html
    assert "fanlight-data" in html


def test_html_that_cannot_be_shown_is_told_with_its_place() -> None:
    with pytest.raises(ConfigError, match=r"^AppResource\.text:\d+:\d+: "):
        AppResource.text("<!doctype html><html><body><script>let a = 1</body></html>")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: AppResource(HTML), r"^AppResource\('<!doc.*…\) says.*AppResource\.text\(html\)"),
        (lambda: AppResource.text(NOT_TEXT), r"is a PosixPath: give AppResource\.file\(path\)"),
        (lambda: AppResource.text(BYTES), "is a bytes: give the document as a string"),
    ],
)
def test_what_is_no_text_is_told_with_the_way_to_say_it(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make()


async def test_a_byte_order_mark_is_left_out() -> None:
    marked = f"\ufeff{HTML}"
    assert (await AppResource.text(marked).read()).source == HTML
    assert (await AppResource.function(lambda: marked).read()).source == HTML


# Files.


async def test_a_file_is_read(page: Path) -> None:
    resource = AppResource.file(page)
    assert "<p>a</p>" in (await resource.read()).html
    assert resource.files == (page,)


def test_a_relative_path_begins_at_the_file_that_names_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    page = HERE / "pages" / "plain.html"
    assert AppResource.file("pages/plain.html").files == (page,)
    assert AppResource.folder("pages", entry="plain.html").files == (page,)
    with pytest.raises(ConfigError, match=re.escape(f"there is no 'pages/none.html' in {HERE}")):
        AppResource.file("pages/none.html")


def test_code_without_a_file_means_the_working_folder(monkeypatch: pytest.MonkeyPatch, page: Path) -> None:
    monkeypatch.chdir(page.parent)
    made = eval("AppResource.file('view.html')", {"AppResource": AppResource})
    assert made.files == (page,)


def test_a_file_of_another_type_is_refused(tmp_path: Path) -> None:
    (tmp_path / "view.js").write_text("1", "utf-8")
    with pytest.raises(ConfigError, match="is not an HTML file"):
        AppResource.file(tmp_path / "view.js")


def test_a_file_that_is_not_utf8_is_told(page: Path) -> None:
    page.write_bytes(HTML.replace("<p>a", "<p>gr\xf6\xdfe").encode("latin-1"))
    with pytest.raises(ConfigError, match=r"is not UTF-8 \(byte \d+\): save it as UTF-8"):
        AppResource.file(page)


def test_a_folder_and_a_file_are_not_mixed_up(page: Path) -> None:
    with pytest.raises(ConfigError, match=r"is a file: use AppResource\.file"):
        AppResource.folder(page)


def test_a_folder_without_its_entry_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*index\.html"):
        AppResource.folder(tmp_path)


def test_a_fault_in_the_entry_is_told_at_its_place_in_that_file(tmp_path: Path) -> None:
    entry = tmp_path / "index.html"
    entry.write_text("<!doctype html>\n<title>A</title>\n<style>p {", "utf-8")
    with pytest.raises(ConfigError, match=rf"^{re.escape(str(entry))}:3:\d+: "):
        AppResource.folder(tmp_path)


async def test_a_folder_becomes_one_document_and_every_file_of_it_is_known(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        "<!doctype html><title>A</title><link rel=stylesheet href=a.css><p>a</p><script src=a.js></script>",
        "utf-8",
    )
    (tmp_path / "a.css").write_text("p { color: rebeccapurple }", "utf-8")
    (tmp_path / "a.js").write_text("document.title = 'B'", "utf-8")
    resource = AppResource.folder(tmp_path)
    html = (await resource.read()).html
    assert "rebeccapurple" in html
    assert "document.title = 'B'" in html
    assert {file.name for file in resource.files} == {"index.html", "a.css", "a.js"}


# While a view is worked on.


def rewrite(page: Path) -> None:
    page.write_text(HTML.replace("<p>a", "<p>changed"), "utf-8")


async def test_a_change_is_seen_at_the_next_read_only_in_dev_mode(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(DEV_VARIABLE, raising=False)
    usual, dev, never = (
        AppResource.file(page),
        AppResource.file(page, dev=True),
        AppResource.file(page, dev=False),
    )
    monkeypatch.setenv(DEV_VARIABLE, "1")
    by_environment, still_never = AppResource.file(page), AppResource.file(page, dev=False)
    rewrite(page)
    assert [
        "<p>changed" in (await each.read()).html for each in (usual, dev, never, by_environment, still_never)
    ] == [
        False,
        True,
        False,
        True,
        False,
    ]


async def test_in_dev_mode_a_folder_follows_every_file(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        "<!doctype html><title>A</title><p>a</p><script src=a.js></script>", "utf-8"
    )
    (tmp_path / "a.js").write_text("let a = 1", "utf-8")
    resource = AppResource.folder(tmp_path, dev=True)
    (tmp_path / "a.js").write_text("let b = 2", "utf-8")
    assert "let b = 2" in (await resource.read()).html


# Functions.


async def test_a_function_may_be_asynchronous_and_else_has_a_thread_of_its_own() -> None:
    threads: list[int] = []

    def render() -> str:
        threads.append(threading.get_ident())
        return HTML

    async def render_later() -> str:
        return render()

    for function in (render, render_later, lambda: render_later()):
        resource = AppResource.function(function)
        assert "<p>a</p>" in (await resource.read()).html
        assert resource.document is None, "what was rendered for one is not kept for another"
    first, *others = threads
    assert first != threading.get_ident()
    assert set(others) == {threading.get_ident()}


async def test_what_a_function_gives_is_checked_when_it_is_read() -> None:
    def broken() -> str:
        return "<!doctype html><title>A</title><script>let a"

    def wrong() -> str:
        return None  # type: ignore[return-value]

    with pytest.raises(ConfigError, match=r"broken\(\):1:\d+: "):
        await AppResource.function(broken).read()
    with pytest.raises(ConfigError, match=r"wrong\(\) returned a NoneType: return the HTML as a string"):
        await AppResource.function(wrong).read()


def test_a_function_that_needs_something_is_refused_with_the_remedy() -> None:
    def page(city: str, *, unit: str, days: int = 1, **more: str) -> str:
        return HTML

    needy: Any = page
    with pytest.raises(ConfigError, match=r"page\(\), which needs 'city', 'unit', .*: give each a default"):
        AppResource.function(needy)
    AppResource.function(lambda *_words, **_more: HTML)


async def test_a_function_that_raises_is_told_with_its_line_only_in_dev_mode(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken() -> str:
        raise ValueError("s3cret")

    async def broken_later() -> str:
        return broken()

    class Page:
        def __call__(self) -> str:
            return broken()

    for render in (broken, broken_later, functools.partial(broken), Page()):
        with pytest.raises(ConfigError, match=r"failed: ValueError; the server's log says more$") as told:
            await AppResource.function(render, dev=False).read()
        assert isinstance(told.value.__cause__, ValueError)
        assert "s3cret" in caplog.text
        place = r"ValueError: s3cret \(.*test_resource\.py:\d+\)$"
        with pytest.raises(ConfigError, match=rf"failed: {place}"):
            await AppResource.function(render, dev=True).read()


async def test_what_is_told_of_a_function_that_raises_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> str:
        raise OSError("cannot read \udcff.txt")

    # Half a character in a captured log would end the test run itself.
    monkeypatch.setattr(rendering.logger, "disabled", True)
    with pytest.raises(ConfigError, match=r"OSError: cannot read \\udcff\.txt") as told:
        await AppResource.function(broken, dev=True).read()
    assert str(told.value).encode(), "it goes to the host"


async def test_what_cannot_be_sent_is_told_for_every_read() -> None:
    texts = [HTML, HTML.replace("<p>a", "\n<p>\udcff.txt")]
    resource = AppResource.function(lambda: texts.pop(0), dev=False, check=False)
    await resource.read()
    with pytest.raises(ConfigError, match=r"line 2 has '\\udcff', half of a character.*os\.fsencode"):
        await resource.read()


async def test_what_people_wrote_ends_no_read_after_the_first() -> None:
    said = ["a", "ui/initialize"]

    def render() -> str:
        return HTML.replace("<p>a</p>", f"<script>let said = '{said.pop(0)}'</script>")

    resource = AppResource.function(render, dev=False)
    await resource.read()
    assert "let said = 'ui/initialize'" in (await resource.read()).html


def test_a_function_is_given_uncalled() -> None:
    with pytest.raises(ConfigError, match="give the function, uncalled"):
        AppResource.function(HTML)  # type: ignore[arg-type]

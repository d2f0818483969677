"""`view.d.ts` as its users meet it: what is right passes their compiler, what is wrong does not."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

TYPES = str(files("fanlight.runtime").joinpath("view.d.ts"))
RIGHT = """
fanlight.setup({ modes: ["inline", "pip"], stateKey: "board" });
const end = fanlight.on("result", (result) => result.structuredContent.degrees);
fanlight.on("cancelled", ({ reason }) => reason?.length);
fanlight.on("notifications/tools/list_changed", () => {});
end();
const handle = fanlight.tool("zoom", { title: "Zoom" }, ({ level }, { signal }) => signal.aborted || level);
handle.disable();
const columns: string[] = fanlight.state.get("columns", ["To do"]);
fanlight.state.set("columns", columns);
async function all() {
  const { host, context, capabilities } = await fanlight.ready;
  const names: string | undefined = host?.name ?? context.locale;
  if (capabilities.serverTools) fanlight.log(names, "warning");
  const result = await fanlight.callTool("get", { a: 1 }, { onProgress: ({ total }) => total, timeout: 5 });
  fanlight.text(result).length;
  await fanlight.download("a.bin", new Uint8Array([1]));
  const mode: "inline" | "fullscreen" | "pip" = await fanlight.requestMode("fullscreen");
  fanlight.handlers["x/y"] = (params) => ({ mode, params });
}
all();
"""


def compiled(peers: Path, folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    file = folder / "view.ts"
    file.write_text(f'/// <reference path="{TYPES}" />\n{code}', "utf-8")
    options = ["--noEmit", "--strict", "--target", "ES2022", "--lib", "ES2022,DOM", "--types", ""]
    return subprocess.run(
        [str(peers / ".bin" / "tsc"), *options, str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=folder,
    )


def test_a_view_in_typescript_is_understood(peers: Path, tmp_path: Path) -> None:
    ran = compiled(peers, tmp_path, RIGHT)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize(
    "wrong",
    [
        'fanlight.requestMode("huge");',
        'fanlight.on("cancelled", (reason: string) => reason);',
        "fanlight.callTool({ name: 'get' });",
        'fanlight.log("x", "loud");',
        "fanlight.host.name;",
        "fanlight.setup({ autoresize: false });",
    ],
)
def test_a_mistake_is_found(wrong: str, peers: Path, tmp_path: Path) -> None:
    ran = compiled(peers, tmp_path, wrong)
    assert "view.ts(2," in ran.stdout, ran.stdout

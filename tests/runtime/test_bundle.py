"""Our scripts with all that they import, as one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import fanlight.runtime
from fanlight.runtime import read_asset
from fanlight.runtime.bundle import bundle, modules

RUNTIME = Path(fanlight.runtime.__file__).parent


@pytest.mark.parametrize("name", ["page.js", "host.js", "early.js"])
def test_every_module_runs_once_and_after_those_that_it_imports(name: str) -> None:
    order = modules(name)
    assert order[-1] == name
    assert len(order) == len(set(order))
    for place, module in enumerate(order):
        for line in read_asset(module).decode().splitlines():
            if line.startswith("import "):
                assert line.rpartition('"./')[2].rstrip('";') in order[:place], (module, line)


@pytest.mark.parametrize("name", ["page.js", "host.js", "early.js"])
def test_a_bundle_imports_nothing_and_cannot_end_the_tag_it_is_in(name: str) -> None:
    text = bundle(name).decode()
    assert [line for line in text.splitlines() if line.startswith("import ")] == []
    assert "</" not in text


@pytest.mark.interop  # needs Node
@pytest.mark.parametrize("name", ["carried.js", "sizing.js", "left.js", "opening.js"])
def test_a_bundle_exports_and_does_what_the_module_does(node: str, tmp_path: Path, name: str) -> None:
    made = tmp_path / "bundle.mjs"
    made.write_bytes(bundle(name))
    code = """
        const [, original, bundled] = process.argv;
        const seen = async (address) => Object.entries(await import(address)).map(([n, v]) => [n, String(v)]);
        console.log(JSON.stringify([await seen(original), await seen(bundled)]));
    """
    ran = subprocess.run(
        [node, "--input-type=module", "--eval", code, (RUNTIME / name).as_uri(), made.as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    original, bundled = json.loads(ran.stdout)
    assert original
    assert bundled == original


def test_a_form_of_import_that_is_not_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(name: str) -> bytes:
        return b'import * as link from "./link.js";\n'

    monkeypatch.setattr("fanlight.runtime.bundle.read_asset", odd)
    with pytest.raises(ValueError, match="not a form of import"):
        bundle("odd_import.js")


def test_a_circle_of_imports_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def circle(name: str) -> bytes:
        return b'import { a } from "./one_circle.js";\nexport const a = 1;\n'

    monkeypatch.setattr("fanlight.runtime.bundle.read_asset", circle)
    with pytest.raises(ValueError, match="circle cannot be put in order"):
        bundle("one_circle.js")

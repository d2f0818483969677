"""Module graphs of a folder: which modules are written, how often, and which mistakes are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from view_folders import inlined, raw_texts

from fanlight.errors import ConfigError

ENTRY = '<script type="module" src="app.js"></script>'


def module(root: Path, **modules: str) -> str:
    """The document whose entry is `app.js`."""
    files: dict[str, str | bytes] = {f"{name}.js": text for name, text in modules.items()}
    return inlined(root, {"index.html": ENTRY, **files})


def defined(html: str) -> list[str]:
    return re.findall(r"\.define\(\"([^\"]+)\"", html)


def test_a_module_that_imports_no_file_stays_a_module(tmp_path: Path) -> None:
    text = 'import a from "https://example.com/a.js"; export const b = import.meta.env ?? a'
    html = module(tmp_path, app=text)
    (script,) = raw_texts(html, "script")
    assert script == text.replace("import.meta", "Object()") + "\n//# sourceURL=app.js\n"
    assert html == f'<script type="module">{script}</script>'


def test_each_module_of_a_graph_is_one_named_script_and_the_entry_runs_last(tmp_path: Path) -> None:
    html = module(tmp_path, app="import './a.js'; import './b.js'", a="import './b.js'", b="0")
    scripts = raw_texts(html, "script")
    assert defined(html) == ["app.js", "a.js", "b.js"]
    assert [script.splitlines()[-1] for script in scripts[1:-1]] == [
        "//# sourceURL=app.js", "//# sourceURL=a.js", "//# sourceURL=b.js",
    ]  # fmt: skip
    assert scripts[-1] == 'await globalThis[Symbol.for("fanlight.modules")].load("app.js");'
    assert not re.search(r"\bdata:|blob:", html)


def test_every_line_stays_where_it_was(tmp_path: Path) -> None:
    text = "import {\n  a,\n} from './a.js'\nexport default\n  a\nthrow 1"
    html = module(tmp_path, app=text, a="export const a = 1")
    script = next(script for script in raw_texts(html, "script") if "sourceURL=app.js" in script)
    assert script.splitlines()[5] == "throw 1"


def test_a_script_of_the_page_keeps_the_lines_of_the_page(tmp_path: Path) -> None:
    page = "<p>\n<script type=module>\nimport './a.js'\nthrow 1</script>"
    html = inlined(tmp_path, {"index.html": page, "a.js": ""})
    script = next(script for script in raw_texts(html, "script") if "sourceURL=index.html" in script)
    assert script.splitlines()[3] == "throw 1"


def test_only_names_that_may_change_are_looked_up_each_time(tmp_path: Path) -> None:
    html = module(
        tmp_path,
        app="import { a, b, c } from './a.js'",
        a="export let a; export const b = 1; export function c() {}",
    )
    assert html.count("with (") == 1
    assert "get a() {" in html
    assert "const b = $fanlight$namespace" in html
    assert "c = $fanlight$namespace" in html


def test_in_a_circle_every_name_is_looked_up_each_time(tmp_path: Path) -> None:
    circle = {
        "a": "import { b } from './b.js'; export const a = 1",
        "b": "import './a.js'; export const b = 2",
    }
    html = module(tmp_path, app="import { a } from './a.js'", **circle)
    assert "const a = $fanlight$namespace" in html  # the entry stands outside of the circle
    assert html.count("with (") == 1
    assert "get b() {" in html


def test_scripts_that_share_a_module_share_its_one_definition(tmp_path: Path) -> None:
    page = ENTRY + "<script>import('./app.js')</script><script type=module>import './app.js'</script>"
    html = inlined(tmp_path, {"index.html": page, "app.js": "0"})
    assert len(defined(html)) == 2
    assert defined(html).count("app.js") == 1
    assert html.count('.load("app.js")') == 2


def test_files_that_a_module_takes_as_data(tmp_path: Path) -> None:
    text = """import a from './a.json' with { type: 'json' }; import b from './b.css' with { type: 'css' }
    new URL('p.png', import.meta.url)"""
    html = inlined(
        tmp_path,
        {
            "index.html": ENTRY,
            "app.js": text,
            "a.json": '{"x": "</script>"}',
            "b.css": "b{c:url(p.png)}",
            "p.png": b"P",
        },
    )
    assert r'JSON.parse("{\"x\": \"\u003c/script\u003e\"}")' in html
    assert 'replaceSync("b{c:url(data:image/png;base64,UA==)}")' in html
    assert 'new URL("data:image/png;base64,UA==")' in html


def test_a_module_that_is_wanted_later_is_defined_and_loaded_by_its_name(tmp_path: Path) -> None:
    text = "import './a.js'; import('./b.js', {}); import('https://example.com/c.js')"
    html = module(tmp_path, app=text, a="0", b="export const b = 1")
    assert defined(html) == ["app.js", "a.js", "b.js"]
    assert "$fanlight$import(\"b.js\", {}); import('https://example.com/c.js')" in html


def test_modules_may_hand_on_each_others_names_in_a_circle(tmp_path: Path) -> None:
    html = module(
        tmp_path,
        app="import { x, y } from './a.js'",
        a="export * from './b.js'; export const x = 1",
        b="export * from './a.js'; export const y = 2; export default 3",
    )
    (definition,) = re.findall(r'define\("a\.js".*', html)
    assert re.findall(r'"(\w)": \(\)', definition) == ["x", "y"]


def test_modules_of_other_origins_are_imported_from_there(tmp_path: Path) -> None:
    html = module(
        tmp_path, app="import { a } from './a.js'", a="export { b as a } from 'https://example.com/b.js'"
    )
    assert (
        'define("https://example.com/b.js", [], undefined, () => import("https://example.com/b.js"))' in html
    )


def test_an_import_map_is_followed(tmp_path: Path) -> None:
    page = (
        '<script type="importmap">{"imports": {"lib": "./vendor/lib.js", "ui/": "/vendor/"}}</script>' + ENTRY
    )
    files: dict[str, str | bytes] = {
        "index.html": page,
        "app.js": "import 'lib'; import 'ui/button.js'",
        "vendor/lib.js": "0",
        "vendor/button.js": "0",
    }
    assert defined(inlined(tmp_path, files)) == ["app.js", "vendor/lib.js", "vendor/button.js"]


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ({"app": "\nimport { b } from './a.js'", "a": "export const a = 1"},
         r"app\.js:2:10: view/a\.js has no export 'b'; it exports a"),
        ({"app": "import b from './a.js'", "a": ""}, "no export 'default'; it exports nothing"),
        ({"app": "import {x} from './a.js'", "a": "export * from './b.js'; export * from './c.js'",
          "b": "export const x = 1", "c": "export const x = 2"}, "no export 'x'"),
        ({"app": "import {x} from './a.js'", "a": "export {x} from './app.js'"}, "no export 'x'"),
        ({"app": "import 'lodash'"}, r"app\.js:1:8: 'lodash' is the name of a package"),
        ({"app": "import './none.js'"}, r"app\.js:1:8: there is no file view/none\.js"),
        ({"app": "import '../x.js'"}, "leads out of the folder"),
        ({"app": "import './a.js'", "a": "import './a.ts'"}, "no file view/a.ts"),
        ({"app": "import './a.js'", "a": "export * from 'https://example.com/b.js'"}, r":1:15: `export \*`"),
        ({"app": "import './a.js'", "a": "let s = '"}, r"a\.js:1:9: a string is never closed"),
        ({"app": "x = import.meta.url"}, r"app\.js:1:5: an inlined script has no address"),
        ({"app": "fetch('app.js')"}, r"app\.js:1:7: fetch\('app\.js'\) finds no file in a view; import it"),
        ({"app": "new Worker('./app.js')"}, "cannot start a worker"),
        ({"app": "new Worker(new URL('./app.js', import.meta.url))"}, "cannot start a worker"),
        ({"app": "import './a.js'; String.raw`</script>`", "a": ""}, "tagged template"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(tmp_path: Path, modules: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        module(tmp_path, **modules)


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ('<script type="importmap">{</script>', "the import map is no JSON object"),
        ('<script type="importmap">[]</script>', "the import map is no JSON object"),
        ('<script type="importmap">{"scopes": {"/": {}}}</script>', "scopes in an import map"),
        ("<script>import('./none.js')</script>", r"index\.html:1:16: there is no file"),
        ("<script>fetch('index.html')</script>", r"index\.html:1:15: fetch"),
        ("<script type=module>import x from './a.json'</script>", r"view/a\.json:1:2: not JSON"),
        ("<script type=module>import { x } from './a.json'</script>", "no export 'x'; it exports default"),
        ("<script type=module>import {</script>", "is not finished|never closed"),
    ],
)
def test_mistakes_in_the_page_have_their_place_in_the_page(tmp_path: Path, page: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        inlined(tmp_path, {"index.html": page, "a.json": "{"})


def test_an_import_of_something_unknown_stays_as_it_is(tmp_path: Path) -> None:
    page = "<script>import(x); import('https://example.com/a.js'); fetch(`/${x}`)</script>"
    assert inlined(tmp_path, {"index.html": page}) == page

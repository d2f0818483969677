"""What is taken out of a script, and what must stay."""

from __future__ import annotations

import gzip
import re
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from fanlight.runtime import inline_digest, read_asset
from fanlight.runtime.shrink import shrink

BUDGET = 5000
SOURCE = files("fanlight.runtime").joinpath("view.js").read_text("utf-8")


@pytest.mark.parametrize(
    ("source", "shorter"),
    [
        ("// a line's comment\n  send(1);\n", "send(1);"),
        ("/** @type {any} */ (x).y = 1;", "(x).y=1;"),
        ("if (a) {\n  b();\n  c();\n}", "if(a){b();c()}"),
        ("f({ a: 1, b: 2, });", "f({a:1,b:2});"),
        ("f([1, 2, ], 3, );", "f([1,2],3);"),
        ("return x in y ? x : typeof y;", "return x in y?x:typeof y;"),
        ("say(\"it's // not /* a */ comment;  }\", '\"');", "say(\"it's // not /* a */ comment;  }\",'\"');"),
        ("say(`file:///${ name }  ;}`);", "say(`file:///${ name }  ;}`);"),
        ('say("a \\" b  =  c");', 'say("a \\" b  =  c");'),
        ('let tool = f(/^x\\/tool (, .+)"/i);', 'let e=f(/^x\\/tool (, .+)"/i);'),
        ("let tool = !/tool/.test(x);", "let e=!/tool/.test(x);"),
        ("half = whole / 2;", "half=whole / 2;"),
    ],
)
def test_only_what_readers_need_is_taken_out(source: str, shorter: str) -> None:
    assert shrink(source) == shorter


@pytest.mark.parametrize(
    ("source", "shorter"),
    [
        ("const total = 1;\nlet other = total + total;", "const e=1;let t=e+e;"),
        ("function twice(e) { return twice(e - 1); }", "function e(t){return e(t-1)}"),
        ("const rest = [];\nf(...rest);", "const e=[];f(...e);"),
        ('const word = "word";\nf(word, g(word));', 'const e="word";f(e,g(e));'),
        (
            "const one = (first) => first;\nconst two = ({ x }, other = x) => other;",
            "const n=e=>e;const o=({x:e},t=e)=>t;",
        ),
        (
            "function f(list) { for (const [key, value] of list) g(key, value); }",
            "function o(e){for(const[t,n]of e)g(t,n)}",
        ),
        (
            "async function go(a) { try { run(a); } catch (error) { say(error); } }",
            "async function n(e){try{run(e)}catch(t){say(t)}}",
        ),
        ("if (found) {\n  f((a) => found);\n}", "if(found){f(e=>found)}"),
        (
            "(() => {\n  const total = 1;\n  f(async (it) => it + total);\n})();",
            "(()=>{const e=1;f(async(t)=>t+e)})();",
        ),
        ("const run = () => {};\nconst list = { a() { run(); } };", "const e=()=>{};const t={a(){e()}};"),
    ],
)
def test_names_of_its_own_become_short_and_stay_apart(source: str, shorter: str) -> None:
    assert shrink(source) == shorter


@pytest.mark.parametrize(
    ("use", "shorter"),
    [
        ("x.name + name;", "x.name+e;"),
        ("x?.name;", "x?.name;"),
        ("f(...name);", "f(...e);"),
        ("f({ name: 1, a: x ? name : 2 });", "f({name:1,a:x?e:2});"),
        ("f({ name });", "f({name:e});"),
        ("f({ a, name }, name, 1);", "f({a,name:e},e,1);"),
        ("f({ name() {} });", "f({name(){}});"),
        ("f({ name({ a = 1 }, b) {} });", "f({name({a:t=1},n){}});"),
        ("f({ async name(a) {} });", "f({async name(t){}});"),
        ("f(name, ({ name = 2 }) => name);", "f(e,({name:t=2})=>t);"),
        (
            "f(name, name, ({ first: { name }, ...others }) => [name, others]);",
            "f(e,e,({first:{name:t},...n})=>[t,n]);",
        ),
        ("f(`${name} name ${x.name}`);", "f(`${e} name ${x.name}`);"),
    ],
)
def test_a_property_keeps_its_name(use: str, shorter: str) -> None:
    assert shrink(f"const name = 1;\n{use}") == f"const e=1;{shorter}"


def test_what_a_view_carries_is_within_its_budget() -> None:
    assert len(gzip.compress(read_asset("view.js"), 9)) <= BUDGET


def test_the_view_script_is_whole_and_can_be_inlined_anywhere() -> None:
    """No import, no module syntax, nothing that a strict policy forbids, nothing that ends its own tag."""
    text = read_asset("view.js").decode()
    assert text == shrink(SOURCE)
    assert not re.search(r"</|<!--|\bimport\b|\bexport\b|\beval\b|new Function|\bfetch\b|\n", text)
    assert inline_digest("view.js").startswith("sha256-")


@pytest.mark.interop
def test_the_view_script_is_the_same_program_as_its_source(peers: Path) -> None:
    """Both named anew by a real parser, which knows all scopes: then one letter stands for one letter."""
    tokens = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|`[^`]*`|(?<=[(!])/(?:[^/\\]|\\.)+/|\w+|\W""")
    ours, theirs = (tokens.findall(_parsed(peers, text)) for text in (SOURCE, read_asset("view.js").decode()))
    pairs = set(zip(ours, theirs, strict=True))
    assert len({long for long, _ in pairs}) == len({short for _, short in pairs}) == len(pairs)
    assert all(len(long) <= 2 or long[0] == "`" for long, short in pairs if long != short)


def _parsed(peers: Path, text: str) -> str:
    """The program without layout and with names of esbuild's own, as esbuild prints it."""
    ran = subprocess.run(
        [str(peers / ".bin" / "esbuild"), "--minify-whitespace", "--minify-identifiers"],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return ran.stdout

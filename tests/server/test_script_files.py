"""Which lines of a document came from which file."""

from __future__ import annotations

from pathlib import Path

from fanlight.server.embedding import embed_reporter, embed_runtime
from fanlight.server.inline import inline_folder
from fanlight.server.script_files import script_files


def test_every_line_of_a_file_is_found_in_the_document(tmp_path: Path) -> None:
    files = {
        "index.html": "<!doctype html>\n<html lang=en>\n<title>t</title>\n<script>\n0\n</script>\n"
        "<script src=old.js></script>\n<script type=module src=app.js></script>",
        "old.js": "one\ntwo // sourceURL=no\n",
        "app.js": "import './part.js'\n\nthree()",
        "part.js": "\n\n\nfour()\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    html = embed_reporter(embed_runtime(inline_folder(tmp_path).html))
    lines = html.split("\n")
    found = {file.name: file for file in script_files(html)}
    assert found.keys() == {"old.js", "app.js", "part.js"}
    for name, line, words in (("old.js", 2, "two"), ("app.js", 3, "three()"), ("part.js", 4, "four()")):
        assert words in lines[found[name].first + line - 2]
        assert found[name].last >= found[name].first + line - 1


def test_what_is_put_into_a_document_moves_no_line_of_it() -> None:
    html = "<!doctype html>\n<html lang=en>\n<body>\n  <script>\n    here()\n  </script>\n</body>"
    for put in (embed_runtime, embed_reporter):
        html = put(html)
        assert html.split("\n").index("    here()") == 4


def test_the_reporter_stands_before_every_other_script() -> None:
    html = embed_reporter(embed_runtime("<!doctype html><title>t</title><script>own()</script>"))
    places = [html.index(word) for word in ("data-fanlight-files", "data-fanlight-runtime", "own()")]
    assert places == sorted(places)

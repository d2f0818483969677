"""Jinja2 documents: always escaped, never silent about what is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fanlight.errors import ConfigError
from fanlight.server.embedding import markup
from fanlight.server.templates import jinja_document


def test_values_are_escaped_whatever_the_file_is_called(tmp_path: Path) -> None:
    for name in ("a.html", "a.jinja2", "a.txt"):
        (tmp_path / name).write_text("<p>{{ x }}</p>{% include 'part.j2' %}")
    (tmp_path / "part.j2").write_text("[{{ x }}]")
    for name in ("a.html", "a.jinja2", "a.txt"):
        assert jinja_document(tmp_path / name, x="<b>") == "<p>&lt;b&gt;</p>[&lt;b&gt;]"


def test_a_text_is_the_template_itself() -> None:
    assert jinja_document("{{ x }}{{ y }}", x="<", y=markup("<br>")) == "&lt;<br>"


def test_data_is_embedded_safely() -> None:
    page = jinja_document("{{ json_script('d', data) }}", data={"a": "</script>"})
    assert page == '<script type="application/json" id="d">{"a":"\\u003c/script\\u003e"}</script>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n{% if %}", r"^the template:2: "),
        ("{{ nothing }}", "'nothing' is undefined; pass it"),
        ("{% include 'x' %}", "no template 'x' beside"),
    ],
)
def test_faults_say_where_and_what(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        jinja_document(text)


def test_faults_in_files_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("{% include 'b.html' %}")
    with pytest.raises(ConfigError, match=r"no template 'b\.html' in"):
        jinja_document(tmp_path / "a.html")
    (tmp_path / "b.html").write_text("\n\n{% end %}")
    with pytest.raises(ConfigError, match=r"^b\.html:3: "):
        jinja_document(tmp_path / "a.html")
    with pytest.raises(ConfigError, match=r"no template 'none\.html'"):
        jinja_document(tmp_path / "none.html")


def test_without_jinja2_the_error_has_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ConfigError, match=r"pip install 'fanlight\[jinja2\]'"):
        jinja_document("x")

"""Documents from Jinja2 templates (extra `jinja2`), escaped whatever the file is called.

Jinja2 is imported when a document is rendered, so that nobody needs it who does not use it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fanlight.errors import ConfigError

from .embedding import json_script

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["jinja_document"]


def jinja_document(path_or_source: Path | str, /, **context: object) -> str:
    """Render a template: a `Path` is a file (includes are found beside it), a `str` is the source itself.

    Values are escaped, a name without a value is an error, and `{{ json_script("id", data) }}` embeds data.

    Raises:
        ConfigError: Jinja2 is not installed, or the template cannot be found, read or rendered; the message
            has the template's name and line.
    """
    try:
        import jinja2
    except ImportError:
        raise ConfigError("jinja_document needs Jinja2: pip install 'fanlight[jinja2]'") from None

    file = path_or_source if isinstance(path_or_source, Path) else None
    environment = _environment(file)
    name = "the template" if file is None else file.name
    try:
        if file is None:
            return environment.from_string(str(path_or_source)).render(**context)
        return environment.get_template(file.name).render(**context)
    except jinja2.TemplateSyntaxError as error:
        place = f"{error.name or name}:{error.lineno}"
        raise ConfigError(f"{place}: {error.message}; correct the template") from error
    except jinja2.TemplateNotFound as error:
        folder = " beside a template that is given as text" if file is None else f" in {file.parent}"
        raise ConfigError(
            f"there is no template {error.name!r}{folder}; correct the name or add the file"
        ) from error
    except jinja2.UndefinedError as error:
        raise ConfigError(f"{name}: {error.message}; pass it to jinja_document()") from error


def _environment(file: Path | None) -> Environment:
    """Escaping is on for every name: the usual choice by suffix misses `.jinja2` and `.j2`."""
    import jinja2

    loader = jinja2.DictLoader({}) if file is None else jinja2.FileSystemLoader(file.parent)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, loader=loader)
    environment.globals["json_script"] = json_script
    return environment

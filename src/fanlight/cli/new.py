"""`fanlight new`"""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command(
    name="new", help="Write a small working project: a server, its view, tests that pass and a README."
)
@click.argument("name")
@click.option(
    "--in",
    "parent",
    type=click.Path(file_okay=False, path_type=Path),
    default=".",
    help="Where the project's folder is made [default: here].",
)
def command(name: str, parent: Path) -> None:
    from fanlight.scaffold import write_project

    for path in write_project(name, parent):
        click.echo(f"  {path}")
    click.echo(f"\nNow:\n  cd {parent / name}\n  fanlight dev server.py")

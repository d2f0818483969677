"""A real nginx with the configuration of `examples/deploy`, a certificate, and a Chromium that finds it.

Only what belongs to a machine is replaced in the file: the listening port, the certificate's place, the
program's port.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import shutil
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from playwright.async_api import BrowserContext

from fanlight.testing.chromium import launch

SITE = Path(__file__).parents[2] / "examples" / "deploy" / "nginx.conf"
NAMES = ["chat.example.com", "sandbox.example.net", "*.views.example.net"]
HERE = "127.0.0.1"
WAIT = 40.0


@dataclass(frozen=True)
class Site:
    """A running nginx: where it listens, and who trusts its certificate."""

    port: int
    trust: ssl.SSLContext


def find_nginx() -> str:
    path = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/usr/local/sbin"])
    program = os.environ.get("FANLIGHT_NGINX") or shutil.which("nginx", path=path)
    if program is None:
        pytest.fail("no nginx is here: run `make setup`")
    return program


@asynccontextmanager
async def nginx_before(program_port: int, folder: Path, text: str | None = None) -> AsyncIterator[Site]:
    """nginx as a child, all it writes in `folder`; `text` instead of the example's configuration."""
    # Bound here and handed over, as an old nginx does to a new one: a port that is let go for a moment may be
    # somebody else's by then, for others of the same kind are tested at the same time.
    listener = socket.create_server((HERE, 0))
    port: int = listener.getsockname()[1]
    certificate = _make_certificate(folder)
    site = Site(port, ssl.create_default_context(cafile=str(certificate)))
    settings = SITE.read_text() if text is None else text
    settings = settings.replace("listen 443 ssl;", f"listen {HERE}:{port} ssl;")
    settings = settings.replace("/etc/nginx/tls/fanlight", str(folder / "site"))
    settings = settings.replace("server 127.0.0.1:8000;", f"server {HERE}:{program_port};")
    (folder / "site.conf").write_text(settings)
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # Workers of a root's nginx would become another user, who may not enter a test's folder.
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user}\ndaemon off;\nworker_processes 1;\npid {folder}/pid;\nerror_log stderr warn;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}\ninclude {folder}/site.conf;\n}}\n"
    )
    with listener:
        child = await asyncio.create_subprocess_exec(
            *(find_nginx(), "-p", str(folder), "-c", str(folder / "nginx.conf")),
            env={**os.environ, "NGINX": f"{listener.fileno()};"},
            pass_fds=[listener.fileno()],
            stderr=asyncio.subprocess.PIPE,
        )
    try:
        async with asyncio.timeout(WAIT):
            await _until_it_answers(child, site)
        yield site
    finally:
        if child.returncode is None:
            child.terminate()
        async with asyncio.timeout(WAIT):
            await child.communicate()


async def _until_it_answers(child: asyncio.subprocess.Process, site: Site) -> None:
    """Its port takes connections from the beginning; who shakes hands on one is nginx."""
    assert child.stderr is not None
    try:
        _, writer = await asyncio.open_connection(
            HERE, site.port, ssl=site.trust, server_hostname="chat.example.com"
        )
    except OSError:
        await child.wait()
        pytest.fail(f"nginx ended: {(await child.stderr.read()).decode()}")
    writer.close()


def flags_before(site: Site) -> tuple[str, str]:
    """For any Chromium: where the public names lead, and that the certificate will do."""
    rules = ", ".join(f"MAP {name} {HERE}:{site.port}" for name in NAMES)
    return f"--host-resolver-rules={rules}", "--ignore-certificate-errors"


@asynccontextmanager
async def browser_before(site: Site) -> AsyncIterator[BrowserContext]:
    """A Chromium for which the public names lead to this nginx."""
    names, _ = flags_before(site)
    async with launch(names) as browser:
        context = await browser.new_context(ignore_https_errors=True)
        try:
            yield context
        finally:
            await context.close()


def _make_certificate(folder: Path) -> Path:
    """One self-signed certificate for all names; returns the file that a client trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fanlight test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in NAMES]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "site.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    file = folder / "site.crt"
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return file

#!/bin/sh
# The peer that the browser benchmarks run beside, in an environment of its own: it is 600 MB, so only
# `make bench` makes it.
set -eu
cd "$(dirname "$0")/../.."
PEER="mcp-cli==0.20.1"
STAMP=.venv-mcp-cli/.fanlight-"$PEER"
if [ ! -f "$STAMP" ]; then
    echo "==> Benchmarks: installing $PEER into .venv-mcp-cli (about 600 MB)"
    .venv/bin/python -m venv .venv-mcp-cli
    .venv-mcp-cli/bin/pip install --quiet --disable-pip-version-check "$PEER" || {
        echo "==> Benchmarks: could not install $PEER; the others run with: .venv/bin/python bench/core_messages.py" >&2
        exit 1
    }
    touch "$STAMP"
fi

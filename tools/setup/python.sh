#!/bin/sh
# Makes an environment and installs Fanlight into it, editable.
#   python.sh app    .venv: what `fanlight` needs to run
#   python.sh dev    .venv: that, and the pinned tools of the dev group
#   python.sh mcp1   .venv-mcp1: the older SDK, and what its tests need
set -eu
. "$(dirname "$0")/say.sh"
kind=$1
venv=.venv
[ "$kind" != mcp1 ] || venv=.venv-mcp1
stamp=$venv/fanlight-$kind.stamp

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    fail "no Python 3.11 or newer was found (python3 is: $(python3 --version 2>&1 || true))" \
        "install one, then run this again with PYTHON=/path/to/python"
}

make_venv() {
    python=$(find_python)
    say "Python: making $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv" >/dev/null 2>&1 || make_venv_without_ensurepip "$python" ||
        fail "'$python -m venv' does not work" "install Python's venv and pip (Debian: apt-get install python3-venv)"
}

# Debian splits ensurepip off Python: there, the system's pip puts a pip into the venv.
make_venv_without_ensurepip() {
    "$1" -m venv --clear --without-pip "$venv" &&
        "$1" -m pip --python "$venv/bin/python" install -qq pip
}

pip_install() {
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input "$@" ||
        fail "pip could not install: $*" "read pip's message above; when the package index is reachable, run this again"
}

"$venv/bin/python" -m pip --version >/dev/null 2>&1 || make_venv

wanted=$("$venv/bin/python" tools/setup/fingerprint.py "$kind")
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi

if [ "$kind" = mcp1 ]; then
    say "Python: installing Fanlight and the older MCP SDK into $venv"
    pip_install "pip>=25.1" # the first that knows --group
    pip_install --editable . --group mcp1
elif [ "$kind" = dev ]; then
    say "Python: installing Fanlight and the development tools into .venv"
    pip_install "pip>=25.1" # the first that knows --group
    pip_install --editable . --group dev
    .venv/bin/python tools/setup/fingerprint.py app >.venv/fanlight-app.stamp
else
    say "Python: installing Fanlight into .venv"
    pip_install --editable .
fi
echo "$wanted" >"$stamp"

#!/bin/sh
# Makes sure that there is a Chromium for the browser tests. Needs .venv (python.sh dev).
set -eu
. "$(dirname "$0")/say.sh"
apt_log=.venv/apt.log

probe() {
    chromium=$(.venv/bin/python tools/setup/probe_chromium.py)
}

from_system() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    say "Chromium: none starts here, installing the system's package with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    # A font, or pages have no text to look at; libatomic1, or Playwright's driver does not start.
    { apt-get update && apt-get install -y --no-install-recommends chromium fonts-liberation libatomic1; } \
        >"$apt_log" 2>&1 || { tail -n 20 "$apt_log" >&2; return 1; }
    probe
}

from_playwright() {
    say "Chromium: none starts here, downloading Playwright's build"
    .venv/bin/playwright install chromium && probe
}

[ -z "${FANLIGHT_CHROMIUM:-}" ] || probe ||
    fail "FANLIGHT_CHROMIUM is $FANLIGHT_CHROMIUM, which does not start" "correct it, or unset it"
probe 2>/dev/null || from_system || from_playwright ||
    fail "no Chromium starts here, and none could be installed" \
        "install Chromium or Chrome (Debian: apt-get install chromium) or set FANLIGHT_CHROMIUM to its path, then run this again"
say "Chromium: using $chromium"

#!/bin/sh
# Makes sure that there is an nginx for the deployment tests. They start it themselves, on ports of their own.
set -eu
. "$(dirname "$0")/say.sh"
apt_log=.venv/apt-nginx.log
PATH=$PATH:/usr/sbin:/usr/local/sbin # where Debian keeps it, also for people who are not root

probe() {
    version=$("${FANLIGHT_NGINX:-nginx}" -v 2>&1)
}

from_system() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    say "nginx: none is here, installing the system's package with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    export RUNLEVEL=1 # the package starts no service of its own
    { apt-get update && apt-get install -y --no-install-recommends nginx; } \
        >"$apt_log" 2>&1 || { tail -n 20 "$apt_log" >&2; return 1; }
    probe
}

[ -z "${FANLIGHT_NGINX:-}" ] || probe ||
    fail "FANLIGHT_NGINX is $FANLIGHT_NGINX, which does not start" "correct it, or unset it"
probe || from_system ||
    fail "no nginx is here, and none could be installed" \
        "install nginx (Debian: apt-get install nginx) or set FANLIGHT_NGINX to its path, then run this again"
say "nginx: using $version"

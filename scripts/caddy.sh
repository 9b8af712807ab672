#!/bin/sh
# Print the path of a Caddy that starts; all other words go to standard error. An installed one, or Debian's package.
starts() {
    "$1" version >/dev/null 2>&1 </dev/null
}

installed() {
    path=$(command -v "${CADDY:-caddy}") && starts "$path" && echo "$path"
}

debian_package() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "No Caddy found; installing Debian's package" >&2
    export DEBIAN_FRONTEND=noninteractive
    # The package would start a server of its own on port 80.
    { apt-get -q update && RUNLEVEL=1 apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends \
        caddy; } >&2 </dev/null && installed
}

installed || debian_package && exit

echo "A class of several processes needs Caddy (on Debian: apt install caddy), or CADDY set to its path." >&2
exit 1

#!/bin/sh
# Print the path of a Chromium or Chrome that starts; all other words go to standard error.
# In this order: $CHROME, an installed one, Debian's package (as root), Playwright's download.
# usage: chromium.sh [python that has Playwright]
python=${1:-python3}

# Run it: some systems install a placeholder of that name that only says where to get the real one.
starts() {
    "$1" --version >/dev/null 2>&1 </dev/null
}

installed() {
    for name in chromium chromium-browser google-chrome google-chrome-stable \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
        path=$(command -v "$name") && starts "$path" && echo "$path" && return
    done
    return 1
}

debian_package() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "No Chromium found; installing Debian's package" >&2
    export DEBIAN_FRONTEND=noninteractive
    # The fonts are only recommended by the package, but a page without any cannot be looked at.
    { apt-get -q update && apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends \
        chromium fonts-liberation; } >&2 </dev/null && installed
}

playwright_download() {
    echo "No Chromium found; downloading Playwright's" >&2
    "$python" -m playwright install chromium >&2 </dev/null || return 1
    path=$("$python" -c 'from playwright.sync_api import sync_playwright as start
with start() as playwright:
    print(playwright.chromium.executable_path)') && starts "$path" && echo "$path"
}

if [ -n "$CHROME" ]; then
    path=$(command -v "$CHROME") && starts "$path" && echo "$path" && exit
    echo "CHROME is set to '$CHROME', which does not start; point it to a Chromium or Chrome, or unset it." >&2
    exit 1
fi
installed || debian_package || playwright_download && exit

echo "The browser tests need Chromium or Chrome, and none could be found or installed." >&2
echo "Install one (on Debian: apt install chromium), or set CHROME to its path, then run this again." >&2
exit 1

#!/bin/sh
# Print the Python to make a virtual environment with: the one given, else the first suitable one found.
# A candidate is run, not only looked up: a version manager may leave a name that starts nothing.
suitable='import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'

for candidate in ${1:-python3.13 python3.12 python3.11 python3 python}; do
    if "$candidate" -c "$suitable" >/dev/null 2>&1; then
        command -v "$candidate"
        exit 0
    fi
done

echo "Epsilon Lab needs Python 3.11, 3.12 or 3.13 with its venv module; ${1:-none on the PATH} will not do." >&2
echo "Install one (on Debian and Ubuntu: apt install python3 python3-venv), or name it: make run PYTHON=..." >&2
exit 1

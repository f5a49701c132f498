#!/bin/sh
# Builds the benchmarks for release and runs them against all peers, orjson among them.
# Arguments go to activeconfig-benchmarks: ./run.sh --check, ./run.sh --only F4,F7, ./run.sh --help
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
build=${BENCHMARKS_SCRATCH:-$here/.build}
venv=$build/python

say() { echo "run.sh: $*" >&2; }

has_orjson() { "$1" -c 'import orjson' >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo -n "$@"
    else
        return 1
    fi
}

# Installs Python with virtual environments, or says how.
install_python() {
    if [ "$(uname -s)" = Darwin ]; then
        say "Python is missing: brew install python"
        return 1
    elif command -v apt-get >/dev/null; then
        say "installing python3-venv"
        as_root apt-get update -qq >&2 && as_root apt-get install -y -qq python3-venv >&2
    else
        say "Python is missing: install python3 with its venv module"
        return 1
    fi
}

# Makes the virtual environment that has orjson.
make_environment() {
    say "installing orjson into $venv"
    python3 -m venv "$venv" >&2 || { install_python && python3 -m venv "$venv" >&2; } || return 1
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check orjson >&2
}

mkdir -p "$build"
if ! has_orjson "$venv/bin/python" && ! make_environment; then
    say "there is no orjson, so F4 cannot be compared with it"
fi
python=$venv/bin/python
[ -x "$python" ] || python=python3

swift build -c release --package-path "$here" --scratch-path "$build" \
    --product activeconfig-benchmarks >&2
bin=$(swift build -c release --package-path "$here" --scratch-path "$build" --show-bin-path)
exec "$bin/activeconfig-benchmarks" --python "$python" "$@"

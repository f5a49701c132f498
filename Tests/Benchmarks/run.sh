#!/usr/bin/env bash
# Builds the benchmarks for release and runs them against all peers, orjson among them.
# Arguments go to activeconfig-benchmarks: ./run.sh --check, ./run.sh --only F4,F7, ./run.sh --help
set -euo pipefail

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
build=${BENCHMARKS_SCRATCH:-$here/.build}
venv=$build/python
# shellcheck source=Tests/setup.sh
. "$here/../setup.sh"

say() { echo "Tests/Benchmarks/run.sh: $*" >&2; }

has_orjson() { "$1" -c 'import orjson' >/dev/null 2>&1; }

# Creates a virtual environment with orjson.
make_environment() {
    say "installing orjson into $venv"
    # In a subshell, whose failure does not end the script: the other rows do not need orjson.
    python3 -m venv "$venv" >&2 ||
        { (install_packages python python3-venv) && python3 -m venv "$venv" >&2; } || return 1
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

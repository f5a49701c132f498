#!/usr/bin/env bash
# Builds the benchmarks for release and runs them against all peers, including orjson.
set -euo pipefail

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
cd "$here/../.."
build=${BENCHMARKS_SCRATCH:-$here/.build}
venv=$build/python
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=Tests/earlier.sh
. Tests/earlier.sh

say() { echo "Tests/Benchmarks/run.sh: $*" >&2; }

usage() {
    cat <<TEXT
USAGE: ./run.sh [--against COMMIT] [--markdown] [--plot FILE] [OPTION …]

  --against COMMIT  Also measures an earlier commit, alternating with this one target by target, in 5
                    runs of 5 rounds each (--rounds), and prints the ratio of the medians. It is built in
                    the user's cache folder. Instead of a commit, a folder with an activeconfig-benchmarks.
  --markdown        Prints the table as Markdown, with the machine, the date and the command.
  --plot FILE       Plots how many times faster than its peers ActiveConfig is, as an SVG file.

Other options are passed to activeconfig-benchmarks, such as --check, --json, --only F4,F7:

TEXT
}

has_orjson() { "$1" -c 'import orjson' >/dev/null 2>&1; }

# Creates a virtual environment with orjson.
make_environment() {
    say "installing orjson into $venv"
    # In a subshell, so that a failure does not end the script: the other rows do not need orjson.
    python3 -m venv "$venv" >&2 ||
        { (install_packages python python3-venv) && python3 -m venv "$venv" >&2; } || return 1
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check orjson >&2
}

command="Tests/Benchmarks/run.sh${*:+ $*}"
against=""
report=() options=()
while [ $# -gt 0 ]; do
    case $1 in
    --against) against=${2:?--against needs a commit}; shift ;;
    --markdown) report+=(--markdown) ;;
    --plot) report+=(--plot "${2:?--plot needs a file}"); shift ;;
    -h | --help) usage; options+=(--help) ;;
    *) options+=("$1") ;;
    esac
    shift
done

mkdir -p "$build"
if ! has_orjson "$venv/bin/python" && ! make_environment; then
    say "orjson is not available, so F4 is not compared with it"
fi
python=$venv/bin/python
[ -x "$python" ] || python=python3
options=(--python "$python" ${options[@]+"${options[@]}"})

swift build -c release --package-path "$here" --scratch-path "$build" \
    --product activeconfig-benchmarks >&2
bin=$(swift build -c release --package-path "$here" --scratch-path "$build" --show-bin-path)

if [ -x "$against/activeconfig-benchmarks" ]; then
    report+=(--earlier "$against"
        "$(git -C "$against" rev-parse --short HEAD 2>/dev/null || echo "another build")")
elif [ -n "$against" ]; then
    check_out_earlier "$against"
    report+=(--earlier "$(build_earlier_benchmarks)" "$earlier_commit")
fi
[ ${#report[@]} -gt 0 ] || exec "$bin/activeconfig-benchmarks" "${options[@]}"
PYTHONDONTWRITEBYTECODE=1 python3 Tests/Benchmarks/report.py --command "$command" "${report[@]}" \
    "$bin" "${options[@]}"

#!/usr/bin/env bash
# Starts the backend and uses its console in a headless browser:
# SampleBackend/Tests/Console/run.sh [test_signing_in …]
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

setup swift sqlite chromium
setup_python_environment selenium==4.51.0 axe-core-python==0.1.0
swift build --package-path SampleBackend --product sample-backend
backend="$(swift build --package-path SampleBackend --show-bin-path)/sample-backend"

work=$(mktemp -d)
pid=""
stop() {
    if [ -n "$pid" ]; then
        kill -TERM "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

ACTIVECONFIG_ADMIN_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export ACTIVECONFIG_ADMIN_TOKEN
"$backend" serve --port 0 --store "sqlite:$work/backend.sqlite" --dev >"$work/out" 2>"$work/log" &
pid=$!
until grep -q '^listening on ' "$work/out"; do
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; fail "the backend did not start"; }
    sleep 0.1
done
ACTIVECONFIG_CONSOLE_URL=$(sed -n 's/^listening on //p' "$work/out")
export ACTIVECONFIG_CONSOLE_URL
export ACTIVECONFIG_BACKEND=$backend
export ACTIVECONFIG_CONSOLE_PICTURES=$PWD/SampleBackend/.build/console-pictures

cd SampleBackend/Tests/Console
export PYTHONDONTWRITEBYTECODE=1
if [ $# -gt 0 ]; then
    "$python_environment/bin/python" -m unittest --verbose "$@"
else
    "$python_environment/bin/python" -m unittest discover --verbose
fi

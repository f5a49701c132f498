#!/usr/bin/env bash
# Starts the backend and evaluates flags by OpenFeature's client for Python.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

setup swift sqlite
setup_python_environment openfeature-sdk==0.10.0 openfeature-provider-ofrep==0.3.0
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
unset ACTIVECONFIG_TOKEN
"$backend" serve --port 0 --store memory --client-key secret >"$work/out" 2>"$work/log" &
pid=$!
until grep -q '^listening on ' "$work/out"; do
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; fail "the backend did not start"; }
    sleep 0.1
done
url=$(sed -n 's/^listening on //p' "$work/out")
for project in default other; do
    "$backend" publish SampleBackend/Tests/OpenFeature/template.json --server "$url" \
        --project "$project" >"$work/published"
done
"$python_environment/bin/python" SampleBackend/Tests/OpenFeature/client.py "$url"

#!/usr/bin/env bash
# Starts the backend and sends it requests made from its OpenAPI description, valid ones and wrong
# ones, one by one and along the links: what one of them refuses or answers, the other has to say too.
# SampleBackend/Tests/Schema/run.sh [SEED]
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

setup swift sqlite
setup_python_environment schemathesis==4.32.5
swift build --package-path SampleBackend --product sample-backend
backend="$(swift build --package-path SampleBackend --show-bin-path)/sample-backend"
settings=$PWD/SampleBackend/Tests/Schema/schemathesis.toml
seed=${1:-$RANDOM$RANDOM}
echo "seed $seed"

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
"$backend" serve --port 0 --store "sqlite:$work/backend.sqlite" --dev --log-level error \
    >"$work/out" 2>"$work/log" &
pid=$!
until grep -q '^listening on ' "$work/out"; do
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; fail "the backend did not start"; }
    sleep 0.1
done
url=$(sed -n 's/^listening on //p' "$work/out")

# A stream does not end, so its operations are left out.
check() {
    (cd "$work" && "$python_environment/bin/schemathesis" --config-file "$1" run "$url/openapi.json" \
        --url "$url" --header "Authorization: Bearer $ACTIVECONFIG_ADMIN_TOKEN" \
        --exclude-path-regex '/events$' --checks all --seed "$seed" --max-examples 20 \
        --continue-on-failure --request-timeout 30 --warnings off --no-color "${@:2}")
}

# With any name of a project, then with one that exists, so that the answers are not all 404.
check "$settings"
{
    printf '[parameters]\n"path.project" = "default"\n\n'
    cat "$settings"
} >"$work/project.toml"
check "$work/project.toml" --phases examples,coverage,fuzzing

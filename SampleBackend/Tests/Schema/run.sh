#!/usr/bin/env bash
# Starts the backend and sends it requests made from its OpenAPI description, valid and invalid,
# individually and along the links. Backend and description must agree on refusals and responses.
# SampleBackend/Tests/Schema/run.sh [SEED]
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh

setup swift sqlite
setup_python_environment schemathesis==4.32.5
build_backend
start_backend --store "sqlite:$work/backend.sqlite" --dev --log-level error
settings=$PWD/SampleBackend/Tests/Schema/schemathesis.toml
# The same requests each time, so that unrelated changes do not fail.
seed=${1:-20261121}
echo "seed $seed"

# A stream does not end, so its operations are excluded; a long poll would take as long as it requests.
check() {
    (cd "$work" && "$python_environment/bin/schemathesis" --config-file "$1" run "$url/openapi.json" \
        --url "$url" --header "Authorization: Bearer $ACTIVECONFIG_ADMIN_TOKEN" --header "Prefer: wait=1" \
        --exclude-path-regex '/events$' --checks all --seed "$seed" --max-examples 10 \
        --continue-on-failure --request-timeout 30 --warnings off --no-color "${@:2}")
}

# First with any project name, then with an existing one, so that not all responses are 404.
check "$settings"
{
    printf '[parameters]\n"path.project" = "default"\n\n'
    cat "$settings"
} >"$work/project.toml"
check "$work/project.toml" --phases examples,coverage,fuzzing

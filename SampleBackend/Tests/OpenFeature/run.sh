#!/usr/bin/env bash
# Starts the backend and evaluates flags with OpenFeature's client for Python.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh

setup swift sqlite
setup_python_environment openfeature-sdk==0.10.0 openfeature-provider-ofrep==0.3.0
build_backend
start_backend --store memory --client-key secret
for project in default other; do
    "$backend" publish SampleBackend/Tests/OpenFeature/template.json --server "$url" \
        --project "$project" --create-project >"$work/published"
done
"$python_environment/bin/python" SampleBackend/Tests/OpenFeature/client.py "$url"

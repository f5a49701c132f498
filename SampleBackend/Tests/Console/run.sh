#!/usr/bin/env bash
# Starts the backend and uses its console in headless browsers: run.sh [test_signing_in …]
# Runs as many test classes at a time as there are processors and one more, since tests wait; or
# CONSOLE_TEST_PROCESSES.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh

setup swift sqlite chromium
setup_python_environment selenium==4.51.0 axe-core-python==0.1.0 jsonpatch==1.33
build_backend
start_backend --store "sqlite:$work/backend.sqlite" --dev
export ACTIVECONFIG_CONSOLE_URL=$url
export ACTIVECONFIG_BACKEND=$backend
export ACTIVECONFIG_CONSOLE_PICTURES=$PWD/SampleBackend/.build/console-pictures

cd SampleBackend/Tests/Console
export PYTHONDONTWRITEBYTECODE=1
"$python_environment/bin/python" run_classes.py \
    "${CONSOLE_TEST_PROCESSES:-$(($(getconf _NPROCESSORS_ONLN) + 1))}" "$@"

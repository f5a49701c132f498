#!/usr/bin/env bash
# Starts the backend and evaluates its templates with Firebase's server library for Python.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh

setup swift sqlite
setup_python_environment firebase-admin==7.7.0
build_backend
start_backend --store memory
"$python_environment/bin/python" SampleBackend/Tests/FirebaseAdmin/client.py "$url" \
    Sources/ActiveConfig/ActiveConfig.docc/Moving-from-Firebase-Remote-Config.md

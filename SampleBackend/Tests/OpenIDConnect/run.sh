#!/usr/bin/env bash
# Starts the backend, and signs in to it at an OpenID provider of Authlib.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh

setup swift sqlite openssl
setup_python_environment Authlib==1.9.10 Flask==3.1.3
build_backend
export ACTIVECONFIG_BACKEND=$backend
export PYTHONDONTWRITEBYTECODE=1
cd SampleBackend/Tests/OpenIDConnect
"$python_environment/bin/python" -m unittest -v

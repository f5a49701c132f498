#!/usr/bin/env bash
# Starts the backend and reads its event streams with the usual clients for Python, with curl, and with both
# through nginx with the configuration of Operations.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh
# shellcheck source=SampleBackend/Tests/nginx.sh
. SampleBackend/Tests/nginx.sh

setup swift sqlite curl nginx
setup_python_environment requests==2.34.2 sseclient-py==1.9.0 httpx==0.28.1 httpx-sse==0.4.3 \
    launchdarkly-eventsource==1.7.4
build_backend
start_backend --store memory
"$python_environment/bin/python" SampleBackend/Tests/EventStreams/client.py "$url"
start_nginx
"$python_environment/bin/python" SampleBackend/Tests/EventStreams/client.py "$url"

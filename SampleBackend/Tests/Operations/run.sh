#!/usr/bin/env bash
# Checks the files of SampleBackend/Operations: the alert rules and the dashboard with promtool and a
# Prometheus that scrapes a backend and a member of etcd; nginx.conf with nginx and failing replicas; and the
# pages against the options and commands of the program. cluster.py checks cluster.sh.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh

setup swift sqlite curl etcd nginx openssl prometheus python
SampleBackend/Tests/Operations/rules.py
SampleBackend/Tests/Operations/proxy.py

build_backend
SAMPLE_BACKEND=$backend SampleBackend/Tests/Operations/pages.py
etcd_pid=""
stop() {
    [ -z "$etcd_pid" ] || kill "$etcd_pid" 2>/dev/null || true
    wait "$etcd_pid" 2>/dev/null || true
    stop_backend
}
trap stop EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
    -keyout "$work/key.pem" -out "$work/certificate.pem" 2>"$work/openssl" ||
    { cat "$work/openssl" >&2; exit 1; }
start_backend --store "sqlite:$work/backend.sqlite" --dev --acknowledgements --allow-private-webhooks \
    --tls-certificate "$work/certificate.pem" --tls-key "$work/key.pem" --log-level error
read -r client peer <<<"$(python3 -c 'import socket
print(*(s.getsockname()[1] for s in [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]))')"
etcd --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$client" \
    --advertise-client-urls "http://127.0.0.1:$client" --listen-peer-urls "http://127.0.0.1:$peer" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "default=http://127.0.0.1:$peer" \
    --quota-backend-bytes 1073741824 --logger zap --log-level error 2>"$work/etcd.log" &
etcd_pid=$!
until curl -s "http://127.0.0.1:$client/health" | grep -q true; do
    kill -0 "$etcd_pid" 2>/dev/null || { cat "$work/etcd.log" >&2; fail "etcd did not start"; }
    sleep 0.1
done
SampleBackend/Tests/Operations/scraped.py "$url" "http://127.0.0.1:$client" "$work"

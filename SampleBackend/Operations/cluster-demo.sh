#!/usr/bin/env bash
# Shows a cluster: a publish through one replica reaches the clients of all, also while a member is down.
#
# USAGE: cluster-demo.sh KEEP PORT, from demo.sh --cluster
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

# Already validated by demo.sh.
keep=$1
port=$2

setup swift sqlite curl
say() { if [ -t 1 ]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }

say "Building the backend (the first time takes a few minutes) …"
swift build --package-path SampleBackend --product sample-backend
SAMPLE_BACKEND="$(swift build --package-path SampleBackend --show-bin-path)/sample-backend"
export SAMPLE_BACKEND

work=$(mktemp -d)
cluster=""
watches=""
stop() {
    # shellcheck disable=SC2086
    [ -z "$watches" ] || kill $watches 2>/dev/null || true
    if [ -n "$cluster" ]; then
        kill -TERM "$cluster" 2>/dev/null || true
        wait "$cluster" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

ACTIVECONFIG_ADMIN_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export ACTIVECONFIG_ADMIN_TOKEN
unset ACTIVECONFIG_TOKEN

say "Start three members of etcd, three replicas, and nginx:"
SampleBackend/Operations/cluster.sh --port "$port" >"$work/out" 2>"$work/log" &
cluster=$!
until grep -q '^the cluster is ready' "$work/out"; do
    kill -0 "$cluster" 2>/dev/null || { cat "$work/log" >&2; fail "the cluster did not start"; }
    sleep 0.1
done
grep -E '^(member|replica|nginx|store)' "$work/out"

# The URL of "member 1", "replica 2" or "nginx".
url() { sed -n "s/^$1: \([^ ]*\).*/\1/p" "$work/out"; }

say "Publish the sample template through the first replica:"
"$SAMPLE_BACKEND" publish SampleBackend/Sources/SampleBackend/Resources/SampleTemplate.json \
    --server "$(url "replica 1")" --description "The sample template"

say "A client of each replica listens:"
for replica in 1 2 3; do
    "$SAMPLE_BACKEND" watch --user 2 --server "$(url "replica $replica")" \
        >"$work/watch$replica" 2>"$work/watch$replica.log" &
    watches="$watches $!"
done
for replica in 1 2 3; do
    until grep -qs 'is current' "$work/watch$replica.log"; do
        # shellcheck disable=SC2086
        kill -0 $watches 2>/dev/null || { cat "$work"/watch*.log >&2; fail "the clients did not connect"; }
        sleep 0.05
    done
    sed 's/^/  /' "$work/watch$replica.log"
done

# Publishes another label for user 2 through a replica, and shows that all clients receive it.
publish_label() {
    "$SAMPLE_BACKEND" get --server "$(url "replica $1")" |
        awk -v label="$2" '/"LabelText"/ { inLabel = 1 }
            inLabel && /"User 2"/ { found = 1 }
            found && /"value"/ { sub(/"value": ".*"/, "\"value\": \"" label "\""); found = inLabel = 0 }
            { print }' >"$work/changed.json"
    "$SAMPLE_BACKEND" publish "$work/changed.json" --server "$(url "replica $1")" --yes
    for replica in 1 2 3; do
        for _ in $(seq 600); do
            ! grep -q "$2" "$work/watch$replica" || break
            sleep 0.1
        done
        grep -q "$2" "$work/watch$replica" || fail "the client of replica $replica did not receive \"$2\""
        echo "  replica $replica: $(grep "$2" "$work/watch$replica" | tail -n 1)"
    done
}

say "Publish a change through the second replica; the clients of all three receive it:"
publish_label 2 "From all replicas"

leader=""
for member in 1 2 3; do
    status=$(curl -s -d '{}' "$(url "member $member")/v3/maintenance/status")
    own=$(sed -n 's/.*"member_id":"\([0-9]*\)".*/\1/p' <<<"$status")
    [ "$(sed -n 's/.*"leader":"\([0-9]*\)".*/\1/p' <<<"$status")" != "$own" ] || leader=$member
done
[ -n "$leader" ] || fail "etcd has no leader"
say "Kill the leader of etcd, member $leader (kill -9), and publish through the third replica:"
kill -9 "$(sed -n "s/^member $leader: .*(process \([0-9]*\))/\1/p" "$work/out")"
publish_label 3 "Without a member"

say "The diagnosis of the cluster by doctor:"
"$SAMPLE_BACKEND" doctor --store "$(sed -n 's/^store: //p' "$work/out")" || true

if $keep; then
    say "The cluster keeps running; open the console:"
    sed -n 's/^console: //p' "$work/out"
    echo "Ctrl-C stops it."
    wait "$cluster"
fi

#!/usr/bin/env bash
# Breaks members, connections and replicas of a store in etcd, and checks what clients observed: see usage.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh

case "${1:-}" in
-h | --help)
    cat <<TEXT
USAGE: SampleBackend/Tests/Scale/run.sh [OPTION OF faults.py …]
       SampleBackend/Tests/Scale/run.sh --long [MINUTES]

Builds the backend and runs each fault once, in two and a half minutes. --long also tests the checker with
more histories, checks the effect of the faults on etcd and that planted faults are found, then runs faults
in random order for MINUTES (default 30). See faults.py --help.

Exit codes: as those of faults.py.
TEXT
    exit 0
    ;;
esac

setup swift sqlite python etcd
export PYTHONDONTWRITEBYTECODE=1
build_backend
scale=SampleBackend/Tests/Scale
if [ "${1:-}" != --long ]; then
    "$scale/faults.py" --binary "$backend" "$@"
    exit
fi

"$scale/linearizability.py" --self-test --histories 40000
"$scale/members.py" --self-test
# finds NAME OPTION …: checks that faults.py finds that planted fault.
finds() {
    local status=0
    "$scale/faults.py" --planted "$@" --publishes 50 >"$work/planted" || status=$?
    [ "$status" -eq 1 ] || { cat "$work/planted"; fail "the planted fault $1 was not found"; }
    echo "planted $1: found, $(tail -n 1 "$work/planted")"
}
for planted in retry acknowledge stale; do
    finds "$planted" --store register --faults cut-off-leader,answers-lost,cut,kill-leader
done
finds deaf --binary "$backend" --faults kill-replica
"$scale/faults.py" --binary "$backend" --minutes "${2:-30}"

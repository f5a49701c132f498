#!/usr/bin/env bash
# Starts a cluster of etcd members, replicas of the backend and nginx on this machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/nginx.sh
. SampleBackend/Tests/nginx.sh

members=3
replicas=3
port=0
usage() {
    cat <<TEXT
USAGE: SampleBackend/Operations/cluster.sh [--members N] [--replicas N] [--port PORT] [-- OPTION …]

Starts members of etcd, replicas of the backend that store their templates there, and nginx with nginx.conf
(without TLS) in front of the replicas, all on loopback and in a temporary folder. Prints their addresses,
and finally "the cluster is ready". Installs etcd-server and nginx if they are missing, and builds the
backend unless SAMPLE_BACKEND is the absolute path of the program.

  --members N   Members of etcd, 1 to 7 (default: 3); more than half of them must run.
  --replicas N  Replicas of the backend, 1 to 9 (default: 3).
  --port PORT   Port of nginx (default: a free one).
  OPTION …      Options of "sample-backend serve" for each replica.

Ctrl-C, SIGTERM and SIGHUP stop the cluster and remove the folder. SIGUSR1 restarts the replicas one after
the other, each once the previous one is ready, and finally prints "all replicas are restarted". If one
is not ready within a minute, its log is printed, and the remaining replicas keep running as they are.
ACTIVECONFIG_ADMIN_TOKEN is the administrators' token; without it, a new one is generated and printed.

Exit codes: 0 stopped by a signal, 1 a process did not start, 64 wrong usage, 69 a required program is not
available.
TEXT
}

wrong() {
    echo "cluster.sh: $*" >&2
    exit 64
}

# number OPTION VALUE LEAST MOST: prints the value.
number() {
    if ! [[ $2 =~ ^[0-9]{1,5}$ ]] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
        wrong "$1 needs a number from $3 to $4"
    fi
    echo "$2"
}

while [ $# -gt 0 ]; do
    case $1 in
    --members)
        members=$(number "$1" "${2:-}" 1 7)
        shift
        ;;
    --replicas)
        replicas=$(number "$1" "${2:-}" 1 9)
        shift
        ;;
    --port)
        port=$(number "$1" "${2:-}" 0 65535)
        shift
        ;;
    --)
        shift
        break
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *) wrong "unknown option \"$1\"; see --help" ;;
    esac
    shift
done
options=("$@")

setup curl etcd nginx python
backend=${SAMPLE_BACKEND:-$PWD/SampleBackend/.build/debug/sample-backend}
if [ -z "${SAMPLE_BACKEND:-}" ]; then
    setup swift sqlite
    swift build --package-path SampleBackend --product sample-backend >&2
elif [ ! -x "$backend" ]; then
    fail "SAMPLE_BACKEND names no program: $backend"
fi

folder=$(mktemp -d)
# Process IDs by name, such as "member 1".
declare -A processes=()

start() {
    local name=$1
    shift
    "$@" >"$folder/$name.log" 2>&1 &
    processes[$name]=$!
}

runs() { kill -0 "${processes[$1]}" 2>/dev/null; }

# signal PREFIX SIGNAL…: sends signals to the processes whose names have the prefix, and waits for their exit.
signal() {
    local prefix=$1 name number
    shift
    for name in "${!processes[@]}"; do
        [[ $name == "$prefix"* ]] || continue
        for number in "$@"; do kill -s "$number" "${processes[$name]}" 2>/dev/null || true; done
    done
    for name in "${!processes[@]}"; do
        [[ $name != "$prefix"* ]] || wait "${processes[$name]}" 2>/dev/null || true
    done
}

# await NAME URL TEXT: waits until the response contains a text; fails if the process exits, or after a minute.
await() {
    local end=$((SECONDS + 60))
    until curl -s --max-time 2 "$2" 2>/dev/null | grep -qF "$3"; do
        if ! runs "$1" || [ $SECONDS -ge $end ]; then
            echo "cluster.sh: $1 did not start:" >&2
            tail -n 20 "$folder/$1.log" >&2
            return 1
        fi
        sleep 0.1
    done
}

end() {
    trap '' INT TERM HUP USR1
    # Dependents stop before what they depend on. A suspended process handles TERM only after CONT.
    signal nginx TERM CONT
    signal replica TERM CONT
    # Their data is removed, so an orderly handover of leadership is unnecessary.
    signal member KILL
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 0' INT TERM HUP
restarts=false
trap 'restarts=true' USR1

# Prints distinct free ports.
free_ports() {
    python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in sockets))
PYTHON
}

start_replica() {
    start "replica $1" "$backend" serve --port "${replica_ports[$1]}" --store "$store" \
        --log-level notice "${options[@]}"
}
await_replica() { await "replica $1" "http://127.0.0.1:${replica_ports[$1]}/health/ready" '"ok"'; }

read -r -a ports <<<"$(free_ports $((2 * members + replicas + 1)))"
client_ports=() peers="" endpoints=""
for ((i = 1; i <= members; i++)); do
    client_ports[i]=${ports[2 * i - 2]}
    peers+="${peers:+,}member$i=http://127.0.0.1:${ports[2 * i - 1]}"
    endpoints+="${endpoints:+,}http://127.0.0.1:${client_ports[i]}"
done
replica_ports=()
for ((i = 1; i <= replicas; i++)); do replica_ports[i]=${ports[2 * members + i - 1]}; done
[ "$port" -ne 0 ] || port=${ports[2 * members + replicas]}
store=etcd:$endpoints

# The option's name since etcd 3.6.
progress=--watch-progress-notify-interval
etcd --help 2>&1 | grep -qe " $progress" || progress=--experimental-watch-progress-notify-interval
for ((i = 1; i <= members; i++)); do
    client=http://127.0.0.1:${client_ports[i]}
    peer=http://127.0.0.1:${ports[2 * i - 1]}
    # Quota: 8 GiB.
    start "member $i" etcd --name "member$i" --data-dir "$folder/member$i" \
        --listen-client-urls "$client" --advertise-client-urls "$client" \
        --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
        --initial-cluster "$peers" --initial-cluster-token "$(basename "$folder")" \
        --pre-vote=true --quota-backend-bytes 8589934592 --max-request-bytes 8388608 \
        --auto-compaction-mode periodic --auto-compaction-retention 1h "$progress=5s" \
        --logger zap --log-level error
done
for ((i = 1; i <= members; i++)); do
    await "member $i" "http://127.0.0.1:${client_ports[i]}/health" '"true"'
    echo "member $i: http://127.0.0.1:${client_ports[i]} (process ${processes["member $i"]})"
done

token=""
if [ -z "${ACTIVECONFIG_ADMIN_TOKEN:-}" ]; then
    token=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
    export ACTIVECONFIG_ADMIN_TOKEN=$token
fi
urls=()
for ((i = 1; i <= replicas; i++)); do
    start_replica "$i"
    urls+=("http://127.0.0.1:${replica_ports[i]}")
done
for ((i = 1; i <= replicas; i++)); do
    await_replica "$i"
    echo "replica $i: ${urls[i - 1]} (process ${processes["replica $i"]})"
done

write_nginx_configuration "$folder/nginx" "$port" "${urls[@]}"
start nginx env PATH="$PATH:/usr/sbin" nginx -e "$folder/nginx/log" -c "$folder/nginx/nginx.conf"
await nginx "http://127.0.0.1:$port/health/live" '"ok"'
echo "nginx: http://127.0.0.1:$port (process ${processes[nginx]})"
echo "store: $store"
[ -z "$token" ] || echo "administrator token: $token"
echo "console: http://127.0.0.1:$port/console/${token:+#token=$token}"
echo "logs: $folder"
echo "Ctrl-C stops the cluster; kill -USR1 $$ restarts the replicas one after the other."
echo "the cluster is ready"

# Restarts the replicas one after the other.
restart_replicas() {
    local i
    for ((i = 1; i <= replicas; i++)); do
        signal "replica $i" TERM CONT
        start_replica "$i"
        if ! await_replica "$i"; then
            echo "replica $i is not back: the restart ends here, and the other replicas go on"
            return
        fi
        echo "replica $i is restarted (process ${processes["replica $i"]})"
        # nginx uses it again after the fail_timeout of nginx.conf; until then the others must keep running.
        sleep 4
    done
    echo "all replicas are restarted"
}

while true; do
    if $restarts; then
        restarts=false
        restart_replicas
    fi
    for name in "${!processes[@]}"; do
        runs "$name" && continue
        unset "processes[$name]"
        echo "$name has ended"
    done
    # A signal interrupts `wait`, but not a foreground `sleep`.
    sleep 1 &
    wait $! || true
done

#!/usr/bin/env bash
# Measures the backend against nginx that serves the same bytes, in the same run.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/Allocations/library.sh
. SampleBackend/Tests/Allocations/library.sh

usage() {
    cat <<TEXT
USAGE: SampleBackend/load.sh [--check] [--json] [--only NAMES] [--rounds N] [--seconds N]
                             [--connections N]
       SampleBackend/load.sh --updater [--json] [--only NAMES] [--seconds N] [--rounds N]
                             [--minutes N]
       SampleBackend/load.sh --console [--check] [--json] [--rounds N]

Builds the backend for release and measures, on loopback:

  B1  the time to evaluate 100 conditions for one user              at most 4 µs
  B2  requests a second, a document of 2 kB, 100,000 users          at least 90 % of nginx
      the 99th percentile of the time of a request                  at most twice nginx's
  B3  requests a second, a document of 100 kB                       at least 85 % of nginx
  B4  requests a second that are answered with 304                  at least 1.3 times B2's
  B5  the memory that an idle stream costs, of 19,000               at most 5 KiB
  B6  the time from a publish until every client has its update     at most twice that of a bare
                                                     loop that writes the same bytes to as many
  B7  the time until all clients of a backend that was stopped,
      or killed, listen again, with nothing missed                  at most 15 s
  B8  a publish of a template of 3,000 parameters                   at most 100 ms
  B10 the heaviest conditions that a template may have, for one
      user with the longest signals                                 at most 50 ms
  B11 the memory that a long poll costs, of 10,000                  at most 12 KiB
      the time from a publish until every one is answered           median at most 0.3 s,
                                                     99th percentile 0.7 s, the last 1 s
      and, without a target, until a service has the updates of 1,000 users on one connection
  B14 the longest health check while 30 differences, 12 drafts,
      8 previews or 200 clients' flags are asked for all the time  at most 20 ms
      the 99th percentile of the time of a document meanwhile      at most 100 ms
  B16 allocations, and bytes allocated, of a request of B2          at most 50 and 12 kB
      and, without a target, of one whose document is rendered, of one of B4, and of what a publish
      sends to a stream (with glibc only; the gate has a bound for a debug build)

With --updater it measures the client's updater against the backend instead, for 1 and 200 users:

  F11 the time from sending a publish until a listener has the value    median at most 10 and 60 ms,
                                                     99th percentile 50 and 200 ms
  F12 processor time of the idle process                        at most 0.5 and 5 % of a core
      and what a thousand connections leave behind
      both also, without a target, for a service with 1,000 users on few streams
  R4  what is in force, what states say, how long clients wait and what memory they take, while a
      server is gone, slow, hostile or asks for patience                  the value stays
  R5  reads and events of another user, while the user changes all the time, the backend
      publishes and its answers are late                                              none

and, only when it is named, for 50 users:

  soak  what listeners are told while the backend publishes five times a second and is killed,
        restarted and paused at random: in order, complete at the end, nobody else's

With --console it measures the console in a headless browser, with 3,000 settings and 500 conditions:

  B12 the time until the settings are shown                         at most 0.7 s
      a key in search, and a letter of a new key, until shown       at most 50 ms
      the longest task of the page while somebody types             at most 50 ms
      what a check during typing sends                              at most 4 KiB
      steps that take the last condition to the top                 1

  --check          Exit with 1 when one of them is missed.
  --json           The figures as JSON; with --updater those of F11 and F12.
  --only NAMES     Only these, such as B5,B6,B7, or with --updater F11,soak.
  --rounds N       How often each side is measured, alternating, and how often B6 publishes
                   (default 5).
  --seconds N      How long each measurement of requests takes (default 3).
  --minutes N      How long the soak takes (default 10), and R5 (default 1).
  --connections N  How many streams are held open (default 19000). Each is an open file of the
                   backend, and one of the client.
TEXT
}
check=""
json=""
rounds=5
seconds=""
connections=""
all=B1,B2,B3,B4,B5,B6,B7,B8,B10,B11,B14,B16
only=""
minutes=""
updater=""
console=""
refuse() {
    echo "load.sh: $1; see --help" >&2
    exit 64
}
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=--check ;;
    --json) json=--json ;;
    --updater) updater=yes ;;
    --console) console=yes ;;
    --only) only=${2:?--only needs names, such as B5,B6}; shift ;;
    --connections) connections=${2:?--connections needs a number}; shift ;;
    --minutes) minutes=${2:?--minutes needs a number}; shift ;;
    --rounds) rounds=${2:?--rounds needs a number}; shift ;;
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) refuse "\"$1\" is no option" ;;
    esac
    shift
done

# An option that would have no effect is an error.
[ -z "$updater" ] || [ -z "$console" ] || refuse "--updater and --console exclude each other"
[ -z "$updater" ] || [ -z "$check" ] || refuse "--check does not go with --updater"
[ -z "$console" ] || [ -z "$only" ] || refuse "--only does not go with --console"
[ -z "$console" ] || [ -z "$seconds" ] || refuse "--seconds does not go with --console"
[ -n "$updater" ] || [ -z "$minutes" ] || refuse "--minutes goes with --updater"
[ -z "$updater$console" ] || [ -z "$connections" ] ||
    refuse "--connections goes with neither --updater nor --console"
seconds=${seconds:-3}
connections=${connections:-19000}
if [ -n "$updater" ]; then
    all=F11,F12,R4,R5,soak
    [ -n "$only" ] || only=F11,F12,R4,R5
fi
[ -n "$only" ] || only=$all

# wants NAME …: whether one of them is to be measured.
wants() {
    local name
    for name in "$@"; do case ,$only, in *",$name,"*) return 0 ;; esac; done
    return 1
}
for name in ${only//,/ }; do
    case ,$all, in
    *",$name,"*) ;;
    *) refuse "\"$name\" is none of $all" ;;
    esac
done

if [ -n "$updater" ]; then
    setup swift sqlite
    echo "Building for release (the first time takes some minutes) …" >&2
    for product in sample-backend UpdaterLoad; do
        swift build -c release --package-path SampleBackend --product "$product" >&2
    done
    bin=$(swift build -c release --package-path SampleBackend --show-bin-path)
    ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
    for users in 1 200; do
        # shellcheck disable=SC2086
        ! wants F11 || "$bin/UpdaterLoad" delivery --backend "$bin/sample-backend" \
            --users "$users" --rounds "$((rounds * 20))" $json
        # shellcheck disable=SC2086
        ! wants F12 || "$bin/UpdaterLoad" idle --backend "$bin/sample-backend" \
            --users "$users" --seconds "$((seconds * 20))" $json
    done
    # shellcheck disable=SC2086
    ! wants F11 F12 || "$bin/UpdaterLoad" service --backend "$bin/sample-backend" --users 1000 \
        --rounds "$(wants F11 && echo "$((rounds * 10))" || echo 1)" \
        --seconds "$(wants F12 && echo "$((seconds * 20))" || echo 0)" $json
    ! wants F12 || "$bin/UpdaterLoad" connects --backend "$bin/sample-backend"
    ! wants R4 || "$bin/UpdaterLoad" faults --backend "$bin/sample-backend" --users 4
    ! wants R5 || "$bin/UpdaterLoad" users --backend "$bin/sample-backend" --users 4 \
        --minutes "${minutes:-1}"
    ! wants soak || "$bin/UpdaterLoad" soak --backend "$bin/sample-backend" --users 50 \
        --minutes "${minutes:-10}"
    exit
fi

if [ -n "$console" ]; then
    # shellcheck source=SampleBackend/Tests/backend.sh
    . SampleBackend/Tests/backend.sh
    setup swift sqlite chromium
    setup_python_environment selenium==4.51.0
    # The pages are measured, not the backend: a debug build does.
    build_backend >&2
    start_backend --dev --store "sqlite:$work/load.sqlite"
    PYTHONDONTWRITEBYTECODE=1 ACTIVECONFIG_CONSOLE_URL=$url \
        "$python_environment/bin/python" SampleBackend/Tests/Load/console.py "$rounds" $check $json
    exit
fi

setup swift sqlite python
! wants B2 B3 B4 B8 || setup wrk nginx curl
echo "Building for release (the first time takes some minutes) …" >&2
swift build -c release --package-path SampleBackend --product sample-backend >&2
! wants B1 B10 || swift build -c release --package-path SampleBackend --product TargetingBenchmark >&2
! wants B5 B6 B7 || swift build -c release --package-path SampleBackend --product StreamLoad >&2
bin=$(swift build -c release --package-path SampleBackend --show-bin-path)
work=$(mktemp -d)
backend=""
nginx=""
stop_servers() {
    [ -z "$backend" ] || kill "$backend" 2>/dev/null || true
    [ -z "$nginx" ] || kill "$nginx" 2>/dev/null || true
    wait 2>/dev/null || true
    backend=""
    nginx=""
}
trap 'stop_servers; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

export ACTIVECONFIG_ADMIN_TOKEN="load-$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')"
# start: starts the backend, and nginx, which serves a file: the very bytes that the backend sent to
# one user.
start() {
    "$bin/sample-backend" serve --port 0 --store "sqlite:$work/load.sqlite" --log-level warning \
        >"$work/out" &
    backend=$!
    until grep -q '^listening on ' "$work/out"; do
        kill -0 "$backend" 2>/dev/null || fail "the backend did not start"
        sleep 0.1
    done
    url=$(sed -n 's/^listening on //p' "$work/out")

    mkdir -p "$work/www"
    chmod 755 "$work" "$work/www"
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    cat >"$work/nginx.conf" <<TEXT
worker_processes auto;
daemon off;
pid $work/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    keepalive_requests 1000000000;
    types { application/json json; }
    server { listen 127.0.0.1:$port; root $work/www; }
}
TEXT
    "$(PATH=$PATH:/usr/sbin command -v nginx)" -c "$work/nginx.conf" -p "$work" &
    nginx=$!
    sleep 0.5
}
# publish FILE: publishes a template and prints the seconds it took.
publish() {
    curl -sS -f -o /dev/null -w '%{time_total}\n' -X PUT --data-binary "@$1" \
        -H "Authorization: Bearer $ACTIVECONFIG_ADMIN_TOKEN" -H 'If-Match: *' \
        "$url/v1/projects/default/remoteConfig"
}
# measure NAME URL: a line with requests a second, the 99th percentile in µs, and errors.
measure() {
    local name=$1 base=$2
    shift 2
    echo "$name $(env "$@" wrk -t1 -c32 -d"${seconds}s" -s SampleBackend/Tests/Load/users.lua "$base" |
        sed -n 's/^RESULT //p')" >>"$work/results"
    [ ! -t 2 ] || printf '\r\033[K%s' "$(tail -n 1 "$work/results")" >&2
}
query="?app.version=2.3.1&device.os=ios&device.country=JP&device.language=ja&signal.plan=gold&signal.level=42&signal.city=Tokyo"
# compare NAME BYTES KIND: the backend and nginx in turn, with a template of that size.
compare() {
    local name=$1
    python3 SampleBackend/Tests/Load/template.py "$2" "$3" >"$work/template.json"
    publish "$work/template.json" >/dev/null
    local tag round
    tag=$(curl -sS -D - -o "$work/www/document.json" "$url/activeconfig/user/user-1$query" |
        tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
    chmod 644 "$work/www/document.json"
    echo "bytes $name $(wc -c <"$work/www/document.json") 0 0" >>"$work/results"
    for round in $(seq "$rounds"); do
        measure "$name-nginx" "http://127.0.0.1:$port" REQUEST_PATH=/document.json
        measure "$name-backend" "$url" NO=1
        [ "$name" != B2 ] ||
            measure B4-backend "$url" "IF_NONE_MATCH=$tag" "REQUEST_PATH=/activeconfig/user/user-1$query"
    done
}

touch "$work/results"
if wants B2 B3 B4 B8; then start; fi
if wants B2 B4; then compare B2 2000 same; fi
if wants B3; then compare B3 100000 same; fi
if wants B2; then compare B2-all-different 2000 different; fi
if wants B8; then
    python3 SampleBackend/Tests/Load/large.py >"$work/large.json"
    for _ in $(seq $((rounds + 4))); do
        echo "B8 $(publish "$work/large.json") 0 0" >>"$work/results"
    done
fi
[ ! -t 2 ] || printf '\r\033[K' >&2
if wants B1 B10; then "$bin/TargetingBenchmark" --json >"$work/targeting.json"; fi
if wants B5 B6 B7; then
    # The streams have the machine to themselves.
    stop_servers
    ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
    python3 SampleBackend/Tests/Load/streams.py "$bin" "$work" "$connections" "$rounds" "$only" \
        >"$work/streams.json"
fi
if wants B11; then
    stop_servers
    ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
    python3 SampleBackend/Tests/Load/polls.py "$bin" "$work" \
        "$((connections < 10000 ? connections : 10000))" "$rounds" >"$work/polls.json"
fi
if wants B14; then
    stop_servers
    python3 SampleBackend/Tests/Load/heavy.py "$bin" "$work" "$((seconds * 5))" >"$work/heavy.json"
fi
if wants B16 && counts_allocations; then
    ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
    build_allocation_count "$work/AllocationCount.so"
    python3 SampleBackend/Tests/Allocations/allocations.py "$bin/sample-backend" \
        "$work/AllocationCount.so" --json >"$work/allocations.json"
fi
python3 SampleBackend/Tests/Load/report.py "$work" "$only" $check $json

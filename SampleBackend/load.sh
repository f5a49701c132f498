#!/usr/bin/env bash
# Measures the backend against a bare handler of SwiftNIO and nginx, which serve the same bytes in the same run.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/Allocations/library.sh
. SampleBackend/Tests/Allocations/library.sh
# shellcheck source=Tests/earlier.sh
. Tests/earlier.sh
# shellcheck source=SampleBackend/Tests/Load/servers.sh
. SampleBackend/Tests/Load/servers.sh
# shellcheck source=SampleBackend/Tests/Load/requests.sh
. SampleBackend/Tests/Load/requests.sh
# shellcheck source=SampleBackend/Tests/Load/programs.sh
. SampleBackend/Tests/Load/programs.sh

usage() {
    cat <<TEXT
USAGE: SampleBackend/load.sh [--check] [--json | --markdown] [--plot FILE] [--against COMMIT]
                             [--peers] [--only NAMES] [--rounds N] [--seconds N] [--connections N]
       SampleBackend/load.sh --updater [--json] [--only NAMES] [--seconds N] [--rounds N]
                             [--minutes N]
       SampleBackend/load.sh --console [--check] [--json] [--rounds N]
       SampleBackend/load.sh --scale [--check] [--json | --markdown] [--only NAMES] [--rounds N]
                             [--seconds N] [--connections N]

Builds the backend for release, and measures on loopback:

  B1  the time to evaluate 100 conditions for one user              at most 4 µs
  B2  requests a second, a document of 2 kB, 100,000 users          at least 85 % of a bare handler
                                                     of SwiftNIO, which sends the same bytes
      the 99th percentile of the time of a request                  at most 1.5 times the handler's
      requests a second, when hardly two documents are alike        at least 60 % of the handler
  B3  requests a second, a document of 100 kB                       at least 85 % of the handler
  B4  requests a second with a 304 response                         at least the handler's of B2
      and, without a target, B2 and B3 beside nginx
  B5  the memory per idle stream, of 19,000                         at most 5 KiB
  B6  the time from a publish until all clients have the update     at most twice that of a bare
                                                     loop that writes the same bytes to as many
  B7  the time until all clients of a stopped, or killed,
      backend have reconnected, with no change missed               at most 15 s
  B8  a publish of a template of 3,000 parameters                   at most 100 ms
  B9  the time from a publish until all clients have the update,
      which differs for almost every client                         the last at most 0.8 s
  B10 the heaviest conditions that a template may have, for one
      user with the longest signals                                 at most 50 ms
  B11 the memory per long poll, of 10,000                           at most 12 KiB
      the time from a publish until the response to each            median at most 0.3 s,
                                                     99th percentile 0.7 s, the last 1 s
      and, without a target, until a service has the updates of 1,000 users on one connection
  B14 the longest health check under a continuous load of 30
      differences, 12 drafts, 8 previews or 200 clients' flags     at most 20 ms
      the 99th percentile of a document's time under that load     at most 100 ms
  B15 the bytes that 10,000 polling clients download after a publish that changes 1 % of their
      documents, relative to all documents                          at most 2 %
  B16 allocations, and bytes allocated, of a request of B2          at most 50 and 12 kB
      and, without a target, of one whose document is rendered, of one of B4, and of an event of a
      stream (with glibc only; the gate has a bound for a debug build)

With --updater it measures the client's updater with the backend instead, for 1 and 200 users:

  F11 the time from a publish until a listener has the value            median at most 10 and 60 ms,
                                                     99th percentile 50 and 200 ms
  F12 processor time of the idle process                        at most 0.5 and 5 % of a core
      and the resources that a thousand connections leave behind
      both also, without a target, for a service with 1,000 users on few streams
  F15 the time in which that service ends during a publish, measured with both       at most 2 s
  R4  the active value, the reported states, the delays and the memory of clients while a server
      is unavailable, slow or hostile, or requests a delay                the value stays
  R5  reads and events of another user, while the user changes continuously, the backend
      publishes and its responses are late                                            none

and, only if named by --only, for 50 users:

  soak  the changes that listeners receive while the backend publishes five times a second and is
        killed, restarted and paused at random: in order, complete at the end, only their own

With --console it measures the console in a headless browser, with 3,000 settings and 500 conditions:

  B12 the time until the settings are shown                         at most 0.5 s
      a key in search, and a letter of a new key, until shown       at most 50 ms
      the longest task of the page during typing                    at most 50 ms
      the bytes that a check during typing sends                    at most 4 KiB
  B13 the first page on a phone's network (150 ms, 1.6 Mbit/s):
      the time with an empty cache, and with a full one             at most 2.5 and 1.0 s
      its requests and bytes with an empty cache                    at most 15 and 250 kB
      steps to move the last condition to the top                   1

With --scale it measures replicas on three members of etcd, in ten minutes:

  S1  the memory per idle stream, of 19,000 of one process                at most 5 KiB
  S2  the time from a publish until 12,000 streams of one, two and three replicas have it,
      next to that of the simulation (Tests/Simulation)
  S3  requests per second of processor time
  S4  the time until all streams of a stopped, or killed, replica have reconnected through nginx,
      with three replicas                                                 at most 15 s
      clients that missed a version, and reads without a response         none
  S5  memory by the number of parameters, conditions, users with pinned values, versions and users
  R8  the longest gap between publishes while the leader is killed, suspended and cut off, and the
      time until replicas agree, without a gap of reads or lost or
      doubled publishes                                                   at most 5 s
  B9, B15  as above

  --check          Exits with 1 if a target is missed.
  --json           Prints the figures as JSON; with --updater those of F11 and F12.
  --markdown       Prints the figures as Markdown tables, with the machine, the date and the command.
  --plot FILE      Writes the rates of B2 to B4 to an SVG file.
  --against COMMIT Also measures the backend of an earlier commit, alternating with this one, and prints
                   the ratio of each figure. It is built in the user's cache folder. Instead of a
                   commit, COMMIT may be a folder with sample-backend, and TargetingBenchmark for B1
                   and B10.
  --peers          Also measures B2 and B3 with a route of Hummingbird, which sends the same bytes from
                   memory (Tests/Peers).
  --only NAMES     Measures only these, such as B5,B6,B7, or with --updater F11,soak.
  --rounds N       Number of measurements of each side, alternating, and of publishes in B6
                   (default 5).
  --seconds N      Duration of each measurement of requests (default 3).
  --minutes N      Duration of the soak (default 10), and of R5 (default 1).
  --connections N  Number of open streams (default 19000). Each takes an open file of the backend, and
                   one of the client.
TEXT
}
command="SampleBackend/load.sh${*:+ $*}"
check=""
json=""
markdown=""
plot=""
against=""
peers=""
rounds=5
seconds=""
connections=""
all=B1,B2,B3,B4,B5,B6,B7,B8,B9,B10,B11,B14,B15,B16
only=""
minutes=""
updater=""
console=""
scale=""
refuse() {
    echo "load.sh: $1; see --help" >&2
    exit 64
}
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=--check ;;
    --json) json=--json ;;
    --markdown) markdown=--markdown ;;
    --plot) plot=${2:?--plot needs a file}; shift ;;
    --against) against=${2:?--against needs a commit}; shift ;;
    --updater) updater=yes ;;
    --console) console=yes ;;
    --scale) scale=yes ;;
    --only) only=${2:?--only needs names, such as B5,B6}; shift ;;
    --peers) peers="hummingbird" ;;
    --connections) connections=${2:?--connections needs a number}; shift ;;
    --minutes) minutes=${2:?--minutes needs a number}; shift ;;
    --rounds) rounds=${2:?--rounds needs a number}; shift ;;
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) refuse "unknown option \"$1\"" ;;
    esac
    shift
done

# An option without an effect is an error.
case $updater$console$scale in
yesyes*) refuse "--updater, --console and --scale exclude each other" ;;
esac
[ -z "$updater" ] || [ -z "$check" ] || refuse "--check does not go with --updater"
[ -z "$console" ] || [ -z "$only" ] || refuse "--only does not go with --console"
[ -z "$console" ] || [ -z "$seconds" ] || refuse "--seconds does not go with --console"
[ -n "$updater" ] || [ -z "$minutes" ] || refuse "--minutes goes with --updater"
[ -z "$updater$console" ] || [ -z "$connections" ] ||
    refuse "--connections goes with neither --updater nor --console"
[ -z "$updater$console" ] || [ -z "$markdown" ] ||
    refuse "--markdown goes with neither --updater nor --console"
[ -z "$updater$console$scale" ] || [ -z "$against$plot$peers" ] ||
    refuse "--against, --peers and --plot do not go with --updater, --console or --scale"
[ -z "$json" ] || [ -z "$markdown" ] || refuse "--json and --markdown exclude each other"
seconds=${seconds:-3}
connections=${connections:-19000}
if [ -n "$updater" ]; then
    all=F11,F12,R4,R5,soak
    [ -n "$only" ] || only=F11,F12,R4,R5
fi
[ -z "$scale" ] || all=S1,S2,S3,S4,S5,R8,B9,B15
[ -n "$only" ] || only=$all

# wants NAME …: whether one of them is selected.
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
    bin=$(SampleBackend/build-release.sh sample-backend UpdaterLoad)
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
    # The pages are measured, not the backend, so a debug build suffices.
    build_backend >&2
    start_backend --dev --store "sqlite:$work/load.sqlite"
    PYTHONDONTWRITEBYTECODE=1 ACTIVECONFIG_CONSOLE_URL=$url \
        "$python_environment/bin/python" SampleBackend/Tests/Load/console.py "$rounds" $check $json
    exit
fi

setup swift sqlite python
! wants B2 B3 B4 B8 || setup wrk nginx curl
! wants S1 S2 S3 S4 S5 R8 || setup etcd
! wants S3 || setup wrk
! wants S4 || setup nginx
# Counts of connections and of streams are counts of open files.
ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
echo "Building for release (the first time takes some minutes) …" >&2
products="sample-backend$(! wants B1 B10 || echo " TargetingBenchmark")"
# shellcheck disable=SC2086,SC2046
bin=$(SampleBackend/build-release.sh $products $(! wants B2 B3 B4 || echo RequestStages) \
    $(! wants B5 B6 B7 B9 S1 S2 S4 || echo StreamLoad))
earlier_bin=""
if [ -x "$against/sample-backend" ]; then
    earlier_bin=$(cd "$against" && pwd)
    against=$(git -C "$earlier_bin" rev-parse --short HEAD 2>/dev/null || echo "another build")
elif [ -n "$against" ]; then
    check_out_earlier "$against"
    against=$earlier_commit
    # shellcheck disable=SC2086
    earlier_bin=$(build_earlier_backend $products)
fi
if [ -n "$peers" ]; then
    # shellcheck disable=SC2034
    peers_bin=$(SampleBackend/build-release.sh --package SampleBackend/Tests/Peers Peers)
fi

work=$(mktemp -d)
trap 'stop_servers; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
ACTIVECONFIG_ADMIN_TOKEN="load-$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')"
export ACTIVECONFIG_ADMIN_TOKEN PYTHONDONTWRITEBYTECODE=1
touch "$work/results"
sides="this${against:+ earlier}"
link_programs this "$bin"
[ -z "$against" ] || link_programs earlier "$earlier_bin"

if wants B2 B3 B4 B8; then
    start_nginx
    start_backends
fi
if wants B2 B4; then compare B2 2000 same; fi
if wants B3; then compare B3 100000 same; fi
if wants B2; then compare B2-all-different 2000 different; fi
if wants B8; then measure_publishes; fi
# The others have the machine to themselves.
stop_servers
if wants B1 B10; then measure_conditions; fi
if wants B5 B6 B7 B9; then measure_by streams "$connections" "$rounds" "$only"; fi
if wants B11; then measure_by polls "$((connections < 10000 ? connections : 10000))" "$rounds"; fi
if wants B14; then measure_by heavy "$((seconds * 5))"; fi
if wants S1 S2; then measure_by crowds "$connections" "$rounds" "$only"; fi
if wants S3; then measure_by per_core "$seconds" "$rounds"; fi
if wants S4; then measure_by restart "$((connections < 6000 ? connections : 6000))"; fi
if wants S5; then measure_by footprint; fi
if wants R8; then measure_by failover "$rounds"; fi
if wants B15; then measure_by unchanged 10000; fi
if wants B16; then measure_allocations; fi
if [ -n "$scale" ] && [ -n "$markdown" ] && [ "$only" = "$all" ]; then
    SampleBackend/Tests/Simulation/simulate.py --markdown
    printf '\n### Measured\n\n'
fi
# shellcheck disable=SC2086
python3 SampleBackend/Tests/Load/report.py "$work" "$only" $check $json $markdown \
    ${against:+--against "$against"} ${plot:+--plot "$plot"} --command "$command"

#!/usr/bin/env bash
# Runs the checks of the project: see usage.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=Tests/builds.sh
. Tests/builds.sh
# shellcheck source=Tests/parts.sh
. Tests/parts.sh

gate_parts="format framework backend console docs"
nightly_parts="checks release generation apple openapi console-all benchmarks faults faults-backend"
nightly_parts+=" address address-backend thread thread-backend fuzz"
# Parts of the nightly run that passed, in a folder for each state of the files; see state_of_files.
passed_parts=.build/nightly
other_parts="scale changed"

usage() {
    cat <<TEXT
USAGE: Tests/run.sh [PART …]
       Tests/run.sh nightly [--continue]
       Tests/run.sh scale
       Tests/run.sh changed
       Tests/run.sh docs --open

Without a part it runs the gate, the checks that a change is most likely to break:

  format      the formatter's rules; no circle of folders or modules; no function of more than 60 lines; no
              dependency in the root package; its top-level folders; no test that waits for a clock; the
              checker of histories for "scale"
  framework   strict build and tests of the root package; its arithmetic where Int has 32 bits; the folders that
              a fuzzer compiles alone; its code
              for iOS and macOS, typechecked against stubs (for all of Apple's platforms, and with planted
              misuses, when a condition of compilation or Tests/AppleStubs has changed)
  backend     strict build and tests of SampleBackend, also by README's program, and by clients of
              OpenFeature, of Firebase's templates and of event streams for Python; what it allocates for a request and an event; its alerts, dashboard and nginx.conf
  console     the logic of the console without a browser, its types; its pages and dialogs in a browser
  docs        the documentation of the libraries, warnings as errors; its examples compile; the
              public API, and what has changed in it; links between pages; with --open, then also
              shows the documentation in a browser, until Ctrl-C

nightly runs all parts that are not in the gate, each within a bounded time. With --continue, it skips
those that passed in an earlier nightly run on the same files, committed or not:

  checks      tests of these scripts: failures in logs, tests of a change, builds kept between clones
  release     the framework's downloads from broken servers, in a release build
  generation  the plug-in: the root package built and tested with it, and a package that uses it, with both
              build systems
  apple       the code for all of Apple's platforms, typechecked against stubs; planted misuses
  openapi     requests generated from the backend's OpenAPI description, with a fixed seed and the date's
  console-all all browser tests of the console; those of the gate also behind nginx
  benchmarks  strict build and tests of Tests/Benchmarks (no timing; that is Tests/Benchmarks/run.sh) and
              of Tests/SwiftConfiguration; build of the servers with which the backend is compared
  faults, faults-backend    all tests of the root package, and of SampleBackend, with more rounds of kills,
              races and random input, a minute for each test; a cluster on one machine; updaters with a
              backend that is broken, killed and paused; faults planted in a copy of the framework, which
              the random models find, for ten minutes
  address, address-backend  the tests of targets with unsafe code under the address sanitizer
  thread, thread-backend    the tests of targets with concurrency under the thread sanitizer
  fuzz        each fuzzer (documents, event streams, conditions, patterns, requests) for three minutes, or
              for FUZZ_SECONDS

scale publishes for three minutes through three replicas on three etcd members, while the members, their
connections and the replicas fail; SampleBackend/Tests/Scale/run.sh --long does so for half an hour. Then people
review and publish change requests, schedule publishes, roll out, and promote and undo, for two minutes each on
SQLite and on etcd, while servers are killed; SampleBackend/Tests/Scale/changerequests.py, scheduledpublishes.py,
rollouts.py and promotions.py --minutes N do so for longer.

changed runs the tests for the differences from the branch main, including uncommitted ones, and prints them.

A failed part does not stop the run. The summary has the time of each part, the failures, and "N passed, N
failed". With CI set, packages are built with the fastest options for clean builds, and their dependencies
are kept between clones in ACTIVECONFIG_BUILD_CACHE (default: activeconfig in the user's cache folder; empty:
disabled).

Exit codes: 0 success, 1 a check failed, 64 unknown part, 69 a tool cannot be set up.
TEXT
}

# A crash in a test must not wait for the backtracer.
export SWIFT_BACKTRACE=enable=no
# Without this limit, hundreds of server tests starve each other until they time out.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6

title() { if [ -t 1 ]; then printf '\033[1m== %s\033[0m\n' "$*"; else echo "== $*"; fi; }

# Ends the part with the reason.
refuse() {
    echo "Tests/run.sh: $*" >&2
    exit 1
}

# step NAME COMMAND…: runs the command as a step of a part, and records its time.
step() {
    local name=$1 began=$SECONDS
    shift
    echo ", $name" >"$run_folder/step"
    "$@"
    echo "-- $name: $((SECONDS - began)) s"
    printf '  %-32s %6d s\n' "$name" "$((SECONDS - began))" >>"$run_folder/steps"
}

# The commit of main from which this branch started.
branch_commit() {
    local main
    main=$(git rev-parse --verify -q origin/main || git rev-parse --verify -q main) || return 1
    git merge-base HEAD "$main"
}
# branch_commit, or if it is HEAD, the last commit that is older than a day.
recent_commit() {
    local base
    base=$(branch_commit) || return 1
    [ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-list -1 --before='24 hours ago' HEAD)
    [ -n "$base" ] && echo "$base"
}

# A name for the content of all files of the checkout that git does not ignore.
state_of_files() {
    {
        git rev-parse HEAD
        git diff --no-ext-diff --no-color --binary HEAD
        git ls-files -z -o --exclude-standard | xargs -0 -r git hash-object
        git ls-files -o --exclude-standard
    } | git hash-object --stdin
}

# Runs a part of the nightly run, and records that it passed. What passed before the files changed, also
# during the part, does not count.
run_nightly_part() {
    local part=$1 state failed_before=$failed
    state=$(state_of_files)
    if $continues && [ -e "$passed_parts/$state/$part" ]; then
        printf '%-34s %8s  passed before\n' "$part" "" >>"$run_folder/table"
        return
    fi
    run_part "$part"
    if [ "$failed" -eq "$failed_before" ] && [ "$(state_of_files)" = "$state" ]; then
        mkdir -p "$passed_parts/$state"
        touch "$passed_parts/$state/$part"
    fi
}

# Runs a part and counts the result. Never call it in a condition: the part would continue after an error.
run_part() {
    local part=$1 began=$SECONDS result=ok status
    title "$part"
    : >"$run_folder/steps"
    : >"$run_folder/step"
    { set +e; (set -e; "run_$part"); echo $? >"$run_folder/code"; } 2>&1 | tee "$run_folder/log"
    status=$(cat "$run_folder/code")
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1)) result="failed$(cat "$run_folder/step")"
        # A failed check takes precedence over a missing tool.
        [ "$code" -eq 1 ] || { [ "$status" -eq 69 ] && code=69 || code=1; }
        { echo "$part$(cat "$run_folder/step"):" && Tests/failures.py "$run_folder/log" | sed 's/^/  /'; } >>"$run_folder/failed"
    fi
    printf '%-34s %6d s  %s\n' "$part" "$((SECONDS - began))" "$result" >>"$run_folder/table"
    cat "$run_folder/steps" >>"$run_folder/table"
}

# Seconds that this machine needs for a loop that takes 1.3 s on the reference machine.
machine_speed() {
    python3 - <<'PYTHON'
import time
start, total = time.process_time(), 0
for number in range(20_000_000):
    total += number
print(f"{time.process_time() - start:.1f}")
PYTHON
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
opens_documentation=false
[ "$*" != "docs --open" ] || { opens_documentation=true && set -- docs; }
runs_nightly=false continues=false
[ "$*" != "nightly --continue" ] || { continues=true && set -- nightly; }
[ "$*" != nightly ] || { runs_nightly=true && set -- $nightly_parts; }
[ $# -gt 0 ] || set -- $gate_parts
for part in "$@"; do
    case " $gate_parts $nightly_parts $other_parts " in
    *" $part "*) ;;
    *)
        echo "Tests/run.sh: unknown part \"$part\"; see --help" >&2
        exit 64
        ;;
    esac
done

setup git swift python
run_folder=$(mktemp -d)
trap 'rm -rf "$run_folder"' EXIT
touch "$run_folder/table" "$run_folder/failed"
[ -z "${CI:-}" ] || keep_builds
# Builds that scripts reuse instead of building themselves.
export ACTIVECONFIG_BUILD=$PWD/.build/debug
SAMPLE_BACKEND=$(build_folder SampleBackend)/debug/sample-backend
export SAMPLE_BACKEND

passed=0 failed=0 code=0
if $runs_nightly; then
    $continues || rm -rf "$passed_parts"
    for part in "$@"; do run_nightly_part "$part"; done
else
    for part in "$@"; do run_part "$part"; done
fi

title "$* ($(git rev-parse --short HEAD))"
cat "$run_folder/table"
printf '%-34s %6d s\n' all "$SECONDS"
echo "$(getconf _NPROCESSORS_ONLN) processors; Python adds 20 million numbers in $(machine_speed) s"
if [ -s "$run_folder/failed" ]; then
    title "failed"
    cat "$run_folder/failed"
fi
echo "$passed passed, $failed failed"
if $opens_documentation && [ -d .build/docs/All.doccarchive ]; then
    Tests/open-documentation.py .build/docs/All.doccarchive
fi
exit "$code"

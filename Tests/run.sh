#!/usr/bin/env bash
# Runs all checks, or the parts that are named: Tests/run.sh format framework
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

all_parts="format framework backend benchmarks docs sanitizers"

usage() {
    cat <<TEXT
USAGE: Tests/run.sh [PART …]

Without a part it runs all, in this order:

  format      the formatter's rules; no circle of folders or modules; no dependency in the root
              package; its top-level folders
  framework   strict build and tests of the root package; its arithmetic where Int has 32 bits;
              its downloads in a release build; a package that uses its plug-in; its code for
              Apple's platforms, typechecked against stubs
  backend     strict build and tests of SampleBackend, also by OpenFeature's client for Python,
              by requests made from its OpenAPI description, and of its console in a browser
  benchmarks  strict build and tests of Tests/Benchmarks (no timing; that is Tests/Benchmarks/run.sh)
  docs        the documentation of the libraries, warnings as errors; its examples compile
  sanitizers  what has threads in the framework under the thread sanitizer; what has pointers, under the
              address sanitizer

and on request:

  address     all tests under the address sanitizer, the server's included
  thread      all tests under the thread sanitizer, the server's included
  fuzz        each fuzzer (documents, event streams, conditions, patterns, requests) for a minute, or for
              FUZZ_SECONDS

Exit codes: 0 all is well, 1 a check failed, 64 no such part, 69 something cannot be set up.
TEXT
}

# A crash in a test must not wait for the backtracer.
export SWIFT_BACKTRACE=enable=no
# Without this limit, hundreds of tests of servers starve each other until they time out.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6
# For all builds of a package: another set of flags would build it again.
export STRICT=1
strict="--explicit-target-dependency-import-check error"

title() { if [ -t 1 ]; then printf '\033[1m== %s\033[0m\n' "$*"; else echo "== $*"; fi; }

# Says which check failed.
refuse() {
    echo "run.sh: $*" >&2
    exit 1
}

run_format() {
    setup python
    Tests/Structure/check.py --self-test >/dev/null ||
        refuse "Tests/Structure/check.py does not find planted circles any more"
    Tests/Structure/check.py Sources SampleBackend/Sources
    git ls-files -z -co --exclude-standard '*.swift' |
        xargs -0 swift format lint --strict --parallel || exit 1
    swift package show-dependencies | grep -q "No external dependencies found" ||
        refuse "the root package has a dependency; it must have none"
    local folders
    folders=$(git ls-files -co --exclude-standard | grep / | cut -d/ -f1 | sort -u |
        grep -vxE 'Sources|Tests|SampleBackend|Bootstrap|\.ci' || true)
    [ -z "$folders" ] || refuse "these top-level folders do not belong here: $folders"
}

# step NAME COMMAND…: runs the command and prints how long it took.
step() {
    local name=$1 began=$SECONDS
    shift
    "$@"
    echo "-- $name: $((SECONDS - began)) s"
}

# beside NAME COMMAND… -- NAME COMMAND…: two steps at once, of which the second, whose output follows that
# of the first, must not measure time.
beside() {
    local steps=("$@") at=0 code=0 log
    while [ "${steps[at]}" != -- ]; do at=$((at + 1)); done
    log=$(mktemp)
    # Job control gives it a process group, which can be ended as a whole.
    set -m
    (step "${steps[@]:at+1}") >"$log" 2>&1 </dev/null &
    second=$!
    set +m
    step "${steps[@]:0:at}"
    wait "$second" || code=$?
    second=""
    cat "$log"
    rm "$log"
    return "$code"
}
second=""
trap '[ -z "$second" ] || kill -- "-$second"' EXIT

# run_tests COMMAND…: runs tests; what failed is said again at the end, where a log is looked at first.
run_tests() {
    local log
    log=$(mktemp)
    if ! "$@" 2>&1 | tee "$log"; then
        echo "-- failed:"
        grep -aE -A 3 '✘|error: |^==[0-9]+==ERROR|^WARNING: ThreadSanitizer|^SUMMARY:' "$log" |
            grep -avE '^(◇|✔|➜) .*(started|passed|skipped)' || tail -n 20 "$log"
        rm "$log"
        return 1
    fi
    rm "$log"
}

# Strict build of the package in a folder.
build_package() {
    # shellcheck disable=SC2086
    swift build --package-path "$1" --build-tests $strict
}
# Its tests.
test_package() { step "tests of $1" run_tests swift test --package-path "$1" --skip-build; }

# The code for Apple's platforms, and misuses of it that must be found.
check_apple_platforms() {
    Tests/AppleStubs/check.sh
    Tests/AppleStubs/check.sh --self-test
}

run_framework() {
    # For release: the optimizer must not remove code that keeps a process alive against a hostile server.
    beside "build of ." build_package . \
        -- "probe for release" Tests/release-probe.sh .build/probes
    ACTIVECONFIG_PROBES=$PWD/.build/probes test_package .
    step "32 bits" Tests/ThirtyTwoBit/check.sh
    beside "generated keys" Tests/Generation/check.sh -- "Apple platforms" check_apple_platforms
}
run_backend() {
    setup sqlite openssl curl
    step "build of SampleBackend" build_package SampleBackend
    test_package SampleBackend
    local -x SAMPLE_BACKEND=$PWD/SampleBackend/.build/debug/sample-backend
    step "OpenFeature" SampleBackend/Tests/OpenFeature/run.sh
    step "OpenAPI" SampleBackend/Tests/Schema/run.sh
    step "console" SampleBackend/Tests/Console/run.sh
}
run_benchmarks() {
    step "build of Tests/Benchmarks" build_package Tests/Benchmarks
    test_package Tests/Benchmarks
}

run_docs() {
    setup docc
    local docc graphs=.build/docs/graphs module
    docc=$(command -v docc || xcrun --find docc)
    rm -rf .build/docs
    swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members \
        >.build/docs.log 2>&1 || { cat .build/docs.log; return 1; }
    for module in ActiveConfigJSON ActiveConfigEventStream ActiveConfig ActiveConfigTesting \
        ActiveConfigGeneration; do
        mkdir -p "$graphs/$module"
        find .build -path '*symbolgraph*' \( -name "$module.symbols.json" -o -name "$module@*.symbols.json" \) \
            -exec cp {} "$graphs/$module" \;
        "$docc" convert "Sources/$module/$module.docc" \
            --additional-symbol-graph-dir "$graphs/$module" \
            --fallback-display-name "$module" --fallback-bundle-identifier "activeconfig.$module" \
            --output-dir ".build/docs/$module.doccarchive" \
            --warnings-as-errors --experimental-documentation-coverage
    done
    Tests/Examples/compile.sh
    echo "Documentation: .build/docs/*.doccarchive"
}

# sanitized SANITIZER SCRATCH PACKAGE COMMAND…: runs a command of swift on a package, with a sanitizer.
sanitized() (
    sanitizer=$1 scratch=$2 package=$3
    shift 3
    export ACTIVECONFIG_SANITIZER=$sanitizer ACTIVECONFIG_PTHREAD_LOCK=1
    export ASAN_OPTIONS="detect_leaks=0:suppressions=$PWD/Tests/address-sanitizer.txt"
    export TSAN_OPTIONS="halt_on_error=1:suppressions=$PWD/Tests/thread-sanitizer.txt"
    # Nobody builds this again after a change, and a module as a whole takes half the processor time.
    "$@" --package-path "$package" --scratch-path "$package/.build/$scratch" "--sanitize=$sanitizer" \
        -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2
)
sanitized_build() { sanitized "$@" swift build --build-tests; }
sanitized_tests() { sanitized "$@" run_tests swift test --skip-build; }

# The generator of keys and its tests, which have neither threads nor unsafe code.
generation="GenerateSettings ActiveConfigGenerator ActiveConfigGeneration ActiveConfigGenerationTests
    ActiveConfigSampleApp"
# folders NAME…: folders of the framework's tests.
folders() { printf 'ActiveConfigTests/%s ' "$@"; }
# Tests of what has no pointers of its own.
without_pointers=$(folders Downloaders Listeners Logging Observation Original Realtime Reporting Signatures \
    Testing Updates Users)
# Tests of what has no threads.
without_threads="ActiveConfigJSONTests ActiveConfigEventStreamTests $(folders Format Model Original Tables)"

# Threads of the framework, and pointers in its lower folders. The backend under either takes as long as all
# else, so the parts thread and address have it: the pointers of LinearRegex and Targeting are those of
# buffers, whose bounds a debug build checks by itself.
#
# with_pointers COMMAND…, with_threads COMMAND…: runs sanitized_build or sanitized_tests.
with_pointers() { ACTIVECONFIG_LEAVE_OUT="$generation $without_pointers" "$@" address address .; }
with_threads() { ACTIVECONFIG_LEAVE_OUT="$generation $without_threads" "$@" thread thread .; }
run_sanitizers() {
    # Each compiles a module on one processor.
    beside "build with the address sanitizer" with_pointers sanitized_build \
        -- "build with the thread sanitizer" with_threads sanitized_build
    step "tests under the address sanitizer" with_pointers sanitized_tests
    step "tests under the thread sanitizer" with_threads sanitized_tests
}
sanitize_all() {
    setup sqlite openssl curl
    local package
    for package in . SampleBackend; do
        step "build of $package" sanitized_build "$1" "$1-all" "$package"
        step "tests of $package" sanitized_tests "$1" "$1-all" "$package"
    done
}
run_address() { sanitize_all address; }
run_thread() { sanitize_all thread; }

run_fuzz() {
    Tests/Fuzzing/fuzz.sh "${FUZZ_SECONDS:-60}"
    Tests/Fuzzing/EventStreams/fuzz.sh "${FUZZ_SECONDS:-60}"
    # The fuzzers of the backend link modules of its debug build.
    build_package SampleBackend
    local target
    for target in conditions patterns requests; do
        SampleBackend/Tests/Fuzzing/fuzz.sh "$target" "${FUZZ_SECONDS:-60}"
    done
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $all_parts
for part in "$@"; do
    case " $all_parts address thread fuzz " in
    *" $part "*) ;;
    *)
        echo "run.sh: there is no part \"$part\"; see --help" >&2
        exit 64
        ;;
    esac
done

setup git swift
start=$SECONDS
for part in "$@"; do
    title "$part"
    began=$SECONDS
    "run_$part"
    echo "-- $part: $((SECONDS - began)) s"
done
title "All is well: $* ($((SECONDS - start)) s)"

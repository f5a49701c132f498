#!/bin/sh
# Fuzzes the exchange format's reader and writer with libFuzzer, guided by coverage.
#
#     Tests/Fuzzing/fuzz.sh [seconds] [libFuzzer options]
#
# The target and the corpus are kept in .build/fuzzing. An input that breaks a property is kept there
# as find-…; minimise it with `… -minimize_crash=1`, and put it into
# Tests/ActiveConfigTests/Fixtures/FuzzFinds, which a test replays.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-60}
[ $# -eq 0 ] || shift
build=${FUZZ_BUILD:-$root/.build/fuzzing}
fixtures=$root/Tests/ActiveConfigTests/Fixtures
mkdir -p "$build/corpus" "$build/seeds"

find "$root/Sources/ActiveConfig/Document" "$root/Sources/ActiveConfig/Settings" \
    "$root/Tests/Fuzzing" -name '*.swift' >"$build/sources"
swiftc -parse-as-library -O -sanitize=fuzzer,address -swift-version 6 -module-name DocumentFuzzer \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
    -enable-upcoming-feature MemberImportVisibility \
    -enable-upcoming-feature NonisolatedNonsendingByDefault \
    -enable-upcoming-feature InferIsolatedConformances \
    -o "$build/document-fuzzer" "@$build/sources"

# The suite's cases are in one file; each is a seed, alone and as a setting of a document. Without
# Python the fuzzer finds their like in a while.
! command -v python3 >/dev/null || python3 - "$fixtures/json-test-suite.json" "$build/seeds" <<'EOF'
import base64, json, pathlib, sys
for case in json.load(open(sys.argv[1]))["cases"]:
    if "base64" in case:
        name = case["name"].replace("/", "-")
        text = base64.b64decode(case["base64"])
        (pathlib.Path(sys.argv[2]) / name).write_bytes(text)
        document = (
            b'{"meta":{"format_version_string":"1.0"},'
            b'"config_sections":{"S":{"settings":{"k":{"value":' + text + b"}}}}}"
        )
        (pathlib.Path(sys.argv[2]) / (name + "-setting")).write_bytes(document)
EOF
find "$fixtures" -maxdepth 2 -name '*.json' ! -name json-test-suite.json \
    -exec cp {} "$build/seeds" \;

# The backtracer would hang a crash; leaks are Foundation's.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=detect_leaks=0
cd "$build"
exec ./document-fuzzer -max_total_time="$seconds" -max_len=512 -timeout=5 -rss_limit_mb=2048 \
    -dict="$root/Tests/Fuzzing/tokens.dict" -artifact_prefix="$build/find-" \
    -print_final_stats=1 "$@" corpus seeds "$fixtures/FuzzFinds"

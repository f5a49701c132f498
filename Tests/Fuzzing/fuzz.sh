#!/bin/sh
# Coverage-guided fuzzing of the exchange format's reader and writer with libFuzzer.
#
#     Tests/Fuzzing/fuzz.sh [seconds] [libFuzzer options]
#     Tests/Fuzzing/fuzz.sh --check
#
# It compiles some folders of the framework alone; --check only typechecks these.
#
# Minimise an input that violates a property, and add it to Tests/ActiveConfigTests/Fixtures/FuzzFinds;
# a test replays these files.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=Tests/Fuzzing/libfuzzer.sh
. "$root/Tests/Fuzzing/libfuzzer.sh"
json=ActiveConfigJSON
list_sources() {
    find "$root/Sources/ActiveConfig/Concurrency" "$root/Sources/ActiveConfig/Format" \
        "$root/Sources/ActiveConfig/Model" "$root/Sources/ActiveConfig/Tables" -name '*.swift'
}
if [ "${1:-}" = --check ]; then
    build=$(mktemp -d)
    trap 'rm -rf "$build"' EXIT
    list_sources >"$build/sources"
    # shellcheck disable=SC2086
    swiftc $compiler_options -package-name ActiveConfig -module-name $json -emit-module \
        -emit-module-path "$build/$json.swiftmodule" "$root/Sources/$json"/*.swift
    # shellcheck disable=SC2086
    swiftc $compiler_options -package-name ActiveConfig -module-name DocumentFuzzer -I "$build" -typecheck \
        "@$build/sources"
    exit
fi
prepare_fuzzing document "${FUZZ_BUILD:-$root/.build/fuzzing}"
fixtures=$root/Tests/ActiveConfigTests/Fixtures

list_sources >"$build/sources"
echo "$root/Tests/Fuzzing/DocumentFuzzer.swift" >>"$build/sources"
echo "$root/Tests/Fuzzing/FoundationJSON.swift" >>"$build/sources"
compile_with_coverage $json -package-name ActiveConfig -wmo "$root/Sources/$json"/*.swift \
    -emit-module-path "$build/$json.swiftmodule" -c -o "$build/$json.o"
compile_fuzzer DocumentFuzzer -package-name ActiveConfig -I "$build" "$build/$json.o"

# The cases of JSONTestSuite are in one file; each becomes a seed, alone and as a setting of a
# document. Without Python, the fuzzer finds similar inputs after a while.
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

run_fuzzer "$fixtures/FuzzFinds" "$root/Tests/Fuzzing/tokens.dict" "$@"

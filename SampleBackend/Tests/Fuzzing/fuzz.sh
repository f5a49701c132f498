#!/bin/sh
# Fuzzes the parsers of the backend with libFuzzer, guided by coverage.
#
#     SampleBackend/Tests/Fuzzing/fuzz.sh conditions|patterns|requests [seconds] [libFuzzer options]
#
# A target has a type with properties in a folder of tests, the sources that they test, compiled
# with coverage as a module of the same name, and a dictionary. All other modules come from the
# debug build, so build that first: swift build --package-path SampleBackend --build-tests; or name the
# program of another build with SAMPLE_BACKEND.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
backend=$(cd "$here/../.." && pwd)
root=$backend/..
# shellcheck source=Tests/Fuzzing/libfuzzer.sh
. "$root/Tests/Fuzzing/libfuzzer.sh"

target=${1:-}
[ $# -eq 0 ] || shift
others=
case $target in
conditions) module=Targeting tests=TargetingTests properties=ConditionProperties ;;
patterns) module=LinearRegex tests=LinearRegexTests properties=PatternProperties ;;
requests)
    module=HTTPServing tests=ConfigServerTests properties=RequestProperties
    # Compiled into the same module, since its own module imports that one.
    others=$backend/Sources/ClientAPI/Documents/DocumentRequest.swift
    ;;
*)
    echo "usage: fuzz.sh conditions|patterns|requests [seconds] [libFuzzer options]" >&2
    exit 64
    ;;
esac
tests=$backend/Tests/$tests

prepare_fuzzing "$target" "${FUZZ_BUILD:-$backend/.build/fuzzing}"
echo "typealias FuzzedProperties = $properties" >"$build/FuzzedProperties.swift"
# A module cannot import itself through another one.
rm -rf "$build/Properties"
cp -R "$tests/Properties" "$build/Properties"
[ -z "$others" ] || sed -i.bak -E '/import (ClientAPI|ConfigServer)$/d' "$build/Properties/"*.swift
{
    find "$backend/Sources/$module" -name '*.swift'
    [ -z "$others" ] || echo "$others"
    find "$build/Properties" -name '*.swift'
    echo "$here/FuzzTarget.swift"
    echo "$build/FuzzedProperties.swift"
} >"$build/sources"

debug=$(dirname "${SAMPLE_BACKEND:-$backend/.build/debug/sample-backend}")
# The linker takes only what it needs from an archive; the module compiled here is not in it.
rm -f "$build/modules.a"
find "$debug/" -path '*.build/*.o' ! -path "*/$module.build/*" ! -path '*Tests.build/*' -print0 |
    xargs -0 ar qc "$build/modules.a"
ar s "$build/modules.a"
{
    echo "-I$debug/Modules"
    find "$debug/" "$(dirname "$debug")/checkouts" \
        \( -path '*.build/module.modulemap' -o -path '*/Sources/*/include/module.modulemap' \) \
        ! -path '*/Benchmarks/*' | sed 's/.*/-Xcc\n"-fmodule-map-file=&"/'
    echo "$build/modules.a"
    echo "-lstdc++"
} >"$build/imports"
# Socket types come from the first module map that declares them, whether imported or not.
compile_fuzzer "$module" -disable-upcoming-feature MemberImportVisibility -package-name samplebackend "@$build/imports"
run_fuzzer "$tests/Fixtures/FuzzFinds/$target" "$here/$target.dict" "$@"

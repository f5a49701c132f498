#!/bin/sh
# Fuzzes a parser of the backend with libFuzzer, guided by coverage.
#
#     SampleBackend/Tests/Fuzzing/fuzz.sh conditions|patterns [seconds] [libFuzzer options]
#
# A target is some sources with an entry for libFuzzer, which are compiled as one module with
# coverage, and modules of the debug build that they import. It needs a build of the backend:
# swift build --package-path SampleBackend --build-tests.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
backend=$(cd "$here/../.." && pwd)
# shellcheck source=Tests/Fuzzing/libfuzzer.sh
. "$backend/../Tests/Fuzzing/libfuzzer.sh"

target=${1:-}
[ $# -eq 0 ] || shift
targeting=$backend/Tests/TargetingTests
debug=$backend/.build/debug
case $target in
conditions)
    module=Targeting entry=ConditionFuzzer finds=$targeting/Fixtures/FuzzFinds/conditions
    sources="$backend/Sources/Targeting $targeting/Properties"
    imports="ActiveConfig JSONTree OrderedCollections InternalCollectionsUtilities Crypto CryptoBoringWrapper"
    clang="CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims"
    ;;
patterns)
    module=Targeting entry=PatternFuzzer finds=$targeting/Fixtures/FuzzFinds/patterns
    sources="$backend/Sources/Targeting $targeting/Properties"
    imports="ActiveConfig JSONTree OrderedCollections InternalCollectionsUtilities Crypto CryptoBoringWrapper"
    clang="CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims"
    ;;
*)
    echo "usage: fuzz.sh conditions|patterns [seconds] [libFuzzer options]" >&2
    exit 64
    ;;
esac

prepare_fuzzing "$target" "${FUZZ_BUILD:-$backend/.build/fuzzing}"
# shellcheck disable=SC2086
find $sources "$here/$entry.swift" -name '*.swift' >"$build/sources"
set -- "$@"
{
    echo "-I$debug/Modules"
    for name in $imports; do echo "$debug/Modules/$name.o"; done
    for name in $clang; do
        find "$debug/$name.build" -name '*.o'
        find "$debug/$name.build" "$backend/.build/checkouts" -path "*$name/include/module.modulemap" \
            -o -path "*$name.build/module.modulemap" | sed 's/^/-Xcc -fmodule-map-file=/' | tr ' ' '\n'
    done
    echo "-lstdc++"
} >"$build/imports"
compile_fuzzer "$module" "@$build/imports"
run_fuzzer "$finds" "$here/$target.dict" "$@"

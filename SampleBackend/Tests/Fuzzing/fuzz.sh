#!/bin/sh
# Fuzzes a parser of the backend with libFuzzer, guided by coverage.
#
#     SampleBackend/Tests/Fuzzing/fuzz.sh conditions|patterns [seconds] [libFuzzer options]
#
# A target is the sources of a module and an entry for libFuzzer, compiled together with coverage, and
# the modules that they import, from the debug build. So it needs one:
# swift build --package-path SampleBackend --build-tests.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
backend=$(cd "$here/../.." && pwd)
# shellcheck source=Tests/Fuzzing/libfuzzer.sh
. "$backend/../Tests/Fuzzing/libfuzzer.sh"

target=${1:-}
[ $# -eq 0 ] || shift
case $target in
conditions | patterns)
    module=Targeting
    tests=$backend/Tests/TargetingTests
    sources="$backend/Sources/Targeting $tests/Properties"
    swift_modules="ActiveConfig JSONTree OrderedCollections InternalCollectionsUtilities Crypto CryptoBoringWrapper"
    c_modules="CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims"
    ;;
*)
    echo "usage: fuzz.sh conditions|patterns [seconds] [libFuzzer options]" >&2
    exit 64
    ;;
esac

prepare_fuzzing "$target" "${FUZZ_BUILD:-$backend/.build/fuzzing}"
# shellcheck disable=SC2086
find $sources "$here/$target" -name '*.swift' >"$build/sources"
debug=$backend/.build/debug
{
    echo "-I$debug/Modules"
    # Names of files may hold spaces.
    for name in $swift_modules $c_modules; do
        find "$debug/$name.build" -name '*.o' | sed 's/.*/"&"/'
    done
    for name in $c_modules; do
        find "$backend/.build/checkouts" -path "*/Sources/$name/include/module.modulemap" |
            sed 's/^/-Xcc\n-fmodule-map-file=/'
    done
    echo "-lstdc++"
} >"$build/imports"
compile_fuzzer "$module" -package-name fuzzing "@$build/imports"
run_fuzzer "$tests/Fixtures/FuzzFinds/$target" "$here/$target/tokens.dict" "$@"

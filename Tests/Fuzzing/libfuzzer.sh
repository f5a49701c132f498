# Functions that compile and run a libFuzzer target; set $root before sourcing it.
# shellcheck source=Tests/compiler-options.sh
. "$root/Tests/compiler-options.sh"

# prepare_fuzzing NAME FOLDER: sets $build, the folder of the target, its corpus and its finds.
prepare_fuzzing() {
    fuzzer=$1-fuzzer
    build=$2/$1
    mkdir -p "$build/corpus" "$build/seeds"
}

# compile_fuzzer MODULE [swiftc options]: compiles the files that $build/sources lists as one module
# with coverage and the address sanitizer, and links it.
compile_fuzzer() {
    module_name=$1
    shift
    # Sources first: the linker takes only needed members from an archive that follows.
    compile_with_coverage "$module_name" "@$build/sources" -o "$build/$fuzzer" "$@"
}

# compile_with_coverage MODULE [swiftc options and files]
compile_with_coverage() {
    module_name=$1
    shift
    # shellcheck disable=SC2086
    swiftc $compiler_options -O -sanitize=fuzzer,address -module-name "$module_name" "$@"
}

# run_fuzzer FINDS DICTIONARY [seconds] [libFuzzer options]: fuzzes; FINDS is the folder of fixtures
# that a test replays. An input that violates a property is kept in $build as find-…; minimise it
# with `… -minimize_crash=1`, and copy it to FINDS.
run_fuzzer() {
    finds=$1
    dictionary=$2
    shift 2
    seconds=${1:-60}
    [ $# -eq 0 ] || shift
    # With the backtracer, a crash would hang. The known leaks are Foundation's.
    export SWIFT_BACKTRACE=enable=no
    export ASAN_OPTIONS=detect_leaks=0
    cd "$build"
    exec "./$fuzzer" -max_total_time="$seconds" -max_len=512 -timeout=5 -rss_limit_mb=2048 \
        -dict="$dictionary" -artifact_prefix="$build/find-" -print_final_stats=1 "$@" \
        corpus seeds "$finds"
}

# Builds of the packages for the checks; sourced by run.sh, from the project's folder.

# All builds of a package use the same flags; other flags would rebuild everything.
export STRICT=1
# The plug-in's tool needs a second build of the framework; only the part `generation` makes it.
export ACTIVECONFIG_WITHOUT_PLUGIN=1
build_options=(--explicit-target-dependency-import-check error)
# A clean build is cheaper with two compilers for each module, without debug information and without a
# C++ index. With -wmo it takes a tenth longer, and the driver has two warnings for each module, since
# SwiftPM always passes -incremental and -enable-batch-mode.
[ -z "${CI:-}" ] || build_options+=(
    -debug-info-format none -Xswiftc -driver-batch-count -Xswiftc 2
    -Xcxx -index-store-path -Xcxx ''
)

# Folder of builds that outlives the clone, or empty; see keep_builds.
kept_builds=""

# Keeps the builds of the packages with dependencies between clones, in a folder in
# ACTIVECONFIG_BUILD_CACHE (default: activeconfig in the user's cache folder; empty: disabled), one for
# each compiler, set of manifests and set of flags. While another run uses the folder, without `flock`, or
# if the folder is not writable, this run builds in its clone.
keep_builds() {
    local cache=${ACTIVECONFIG_BUILD_CACHE-${XDG_CACHE_HOME:-${HOME:-}/.cache}/activeconfig} key lock
    [ -n "$cache" ] && command -v flock >/dev/null 2>&1 || return 0
    key=$({ swift --version && cat SampleBackend/Package.{swift,versions} \
        Tests/{Benchmarks,SwiftConfiguration}/Package.swift &&
        echo "${build_options[@]}"; } 2>/dev/null | git hash-object --stdin)
    if ! mkdir -p "$cache/$key" 2>/dev/null || ! cache=$(cd "$cache" && pwd) ||
        ! { : >>"$cache/$key/lock"; } 2>/dev/null; then
        echo "Builds are not kept: $cache is not writable." >&2
        return 0
    fi
    # Every process of this run inherits the descriptor, and with it the lock.
    exec 9>>"$cache/$key/lock"
    if ! flock -n 9; then
        echo "Builds are not kept: another run, or one of its processes, uses $cache/$key." >&2
        return 0
    fi
    kept_builds=$cache/$key
    touch "$kept_builds/lock"
    # Remove old folders that this function created and that are not in use.
    for lock in "$cache"/*/lock; do
        key=$(basename "$(dirname "$lock")")
        [[ $key =~ ^[0-9a-f]{40}$ ]] && [ -n "$(find "$lock" -mtime +14)" ] || continue
        flock -n "$lock" rm -rf "${lock%/lock}"
    done
}

# The build folder of a package.
build_folder() {
    case $1 in
    .) echo "$PWD/.build" ;;
    *) [ -n "$kept_builds" ] && echo "$kept_builds/$(basename "$1")" || echo "$PWD/$1/.build" ;;
    esac
}

# pin_versions PACKAGE [--check]: lets a package with a list of versions have these; see pin-versions.sh.
pin_versions() { [ ! -e "$1/pin-versions.sh" ] || "$1/pin-versions.sh" "${@:2}"; }

# Strict build of the package in a folder, once per run.
build_package() {
    local folder mark
    folder=$(build_folder "$1") mark="$run_folder/built ${1//\//-}"
    [ ! -e "$mark" ] || return 0
    remove_remains "$folder"
    pin_versions "$1" || return
    swift build --package-path "$1" --scratch-path "$folder" --build-tests "${build_options[@]}" || return
    pin_versions "$1" --check || return
    touch "$folder/finished" "$mark"
}

# Removes a folder of kept builds unless its last build finished: remains of a failed or killed one may
# make every later build fail. Whoever calls it marks the folder as `finished` after the build.
remove_remains() {
    [[ -z $kept_builds || $1 != "$kept_builds"/* || -e $1/finished ]] || rm -rf "$1"
    rm -f "$1/finished"
}

# test_package PACKAGE [OPTION …]: runs the tests of a package that was built before.
test_package() {
    local package=$1
    shift
    swift test --package-path "$package" --scratch-path "$(build_folder "$package")" --skip-build "$@" |
        passing_tests
}

# Prints the output of `swift test`, and fails if no test ran or if the program ended before its last
# test, because its exit code is 0 in these cases.
passing_tests() {
    local output
    output=$(mktemp "$run_folder/tests-XXXXXX")
    tee "$output"
    grep -qE 'Test run with [1-9][0-9]* tests? .*passed' "$output" ||
        refuse "no test ran, or not all tests ended"
}

# sanitized SANITIZER PACKAGE COMMAND…: runs a swift command on a package with a sanitizer.
sanitized() (
    sanitizer=$1 package=$2
    shift 2
    export ACTIVECONFIG_SANITIZER=$sanitizer ACTIVECONFIG_PTHREAD_LOCK=1
    export ASAN_OPTIONS="detect_leaks=0:suppressions=$PWD/Tests/address-sanitizer.txt"
    export TSAN_OPTIONS="halt_on_error=1:suppressions=$PWD/Tests/thread-sanitizer.txt"
    "$@" --package-path "$package" --scratch-path "$(build_folder "$package")/$sanitizer-all" \
        "--sanitize=$sanitizer" -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2
)

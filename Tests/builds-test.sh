#!/usr/bin/env bash
# Tests that builds kept between clones (builds.sh) save work and do not affect results, with a small package
# in two folders, a change, a lock, a failed build and a deleted cache.
set -euo pipefail
cd "$(dirname "$0")/.."
checks=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "builds-test.sh: $*" >&2
    [ ! -e "$work/log" ] || tail -n 20 "$work/log" >&2
    exit 1
}
command -v flock >/dev/null 2>&1 || { echo "No build is kept, because flock is missing."; exit 0; }

# A library in its own repository, and clones of a project that uses it and prints a text.
mkdir -p "$work/Library/Sources/Library"
cat >"$work/Library/Package.swift" <<'SWIFT'
// swift-tools-version: 6.3
import PackageDescription
let package = Package(
    name: "Library", products: [.library(name: "Library", targets: ["Library"])],
    targets: [.target(name: "Library")])
SWIFT
echo 'public let greeting = "Hello"' >"$work/Library/Sources/Library/Library.swift"
git -C "$work/Library" init -q
git -C "$work/Library" add .
git -C "$work/Library" -c user.name=Test -c user.email=test@example.com -c commit.gpgsign=false commit -qm "Add the library"
git -C "$work/Library" tag 1.0.0
clone() {
    mkdir -p "$work/$1/SampleBackend/Sources/App" "$work/$1/Tests/"{Benchmarks,SwiftConfiguration}
    touch "$work/$1/Tests/"{Benchmarks,SwiftConfiguration}/Package.swift "$work/$1/SampleBackend/Package.versions"
    cat >"$work/$1/SampleBackend/Package.swift" <<SWIFT
// swift-tools-version: 6.3
import PackageDescription
let package = Package(
    name: "SampleBackend", dependencies: [.package(url: "$work/Library", from: "1.0.0")],
    targets: [
        .executableTarget(name: "App", dependencies: [.product(name: "Library", package: "Library")])
    ])
SWIFT
    printf 'import Library\nprint(greeting, "%s")\n' "$2" >"$work/$1/SampleBackend/Sources/App/main.swift"
}
# build CLONE [COMMAND…]: builds as run.sh does, by default without a sanitizer; sets $folder.
build() {
    local clone=$1
    shift
    [ $# -gt 0 ] || set -- build_package SampleBackend
    (
        cd "$work/$clone"
        run_folder=$(mktemp -d "$work/run-XXXX")
        export CI=true ACTIVECONFIG_BUILD_CACHE=$work/cache
        # shellcheck source=Tests/builds.sh
        . "$checks/Tests/builds.sh"
        # shellcheck source=Tests/parts.sh
        . "$checks/Tests/parts.sh"
        keep_builds
        build_folder SampleBackend >"$work/folder"
        "$@"
    ) >"$work/log" 2>&1 || return 1
    folder=$(cat "$work/folder")
}
prints() { [ "$("$folder/debug/App")" = "$1" ] || fail "$2"; }
compiles_library() { grep -q 'Compiling Library' "$work/log"; }

clone first one
clone second two
build first || fail "the first clone does not build"
compiles_library || fail "the log does not show that the library is compiled"
prints "Hello one" "the first clone prints another text"
build second || fail "the second clone does not build"
! compiles_library || fail "the library is compiled again for another clone"
prints "Hello two" "the second clone is not rebuilt"

(exec 9>"$(dirname "$folder")/lock" && flock 9 && build first && cp "$work/folder" "$work/other") ||
    fail "the first clone does not build while another run uses the kept build"
[ "$(cat "$work/other")" = "$work/first/SampleBackend/.build" ] ||
    fail "two runs use one build folder: $(cat "$work/other")"

echo "nonsense" >>"$work/second/SampleBackend/Sources/App/main.swift"
! build second || fail "nonsense compiles"
clone second three
build second || fail "the second clone does not build after nonsense"
compiles_library || fail "the remains of a failed build are reused"
prints "Hello three" "the second clone is not rebuilt after nonsense"

sanitized=(build_sanitized thread SampleBackend)
build first "${sanitized[@]}" || fail "the first clone does not build with a sanitizer"
compiles_library || fail "a sanitized build uses the library of another one"
build second "${sanitized[@]}" || fail "the second clone does not build with a sanitizer"
! compiles_library || fail "the library is compiled again with a sanitizer for another clone"
[ "$("$folder/thread-all/debug/App")" = "Hello three" ] || fail "a sanitized build is not rebuilt"
echo "nonsense" >>"$work/second/SampleBackend/Sources/App/main.swift"
! build second "${sanitized[@]}" || fail "nonsense compiles with a sanitizer"
clone second three
build second "${sanitized[@]}" || fail "the second clone does not build with a sanitizer after nonsense"
compiles_library || fail "the remains of a failed sanitized build are reused"

old=$work/cache/0123456789012345678901234567890123456789 others=$work/cache/photos
mkdir "$old" "$others"
touch -d '30 days ago' "$old/lock" "$others/lock" "$others"
build second || fail "the second clone does not build next to old builds"
[ ! -e "$old" ] || fail "an old build is kept"
[ -e "$others" ] || fail "a folder is removed that is not a kept build"

rm -rf "$work/cache"
: >"$work/cache"
build second || fail "the second clone does not build if builds cannot be kept"
[ "$(cat "$work/folder")" = "$work/second/SampleBackend/.build" ] ||
    fail "without a folder for kept builds, $(cat "$work/folder") is used"
rm -rf "$work/cache"
build second || fail "the second clone does not build without the kept builds"
prints "Hello three" "without the kept builds the second clone prints another text"
echo "Kept builds reuse the dependencies and do not affect results."

#!/usr/bin/env bash
# Builds programs of the backend for release: see usage.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

usage() {
    cat <<TEXT
USAGE: SampleBackend/build-release.sh [--package FOLDER] [PRODUCT …]

Builds products of SampleBackend (default: sample-backend) for release, and prints the folder of the programs.
On Linux they contain Swift's libraries and no symbols; at run time sample-backend needs libcurl, libsqlite3
and the time zone database. They do not check at run time that accesses to memory are exclusive, which takes
7 % of a request's time: all tests, sanitizers and fuzzers run with these checks.

  --package FOLDER  builds another package, such as that of an earlier commit; skips products that it does
                    not have

Exit codes: 0 success, 1 the build failed, 64 wrong usage, 69 a tool cannot be set up.
TEXT
}

package=SampleBackend
while [[ "${1:-}" == -* ]]; do
    case $1 in
    --package)
        [ $# -gt 1 ] || { echo "build-release.sh: --package needs a folder" >&2; exit 64; }
        package=$2
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "build-release.sh: unknown option \"$1\"; see --help" >&2
        exit 64
        ;;
    esac
    shift
done
[ $# -gt 0 ] || set -- sample-backend

setup swift sqlite libcurl git
[ "$package" != SampleBackend ] || SampleBackend/pin-versions.sh
options=(-c release --package-path "$package" -Xswiftc -enforce-exclusivity=unchecked)
[ "$(uname -s)" = Darwin ] || options+=(--static-swift-stdlib -Xlinker --strip-all)
for product; do
    [ "$package" != SampleBackend ] && ! grep -q "name: \"$product\"" "$package/Package.swift" ||
        swift build "${options[@]}" --product "$product" >&2
done
swift build "${options[@]}" --show-bin-path

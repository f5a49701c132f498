#!/usr/bin/env bash
# Typechecks the root package for Apple's platforms on Linux, against declarations in Modules/.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

usage() {
    cat <<TEXT
USAGE: Tests/AppleStubs/check.sh [--self-test] [PLATFORM …]

Typechecks the sources of the root package for iOS, macOS, tvOS, watchOS and visionOS, or for the
given platforms, including the checks for data races, with the deployment targets of
Package.swift. For macOS it includes the test files that have conditions. No code is generated.
This does not replace a build on a Mac: Apple's frameworks are the declarations in
Tests/AppleStubs/Modules, and Foundation, Dispatch and the standard library are those of Linux,
with their availability on Apple's platforms.

  --self-test  plants misuses in copies of the sources, and fails unless each is reported

Exit codes: 0 success, 1 errors found, or with --self-test a misuse not reported, 64 wrong arguments,
69 a tool cannot be set up.
TEXT
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
if [ "$(uname -s)" = Darwin ]; then
    echo "On a Mac, swift build and xcodebuild check this with Apple's SDK; nothing to do."
    exit 0
fi
setup swift python
# Includes the sample app, which uses the plug-in.
unset ACTIVECONFIG_WITHOUT_PLUGIN
exec Tests/AppleStubs/check.py "$@"

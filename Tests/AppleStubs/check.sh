#!/usr/bin/env bash
# Typechecks the root package for Apple's platforms on Linux, against declarations in Modules/.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

usage() {
    cat <<TEXT
USAGE: Tests/AppleStubs/check.sh [--self-test] [PLATFORM …]

Runs the compiler over the sources of the root package as for iOS, macOS, tvOS, watchOS and
visionOS, or the platforms that are named, up to and including its checks of data races, with the
deployment targets of Package.swift. For macOS that includes the files of the tests that have
conditions. No code is generated. This is no build on a Mac: Apple's frameworks are the
declarations in Tests/AppleStubs/Modules, and Foundation, Dispatch and the standard library are
Linux's, with their availability on Apple's platforms.

  --self-test  plants misuses into copies of the sources, and fails unless each is reported

Exit codes: 0 all is well, 1 an error was found, or with --self-test not found, 64 wrong arguments,
69 something cannot be set up.
TEXT
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
esac
if [ "$(uname -s)" = Darwin ]; then
    echo "On a Mac, swift build and xcodebuild check this with Apple's SDK; nothing is done here."
    exit 0
fi
setup swift python
# The sample app, which uses the plug-in, is checked too.
unset ACTIVECONFIG_WITHOUT_PLUGIN
exec Tests/AppleStubs/check.py "$@"

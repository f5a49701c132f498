#!/usr/bin/env bash
# Typechecks planted misuses of the framework, and compares the compiler's errors with the comment
# before a line: `// error: ` and a part of the message. A different or a missing error is a failure.
#
# USAGE: Tests/Misuses/check.sh [--self-test]
set -euo pipefail
cd "$(dirname "$0")/../.."

# check FILE…: prints the differences by file and line.
check() {
    local file result=0
    for file in "$@"; do
        # Only main.swift has code at its top level.
        local library=-parse-as-library
        [ "$(basename "$file")" != main.swift ] || library=
        # The compiler is expected to fail.
        # shellcheck disable=SC2086
        { swiftc -typecheck $library -swift-version 6 -suppress-warnings -I "$modules" \
            "$file" 2>&1 || true; } |
            awk -v file="$file" '
                FNR == NR {
                    if (split($0, parts, "// error: ") == 2) expected[FNR + 1] = parts[2]
                    next
                }
                $0 ~ /:[0-9]+:[0-9]+: error: / {
                    split($0, parts, ":")
                    line = parts[2]
                    if (parts[1] == file && line in expected && index($0, expected[line])) {
                        found[line] = 1
                    } else {
                        print "unexpected: " $0
                        failed = 1
                    }
                }
                END {
                    for (line in expected) if (!(line in found)) {
                        print file ":" line ": there is no error: " expected[line]
                        failed = 1
                    }
                    exit failed
                }' "$file" - || result=1
    done
    return "$result"
}

self_test() {
    local folder
    folder=$(mktemp -d)
    cat >"$folder/Planted.swift" <<'SWIFT'
import ActiveConfig
let one: Int = "x"
// error: cannot
let two = 2
// error: another
let three: Int = "x"
// error: cannot convert
let four: Int = "x"
SWIFT
    [ "$(check "$folder/Planted.swift" | sed 's/.*Planted.swift:\([0-9]*\):.*/\1/' | sort | tr '\n' ' ')" = \
        "2 4 6 6 " ] || {
        echo "The planted differences are not found." >&2
        exit 1
    }
    rm -r "$folder"
    echo "The planted differences are found."
}

# ACTIVECONFIG_BUILD is the folder of a finished build.
if [ -z "${ACTIVECONFIG_BUILD:-}" ]; then
    swift build --target ActiveConfig >/dev/null
    ACTIVECONFIG_BUILD=$(swift build --show-bin-path)
fi
modules=$ACTIVECONFIG_BUILD/Modules
if [ "${1:-}" = --self-test ]; then
    self_test
else
    check Tests/Misuses/*.swift
    echo "$(grep -h '// error: ' Tests/Misuses/*.swift | wc -l) misuses are rejected with a helpful message."
fi

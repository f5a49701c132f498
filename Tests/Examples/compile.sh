#!/usr/bin/env bash
# Compiles every Swift example of README.md and of the articles, each as the body of a function.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift build --target ActiveConfigTesting >/dev/null
modules=$(swift build --show-bin-path)/Modules
work=.build/examples
mkdir -p "$work"
# An article's line numbers are kept, for the compiler's messages.
awk '
    FNR == 1 { inside = 0 }
    /^```swift$/ { inside = 1; count++; start = FNR + 1; body = ""; skipped = 0; next }
    /^```$/ && inside {
        inside = 0
        if (!skipped)
            printf "func example%d() %sthrows {\n#sourceLocation(file: \"%s\", line: %d)\n%s#sourceLocation()\n}\n",
                count, (body ~ /await / ? "async " : ""), FILENAME, start, body
        next
    }
    inside && /^\/\/ Package.swift/ { skipped = 1 }
    inside { line = $0; if (line ~ /^import /) line = ""; body = body line "\n" }
    END { printf "// %d examples\n", count }
' README.md Sources/*/*.docc/*.md >"$work/Examples.swift"
{ cat Tests/Examples/Prelude.swift; cat "$work/Examples.swift"; } >"$work/All.swift"
swiftc -typecheck -parse-as-library -swift-version 6 -suppress-warnings -I "$modules" "$work/All.swift"
echo "$(grep -c '^func example' "$work/Examples.swift") examples compile."

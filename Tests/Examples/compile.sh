#!/usr/bin/env bash
# Compiles every Swift example of README.md and of the articles, and what the console shows for an
# empty project, each as the body of a function.
# The declarations of some, such as extensions and views, stand outside of it, for all examples: the
# same declaration may be in several, another one needs another name. Examples with views are
# typechecked against Tests/AppleStubs, except on a Mac.
set -euo pipefail
cd "$(dirname "$0")/../.."

# ACTIVECONFIG_BUILD is the folder of a finished build.
if [ -z "${ACTIVECONFIG_BUILD:-}" ]; then
    for target in ActiveConfigTesting ActiveConfigGeneration; do
        swift build --target "$target" >/dev/null
    done
    ACTIVECONFIG_BUILD=$(swift build --show-bin-path)
fi
modules=$ACTIVECONFIG_BUILD/Modules
work=.build/examples
mkdir -p "$work"
{
    echo '```swift'
    cat SampleBackend/Sources/Console/Pages/app-lines.swift.txt
    echo '```'
} >"$work/Console.md"
# An article's line numbers are kept, for the compiler's messages.
awk -v work="$work" '
    function location(line) { return "#sourceLocation(file: \"" FILENAME "\", line: " line ")\n" }
    function declare(text, line) {
        if (text in declared) return
        declared[text] = 1
        printf "%s%s#sourceLocation()\n", location(line), text >(views ? swiftUI : declarations)
    }
    # Splits an example into declarations, which it emits, and statements, which it returns.
    function statements(    count, lines, i, text, rest, line, isOpen) {
        count = split(body, lines, "\n")
        for (i = 1; i < count; i++) {
            if (!isOpen && lines[i] ~ /^(@[A-Za-z]+ |final |private )*(extension|struct|enum|class|actor|protocol) /) {
                isOpen = 1; text = ""; line = start + i - 1
            }
            # A module has one only.
            sub(/^@main /, "", lines[i])
            if (!isOpen) { rest = rest lines[i] "\n"; continue }
            text = text lines[i] "\n"
            rest = rest "\n"
            if (lines[i] ~ /^}/ || (line == start + i - 1 && lines[i] ~ /}$/)) {
                isOpen = 0
                declare(text, line)
            }
        }
        return rest
    }
    BEGIN {
        declarations = work "/Declarations.swift"; functions = work "/Functions.swift"
        swiftUI = work "/SwiftUI.swift"
        print "" >declarations; print "" >functions; print "import SwiftUI" >swiftUI
    }
    FNR == 1 { inside = 0 }
    /^```swift$/ { inside = 1; start = FNR + 1; body = ""; skipped = 0; next }
    /^```$/ && inside {
        inside = 0
        if (skipped) next
        count++
        views = body ~ /some (View|Scene)/
        code = views || ("\n" body) ~ /\nextension |: SettingsSection|@Observable/ ? statements() : body
        if (code ~ /^\n*$/) next
        printf "func example%d() %sthrows {\n%s%s#sourceLocation()\n}\n",
            count, (code ~ /await / ? "async " : ""), location(start), code >(views ? swiftUI : functions)
        next
    }
    inside && /^\/\/ Package.swift/ { skipped = 1 }
    inside { line = $0; if (line ~ /^import /) line = ""; body = body line "\n" }
    END { print count >(work "/count") }
' README.md Sources/*/*.docc/*.md "$work/Console.md"
shared="Tests/Examples/Prelude.swift $work/Declarations.swift"
# shellcheck disable=SC2086
cat $shared "$work/Functions.swift" >"$work/All.swift"
# shellcheck disable=SC2086
cat $shared "$work/SwiftUI.swift" >"$work/Views.swift"
# To object code: some faults of the compiler come after the types are checked.
check=(swiftc -c -parse-as-library -swift-version 6 -suppress-warnings -I "$modules")
"${check[@]}" "$work/All.swift" -o "$work/All.o"
if [ "$(uname -s)" = Darwin ]; then
    "${check[@]}" "$work/Views.swift" -o "$work/Views.o"
else
    Tests/AppleStubs/check.sh --with "$work/Views.swift" iOS >/dev/null
fi
echo "$(cat "$work/count") examples compile."

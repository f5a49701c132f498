#!/usr/bin/env bash
# Builds the first program of README.md, runs it twice against the backend with the template of the demo,
# and compares its output with the text of README.md.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh

# block LANGUAGE: the first block of README.md in a language.
block() { awk -v start="\`\`\`$1" '$0 == "```" && inside { exit } inside; $0 == start { inside = 1 }' README.md; }

setup swift sqlite
build_backend
start_backend --store memory
"$backend" publish SampleBackend/Sources/SampleBackend/Resources/SampleTemplate.json --server "$url" \
    >"$work/published"

# The backend's tests link the framework, so it is built beside the backend.
build=$(dirname "$backend")
[ -d "$build/ActiveConfig.build" ] || build=${ACTIVECONFIG_BUILD:-.build/debug}
# objects MODULE: its object files, without those of sources that are gone.
objects() {
    sed -n "s|.*\"object\" *: *\".*/\([^/]*\.o\)\".*|$build/$1.build/\1|p" "$build/$1.build/output-file-map.json"
}

block swift | grep -qx 'import ActiveConfig' || fail "the first block of Swift in README.md is no program"
block swift | sed "s|http://127.0.0.1:8080|$url|" >"$work/Shop.swift"
# shellcheck disable=SC2046
swiftc -parse-as-library -swift-version 6 -I "$build/Modules" "$work/Shop.swift" \
    $(objects ActiveConfig) $(objects ActiveConfigJSON) -o "$work/shop"

block text >"$work/first"
# The second run starts with the configuration that the first one stored.
{ tail -n 1 "$work/first" && tail -n 1 "$work/first"; } >"$work/second"
for run in first second; do
    # The program's store is in the temporary folder.
    TMPDIR=$work "$work/shop" >"$work/printed"
    diff -u "$work/$run" "$work/printed" || fail "the $run run of README's program prints something else"
done
echo "README's program prints what README says."

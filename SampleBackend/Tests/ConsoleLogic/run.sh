#!/usr/bin/env bash
# Checks the console without a browser: the types of all its modules, and tests of those that decide without
# a page.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

setup node typescript
folder=SampleBackend/Tests/ConsoleLogic
shopt -s nullglob
tests=("$folder"/*.test.mjs)
[ ${#tests[@]} -gt 0 ] || { echo "$0: there are no tests in $folder" >&2; exit 1; }

types=$(mktemp)
trap 'rm -f "$types"' EXIT
code=0
# Each of the two uses one processor.
tsc --project "$folder/tsconfig.json" --pretty false >"$types" &
compiler=$!
node --test --test-reporter="./$folder/reporter.mjs" --test-reporter-destination=stdout "${tests[@]}" ||
    code=1
if wait "$compiler"; then
    echo "The types are right."
else
    code=1
    cat "$types"
    echo "$(grep -c 'error TS' "$types" || true) errors of types"
fi
exit "$code"

#!/usr/bin/env bash
# Tests that `run.sh nightly --continue` runs the parts that have not passed on the same files, with parts that
# only record that they run, in a repository of their own.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "run-test.sh: $*" >&2
    cat "$work/output" >&2
    exit 1
}

mkdir "$work/project" "$work/project/Tests"
cp Tests/run.sh Tests/setup.sh Tests/builds.sh Tests/failures.py "$work/project/Tests/"
parts=$(sed -nE 's/^nightly_parts\+?="(.*)"$/\1/p' Tests/run.sh | tr '\n' ' ')
for part in $parts; do echo "run_$part() { record $part; }"; done >"$work/project/Tests/parts.sh"
cat >>"$work/project/Tests/parts.sh" <<'TEXT'
# A part fails, or ends the whole run, if a file of its name says so.
record() {
    echo "$1" >>"$RECORD"
    case $(cat "$RECORD.$1" 2>/dev/null) in
    fail) return 1 ;;
    stop) kill -KILL $$ ;;
    change) echo more >>file ;;
    esac
}
TEXT
echo .build/ >"$work/project/.gitignore"
cd "$work/project"
git init -q
commit() {
    git add . && git -c user.name=Test -c user.email=test@example.com -c commit.gpgsign=false commit -qm "$1"
}
commit "Add the parts"
export RECORD=$work/record
unset CI

# runs STATUS PARTS OPTION …: fails unless a run with these options ends so, and runs these parts.
runs() {
    local status=0 wanted=$1 expected=$2
    shift 2
    : >"$RECORD"
    # The shell's message of a killed run is none of a failure.
    { Tests/run.sh "$@" >"$work/output" 2>&1 || status=$?; } 2>/dev/null
    [ "$status" -eq "$wanted" ] || fail "$*: status $status instead of $wanted"
    [ "$(xargs <"$RECORD")" = "$(xargs <<<"$expected")" ] || fail "$*: ran $(xargs <"$RECORD") instead of $expected"
}
from() { sed "s/.*\\b$1\\b/$1/" <<<"$parts"; }

echo stop >"$RECORD.openapi"
runs 137 "${parts%%openapi*} openapi" nightly
echo fail >"$RECORD.openapi"
runs 1 "$(from openapi)" nightly --continue
grep -q 'checks .* passed before' "$work/output" || fail "a skipped part is not in the summary"
rm "$RECORD.openapi"
runs 0 openapi nightly --continue
runs 0 "" nightly --continue
runs 0 "checks" checks
runs 0 "$parts" nightly

echo uncommitted >file
runs 0 "$parts" nightly --continue
runs 0 "" nightly --continue
echo "an edit" >>file
runs 0 "$parts" nightly --continue
commit "Add a file"
echo change >"$RECORD.fuzz"
runs 0 "$parts" nightly --continue
git checkout -q file
rm "$RECORD.fuzz"
runs 0 fuzz nightly --continue
runs 64 "" nightly --restart
echo "A continued nightly run runs what has not passed on the same files."

#!/bin/sh
# Fuzzes what reads a request's target and its lists of entity tags with libFuzzer, guided by
# coverage.
#
#     SampleBackend/Tests/Fuzzing/requests.sh [seconds] [libFuzzer options]
#
# The target and the corpus are kept in SampleBackend/.build/fuzzing. An input that breaks a property
# is kept there as find-…; minimise it with `… -minimize_crash=1`, and make a test of it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
package=$(cd "$here/../.." && pwd)
seconds=${1:-60}
[ $# -eq 0 ] || shift
build=${FUZZ_BUILD:-$package/.build/fuzzing}/requests
server=$package/Sources/ConfigServer
rm -rf "$build/sources"
mkdir -p "$build/corpus" "$build/seeds" "$build/sources"

# One module of a few files: those that read requests import nothing else.
for file in "$server/HTTP/RequestTarget.swift" "$server/HTTP/QueryParameters.swift" \
    "$server/HTTP/ConfigurationRequest.swift" "$server/HTTP/EntityTagCondition.swift" \
    "$server/HTTP/RoutePattern.swift" "$server/HTTP/StringProtocol+PercentDecoding.swift" \
    "$server/HTTP/String+PercentEncoding.swift" "$server/Signals/Signals+Query.swift" \
    "$server/Signals/Signals+Names.swift" "$server/Signals/SignalError.swift" \
    "$package/Sources/Targeting/Signals.swift" "$here/RequestFuzzer.swift" \
    "$here/Substitutes.swift"; do
    sed -E '/^(public |package )?import (Targeting|Rendering)$/d' "$file" \
        >"$build/sources/$(basename "$file")"
done
swiftc -parse-as-library -O -sanitize=fuzzer,address -swift-version 6 -module-name RequestFuzzer \
    -package-name SampleBackend -o "$build/request-fuzzer" "$build"/sources/*.swift

number=0
while IFS= read -r line; do
    number=$((number + 1))
    printf "$line" >"$build/seeds/$number"
done <<'EOF'
/activeconfig/user/%%F0%%9F%%98%%80?app.version=1.2&signal.a=%%31\n"x", W/"y", *
/projects/p/activeconfig/user/a%%2Fb/events?signal.x=&&=&%%zz\n*
http://host:1/active_config?userID=%%2e%%2e\nW/"
HTTPS://host?x=1\n,,,
//..//%%00\n"0123456789abcdef0123456789abcdef"
/ofrep/v1/events?targetingKey=v1&targetingKey=\n"a
EOF

# The backtracer would hang a crash; leaks are Foundation's.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=detect_leaks=0
cd "$build"
exec ./request-fuzzer -max_total_time="$seconds" -max_len=512 -timeout=5 -rss_limit_mb=2048 \
    -artifact_prefix="$build/find-" -print_final_stats=1 "$@" corpus seeds

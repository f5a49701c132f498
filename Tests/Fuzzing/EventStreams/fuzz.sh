#!/bin/sh
# Coverage-guided fuzzing of the event stream parser with libFuzzer.
#
#     Tests/Fuzzing/EventStreams/fuzz.sh [seconds] [libFuzzer options]
set -eu

root=$(cd "$(dirname "$0")/../../.." && pwd)
# shellcheck source=Tests/Fuzzing/libfuzzer.sh
. "$root/Tests/Fuzzing/libfuzzer.sh"
prepare_fuzzing event-streams "${FUZZ_BUILD:-$root/.build/fuzzing}"

find "$root/Sources/ActiveConfigEventStream" "$root/Tests/Fuzzing/EventStreams" -name '*.swift' \
    >"$build/sources"
compile_fuzzer EventStreamFuzzer
printf '\005\357\273\277: c\nevent: hello\nid: 7\nretry: 2000\ndata: {"a":\ndata:1}\r\n\r\n' \
    >"$build/seeds/stream"
run_fuzzer "$build/seeds" "$root/Tests/Fuzzing/EventStreams/fields.dict" "$@"

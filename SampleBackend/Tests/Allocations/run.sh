#!/usr/bin/env bash
# Fails if a debug build of the backend exceeds the bounds of allocations for a request or an event.
# With --sites WORK it lists the allocating functions of this work: document, rendered, not-modified, repeated or event.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh
# shellcheck source=SampleBackend/Tests/Allocations/library.sh
. SampleBackend/Tests/Allocations/library.sh

if ! counts_allocations; then
    echo "Without glibc no allocations are counted."
    exit
fi
setup swift sqlite python
build_backend
ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
build_allocation_count "$work/AllocationCount.so"
PYTHONDONTWRITEBYTECODE=1 python3 SampleBackend/Tests/Allocations/allocations.py "$backend" \
    "$work/AllocationCount.so" --check "$@"

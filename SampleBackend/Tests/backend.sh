# Builds, starts and stops the backend for a test script; source it after Tests/setup.sh.

# Builds the backend, and creates a folder for the script's files, which is removed when the script exits.
# SAMPLE_BACKEND, an absolute path, names a program that is built already.
# Sets $backend, the program; $work, the folder; and ACTIVECONFIG_ADMIN_TOKEN, a publisher's token.
build_backend() {
    backend=${SAMPLE_BACKEND:-$PWD/SampleBackend/.build/debug/sample-backend}
    if [ -z "${SAMPLE_BACKEND:-}" ]; then
        # Planning builds of other products, and querying their path, takes SwiftPM many seconds.
        swift build --package-path SampleBackend --product sample-backend
    elif [ ! -x "$backend" ]; then
        fail "SAMPLE_BACKEND names no program: $backend"
    fi
    work=$(mktemp -d)
    backend_pid=""
    trap stop_backend EXIT
    trap 'exit 130' INT TERM
    ACTIVECONFIG_ADMIN_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
    export ACTIVECONFIG_ADMIN_TOKEN
    unset ACTIVECONFIG_TOKEN
}

# Starts the backend on a free port with these options of `serve`; sets $url once it listens.
start_backend() {
    : >"$work/out" # May be read before the backend starts.
    "$backend" serve --port 0 "$@" >"$work/out" 2>"$work/log" &
    backend_pid=$!
    until grep -q '^listening on ' "$work/out"; do
        kill -0 "$backend_pid" 2>/dev/null ||
            { cat "$work/log" >&2; fail "the backend did not start"; }
        sleep 0.1
    done
    url=$(sed -n 's/^listening on //p' "$work/out")
}

stop_backend() {
    if [ -n "$backend_pid" ]; then
        kill -TERM "$backend_pid" 2>/dev/null || true
        wait "$backend_pid" 2>/dev/null || true
    fi
    rm -rf "$work"
}

# Builds, starts and stops the backend for a test script; source it after Tests/setup.sh.

# Builds the backend, and creates a folder for the script's files, removed when the script ends.
# SAMPLE_BACKEND_IS_BUILT=1 says that nothing has changed since the last build.
# Sets $backend, the program; $work, the folder; and ACTIVECONFIG_ADMIN_TOKEN, a publisher's token.
build_backend() {
    # To plan a build of other products, and to say where it is, takes SwiftPM many seconds.
    if [ -z "${SAMPLE_BACKEND_IS_BUILT:-}" ]; then
        swift build --package-path SampleBackend --product sample-backend
    fi
    backend=$PWD/SampleBackend/.build/debug/sample-backend
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

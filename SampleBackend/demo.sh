#!/usr/bin/env bash
# Builds and starts the backend, publishes templates, and runs the sample app against it.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh

keep=false
port=0
cluster=false
usage() {
    cat <<TEXT
USAGE: SampleBackend/demo.sh [--keep] [--port PORT]
       SampleBackend/demo.sh --cluster [--keep] [--port PORT]

Builds the backend and starts it on a new database. Publishes the sample template, shows the generated
keys that apps read it by, runs the sample app for users 1, 2 and 3, explains the values of user 3,
connects the three users, publishes a change that only user 2 receives, and rolls it back. Then it runs
the app of user 2, which shows a published change immediately, kills the backend and restarts it, and
the app reconnects and catches up.

  --keep       Keeps the backend running until Ctrl-C: open the console by the printed link.
  --port PORT  The backend's port (default: a free one).
  --cluster    Shows a cluster instead: starts three members of etcd, three replicas of the backend and nginx
               in front of them with Operations/cluster.sh. Publishes the sample template through the first
               replica, and a change through the second, which the clients of all three receive. Kills
               the leader of etcd, and publishes through the third. PORT is then the port of nginx.

Exit codes: 0 success, 1 failure, 64 wrong usage, 69 a required program or service is not available.
TEXT
}
while [ $# -gt 0 ]; do
    case $1 in
    --keep) keep=true ;;
    --cluster) cluster=true ;;
    --port)
        [ $# -gt 1 ] || { echo "demo.sh: --port needs a number" >&2; exit 64; }
        port=$2
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "demo.sh: unknown option \"$1\"; see --help" >&2
        exit 64
        ;;
    esac
    shift
done

! $cluster || exec SampleBackend/Operations/cluster-demo.sh "$keep" "$port"

setup swift sqlite
bold() { if [ -t 1 ]; then printf '\033[1m%s\033[0m\n' "$*"; else printf '%s\n' "$*"; fi; }
say() { printf '\n' && bold "$*"; }

# Shows a command of the backend, and runs it.
backend() {
    bold "$ sample-backend$(printf ' %q' "$@")"
    "$backend" "$@"
}

say "Building the backend and the sample app (the first time takes a few minutes) …"
unset ACTIVECONFIG_WITHOUT_PLUGIN # Without the plug-in there is no sample app.
swift build --package-path SampleBackend --product sample-backend
swift build --product ActiveConfigSampleApp
backend="$(swift build --package-path SampleBackend --show-bin-path)/sample-backend"
app="$(swift build --show-bin-path)/ActiveConfigSampleApp"
template=SampleBackend/Sources/SampleBackend/Resources/SampleTemplate.json

work=$(mktemp -d)
pid=""
watches=""
live=""
stop() {
    # shellcheck disable=SC2086
    [ -z "$watches$live" ] || kill $watches $live 2>/dev/null || true
    if [ -n "$pid" ]; then
        kill -TERM "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

# The backend accepts it as a publisher's token; the commands send it.
ACTIVECONFIG_ADMIN_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export ACTIVECONFIG_ADMIN_TOKEN
unset ACTIVECONFIG_TOKEN

# Starts the backend on a port.
serve() {
    : >"$work/out" # Cleared first, so that no line of the previous run is read.
    "$backend" serve --port "$1" --store "sqlite:$work/demo.sqlite" >>"$work/out" 2>"$work/log" &
    pid=$!
    until grep -q '^listening on ' "$work/out"; do
        kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; fail "the backend did not start"; }
        sleep 0.1
    done
    url=$(sed -n 's/^listening on //p' "$work/out")
}

# Publishes the template with another label for user 2.
publish_label() {
    "$backend" get --server "$url" |
        awk -v label="$1" '/"LabelText"/ { inLabel = 1 }
            inLabel && /"User 2"/ { found = 1 }
            found && /"value"/ { sub(/"value": ".*"/, "\"value\": \"" label "\""); found = inLabel = 0 }
            { print }' >"$work/changed.json"
    shift
    backend publish "$work/changed.json" --server "$url" "$@"
}

# Shows the next output of the app, up to a line with a text; fails if none appears within 60 s.
shown=0
until_app_says() {
    local found=""
    for _ in $(seq 600); do
        found=$(awk -v from="$shown" -v text="$1" 'NR > from && $0 ~ text { print NR; exit }' \
            "$work/live")
        if [ -n "$found" ]; then
            sed -n "$((shown + 1)),${found}s/^/  /p" "$work/live"
            shown=$found
            return
        fi
        kill -0 "$live" 2>/dev/null || break
        sleep 0.1
    done
    tail -n "+$((shown + 1))" "$work/live" >&2
    fail "the app did not say \"$1\""
}

serve "$port"
say "The backend listens on $url, with an empty database. Publish the sample template:"
backend publish "$template" --server "$url" --description "The sample template"

say "An app reads its settings by generated keys; the backend generates the same keys from the template:"
backend export --format swift --server "$url" | sed '/^\/\/ Generated/,/^}$/d'

say "The app starts with its bootstrap configuration, downloads, and changes the user:"
"$app" --server "$url" --store "$work/store" \
    --script "download; user 1; download; user 2; download; user 3; download; user 1; quit"

say "The next launch starts with the stored configuration of user 2; the download finds no change:"
"$app" --server "$url" --store "$work/store" --user 2 --script "download; quit"

say "The same as JSON, for scripts:"
"$app" --server "$url" --store "$work/store" --user 3 --script "download; quit" --json

say "Why does user 3 get these values?"
backend evaluate --user 3 --server "$url" | sed '/^Document$/,$d'

say "Users 1, 2 and 3 listen:"
for user in 1 2 3; do
    bold "$ sample-backend watch --user $user --server $url &"
    "$backend" watch --user "$user" --server "$url" >"$work/watch$user" 2>"$work/watch$user.log" &
    watches="$watches $!"
done
for user in 1 2 3; do
    until grep -q 'is current' "$work/watch$user.log"; do
        # shellcheck disable=SC2086
        kill -0 $watches 2>/dev/null || { cat "$work"/watch*.log >&2; fail "the clients did not connect"; }
        sleep 0.05
    done
done

say "Preview a change of user 2's label, then publish it:"
# shellcheck disable=SC2016 # The backend replaces ${user.id}.
publish_label 'Hello, ${user.id}' --preview-user 2 --preview-user 3 --yes --description "Greet user 2"

for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ ! -s "$work/watch2" ] || break
    sleep 0.1
done
[ -s "$work/watch2" ] || fail "user 2 did not receive the change within a second"
say "User 2 received the change:"
cat "$work/watch2"
for user in 1 3; do
    [ ! -s "$work/watch$user" ] || fail "user $user received a change that does not concern them"
done
say "Users 1 and 3 received nothing, since their documents did not change."
# shellcheck disable=SC2086
kill $watches
watches=""
backend diff 1 2 --server "$url"

say "The app of user 2 downloads again:"
"$app" --server "$url" --store "$work/store" --user 2 --script "download; quit"

say "Roll back to version 1:"
backend rollback 1 --server "$url"
backend versions --server "$url"

say "The app of user 2 runs, and receives each change immediately:"
"$app" --server "$url" --store "$work/store" --user 2 --live </dev/null >"$work/live" 2>&1 &
live=$!
until_app_says 'each change arrives at once'

say "Change the label: the app shows it without a download of its own:"
publish_label "Pushed" --description "A change while the app runs"
until_app_says 'label: .*Pushed'
until_app_says 'button:'

say "Kill the backend (kill -9): the app reports the lost connection, and keeps its configuration:"
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
pid=""
until_app_says 'not connected'

say "Restart it on the same port and database, and publish before the app reconnects:"
serve "${url##*:}"
restarted=$shown
publish_label "Caught up" --description "A change while the app was disconnected"
until_app_says 'label: .*Caught up'
until_app_says 'button:'
# An app that was faster than the publish has said this before.
awk -v from="$restarted" 'NR > from && /each change arrives at once/ { found = 1 } END { exit !found }' \
    "$work/live" || until_app_says 'each change arrives at once'
kill "$live"
wait "$live" 2>/dev/null || true
live=""

say "Open the console by this link, which signs you in:"
echo "  $url/console/#token=$ACTIVECONFIG_ADMIN_TOKEN"

if $keep; then
    say "The backend keeps running on $url (Ctrl-C stops it). Try in another terminal:"
    echo "  $backend watch --user 2 --server $url"
    echo "  export ACTIVECONFIG_TOKEN=$ACTIVECONFIG_ADMIN_TOKEN"
    echo "  $backend evaluate --user 3 --server $url"
    echo "  curl $url/activeconfig/user/3"
    echo "  swift run ActiveConfigSampleApp --server $url"
    wait "$pid"
else
    kill -TERM "$pid"
    wait "$pid" || fail "the backend exited with an error"
    pid=""
    say "The backend has stopped, and the console with it. Use --keep to keep them running."
fi

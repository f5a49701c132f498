# Servers that load.sh measures; source it after Tests/setup.sh. Each has a folder of $work by its name; the
# backends' is the side, "this" or "earlier", and has links to the side's programs.

stop_server() {
    local process
    process=$(cat "$work/$1/process")
    rm "$work/$1/process"
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
}
stop_servers() {
    local file
    for file in "$work"/*/process; do
        [ ! -e "$file" ] || stop_server "$(basename "$(dirname "$file")")"
    done
}

# start_server NAME COMMAND…: starts what prints "listening on URL".
start_server() {
    local name=$1 process
    shift
    mkdir -p "$work/$name"
    "$@" >"$work/$name/out" &
    process=$!
    echo "$process" >"$work/$name/process"
    until grep -q '^listening on ' "$work/$name/out"; do
        kill -0 "$process" 2>/dev/null || fail "$name did not start"
        sleep 0.1
    done
}
url() { sed -n 's/^listening on //p' "$work/$1/out"; }

start_backends() {
    local side
    for side in $sides; do
        start_server "$side" "$work/$side/programs/sample-backend" serve --port 0 \
            --store "sqlite:$work/$side/load.sqlite" --log-level warning
    done
}

# nginx, which serves a file: the bytes that the backend sent to one user.
start_nginx() {
    local port
    mkdir -p "$work/nginx/www"
    : >"$work/nginx/www/document.json"
    chmod 755 "$work" "$work/nginx" "$work/nginx/www"
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    cat >"$work/nginx/nginx.conf" <<TEXT
worker_processes auto;
daemon off;
pid $work/nginx/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    keepalive_requests 1000000000;
    types { application/json json; }
    server { listen 127.0.0.1:$port; root $work/nginx/www; }
}
TEXT
    echo "listening on http://127.0.0.1:$port" >"$work/nginx/out"
    "$(PATH=$PATH:/usr/sbin command -v nginx)" -c "$work/nginx/nginx.conf" -p "$work/nginx" &
    echo "$!" >"$work/nginx/process"
    curl -sS --retry 20 --retry-delay 1 --retry-connrefused \
        "$(url nginx)/document.json" ||
        fail "nginx did not start"
}

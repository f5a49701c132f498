# Measurements of requests for load.sh; source it after servers.sh. All servers take turns, and another one
# starts each round. Lines of $work/results contain: measurement, server, figures.

query="?app.version=2.3.1&device.os=ios&device.country=JP&device.language=ja&signal.plan=gold&signal.level=42&signal.city=Tokyo"

# publish SIDE FILE: publishes a template and prints the seconds it took.
publish() {
    curl -sS -f -o /dev/null -w '%{time_total}\n' -X PUT --data-binary "@$2" \
        -H "Authorization: Bearer $ACTIVECONFIG_ADMIN_TOKEN" -H 'If-Match: *' \
        "$(url "$1")/v1/projects/default/remoteConfig"
}

# measure NAME SERVER [VARIABLE=VALUE …]: requests a second, the 99th percentile in µs, and errors.
measure() {
    local name=$1 server=$2
    shift 2
    echo "rate $name $server $(env "$@" wrk -t1 -c32 -d"${seconds}s" \
        -s SampleBackend/Tests/Load/users.lua "$(url "$server")" | sed -n 's/^RESULT //p')" >>"$work/results"
    progress "$(tail -n 1 "$work/results")"
}
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$1" >&2; }

# compare NAME BYTES KIND: the backends, nginx, a bare handler and peers in turn, with a template of that size.
compare() {
    local name=$1 servers="nginx nio $sides $peers" server first rest
    python3 SampleBackend/Tests/Load/template.py "$2" "$3" >"$work/template.json"
    for server in $sides; do
        publish "$server" "$work/template.json" >/dev/null
        curl -sS -D "$work/$server/head" -o "$work/$server/document" "$(url "$server")/activeconfig/user/user-1$query"
    done
    cp "$work/this/document" "$work/nginx/www/document.json"
    chmod 644 "$work/nginx/www/document.json"
    start_server nio "$bin/RequestStages" bare "$work/this/document"
    for server in $peers; do
        start_server "$server" "$peers_bin/Peers" "$server" "$work/this/document"
    done
    echo "bytes $name this $(wc -c <"$work/this/document")" >>"$work/results"
    for _ in $(seq "$rounds"); do
        for server in $servers; do
            case $server in
            nginx) measure "$name" nginx REQUEST_PATH=/document.json ;;
            *) measure "$name" "$server" NO=1 ;;
            esac
            case "$name $server" in
            "B2 this" | "B2 earlier")
                measure B4 "$server" "IF_NONE_MATCH=$(tag "$server")" \
                    "REQUEST_PATH=/activeconfig/user/user-1$query"
                ;;
            esac
        done
        read -r first rest <<<"$servers"
        servers="$rest $first"
    done
    for server in nio $peers; do stop_server "$server"; done
    progress ""
}
tag() { tr -d '\r' <"$work/$1/head" | sed -n 's/^[Ee][Tt]ag: //p'; }

measure_publishes() {
    local side
    python3 SampleBackend/Tests/Load/large.py >"$work/large.json"
    for _ in $(seq $((rounds + 4))); do
        for side in $sides; do
            echo "publish B8 $side $(publish "$side" "$work/large.json")" >>"$work/results"
        done
    done
}

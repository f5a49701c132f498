# Starts nginx in front of the backend for a test script; source it after SampleBackend/Tests/backend.sh.

# write_nginx_configuration FOLDER PORT URL…: writes FOLDER/nginx.conf, which is
# SampleBackend/Operations/nginx.conf on a port of this machine, without its TLS, before these replicas.
# $nginx_connections is the most connections (default: 8192). A stream has two; nginx closes idle ones when
# fewer than a sixteenth are free. $nginx_limit replaces both limits of a client (default: none, since a
# test's clients have one address).
write_nginx_configuration() {
    local folder=$1 port=$2 limits='/^ *limit_/d'
    shift 2
    mkdir -p "$folder"
    if [[ -n ${nginx_limit:-} ]]; then
        limits="/^ *limit_/s/1000/$nginx_limit/"
    fi
    sed -e "s|listen 443 ssl http2;|listen 127.0.0.1:$port;|" \
        -e "s|listen 80;|listen unix:$folder/redirect.sock;|" \
        -e '/listen \[::\]/d' -e '/ssl_/d' -e "$limits" SampleBackend/Operations/nginx.conf |
        awk -v replicas="${*#http://}" '
            /^    server 127\.0\.0\.1:8080/ {
                count = split(replicas, replica, " ")
                for (i = 1; i <= count; i++) {
                    line = $0
                    sub(/127\.0\.0\.1:8080/, replica[i], line)
                    print line
                }
                next
            }
            { print }' >"$folder/site.conf"
    cat >"$folder/nginx.conf" <<TEXT
daemon off;
master_process off;
pid $folder/pid;
error_log $folder/log;
worker_rlimit_nofile $(ulimit -n);
events { worker_connections ${nginx_connections:-8192}; }
http {
    access_log off;
    default_type application/octet-stream;
    client_body_temp_path $folder/bodies;
    proxy_temp_path $folder/answers;
    fastcgi_temp_path $folder/fastcgi;
    uwsgi_temp_path $folder/uwsgi;
    scgi_temp_path $folder/scgi;
    include $folder/site.conf;
}
TEXT
}

# Starts nginx on a free port in front of the backend at $url; sets $url to its own address. It exits with the
# script.
start_nginx() {
    local port
    port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    write_nginx_configuration "$work/nginx" "$port" "$url"
    PATH=$PATH:/usr/sbin nginx -e "$work/nginx/log" -c "$work/nginx/nginx.conf" &
    nginx_pid=$!
    trap stop_nginx EXIT
    url=http://127.0.0.1:$port
    until curl -s -o "$work/nginx/ready" "$url/health/live"; do
        kill -0 "$nginx_pid" 2>/dev/null || { cat "$work/nginx/log" >&2; fail "nginx did not start"; }
        sleep 0.1
    done
}

stop_nginx() {
    kill "$nginx_pid" 2>/dev/null || true
    wait "$nginx_pid" 2>/dev/null || true
    stop_backend
}

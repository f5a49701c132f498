# Starts nginx before the backend for a test script; source it after SampleBackend/Tests/backend.sh.

# Starts nginx with SampleBackend/Operations/nginx.conf on a free port, without its TLS, before the backend
# at $url; sets $url to its own address. It ends with the script.
start_nginx() {
    local port
    port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    mkdir "$work/nginx"
    sed -e "s|server 127.0.0.1:8080;|server ${url#http://};|" \
        -e "s|listen 443 ssl http2;|listen 127.0.0.1:$port;|" \
        -e "s|listen 80;|listen unix:$work/nginx/redirect.sock;|" \
        -e '/listen \[::\]/d' -e '/ssl_/d' SampleBackend/Operations/nginx.conf >"$work/nginx/site.conf"
    cat >"$work/nginx/nginx.conf" <<TEXT
daemon off;
master_process off;
pid $work/nginx/pid;
error_log $work/nginx/log;
events { worker_connections 4096; }
http {
    access_log off;
    default_type application/octet-stream;
    client_body_temp_path $work/nginx/bodies;
    proxy_temp_path $work/nginx/answers;
    fastcgi_temp_path $work/nginx/fastcgi;
    uwsgi_temp_path $work/nginx/uwsgi;
    scgi_temp_path $work/nginx/scgi;
    include $work/nginx/site.conf;
}
TEXT
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

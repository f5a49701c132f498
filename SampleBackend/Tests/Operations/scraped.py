#!/usr/bin/env python3
"""Checks the metrics of a running backend, and by Prometheus the alerts and the dashboard.

USAGE: SampleBackend/Tests/Operations/scraped.py BACKEND ETCD FOLDER

BACKEND is the https URL of a new backend with --dev, --acknowledgements, --allow-private-webhooks and a SQLite
database; ETCD the URL of a member. Requests of each kind are sent, then promtool finds nothing to improve in
the metrics. Each metric of the alerts and the dashboard exists. Prometheus runs in FOLDER with the alerts for a
few scrapes: no alert fires, and each query of the dashboard gives data. ACTIVECONFIG_ADMIN_TOKEN is the
backend's. Exit codes: 0, 1 something is wrong.
"""

import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import rules

BACKEND, ETCD = sys.argv[1:3]
FOLDER = Path(sys.argv[3])
TLS = ssl._create_unverified_context()
HOST = urllib.parse.urlsplit(BACKEND).netloc
TOKEN = os.environ["ACTIVECONFIG_ADMIN_TOKEN"]
TEMPLATE = "/v1/projects/default/remoteConfig"
# Metrics that only a server with --snapshot has, which is not for SQLite.
WITH_SNAPSHOT = {"activeconfig_snapshot_written"}
# Maximum number of lines of a new server's metrics.
MOST_LINES = 150
DEADLINE = 120


def refuse(message):
    print(f"scraped.py: {message}", file=sys.stderr)
    sys.exit(1)


def send(method, path, body=None, status=200, **fields):
    """The header fields and the body of an answer, which must have a status."""
    connection = http.client.HTTPSConnection(HOST, timeout=DEADLINE, context=TLS)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
    answer = connection.getresponse()
    content = answer.read().decode()
    connection.close()
    if answer.status != status:
        refuse(f"{method} {path}: {answer.status} {content}")
    return answer.headers, content


def administer(method, path, body=None, **fields):
    return send(method, path, body, Authorization=f"Bearer {TOKEN}", **fields)


def publish():
    """Publishes the template with another value for each user."""
    headers, content = administer("GET", TEMPLATE)
    template = json.loads(content)
    template.pop("version", None)
    text = json.dumps(template).replace('label value', f'label value {headers["ETag"][-2:-1]}')
    administer("PUT", TEMPLATE, text, If_Match=headers["ETag"])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def send_each_kind(receiver):
    """Sends requests until each metric has a series."""
    headers, _ = send("GET", "/activeconfig/user/3")
    send("GET", "/activeconfig/user/3", status=304, If_None_Match=headers["ETag"])
    send("GET", "/nothing", status=404)
    send("GET", TEMPLATE, status=401)
    send("GET", "/activeconfig/user/3", status=304, If_None_Match=headers["ETag"], Prefer="wait=1")
    send("POST", "/ofrep/v1/evaluate/flags", '{"context": {"targetingKey": "3"}}', Content_Type="application/json")
    for user, problems in (("1", []), ("2", [{"section": "AppFeatures", "key": "SomeFeature", "message": "no"}])):
        send("POST", f"/activeconfig/user/{user}/acknowledgement",
             json.dumps({"template_version": 1, "problems": problems}), status=204)
    administer("POST", "/v1/projects/default/webhooks", json.dumps({"url": f"http://127.0.0.1:{receiver}/"}))
    # The stream of a user whose document a publish changes.
    stream = TLS.wrap_socket(socket.create_connection(HOST.split(":"), timeout=DEADLINE))
    stream.sendall(f"GET /activeconfig/user/3/events HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
    received = b""
    while b"event: hello" not in received:
        received += stream.recv(65536)
    publish()
    while b"event: update" not in received:
        received += stream.recv(65536)
    while not re.search(r'deliveries_total\{outcome="delivered"\} [1-9]', send("GET", "/metrics")[1]):
        time.sleep(0.1)
    return stream


def check_metrics(text, when):
    code, output = rules.run_promtool("check", "metrics", text=text)
    if code or output:
        refuse(f"promtool check metrics, {when}:\n{output}")


def check_names(texts):
    known = {"up"} | WITH_SNAPSHOT | set(re.findall(r"^([a-zA-Z_:][\w:]*)", "\n".join(texts), re.M))
    for name, expression in [rule[:2] for rule in rules.alerts()] + rules.queries():
        for metric in sorted(rules.metrics(expression) - known):
            refuse(f'"{name}" reads {metric}, which neither the backend nor etcd has')


def start_prometheus():
    """Prometheus with the alerts, and its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    etcd = urllib.parse.urlsplit(ETCD).netloc
    (FOLDER / "prometheus.yml").write_text(f"""
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{rules.ALERTS}"]
scrape_configs:
  - job_name: sample-backend
    scheme: https
    tls_config: {{insecure_skip_verify: true}}
    static_configs: [{{targets: ["{HOST}"]}}]
  - job_name: etcd
    static_configs: [{{targets: ["{etcd}"]}}]
""")
    with open(FOLDER / "prometheus.log", "w") as log:
        process = subprocess.Popen(
            ["prometheus", f"--config.file={FOLDER}/prometheus.yml", f"--storage.tsdb.path={FOLDER}/prometheus",
             f"--web.listen-address={address}"], stdout=log, stderr=log)
    return process, f"http://{address}"


def ask(url, path, **parameters):
    with urllib.request.urlopen(f"{url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=DEADLINE) as answer:
        return json.load(answer)["data"]


def check_by_prometheus(process, url):
    """Waits until each query of the dashboard gives data; no alert may fire then."""
    missing = dict.fromkeys(rules.queries())
    end = time.monotonic() + DEADLINE
    while missing:
        if process.poll() is not None or time.monotonic() > end:
            refuse(f"no data for {[title for title, _ in missing]}:\n"
                   + (FOLDER / "prometheus.log").read_text()[-2000:])
        time.sleep(1)
        send("GET", "/activeconfig/user/3")
        publish()
        try:
            for query in list(missing):
                if ask(url, "query", query=query[1])["result"]:
                    del missing[query]
        except urllib.error.URLError:
            continue
    groups = ask(url, "rules")["groups"]
    alerts = [rule for group in groups for rule in group["rules"]]
    if {rule["name"] for rule in alerts} != {name for name, _, _ in rules.alerts()}:
        refuse("Prometheus has other alerts than rules.py finds")
    for rule in alerts:
        # The certificate of a test is valid for days.
        if rule["health"] != "ok" or rule["alerts"] and not rule["name"].startswith("Certificate"):
            refuse(f"{rule['name']}: {rule['health']} {rule.get('lastError', '')} {rule['alerts']}")


def main():
    receiver = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    new = send("GET", "/metrics")[1]
    if new.count("\n") > MOST_LINES:
        refuse(f"a new server's metrics have {new.count(chr(10))} lines")
    check_metrics(new, "new server")
    stream = send_each_kind(receiver.server_port)
    loaded = send("GET", "/metrics")[1]
    check_metrics(loaded, "after requests")
    with urllib.request.urlopen(f"{ETCD}/metrics", timeout=DEADLINE) as answer:
        check_names([loaded, answer.read().decode()])
    process, url = start_prometheus()
    try:
        check_by_prometheus(process, url)
    finally:
        process.terminate()
        process.wait()
        stream.close()
    print(f"{new.count(chr(10))} lines of metrics at the start, {loaded.count(chr(10))} after requests; each query "
          "of the dashboard gives data, and no alert fires")


if __name__ == "__main__":
    main()

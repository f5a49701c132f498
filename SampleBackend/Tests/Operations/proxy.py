#!/usr/bin/env python3
"""Checks SampleBackend/Operations/nginx.conf with nginx itself and replicas that fail on request, and that all
it declares is used: nginx accepts a limit that limits nothing.

USAGE: SampleBackend/Tests/Operations/proxy.py, from the root of the repository; nginx and openssl must be
installed.
"""

import http.client
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# A test fails instead of waiting forever.
DEADLINE = 60

CONFIGURATION = Path(__file__).parents[2] / "Operations/nginx.conf"


def problems(text):
    """Names that a configuration declares and does not use, and limits that some requests escape."""
    text = re.sub(r"#.*", "", text)
    zones = {zone: key for key, zone in re.findall(r"^limit_\w+_zone\s+(\S+)\s+zone=(\w+)", text, re.M)}
    kinds = [
        (zones, r"^ *limit_(?:req\s+zone=|conn\s+){}\b"),
        (re.findall(r"^upstream (\w+)", text, re.M), r"_pass \w+://{}\b"),
        (re.findall(r"^map \S+ \$(\w+)", text, re.M), r"^(?!map \S+ \${0}\b).*\${0}\b"),
        (re.findall(r"\(\?<(\w+)>", text), r"\${}\b"),
        (re.findall(r"location @(\w+)", text), r"(?<!location )@{}\b"),
    ]
    for names, use in kinds:
        for name in names:
            if not re.search(use.format(name), text, re.M):
                yield f"{name} is declared and not used"
    limits = re.compile(r"^ *limit_req\s+zone=(\w+)", re.M)
    locations = re.findall(r"^    location .*?^    }", text, re.M | re.S)
    server = set(limits.findall(re.sub(r"^    location .*?^    }", "", text, flags=re.M | re.S)))
    clients = re.findall(r"^limit_req_zone\s+\$sample_backend_client\s+zone=(\w+)", text, re.M)
    for zone in set(clients) - server:
        yield f"{zone} does not limit all requests"
    for location in locations:
        own = set(limits.findall(location))
        # They replace those of the server.
        if own and not server <= own:
            yield f"{location.strip().splitlines()[0]} has no {', '.join(sorted(server - own))}"


class Replica(ThreadingHTTPServer):
    """A server that responds according to `behavior`: answer, die (after reading a request), busy, or stream."""

    daemon_threads = True

    def __init__(self):
        self.behavior = "answer"
        self.requests = []
        self.streams = 0
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.command, self.path, body))
        behavior = self.server.behavior
        if behavior == "die":
            self.close_connection = True
            return
        if self.path.endswith("/events"):
            self.stream()
            return
        self.send_response(503 if behavior == "busy" else 200)
        if behavior == "busy":
            self.send_header("Retry-After", "17")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_GET = do_PUT = do_POST = do_DELETE = answer

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        # Before the event is written: the test compares as soon as it has read the event.
        self.server.streams += 1
        self.wfile.write(b"data: 1\n\n")
        self.wfile.flush()
        # Until nginx closes the connection.
        self.connection.settimeout(DEADLINE)
        self.rfile.read(1)
        self.close_connection = True

    def log_message(self, *arguments):
        pass


NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")


class FileTests(unittest.TestCase):
    def test_the_whole_file_is_valid_inside_http(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=config.example.com",
                 "-keyout", f"{folder}/key", "-out", f"{folder}/certificate"], check=True, capture_output=True)
            site = Path("SampleBackend/Operations/nginx.conf").read_text("utf-8")
            # nginx opens the ports even for a configuration check; the lower ones are root's, and there may be no IPv6.
            site = re.sub(r"listen \[::\].*", "", site)
            site = re.sub(r"listen (\d+)", rf"listen unix:{folder}/\1", site)
            site = site.replace("/etc/ssl/certs/config.example.com.pem", f"{folder}/certificate")
            site = site.replace("/etc/ssl/private/config.example.com.key", f"{folder}/key")
            Path(folder, "nginx.conf").write_text(
                f"pid {folder}/pid; error_log {folder}/log; events {{}}\nhttp {{\n{site}\n}}\n")
            result = subprocess.run(
                [NGINX, "-t", "-q", "-e", f"{folder}/log", "-c", f"{folder}/nginx.conf"],
                capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""))


class ProxyCase(unittest.TestCase):
    """nginx before three replicas."""

    environment = {}

    def setUp(self):
        self.replicas = [Replica() for _ in range(3)]
        self.folder = tempfile.mkdtemp()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        subprocess.run(
            ["bash", "-ec", '. SampleBackend/Tests/nginx.sh; write_nginx_configuration "$@"', "-",
             self.folder, str(self.port), *(replica.url for replica in self.replicas)], check=True,
            env=os.environ | self.environment)
        self.nginx = subprocess.Popen(
            [NGINX, "-e", f"{self.folder}/log", "-c", f"{self.folder}/nginx.conf"])
        while True:
            self.assertIsNone(self.nginx.poll(), "nginx did not start")
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.05)

    def tearDown(self):
        self.nginx.terminate()
        self.nginx.wait()
        for replica in self.replicas:
            replica.close()
        shutil.rmtree(self.folder)

    def send(self, method, path="/activeconfig", body=None):
        """The status, the header fields and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        connection.request(method, path, body)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def received(self):
        return [request for replica in self.replicas for request in replica.requests]

    def streams(self, count):
        """Connections that have read the first event of their stream."""
        connections = []
        for user in range(count):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
            connection.request("GET", f"/activeconfig/user/{user}/events")
            self.assertEqual(connection.getresponse().readline(), b"data: 1\n")
            connections.append(connection)
        return connections


class ProxyTests(ProxyCase):
    def test_requests_are_spread_over_the_replicas(self):
        for _ in range(9):
            self.assertEqual(self.send("GET")[0], 200)
        self.assertEqual([len(replica.requests) for replica in self.replicas], [3, 3, 3])

    def test_reads_go_on_while_replicas_are_down_or_die(self):
        self.replicas[0].close()
        self.replicas[1].behavior = "die"
        for _ in range(9):
            self.assertEqual(self.send("GET")[0], 200)

    def test_a_write_that_was_sent_is_never_repeated(self):
        for method in ("PUT", "DELETE", "POST"):
            with self.subTest(method):
                for replica in self.replicas:
                    replica.behavior = "die"
                    replica.requests = []
                status, headers, _ = self.send(method, "/v1/projects/p/remoteConfig", b"{}")
                # Not 503, after which a client may repeat: it may have been applied.
                self.assertEqual(status, 502)
                self.assertIsNone(headers["Retry-After"])
                self.assertEqual(self.received(), [(method, "/v1/projects/p/remoteConfig", b"{}")])
                # The failed replica gets no requests for three seconds: restart everything.
                self.tearDown()
                self.setUp()

    def test_a_post_that_was_not_sent_goes_to_another_replica(self):
        self.replicas[0].close()
        for _ in range(3):
            self.assertEqual(self.send("POST", "/ofrep/v1/evaluate/flags", b"{}")[0], 200)

    def test_retry_after_reaches_the_client_and_is_no_failure(self):
        for replica in self.replicas:
            replica.behavior = "busy"
        for count in (1, 2, 3):
            status, headers, _ = self.send("GET")
            self.assertEqual((status, headers["Retry-After"]), (503, "17"))
            self.assertEqual(len(self.received()), count)
        for replica in self.replicas:
            replica.behavior = "answer"
        for _ in range(3):
            self.assertEqual(self.send("GET")[0], 200)
        self.assertEqual([len(replica.requests) for replica in self.replicas], [2, 2, 2])

    def test_without_replicas_readers_are_told_when_to_come_back(self):
        for replica in self.replicas:
            replica.close()
        for path in ("/activeconfig", "/activeconfig/user/1/events"):
            status, headers, body = self.send("GET", path)
            self.assertEqual((status, headers["Retry-After"]), (503, "5"))
            self.assertEqual(headers["Content-Type"], "application/json")
            self.assertIn(b'"UNAVAILABLE"', body)
        self.assertEqual(self.send("PUT", "/v1/projects/p/remoteConfig", b"{}")[0], 502)

    def test_paths_stay_encoded(self):
        path = "/v1/projects/p/users/a%2Fb%20c/overrides?x=%2F"
        for method in ("GET", "PUT", "DELETE", "POST"):
            self.assertEqual(self.send(method, path, b"{}")[0], 200)
        self.assertEqual({request[1] for request in self.received()}, {path})

    def test_events_are_passed_on_at_once_and_streams_are_spread(self):
        connections = self.streams(6)
        self.assertEqual([replica.streams for replica in self.replicas], [2, 2, 2])
        for connection in connections:
            connection.close()


class LimitTests(ProxyCase):
    # Requests a second, as many at once, and as many more in a burst.
    environment = {"nginx_limit": "5"}

    def assert_limited(self, method, path):
        status, headers, body = self.send(method, path, b"{}")
        self.assertEqual((status, headers["Retry-After"]), (429, "1"))
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertIn(b'"RESOURCE_EXHAUSTED"', body)

    def test_a_client_has_so_many_requests_at_once(self):
        connections = self.streams(5)
        time.sleep(1)
        self.assert_limited("GET", "/activeconfig/user/5/events")
        self.assert_limited("GET", "/activeconfig")
        self.assert_limited("PUT", "/v1/projects/p/remoteConfig")
        self.assertEqual(len(self.received()), 5)
        for connection in connections:
            connection.close()

    def test_a_client_has_so_many_requests_a_second(self):
        statuses = [self.send("GET")[0] for _ in range(50)]
        self.assertIn(200, statuses)
        self.assertIn(429, statuses)
        time.sleep(1)
        self.assertEqual(self.send("PUT")[0], 200)


class DeclarationTests(unittest.TestCase):
    def test_all_that_is_declared_is_used(self):
        self.assertEqual(list(problems(CONFIGURATION.read_text("utf-8"))), [])

    def test_a_lost_use_is_found(self):
        lines = CONFIGURATION.read_text("utf-8").splitlines(keepends=True)
        uses = [number for number, line in enumerate(lines) if re.match(r" *limit_(req|conn) ", line)]
        self.assertEqual(len(uses), 4)
        for number in uses:
            with self.subTest(lines[number].strip()):
                self.assertNotEqual(list(problems("".join(lines[:number] + lines[number + 1:]))), [])


class SignInTests(ProxyCase):
    environment = {"nginx_limit": "1000"}

    def test_a_client_has_so_many_sign_ins_a_second(self):
        statuses = [self.send("POST", "/console/session", b"{}")[0] for _ in range(30)]
        self.assertEqual(statuses[:10], [200] * 10)
        self.assertIn(429, statuses)
        for method in ("GET", "DELETE"):
            self.assertEqual(self.send(method, "/console/session")[0], 200)


if __name__ == "__main__":
    unittest.main()

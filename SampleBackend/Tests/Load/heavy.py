"""Measures the effect of slow requests on others: heavy.py DIRECTORY-OF-PROGRAMS WORK SECONDS > FILE

Starts a backend with users' tokens and a template of 4 MB. While connections continuously request
differences, drafts, previews or all flags, it measures health checks and documents. Writes JSON as
streams.py does. The token of the administrator is in ACTIVECONFIG_ADMIN_TOKEN.
"""

import base64
import hashlib
import heapq
import hmac
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time

from backend import LIMIT, Backend

SECRET = "a secret of at least 32 bytes, for HS256"
PAUSE = 0.005  # Seconds between two rounds of measurements.


def token(user):
    """A JWT of a user, signed with HS256."""
    def encoded(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")
    text = b".".join(encoded(json.dumps(part).encode()) for part in (
        {"alg": "HS256", "typ": "JWT"}, {"sub": user, "exp": int(time.time()) + 3_600}))
    return (text + b"." + encoded(hmac.new(SECRET.encode(), text, hashlib.sha256).digest())).decode()


def template(letter):
    """3,000 settings with 990,000 characters of four bytes each."""
    return {"parameters": {f"setting{number}": {"defaultValue": {"value": letter * 330}}
                           for number in range(3_000)}}


def load(port, count, request):
    """Sends a request on many connections, and again after each response or its Retry-After; prints the
    statuses at the end."""
    os.nice(10)  # The clients must not compete with the measured requests for the processor.
    epoll, sockets, statuses, later = select.epoll(), {}, {}, []

    def end(*_):
        print(json.dumps(statuses), flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port), LIMIT)
        sockets[connection.fileno()] = [connection, -1, b"", 0]
        epoll.register(connection.fileno(), select.EPOLLIN)
        connection.sendall(request)
    print("sent", flush=True)
    while True:
        while later and later[0][0] <= time.monotonic():
            sockets[heapq.heappop(later)[1]][0].sendall(request)
        for file, _ in epoll.poll(0.1):
            entry = sockets[file]
            data = entry[0].recv(1 << 20)
            if not data:
                sys.exit("heavy.py: the backend closed a connection")
            if entry[1] < 0:
                head, mark, body = (entry[2] + data).partition(b"\r\n\r\n")
                entry[2] = entry[2] + data
                if not mark:
                    continue
                status = head.split(b" ", 2)[1].decode()
                statuses[status] = statuses.get(status, 0) + 1
                entry[1] = int(re.search(rb"(?i)content-length: (\d+)", head).group(1)) - len(body)
                retry = re.search(rb"(?i)retry-after: (\d+)", head)
                entry[3] = time.monotonic() + (int(retry.group(1)) if retry else 0)
            else:
                entry[1] -= len(data)
            if entry[1] == 0:
                entry[1], entry[2] = -1, b""
                heapq.heappush(later, (entry[3], file))


class Run:
    def __init__(self, programs, work, seconds):
        self.seconds = seconds
        self.figures, self.details, self.wrong = [], [], []
        folder = os.path.join(work, "heavy")
        os.makedirs(folder, exist_ok=True)
        os.environ["ACTIVECONFIG_USER_TOKEN_SECRET"] = SECRET
        self.backend = Backend(os.path.join(programs, "sample-backend"), folder)
        self.work = folder
        self.administrator = "Authorization: Bearer " + os.environ["ACTIVECONFIG_ADMIN_TOKEN"]
        self.user = "Authorization: Bearer " + token("user-1")

    def request(self, method, target, field, body=""):
        """The bytes of a request."""
        body = body.encode()
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        return f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{field}\r\n{length}\r\n".encode() + body

    def prepare(self):
        self.backend.publish(template("\U0001d11e"))
        self.backend.publish(template("\U0001d122"))
        connection = http.client.HTTPConnection("127.0.0.1", self.backend.port, timeout=LIMIT)
        connection.request(
            "PUT", "/v1/projects/default/draft",
            json.dumps({"baseVersion": "2", "template": template("\U0001d12a")}),
            {"Authorization": self.administrator.split(": ")[1], "If-None-Match": "*"})
        response = connection.getresponse()
        response.read()
        connection.close()
        if response.status != 200:
            sys.exit(f"heavy.py: the draft was answered with {response.status}")

    def measure(self, name, count, request):
        """Measures health checks and documents while connections continuously send a request."""
        path = os.path.join(self.work, "request")
        with open(path, "wb") as file:
            file.write(request)
        clients = subprocess.Popen(
            [sys.executable, __file__, "load", str(self.backend.port), str(count), path],
            stdout=subprocess.PIPE, text=True)
        times = {"/health/live": [], "/health/ready": [], "/activeconfig/user/user-1": []}
        try:
            if clients.stdout.readline() != "sent\n":
                sys.exit("heavy.py: the clients did not start")
            end = time.monotonic() + self.seconds
            while time.monotonic() < end:
                for target, durations in times.items():
                    start = time.monotonic()
                    connection = http.client.HTTPConnection("127.0.0.1", self.backend.port, timeout=LIMIT)
                    connection.request("GET", target, headers={"Authorization": self.user.split(": ")[1]})
                    response = connection.getresponse()
                    response.read()
                    durations.append((time.monotonic() - start) * 1_000)
                    connection.close()
                    if response.status != 200:
                        self.wrong.append(f"B14: {target} was answered with {response.status} during {name}")
                time.sleep(PAUSE)
        finally:
            clients.send_signal(signal.SIGTERM)
            statuses = json.loads(clients.communicate(timeout=LIMIT)[0].splitlines()[-1])
        if not statuses or set(statuses) - {"200", "503"}:
            self.wrong.append(f"B14: {name} were answered with {statuses}")
        self.figures.append({"name": "B14", "what": f"health check during {name}, the longest, ms",
                             "value": max(times["/health/live"]), "sign": "<=", "target": 20.0})
        document = sorted(times["/activeconfig/user/user-1"])
        self.figures.append({"name": "B14", "what": f"document during {name}, p99, ms",
                             "value": document[len(document) * 99 // 100], "sign": "<=", "target": 100.0})
        self.details.append(
            f"B14: {name}: {len(document)} documents, readiness at worst {max(times['/health/ready']):.0f} ms, "
            f"answers {json.dumps(statuses)}, memory {self.backend.memory()} KiB")

    def run(self):
        path = "/v1/projects/default"
        self.measure("30 differences", 30, self.request(
            "GET", f"{path}/remoteConfig:diff?from=1&to=2", self.administrator))
        self.measure("12 drafts", 12, self.request("GET", f"{path}/draft", self.administrator))
        self.measure("8 previews", 8, self.request(
            "POST", f"{path}/remoteConfig:preview", self.administrator,
            json.dumps({"template": template("\U0001d15e"), "users": [{"userID": "user-1"}]})))
        self.measure("200 flags", 200, self.request(
            "POST", "/ofrep/v1/evaluate/flags", self.user, '{"context":{"targetingKey":"user-1"}}'))


def main():
    programs, work, seconds = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    run = Run(programs, work, float(seconds))
    try:
        run.backend.start()
        run.prepare()
        run.run()
    finally:
        run.backend.end(signal.SIGTERM)
    json.dump({"figures": run.figures, "details": run.details, "wrong": run.wrong}, sys.stdout, ensure_ascii=False)


if sys.argv[1] == "load":
    with open(sys.argv[4], "rb") as file:
        load(int(sys.argv[2]), int(sys.argv[3]), file.read())
else:
    main()

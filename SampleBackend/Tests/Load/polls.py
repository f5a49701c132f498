"""Measures long polls: polls.py DIRECTORY-OF-PROGRAMS WORK COUNT ROUNDS [BACKEND] > FILE

Starts a backend, opens COUNT long polls (PROTOCOL 2), publishes, and waits for all
responses; then opens one stream of 1,000 users and publishes. BACKEND replaces the sample-backend of
the directory. Writes JSON as streams.py does. The token of the administrator is in
ACTIVECONFIG_ADMIN_TOKEN.
"""

import http.client
import json
import os
import re
import select
import signal
import socket
import statistics
import subprocess
import sys
import time

from backend import LIMIT, Backend

USERS = 1_000  # Of the stream of many users (PROTOCOL 2).


class Polls:
    """Connections with a waiting request each, on one thread."""

    def __init__(self, port, count):
        self.port, self.sockets, self.tags, self.epoll = port, {}, {}, select.epoll()
        sources = 8 if sys.platform == "linux" else 1
        for number in range(count):
            source = (f"127.0.0.{1 + number % sources}", 0)
            connection = socket.create_connection(("127.0.0.1", port), LIMIT, source)
            connection.setblocking(False)
            self.sockets[connection.fileno()] = (number, connection)
            self.epoll.register(connection.fileno(), select.EPOLLIN)

    def ask(self):
        """Sends all requests; each waits once the tag of its document is known."""
        for file, (number, connection) in self.sockets.items():
            tag = self.tags.get(file)
            fields = f"If-None-Match: {tag}\r\nPrefer: wait=60\r\n" if tag else ""
            connection.sendall(
                f"GET /activeconfig/user/user-{number} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())

    def answers(self, wrong):
        """Reads a response on each; returns the sorted times of their completion, in ns."""
        parts, times, end = {}, [], time.monotonic() + LIMIT
        while len(times) < len(self.sockets) and time.monotonic() < end:
            for file, _ in self.epoll.poll(1):
                data = parts.pop(file, b"") + self.sockets[file][1].recv(65_536)
                head, mark, body = data.partition(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", head)
                if not mark or not length or len(body) < int(length.group(1)):
                    parts[file] = data
                    continue
                times.append(time.monotonic_ns())
                if not data.startswith(b"HTTP/1.1 200 ") or (file in self.tags) != (b"wait=60" in head):
                    wrong.append(f"B11: {head[:200]!r}")
                self.tags[file] = re.search(rb"ETag: (\S+)", head).group(1).decode()
        if len(times) < len(self.sockets):
            wrong.append(f"B11: {len(times)} of {len(self.sockets)} were answered")
        return sorted(times)


class Run:
    def __init__(self, backend, work, count, rounds):
        self.count, self.rounds = count, rounds
        self.figures, self.details, self.wrong = [], [], []
        template = subprocess.check_output(
            [sys.executable, os.path.join(os.path.dirname(__file__), "template.py"), "2000", "same"])
        self.template = json.loads(template)
        self.number = 0
        self.backend = Backend(backend, work)

    def changed(self):
        self.number += 1
        self.template["parameterGroups"]["Section0"]["parameters"]["told"] = {
            "defaultValue": {"value": f"News {self.number}"}, "valueType": "STRING"}
        return self.template

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.backend.port, timeout=LIMIT)
        connection.request("GET", path, headers={
            "Authorization": "Bearer " + os.environ["ACTIVECONFIG_ADMIN_TOKEN"]})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return body

    def listening(self):
        return json.loads(self.get("/v1/projects/default/connections"))["connections"]

    def wait(self, count):
        """Waits until the given number of clients is connected."""
        end = time.monotonic() + LIMIT
        while (listening := self.listening()) != count:
            if time.monotonic() > end:
                sys.exit(f"polls.py: {listening} listen instead of {count}")
            time.sleep(0.02)

    def figure(self, what, value, target):
        self.figures.append({"name": "B11", "what": what, "value": value, "sign": "<=", "target": target})

    def polls(self):
        before = self.backend.memory()
        polls = Polls(self.backend.port, self.count)
        polls.ask()
        polls.answers(self.wrong)
        polls.ask()
        self.wait(self.count)
        time.sleep(1)
        self.figure(f"memory of a long poll of {self.count}, KiB",
                    (self.backend.memory() - before) / self.count, 12.0)
        rounds = []
        for number in range(self.rounds):
            sent = self.backend.publish(self.changed())[0]
            times = [(moment - sent) / 1e6 for moment in polls.answers(self.wrong)]
            rounds.append({"p50": times[len(times) // 2], "p99": times[len(times) * 99 // 100], "last": times[-1]})
            if number + 1 < self.rounds:
                polls.ask()
                self.wait(self.count)
        for key, target in (("p50", 300.0), ("p99", 700.0), ("last", 1000.0)):
            self.figure(f"publish to its answer, {key}, ms",
                        statistics.median(each[key] for each in rounds), target)
        self.details.append(
            f"B11: last answer at worst after {max(each['last'] for each in rounds):.0f} ms; the backend had "
            f"{self.backend.memory()} KiB afterwards")
        for _, connection in polls.sockets.values():
            connection.close()
        self.wait(0)

    def users(self):
        """One stream of many users, which is reported without a target."""
        body = json.dumps({"users": [{"user_id": f"user-{number}"} for number in range(USERS)]})
        before = self.backend.memory()
        stream = socket.create_connection(("127.0.0.1", self.backend.port), LIMIT)
        stream.sendall((
            "POST /activeconfig/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + os.environ["ACTIVECONFIG_ADMIN_TOKEN"] + f"\r\nContent-Length: {len(body)}\r\n\r\n" + body).encode())
        self.wait(USERS)
        memory = self.backend.memory() - before
        times = []
        for _ in range(self.rounds):
            sent, seen, rest = self.backend.publish(self.changed())[0], 0, b""
            while seen < USERS:
                data = rest + stream.recv(1 << 20)
                seen += data.count(b"event: update\n")
                rest = data[-20:] if not data.endswith(b"event: update\n") else b""
                seen -= rest.count(b"event: update\n")
            times.append((time.monotonic_ns() - sent) / 1e6)
        self.details.append(
            f"B11: {USERS} users on one connection have a publish after {statistics.median(times):.0f} ms, at worst "
            f"{max(times):.0f} ms, and take {memory} KiB")
        stream.close()


def main():
    programs, work, count, rounds, *backend = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    run = Run(*backend or [os.path.join(programs, "sample-backend")], work, int(count), int(rounds))
    try:
        run.backend.start()
        run.backend.publish(run.changed())
        run.polls()
        run.users()
    finally:
        run.backend.end(signal.SIGTERM)
    json.dump({"figures": run.figures, "details": run.details, "wrong": run.wrong}, sys.stdout, ensure_ascii=False)


main()

"""The baseline of B6: a bare epoll loop, which sends bytes recorded from a stream of the backend."""

import os
import shutil
import socket
import subprocess
import sys

from backend import LIMIT


class Listener:
    """An additional client of the backend, which returns the received bytes."""

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), LIMIT)
        self.connection.sendall(
            b"GET /activeconfig/user/user-0/events?app.version=2.3.1&device.os=ios&device.country=JP"
            b"&device.language=ja&signal.plan=gold&signal.level=42&signal.city=Tokyo&signal.cohort=0 HTTP/1.1\r\n"
            b"Host: localhost\r\nAccept: text/event-stream\r\n\r\n")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.connection.recv(1)
        is_chunked = b"transfer-encoding: chunked\r\n" in head.lower()
        self.heartbeat = b"3\r\n:\n\n\r\n" if is_chunked else b":\n\n"
        self.end = b"\n\n\r\n" if is_chunked else b"\n\n"
        self.opening = head + self.read(b"event: hello\n")

    def read(self, mark):
        """The bytes up to the end of the next event that begins with the mark, without heartbeats."""
        data = b""
        while mark not in data or not data.endswith(self.end):
            more = self.connection.recv(65_536)
            if not more:
                sys.exit("the backend ended a stream")
            data = (data + more).replace(self.heartbeat, b"")
        return data


class BareLoop:
    """The baseline (epoll.c), with as many threads as the backend has for connections."""

    def __init__(self, work):
        source, program = os.path.join(os.path.dirname(__file__), "epoll.c"), os.path.join(work, "epoll")
        subprocess.run(
            [shutil.which("clang") or "cc", "-O2", "-pthread", "-o", program, source], check=True)
        self.process = subprocess.Popen(
            [program, str(len(os.sched_getaffinity(0)))], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().split()[-1])

    def command(self, name, data):
        self.process.stdin.write(f"{name} {len(data)}\n".encode() + data)
        self.process.stdin.flush()

    def send(self, data):
        """Writes the bytes to all clients; returns the number of clients that received them."""
        self.command("send", data)
        return int(self.process.stdout.readline().split()[-1])

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(LIMIT)
        finally:
            self.process.kill()

"""Measures the downloads of polling clients: unchanged.py DIRECTORY-OF-PROGRAMS WORK COUNT [BACKEND] > FILE

Starts a backend, lets COUNT users download their documents, publishes a change of 1 % of them, and lets all
repeat their requests with their tags. BACKEND replaces the sample-backend of the directory. Writes JSON as
streams.py does. The token of the administrator is in ACTIVECONFIG_ADMIN_TOKEN.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

from backend import LIMIT, Backend

AT_A_TIME = 100  # Requests that are sent before their responses are read.


class Poller:
    """All users' requests, over one connection."""

    def __init__(self, port, count, wrong):
        self.count, self.wrong, self.tags = count, wrong, {}
        self.connection = socket.create_connection(("127.0.0.1", port), LIMIT)
        self.file = self.connection.makefile("rb")

    def poll(self):
        """Requests all documents; returns their number and bytes, the bytes of all heads, and the seconds."""
        documents, size, heads, start = 0, 0, 0, time.monotonic()
        for first in range(0, self.count, AT_A_TIME):
            users = range(first, min(first + AT_A_TIME, self.count))
            self.connection.sendall("".join(self.request(user) for user in users).encode())
            for user in users:
                head = b"".join(iter(self.file.readline, b"\r\n"))
                heads += len(head) + 2
                self.tags[user] = re.search(rb"(?i)etag: (\S+)", head).group(1).decode()
                if head.startswith(b"HTTP/1.1 200 "):
                    length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
                    size += len(self.file.read(length))
                    documents += 1
                elif not head.startswith(b"HTTP/1.1 304 "):
                    self.wrong.append(f"B15: {head[:200]!r}")
        return documents, size, heads, time.monotonic() - start

    def request(self, user):
        field = f"If-None-Match: {self.tags[user]}\r\n" if user in self.tags else ""
        return f"GET /activeconfig/user/user-{user} HTTP/1.1\r\nHost: localhost\r\n{field}\r\n"


def main():
    programs, work, count, *backend = sys.argv[1:]
    count = int(count)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    template = json.loads(subprocess.check_output(
        [sys.executable, os.path.join(os.path.dirname(__file__), "template.py"), "2000", "same"]))
    changed = [f"user-{user}" for user in range(0, count, 100)]
    template["conditions"].append({"name": "changed", "expression": f"user.id in {changed}"})
    news = {"defaultValue": {"value": "Nothing"}, "conditionalValues": {"changed": {"value": "One"}}}
    template["parameterGroups"]["Section0"]["parameters"]["news"] = news
    backend = Backend(*backend or [os.path.join(programs, "sample-backend")], work)
    wrong = []
    try:
        backend.start()
        backend.publish(template)
        poller = Poller(backend.port, count, wrong)
        _, all_size, all_heads, all_seconds = poller.poll()
        news["conditionalValues"]["changed"]["value"] = "Two"
        backend.publish(template)
        documents, size, heads, seconds = poller.poll()
    finally:
        backend.end(signal.SIGTERM)
    figure = {"name": "B15", "what": f"documents fetched after a publish for 1 % of {count} users, % of all",
              "value": 100 * size / all_size, "sign": "<=", "target": 2.0}
    json.dump({"figures": [figure], "wrong": wrong, "details": [
        f"B15: {documents} of {count} clients fetched {size / 1000:.0f} kB of documents instead of "
        f"{all_size / 1000:.0f} kB, with {heads / 1000:.0f} kB of heads instead of {all_heads / 1000:.0f} kB, in "
        f"{seconds:.1f} s instead of {all_seconds:.1f} s"]}, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()

"""Counts the backend's allocations: allocations.py BACKEND LIBRARY [--check] [--json] [--sites WORK]

LIBRARY is AllocationCount.c of Tests/Benchmarks as a library to preload. Each kind of WORK is counted in a
backend of its own that does nothing else:

  document      a document of 2 kB with 100 conditions that other users received before, over one kept-alive connection
  rendered      the same, but rendered for this request
  not-modified  a request for a document that is answered with 304
  repeated      the same, if the previous request on the connection was for the same document
  event         the event that a publish sends to one more stream

Prints the allocations and bytes of each.
  --check       exits with 1 if a debug build exceeds BOUNDS
  --json        the figures as JSON
  --sites WORK  the allocating functions of the backend during this work, most frequent first
"""

import argparse
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from functools import partial

import sites

# Allocations of a debug build by whole modules, as with CI set, and of one by files, both with Swift 6.3. One more
# allocation fails; a smaller excess is noise of a busy machine.
BOUNDS = {"document": (34, 34), "rendered": (187, 187), "not-modified": (42, 42), "repeated": (27, 27),
          "event": (52, 52)}
TOLERANCE = 0.75

LIMIT = 120  # Time limit of any operation, in seconds.
USERS = 500
TURNS = 5  # Passes over all users; the cheapest counts, since timers and a busy machine only add allocations.
ROUNDS = 20  # Publishes to the same streams, likewise.
STREAMS = 40, 840  # The difference between them counts.
QUERY = ("app.version=2.3.1&device.os=ios&device.country=JP&device.language=ja&signal.plan=gold&signal.level=42"
         "&signal.city=Tokyo")
# Each run does the same: hashes have no random seed, and no two threads render the same document. Threads that
# answer and tell count, not those that store and compile a template.
UNIFORM = {"SWIFT_DETERMINISTIC_HASHING": "1", "NIO_SINGLETON_GROUP_LOOP_COUNT": "1", "ALLOCATION_THREADS": "NIO"}
TOKEN = "a-token-of-at-least-32-characters-for-load"


class Backend:
    """A backend with counted allocations and a template for load tests."""

    def __init__(self, program, library, folder, seeds):
        self.counts = os.path.join(folder, "counts")
        help_ = subprocess.check_output([program, "serve", "--help"], text=True)
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--store", "memory", "--log-level", "warning"]
            # The sample takes some requests of each second, so that it depends on the machine's speed.
            + ["--no-sample"] * ("--no-sample" in help_),
            stdout=subprocess.PIPE, text=True, env=os.environ | UNIFORM | {
                "LD_PRELOAD": library, "ALLOCATION_COUNTS": self.counts, "ACTIVECONFIG_ADMIN_TOKEN": TOKEN})
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            sys.exit(f"allocations.py: the backend did not start: {line}")
        self.port = int(line.rsplit(":", 1)[1])
        writer = os.path.join(os.path.dirname(__file__), "../Load/template.py")
        self.template = json.loads(subprocess.check_output([sys.executable, writer, "2000", seeds]))
        self.publish(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def allocated(self):
        """The allocations and bytes so far."""
        with open(self.counts, "rb") as file:
            return [int.from_bytes(file.read(8), "little") for _ in range(2)]

    def publish(self, number):
        """Publishes a template with another value of a setting for all users."""
        self.template["parameterGroups"]["Section0"]["parameters"]["told"] = {
            "defaultValue": {"value": f"News {number}"}, "valueType": "STRING"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        connection.request("PUT", "/v1/projects/default/remoteConfig", json.dumps(self.template), {
            "Authorization": f"Bearer {TOKEN}", "If-Match": "*"})
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        if response.status != 200:
            sys.exit(f"allocations.py: a publish was answered with {response.status}: {answer}")

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), LIMIT)


def get(connection, user, path="", field=""):
    connection.sendall(
        f"GET /activeconfig/user/user-{user}{path}?{QUERY} HTTP/1.1\r\nHost: localhost\r\n{field}\r\n".encode())


def read_until(connection, is_whole):
    data = b""
    while not is_whole(data):
        part = connection.recv(1 << 16)
        if not part:
            sys.exit(f"allocations.py: the backend closed a connection after {data!r}")
        data += part
    return data


def is_answer(data):
    head, mark, body = data.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    return bool(mark) and (head.startswith(b"HTTP/1.1 304") or len(body) >= int(fields[b"content-length"]))


def has_event(name, data):
    """Whether the event is complete, in a chunked body or in one that ends with the connection."""
    return f"event: {name}\n".encode() in data and data.endswith((b"\n\n", b"\n\n\r\n"))


def difference(before, after):
    return [second - first for first, second in zip(before, after)]


def requests(backend, watch, is_conditional=False, is_rendered=False, is_repeated=False):
    """Allocations and bytes of a request for a document, from many users in turn."""
    connection = backend.connect()
    tags = {}

    def ask():
        for user in range(USERS):
            user *= not is_repeated
            get(connection, user, field=f"If-None-Match: {tags[user]}\r\n" if user in tags else "")
            answer = read_until(connection, is_answer)
            if not answer.startswith(b"HTTP/1.1 304" if user in tags else b"HTTP/1.1 200"):
                sys.exit(f"allocations.py: a request was answered with {answer[:200]!r}")
            if is_conditional:
                tags[user] = re.search(rb"(?i)etag: (\S+)", answer).group(1).decode()

    ask()
    ask()
    turns = []
    with watch(backend):
        for turn in range(TURNS):
            if is_rendered:
                backend.publish(turn + 1)
            before = backend.allocated()
            ask()
            turns.append(difference(before, backend.allocated()))
    return [min(values) / USERS for values in zip(*turns)]


def events(backend, watch):
    """Allocations and bytes of a publish for each notified stream."""
    streams, number, fewest = [], 0, []
    for count in STREAMS:
        opened = [backend.connect() for _ in range(count - len(streams))]
        for stream in opened:
            streams.append(stream)
            get(stream, len(streams), "/events")
        for stream in opened:
            read_until(stream, partial(has_event, "hello"))
        rounds = []
        with watch(backend):
            for _ in range(ROUNDS):
                number += 1
                before = backend.allocated()
                backend.publish(number)
                for stream in streams:
                    read_until(stream, partial(has_event, "update"))
                rounds.append(difference(before, backend.allocated()))
        fewest.append([min(values) for values in zip(*rounds)])
    return [number / (STREAMS[1] - STREAMS[0]) for number in difference(*fewest)]


# By the seeds of the template's percents: few, so that users share documents, or many.
WORK = {
    "document": ("same", requests),
    "rendered": ("different", partial(requests, is_rendered=True)),
    "not-modified": ("same", partial(requests, is_conditional=True)),
    "repeated": ("same", partial(requests, is_conditional=True, is_repeated=True)),
    "event": ("same", events),
}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("backend")
    parser.add_argument("library")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sites", choices=WORK)
    options = parser.parse_args()
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for work, (seeds, count) in WORK.items():
            if options.sites in (None, work):
                watch = sites.recorded if options.sites else sites.unrecorded
                with Backend(options.backend, os.path.abspath(options.library), folder, seeds) as backend:
                    figures[work] = count(backend, watch)
    if options.json:
        return print(json.dumps(figures))
    bounds = {work: of[0 if os.environ.get("CI") else 1] for work, of in BOUNDS.items()}
    has_more = False
    for work, (allocations, size) in figures.items():
        print(f"{work:12} {allocations:7.1f} allocations"
              + (f", at most {bounds[work]}" if options.check else "") + f", {size:.0f} bytes")
        excess = allocations - bounds[work]
        if options.check and excess > TOLERANCE:
            has_more = True
            print(f"             {round(excess)} too many; what allocates: "
                  f"SampleBackend/Tests/Allocations/run.sh --sites {work}")
        elif options.check and excess < -TOLERANCE:
            print(f"             {round(-excess)} fewer: lower BOUNDS in {os.path.relpath(__file__)}")
    sys.exit(has_more)


main()

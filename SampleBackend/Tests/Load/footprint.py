"""Measures the memory of a replica: footprint.py DIRECTORY-OF-PROGRAMS WORK > FILE

At each point a replica on etcd is filled and restarted three times; its memory is the median of these starts, after a
request for a document. Writes JSON (findings.py). The token of the administrator is in ACTIVECONFIG_ADMIN_TOKEN.
"""

import json
import os
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from backend import publish
from findings import Findings, end_on_signals, progress
from large import template
from unchanged import Poller

from measure import Templates  # noqa: E402, of Tests/Simulation
from members import MINUTE, Cluster, encoded  # noqa: E402
from processes import memory  # noqa: E402
from registers import Link  # noqa: E402
from replicas import start_replicas  # noqa: E402

STARTS = 3
CLIENTS = 8  # Concurrent pins.
TEXT = "A value as long as a text of a page. " * 2_700  # 100 kB.


def parameters(port, _, count):
    publish(port, template(count, 100))


def conditions(port, _, count):
    publish(port, template(100, count))


def pinned(port, first, count):
    """Pins values for further users, up to the given number."""
    if count == 0:
        publish(port, template(100, 100))
    fields = {"Authorization": "Bearer " + os.environ["ACTIVECONFIG_ADMIN_TOKEN"]}
    body = json.dumps({"Group0": {"parameter_0": "Pinned for one user"}})

    def pin(start):
        link = Link(port)
        for user in range(start, count, CLIENTS):
            answer = link.ask("PUT", f"/v1/projects/default/users/user-{user}/overrides", body, fields, MINUTE)
            if answer is None or answer[0] != 200:
                raise RuntimeError(f"a pin was answered with {answer}")
    with ThreadPoolExecutor(CLIENTS) as executor:
        list(executor.map(pin, range(first, first + CLIENTS)))


def versions(port, first, count):
    for number in range(first, count):
        publish(port, {"parameters": {"text": {"defaultValue": {"value": f"{number} {TEXT}"}}}})


# Name, counts, and the function that fills a replica from one count to the next.
SERIES = [
    ("parameters, with 100 conditions", (100, 1_000, 3_000), parameters),
    ("conditions, with 100 parameters", (0, 100, 500), conditions),
    ("users with pinned values", (0, 1_000, 5_000), pinned),
    ("versions of 100 kB", (1, 300), versions),
]
USERS = 100_000


class Run:
    def __init__(self, cluster, programs, work):
        self.cluster, self.findings = cluster, Findings()
        self.binary, self.work, self.number = os.path.join(programs, "sample-backend"), work, 0
        self.rows = [["", "count", "memory of a replica, MiB", "more for each, bytes", "kept in etcd, MB"]]

    def stored(self):
        """Bytes of keys and values in etcd that are in use."""
        return sum(
            len(pair.get("key", "")) + len(pair.get("value", "")) for pair in self.cluster.members[0].ask(
                "kv/range", {"key": encoded(self.prefix), "range_end": encoded(self.prefix + "\x7f")}, MINUTE)
            .get("kvs", [])) * 3 // 4

    @contextmanager
    def replica(self):
        """A ready replica on an empty store."""
        self.number += 1
        self.prefix = f"/footprint-{self.number}/"
        with ExitStack() as stack:
            replica, = start_replicas(
                stack, self.binary, f"{self.cluster.location}?prefix={self.prefix}", self.work, 1)
            yield replica

    def measure(self, what, counts, fill):
        points = []
        with self.replica() as replica:
            for first, count in zip((0, *counts), counts):
                progress(f"S5: {count} {what} …")
                fill(replica.port, first, count)
                points.append((count, statistics.median(self.sizes(replica)), self.stored()))
        self.add(what, points)

    @staticmethod
    def sizes(replica):
        """The memory in KiB after some starts, each after the response to a request."""
        for _ in range(STARTS):
            replica.terminate()
            replica.start()
            replica.wait_until_ready()
            Link(replica.port).ask("GET", "/activeconfig/user/somebody", timeout=MINUTE)
            yield memory(replica.pid)

    def add(self, what, points):
        """Rows of a series, and its last point as a figure."""
        first, least, _ = points[0]
        for count, size, stored in points:
            each = (size - least) * 1024 / (count - first) if count > first else None
            self.rows.append([what, f"{count:,}", f"{size / 1024:.1f}", "" if each is None else f"{each:,.0f}",
                              "" if stored is None else f"{stored / 1e6:.1f}"])
        self.findings.figure("S5", f"{what}, KiB of memory for each of {count}", each / 1024)

    def measure_users(self):
        """Documents that users request; hardly two are equal."""
        progress(f"S5: {USERS} users …")
        with self.replica() as replica:
            publish(replica.port, Templates("own").next())
            points = [(0, memory(replica.pid), None)]
            for count in USERS // 5, USERS:
                Poller(replica.port, count, self.findings.wrong).poll()
                points.append((count, memory(replica.pid), None))
        self.add("users who asked for a document of 2 kB, hardly two alike", points)


def main():
    programs, work = sys.argv[1:]
    end_on_signals()
    with Cluster(quota=1 << 30) as cluster:
        cluster.start()
        cluster.wait_until_ready()
        run = Run(cluster, programs, work)
        for series in SERIES:
            run.measure(*series)
        run.measure_users()
    progress("")
    run.findings.table("S5: memory of a replica without clients", run.rows)
    run.findings.print()


if __name__ == "__main__":
    main()

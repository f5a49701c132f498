#!/usr/bin/env python3
"""Measures on this machine the points that validate the simulation.

USAGE: measure.py --programs DIRECTORY [--stores sqlite,etcd] [--replicas 1,2,3] [--streams 4000,12000]
                  [--kinds same,own] [--rounds N] > points.json

DIRECTORY has release builds of sample-backend and StreamLoad. Starts the replicas on one store, holds the
streams open, spread over the replicas, and publishes through the first. "same" changes a setting of all users,
"own" one with ${user.id}, with conditions that give hardly two users the same document. The points of one store,
replicas and streams take about 45 s.

A point has: store, kind, replicas, streams (of all replicas), processors (which the clients and the members of
etcd share), µs of processor time of the replicas and of the clients for a stream and publish, ms of that of the
members for a publish and the second after it, ms until the response to a publish, and until half, 99 % and all streams
have it; medians of the rounds. The point of the first kind also has: seconds to connect, KiB of memory a stream,
percent of a processor for 1,000 idle streams.
"""

import argparse
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path += [os.path.join(TESTS, "Scale"), os.path.join(TESTS, "Load")]

from backend import publish  # noqa: E402
from members import Cluster  # noqa: E402
from processes import memory, processor_time  # noqa: E402
from replicas import start_replicas  # noqa: E402
from streams import HEARTBEAT, Clients  # noqa: E402


class Templates:
    """Templates of 2 kB with 100 conditions, with a new value of the setting for all users each time."""

    def __init__(self, kind):
        program = os.path.join(TESTS, "Load", "template.py")
        self.template = json.loads(subprocess.check_output(
            [sys.executable, program, "2000", "different" if kind == "own" else "same"]))
        self.kind = kind

    def next(self):
        parameters = self.template["parameterGroups"]["Section0"]["parameters"]
        parameters["told"] = {"defaultValue": {"value": f"News {time.monotonic_ns()}"}}
        if self.kind == "own":
            parameters["own"] = {"defaultValue": {"value": "The value of ${user.id}"}}
        return self.template


class Crowds:
    """Replicas, and for each a crowd of clients with streams, as a context manager."""

    def __init__(self, programs, store, replica_count):
        self.programs, self.store, self.replica_count = programs, store, replica_count
        self.stack, self.wrong, self.members = ExitStack(), [], []

    def __enter__(self):
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="simulation-"))
            location = "sqlite:" + os.path.join(folder, "store.sqlite")
            if self.store == "etcd":
                cluster = stack.enter_context(Cluster())
                cluster.start()
                cluster.wait_until_ready()
                location, self.members = cluster.location, cluster.members
            binary = os.path.join(self.programs, "sample-backend")
            self.replicas = start_replicas(stack, binary, location, folder, self.replica_count)
            self.crowds = [Clients(self.programs, self.wrong) for _ in self.replicas]
            for crowd, replica in zip(self.crowds, self.replicas):
                stack.callback(crowd.end)
                crowd.start(replica.port)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def taken(self):
        """Seconds of processor time of the replicas, the clients and the members."""
        return [sum(processor_time(process.pid) for process in processes) for processes in (
            self.replicas, [crowd.process for crowd in self.crowds], self.members)]

    def memory(self):
        return sum(memory(replica.pid) for replica in self.replicas)

    def connect(self, streams):
        """Opens the streams, and leaves them idle for a heartbeat; returns the figures."""
        before, began = self.memory(), time.monotonic_ns()
        for crowd in self.crowds:
            crowd.ask("connect", streams // self.replica_count)
        connected = max(crowd.wait("opened")["last"] for crowd in self.crowds)
        used = self.taken()[0]
        time.sleep(HEARTBEAT + 1)
        idle = (self.taken()[0] - used) / (HEARTBEAT + 1)
        return {"connectSeconds": round((connected - began) / 1e9, 2),
                "kibAStream": round((self.memory() - before) / streams, 2),
                "idlePercent": round(idle * 100 / (streams / 1000), 3)}

    def tell(self, template):
        """Publishes; returns the times in ms until the clients have it, and seconds of processor time."""
        for crowd in self.crowds:
            crowd.ask("mark")
        before = self.taken()
        sent, answered, version = publish(self.replicas[0].port, template)
        times = [crowd.wait("told", version, 10) for crowd in self.crowds]
        time.sleep(1)
        server, client, members = (now - then for now, then in zip(self.taken(), before))
        return {"server": server, "client": client, "members": members, "answered": (answered - sent) / 1e6,
                "p50": statistics.median((found["p50"] - sent) / 1e6 for found in times),
                "p99": max((found["p99"] - sent) / 1e6 for found in times),
                "last": max((found["last"] - sent) / 1e6 for found in times)}


def measure(programs, store, kinds, replica_count, streams, rounds):
    """A point for each kind, and the failures."""
    points = []
    with Crowds(programs, store, replica_count) as crowds:
        publish(crowds.replicas[0].port, Templates(kinds[0]).next())
        connected = crowds.connect(streams)
        for kind in kinds:
            templates = Templates(kind)
            crowds.tell(templates.next())
            told = [crowds.tell(templates.next()) for _ in range(rounds)]
            for crowd in crowds.crowds:
                crowd.report(kind, 10)
            middle = {name: statistics.median(measured[name] for measured in told) for name in told[0]}
            points.append(
                {"store": store, "kind": kind, "replicas": replica_count, "streams": streams,
                 "processors": os.cpu_count()} | connected
                | {name + "Microseconds": round(middle[name] / streams * 1e6, 1) for name in ("server", "client")}
                | ({"membersMilliseconds": round(middle["members"] * 1000)} if store == "etcd" else {})
                | {name: round(middle[name], 1) for name in ("answered", "p50", "p99", "last")}
                | {"lastRounds": [round(measured["last"], 1) for measured in told]})
            connected = {}
    return points, crowds.wrong


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--programs")
    parser.add_argument("--stores", default="sqlite,etcd")
    parser.add_argument("--replicas", default="1,2,3")
    parser.add_argument("--streams", default="4000,12000")
    parser.add_argument("--kinds", default="same,own")
    parser.add_argument("--rounds", type=int, default=5)
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return 0
    try:
        options = parser.parse_args()
        counts = [[int(number) for number in text.split(",")] for text in (options.replicas, options.streams)]
    except (SystemExit, ValueError):
        return 64
    if options.programs is None:
        print("measure.py: --programs is missing; see --help", file=sys.stderr)
        return 64
    os.environ["ACTIVECONFIG_ADMIN_TOKEN"] = secrets.token_hex(24)
    points = []
    for store in options.stores.split(","):
        for replica_count in counts[0]:
            for streams in counts[1]:
                found, wrong = measure(
                    options.programs, store, options.kinds.split(","), replica_count, streams, options.rounds)
                if wrong:
                    sys.exit(f"measure.py: {wrong}")
                points += found
                for point in found:
                    print(json.dumps(point), file=sys.stderr)
    print('{"points": [\n' + ",\n".join(map(json.dumps, points)) + "\n]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures the points that the simulation is checked against, on this machine.

USAGE: measure.py --programs DIRECTORY [--store sqlite|etcd] [--replicas 1,2,3] [--streams 4000,12000]
                  [--kinds same,own] [--rounds N] > points.json

DIRECTORY has release builds of sample-backend and StreamLoad. Starts so many replicas on one store, holds the
streams open, spread over the replicas, and publishes through the first. "same" changes a setting of all users,
"own" one with ${user.id}, under conditions by which hardly two users share a document. A point takes about 40 s.

A point has: store, kind, replicas, streams (of all replicas), processors (which the clients share), seconds to
connect, KiB of memory a stream, percent of a processor for 1,000 idle streams, µs of processor time of the
replicas and of the clients for a stream and publish, ms until a publish is answered, and until half, 99 % and
all streams have it; medians of the rounds.
"""

import argparse
import http.client
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
sys.path[:0] = [os.path.join(TESTS, "Scale"), os.path.join(TESTS, "Load")]

from members import Cluster  # noqa: E402
from replicas import Replica  # noqa: E402
from streams import HEARTBEAT, LIMIT, Clients  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")


def processor_time(pids):
    """Seconds of processor time that processes have taken."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / TICK
    return total


def memory(pids):
    """KiB of resident memory of processes."""
    return sum(int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(pid)])) for pid in pids)


class Templates:
    """Templates of 2 kB with 100 conditions, whose setting for all users is another each time."""

    def __init__(self, kind):
        program = os.path.join(TESTS, "Load", "template.py")
        self.template = json.loads(subprocess.check_output(
            [sys.executable, program, "2000", "different" if kind == "own" else "same"]))
        self.kind, self.number = kind, 0

    def next(self):
        self.number += 1
        parameters = self.template["parameterGroups"]["Section0"]["parameters"]
        parameters["told"] = {"defaultValue": {"value": f"News {self.number}"}}
        if self.kind == "own":
            parameters["own"] = {"defaultValue": {"value": "The value of ${user.id}"}}
        return self.template


def publish(port, template):
    """Publishes; returns the times of the request and of its answer in ns, and the version."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    connection.connect()
    sent = time.monotonic_ns()
    connection.request("PUT", "/v1/projects/default/remoteConfig", json.dumps(template), {
        "Authorization": "Bearer " + os.environ["ACTIVECONFIG_ADMIN_TOKEN"], "If-Match": "*"})
    answer = connection.getresponse()
    body = answer.read()
    answered = time.monotonic_ns()
    connection.close()
    if answer.status != 200:
        sys.exit(f"a publish was answered with {answer.status}: {body}")
    return sent, answered, int(json.loads(body)["version"]["versionNumber"])


def measure(programs, store, kind, replica_count, streams, rounds):
    """One point."""
    wrong = []
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="simulation-"))
        location = "sqlite:" + os.path.join(folder, "store.sqlite")
        if store == "etcd":
            cluster = stack.enter_context(Cluster())
            cluster.start()
            cluster.wait_until_ready()
            location = "etcd:" + ",".join(f"http://127.0.0.1:{member.client_port}" for member in cluster.members)
        replicas = [Replica(f"r{number + 1}", os.path.join(programs, "sample-backend"), location, folder)
                    for number in range(replica_count)]
        for replica in replicas:
            stack.callback(replica.kill)
            replica.start()
            replica.wait_until_ready()
        templates = Templates(kind)
        version = publish(replicas[0].port, templates.next())[2]
        crowds = [Clients(programs, wrong) for _ in replicas]
        for crowd, replica in zip(crowds, replicas):
            stack.callback(crowd.end)
            crowd.start(replica.port)
        pids = [replica.pid for replica in replicas]
        client_pids = [crowd.process.pid for crowd in crowds]
        before, began = memory(pids), time.monotonic_ns()
        for crowd in crowds:
            crowd.ask("connect", streams // replica_count)
        connected = max(crowd.wait("opened")["last"] for crowd in crowds)
        used = processor_time(pids)
        time.sleep(HEARTBEAT + 1)
        idle = (processor_time(pids) - used) / (HEARTBEAT + 1)
        each = (memory(pids) - before) / streams
        told = [tell(replicas, crowds, templates, pids, client_pids) for _ in range(rounds + 1)][1:]
        middle = {name: statistics.median(measured[name] for measured in told) for name in told[0]}
        for crowd in crowds:
            crowd.report(kind, 10)
    if wrong:
        sys.exit(f"measure.py: {wrong}")
    return {"store": store, "kind": kind, "replicas": replica_count, "streams": streams,
            "processors": os.cpu_count(), "connectSeconds": round((connected - began) / 1e9, 2),
            "kibAStream": round(each, 2), "idlePercent": round(idle * 100 / (streams / 1000), 3),
            "serverMicroseconds": round(middle["server"] / streams * 1e6, 1),
            "clientMicroseconds": round(middle["client"] / streams * 1e6, 1)} | {
                name: round(middle[name], 1) for name in ("answered", "p50", "p99", "last")}


def tell(replicas, crowds, templates, pids, client_pids):
    """A publish, and the times in ms until the clients have it."""
    for crowd in crowds:
        crowd.ask("mark")
    server, client = processor_time(pids), processor_time(client_pids)
    sent, answered, version = publish(replicas[0].port, templates.next())
    times = [crowd.wait("told", version, 10) for crowd in crowds]
    time.sleep(1)
    return {"server": processor_time(pids) - server, "client": processor_time(client_pids) - client,
            "answered": (answered - sent) / 1e6,
            "p50": statistics.median((found["p50"] - sent) / 1e6 for found in times),
            "p99": max((found["p99"] - sent) / 1e6 for found in times),
            "last": max((found["last"] - sent) / 1e6 for found in times)}


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--programs")
    parser.add_argument("--store", choices=["sqlite", "etcd"], default="sqlite")
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
    for kind in options.kinds.split(","):
        for replica_count in counts[0]:
            for streams in counts[1]:
                points.append(measure(options.programs, options.store, kind, replica_count, streams, options.rounds))
                print(json.dumps(points[-1]), file=sys.stderr)
    print(json.dumps({"points": points}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

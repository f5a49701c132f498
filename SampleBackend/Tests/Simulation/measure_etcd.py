#!/usr/bin/env python3
"""Measures the load of replicas on an etcd member, on this machine: watchers, and reads of a whole template.

USAGE: measure_etcd.py [--watchers 300,1000] [--kilobytes 100,1000] [--rounds N]

Prints JSON: for so many watchers of one key on one member, KiB of its memory for each, and ms from a put until
half and all of them have the event; for a value of so many kB, ms and processor time of the member for a read,
and for a write through the leader; medians of the rounds.
"""

import argparse
import asyncio
import base64
import json
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Scale"))

from members import MINUTE, Cluster, encoded  # noqa: E402
from processes import memory, processor_time  # noqa: E402


async def watch(port, events):
    """Opens a watch; adds the time of each event to the list."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"create_request": {"key": encoded("pointer")}})
    writer.write(f"POST /v3/watch HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
    await reader.readuntil(b'"created":true')

    async def follow():
        while line := await reader.readline():
            if b'"events"' in line:
                events.append(time.monotonic())
        writer.close()
    return asyncio.create_task(follow())


async def measure_watchers(member, count, rounds):
    before, events = memory(member.pid), []
    tasks = await asyncio.gather(*(watch(member.client_port, events) for _ in range(count)))
    await asyncio.sleep(1)
    each = (memory(member.pid) - before) / count
    halves, lasts = [], []
    for number in range(rounds):
        events.clear()
        sent = time.monotonic()
        body = {"key": encoded("pointer"), "value": encoded(str(number))}
        await asyncio.to_thread(member.ask, "kv/put", body, MINUTE)
        while len(events) < count:
            await asyncio.sleep(0.002)
        events.sort()
        halves.append((events[count // 2] - sent) * 1000)
        lasts.append((events[-1] - sent) * 1000)
    for task in tasks:
        task.cancel()
    return {"watchers": count, "kibEach": round(each, 1), "half": round(statistics.median(halves), 1),
            "last": round(statistics.median(lasts), 1)}


def measure_values(member, kilobytes, rounds):
    value = base64.b64encode(os.urandom(kilobytes * 1000)).decode()
    times = {"write": [], "read": []}
    key = encoded("value")
    calls = {"write": ("kv/put", {"key": key, "value": value}), "read": ("kv/range", {"key": key})}
    processor = {}
    for name, (path, body) in calls.items():
        before = processor_time(member.pid)
        for _ in range(rounds * 4):
            start = time.monotonic()
            if member.ask(path, body, MINUTE) is None:
                sys.exit(f"measure_etcd.py: a {name} failed")
            times[name].append((time.monotonic() - start) * 1000)
        processor[name] = (processor_time(member.pid) - before) / (rounds * 4) * 1000
    return {"kilobytes": kilobytes} | {name: round(statistics.median(times[name]), 2) for name in times} | {
        name + "Processor": round(taken, 2) for name, taken in processor.items()}


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--watchers", default="300,1000")
    parser.add_argument("--kilobytes", default="100,1000")
    parser.add_argument("--rounds", type=int, default=9)
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return 0
    try:
        options = parser.parse_args()
    except SystemExit:
        return 64
    with Cluster(quota=1 << 30) as cluster:
        cluster.start()
        cluster.wait_until_ready()
        leader = cluster.wait_for_leader()
        watchers = [asyncio.run(measure_watchers(leader, int(count), options.rounds))
                    for count in options.watchers.split(",")]
        values = [measure_values(leader, int(size), options.rounds) for size in options.kilobytes.split(",")]
    print(json.dumps({"watchers": watchers, "values": values}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

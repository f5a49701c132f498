"""Measures requests by the processor time they take: per_core.py DIRECTORY-OF-PROGRAMS WORK SECONDS ROUNDS > FILE

A replica on etcd answers wrk, with documents of 2 kB and 100 conditions of 100,000 users, and with 304. Writes JSON
(findings.py). The token of the administrator is in ACTIVECONFIG_ADMIN_TOKEN.
"""

import os
import re
import signal
import statistics
import subprocess
import sys
from contextlib import ExitStack

from backend import publish
from findings import Findings, end_on_signals, progress

from measure import Templates  # noqa: E402, of Tests/Simulation
from members import Cluster  # noqa: E402
from processes import processor_time  # noqa: E402
from registers import Link  # noqa: E402
from replicas import start_replicas  # noqa: E402

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "users.lua")
USER = ("/activeconfig/user/user-1?app.version=2.3.1&device.os=ios&device.country=JP&device.language=ja"
        "&signal.plan=gold&signal.level=42&signal.city=Tokyo")
WHATS = {"same": "document of 2 kB, shared by users", "own": "document of 2 kB, hardly two alike", "304": "304"}


def load(replica, seconds, **environment):
    """Requests a second, the same for a second of the replica's processor time, and failed requests."""
    before = processor_time(replica.pid)
    output = subprocess.run(
        ["wrk", "-t1", "-c32", f"-d{seconds}s", "-s", SCRIPT, f"http://127.0.0.1:{replica.port}"],
        env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    rate, _, errors = re.search(r"^RESULT (\S+) (\S+) (\S+)", output, re.MULTILINE).groups()
    return float(rate), float(rate) * seconds / (processor_time(replica.pid) - before), int(errors)


def main():
    programs, work, seconds, rounds = sys.argv[1:]
    end_on_signals()
    findings, rows = Findings(), [["answer", "requests a second and core", "lowest", "highest", "requests a second"]]
    with ExitStack() as stack:
        cluster = stack.enter_context(Cluster())
        cluster.start()
        cluster.wait_until_ready()
        replica, = start_replicas(stack, os.path.join(programs, "sample-backend"), cluster.location, work, 1)
        for kind, what in WHATS.items():
            publish(replica.port, Templates("same" if kind == "304" else kind).next())
            environment = {}
            if kind == "304":
                environment = {"REQUEST_PATH": USER, "IF_NONE_MATCH": Link(replica.port).ask("GET", USER)[1]["ETag"]}
            measured = []
            for number in range(int(rounds)):
                progress(f"S3: {what}, {number + 1} of {rounds} …")
                measured.append(load(replica, int(seconds), **environment))
            rates, cores, errors = zip(*measured)
            findings.figure("S3", f"{what}, requests a second and core", statistics.median(cores))
            rows.append([what, *(f"{value:,.0f}" for value in (
                statistics.median(cores), min(cores), max(cores), statistics.median(rates)))])
            if sum(errors):
                findings.wrong.append(f"S3, {what}: {sum(errors)} requests failed")
    progress("")
    findings.table("S3: requests of one replica, whose processors the client shares", rows)
    findings.print()


if __name__ == "__main__":
    main()

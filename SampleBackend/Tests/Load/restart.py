"""Measures the restart of one replica of three behind nginx: restart.py DIRECTORY-OF-PROGRAMS WORK CONNECTIONS > FILE

Streams are held open through nginx, with Operations/nginx.conf, and the replica with the most streams is ended by
SIGTERM, and another one by SIGKILL. A version is published while clients reconnect; each must receive it once.
Writes JSON (findings.py). The token of the administrator is in ACTIVECONFIG_ADMIN_TOKEN.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

from backend import LIMIT, publish
from findings import TESTS, Findings, end_on_signals, progress
from streams import Clients

from measure import Templates  # noqa: E402, of Tests/Simulation
from members import Cluster  # noqa: E402
from processes import Program, free_ports, wait_until  # noqa: E402
from registers import Link, Unanswered  # noqa: E402
from replicas import start_replicas  # noqa: E402

REPLICAS = 3
INTERVAL = 0.1  # Seconds between two samples of the replicas' streams.
FAIL_TIMEOUT = 4  # Seconds after which nginx uses a replica again, and one more.


def start_nginx(stack, folder, replicas, connections):
    """Starts nginx before the replicas; returns its port."""
    port, = free_ports(1)
    urls = " ".join(f"http://127.0.0.1:{replica.port}" for replica in replicas)
    subprocess.run(
        ["bash", "-c", f". SampleBackend/Tests/nginx.sh; write_nginx_configuration '{folder}' {port} {urls}"],
        check=True, cwd=os.path.dirname(os.path.dirname(TESTS)),
        env=os.environ | {"nginx_connections": str(connections)})
    nginx = Program("nginx", ["nginx", "-e", f"{folder}/log", "-c", f"{folder}/nginx.conf"], f"{folder}/output",
                    {"PATH": os.environ["PATH"] + ":/usr/sbin"})
    stack.callback(nginx.terminate)
    nginx.start()

    def answers():
        if not nginx.is_running:
            raise RuntimeError(f"nginx did not start: {nginx.last_lines()}")
        try:
            answer = Link(port).ask("GET", "/health/live")
        except Unanswered:
            return False
        return answer is not None and answer[0] == 200
    wait_until(answers, "nginx is ready")
    return port


class Streams(threading.Thread):
    """Samples the number of streams of each replica."""

    def __init__(self, replicas):
        super().__init__(daemon=True)
        self.replicas, self.samples, self.is_over = replicas, [], threading.Event()

    @staticmethod
    def of(replica):
        """The number of streams; None while the replica does not answer."""
        try:
            answer = Link(replica.port).ask("GET", "/metrics", timeout=LIMIT)
        except Unanswered:
            return None
        found = answer and re.search(rb"^activeconfig_stream_connections (\d+)", answer[2], re.MULTILINE)
        return int(found[1]) if found else None

    def run(self):
        while not self.is_over.wait(INTERVAL):
            self.samples.append((time.monotonic(), [self.of(replica) for replica in self.replicas]))

    def end(self):
        self.is_over.set()
        self.join()

    def herd(self, number):
        """Peak of new streams a second of a replica, over at least a second."""
        samples = [(moment, counts[number]) for moment, counts in self.samples if counts[number] is not None]
        return max(((count - before) / (moment - then) for index, (then, before) in enumerate(samples)
                    for moment, count in samples[index + 1:] if moment - then >= 1), default=0)


class Reader(threading.Thread):
    """Continuously requests a document through nginx."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.link, self.slowest, self.answered, self.failures = Link(port), 0.0, 0, []
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(0.02):
            began = time.monotonic()
            try:
                answer = self.link.ask("GET", "/activeconfig/user/reader")
            except Unanswered as error:
                answer = error,
            if answer is None or answer[0] != 200:
                self.failures.append(answer and answer[0])
            self.answered += 1
            self.slowest = max(self.slowest, time.monotonic() - began)


class Run:
    def __init__(self, stack, programs, work, count):
        self.count, self.findings, self.templates = count, Findings(), Templates("same")
        cluster = stack.enter_context(Cluster())
        cluster.start()
        cluster.wait_until_ready()
        self.replicas = start_replicas(
            stack, os.path.join(programs, "sample-backend"), cluster.location, work, REPLICAS)
        publish(self.replicas[0].port, self.templates.next())
        self.clients = Clients(programs, self.findings.wrong)
        stack.callback(self.clients.end)
        self.port = start_nginx(stack, os.path.join(work, "nginx"), self.replicas, 3 * count)
        self.clients.start(self.port)
        self.clients.ask("connect", count)
        self.clients.wait("opened")
        self.rows = [["replica ended by", "its streams", "all listen again, s", "ready again, s",
                      "streams of the others before", "after", "the most that came to one of them in a second"]]

    def restart(self, name):
        """Stops the replica with the most streams, publishes, restarts it, and waits for all clients."""
        before = [Streams.of(replica) for replica in self.replicas]
        number = max(range(REPLICAS), key=before.__getitem__)
        replica, others = self.replicas[number], [other for other in range(REPLICAS) if other != number]
        self.clients.ask("mark")
        streams, reader = Streams(self.replicas), Reader(self.port)
        streams.start()
        reader.start()
        began = time.monotonic()
        replica.send(signal.Signals[name])
        version = publish(self.replicas[others[0]].port, self.templates.next())[2]
        replica.process.wait(LIMIT)
        replica.start()
        replica.wait_until_ready()
        ready = time.monotonic() - began

        def is_back():
            report = self.clients.ask("report", 10)
            return report["counts"]["lost"] >= before[number] and report["open"] == self.count

        wait_until(is_back, f"S4, {name}: all listen again")
        back = time.monotonic() - began
        self.clients.wait("told", version, 10)
        time.sleep(FAIL_TIMEOUT)  # Gives updates that should not have been sent the time to arrive.
        streams.end()
        reader.is_over.set()
        reader.join()
        report = self.clients.report("S4", 10)
        if report["versions"] != {str(version): self.count}:
            self.findings.wrong.append(f"S4, {name}: the clients' versions are {report['versions']}")
        if report["updatesOfNamed"].get("1", 0) + report["counts"]["resets"] != self.count:
            self.findings.wrong.append(f"S4, {name}: updates by clients {report['updatesOfNamed']}")
        after = [Streams.of(replica) for replica in self.replicas]
        herd = max(streams.herd(other) for other in others)
        self.rows.append([name, f"{before[number]:,}", f"{back:.1f}", f"{ready:.1f}", *(
            ", ".join(f"{counts[other]:,}" for other in others) for counts in (before, after)), f"{herd:,.0f}"])
        what = f"one replica of three ended by {name}"
        self.findings.figure("S4", f"{what}: until its {before[number]} streams listen again, s", back, 15.0)
        self.findings.figure("S4", f"{what}: clients of {self.count} that missed a version",
                             self.count - report["versions"].get(str(version), 0), 0)
        self.findings.figure("S4", f"{what}: of {reader.answered} reads through nginx, unanswered",
                             len(reader.failures), 0)
        counts = report["counts"]
        self.findings.details.append(
            f"S4, {name}: {counts['lost']} streams ended, {counts['failed']} attempts failed, {counts['resets']} "
            f"clients fetched, refused by status: {counts['refused'] or 'none'}; "
            f"slowest read through nginx {reader.slowest * 1000:.0f} ms{', failures: ' * bool(reader.failures)}"
            + ", ".join(map(str, reader.failures[:3])))


def main():
    programs, work, count = sys.argv[1:]
    end_on_signals()
    with ExitStack() as stack:
        progress("S4: connecting …")
        run = Run(stack, programs, work, int(count))
        for name in "SIGTERM", "SIGKILL":
            progress(f"S4: one of three replicas, {name} …")
            run.restart(name)
    progress("")
    run.findings.table(f"S4: restart of one replica, {run.count} streams through nginx", run.rows)
    run.findings.print()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks SampleBackend/Operations/cluster.sh: startup, a rolling restart, failing members, shutdown.

USAGE: SampleBackend/Tests/Operations/cluster.py, from the root of the repository; without SAMPLE_BACKEND,
which names the program, it is built.
"""

import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
from pathlib import Path

SCRIPT = "SampleBackend/Operations/cluster.sh"
TEMPLATE = Path("SampleBackend/Sources/SampleBackend/Resources/SampleTemplate.json")
BACKEND = os.environ.get("SAMPLE_BACKEND", "SampleBackend/.build/debug/sample-backend")
TOKEN = "a-token-for-tests-0123456789abcdef"
# A test fails instead of waiting forever.
DEADLINE = 60
# SIGINT is ignored in background jobs; the script would inherit that, and could not undo it.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Cluster:
    """The script as a process; its output line by line."""

    def __init__(self, *arguments, **environment):
        self.process = subprocess.Popen(
            [SCRIPT, *arguments], stdout=subprocess.PIPE, text=True,
            env=os.environ | {"ACTIVECONFIG_ADMIN_TOKEN": TOKEN} | environment)
        self.lines = []
        self.read_until("the cluster is ready")

    def read_until(self, text):
        while True:
            line = self.process.stdout.readline()
            assert line, f"the output ends before \"{text}\": {self.lines}"
            self.lines.append(line.rstrip())
            if text in line:
                return

    def found(self, pattern):
        return [match[1] for match in (re.match(pattern, line) for line in self.lines) if match]

    def processes(self):
        return [int(number) for number in self.found(r".*\(process (\d+)\)$")]

    def end(self, number):
        self.process.send_signal(number)
        try:
            return self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            raise


def send(url, method, path, body=None, **fields):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=DEADLINE)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
    answer = connection.getresponse()
    content = answer.read().decode()
    connection.close()
    return answer.status, content


def publish(url):
    """The new version."""
    status, content = send(
        url, "PUT", "/v1/projects/default/remoteConfig", TEMPLATE.read_bytes(), If_Match="*",
        Authorization=f"Bearer {TOKEN}")
    assert status == 200, f"{status} {content}"
    return int(json.loads(content)["version"]["versionNumber"])


def version(url):
    status, content = send(url, "GET", "/activeconfig/user/1")
    return json.loads(content)["meta"]["template_version"] if status == 200 else None


class ClusterTests(unittest.TestCase):
    def await_version(self, urls, number):
        end = time.monotonic() + DEADLINE
        while [version(url) for url in urls] != [number] * len(urls):
            self.assertLess(time.monotonic(), end, f"the replicas do not agree on version {number}")
            time.sleep(0.05)

    def await_readiness(self, urls, value):
        """Waits for a value of the gauge that the alerts use."""
        end = time.monotonic() + DEADLINE
        for url in urls:
            while send(url, "GET", "/health/ready") and (
                    f"\nactiveconfig_store_ready {value}\n" not in send(url, "GET", "/metrics")[1]):
                self.assertLess(time.monotonic(), end, f"{url} does not say {value} for its store")
                time.sleep(0.1)

    def test_a_cluster_serves_restarts_loses_its_majority_and_ends(self):
        cluster = Cluster("--replicas", "2", "--", "--acknowledgements")
        try:
            nginx, = cluster.found(r"nginx: (http\S+) ")
            members = cluster.found(r"member \d: (http\S+) ")
            replicas = cluster.found(r"replica \d: (http\S+) ")
            folder = Path(cluster.found(r"logs: (.*)")[0])
            self.assertEqual((len(members), len(replicas)), (3, 2))
            self.assertEqual(cluster.found(r"store: (.*)"), ["etcd:" + ",".join(members)])
            self.await_version(replicas, publish(nginx))

            self.restart(cluster, nginx)
            self.await_version(replicas, publish(nginx))

            os.kill(int(cluster.found(r"member 1: .*\(process (\d+)\)")[0]), signal.SIGKILL)
            cluster.read_until("member 1 has ended")
            self.await_version(replicas, publish(nginx))

            self.await_readiness(replicas, 1)
            member = int(cluster.found(r"member 2: .*\(process (\d+)\)")[0])
            os.kill(member, signal.SIGSTOP)
            first, second = self.refusal(replicas[0]), self.refusal(replicas[0])
            self.assertLess(second, first / 4, "a request waits for etcd after another one waited in vain")
            self.await_readiness(replicas[:1], 0)
            self.await_version([nginx, *replicas], 3)
            os.kill(member, signal.SIGCONT)
            self.await_readiness(replicas, 1)
            self.await_version(replicas, publish(nginx))
            self.assertEqual(cluster.end(signal.SIGTERM), 0)
        finally:
            cluster.process.kill()
            cluster.process.wait()
            cluster.process.stdout.close()
        for process in cluster.processes():
            with self.assertRaises(ProcessLookupError):
                os.kill(process, 0)
        self.assertFalse(folder.exists())

    def refusal(self, url):
        """The seconds after which a request that needs etcd is 503."""
        start = time.monotonic()
        status, content = send(
            url, "GET", "/v1/projects/default/remoteConfig", Authorization=f"Bearer {TOKEN}")
        self.assertEqual(status, 503, content)
        return time.monotonic() - start

    def restart(self, cluster, nginx):
        """Restarts the replicas; clients of nginx see no failure."""
        results, is_over = [], threading.Event()

        def read():
            while not is_over.is_set():
                results.append(version(nginx))

        reader = threading.Thread(target=read)
        reader.start()
        cluster.process.send_signal(signal.SIGUSR1)
        cluster.read_until("all replicas are restarted")
        is_over.set()
        reader.join()
        self.assertEqual(set(results), {1})
        self.assertEqual(len(cluster.found(r"(replica \d is restarted)")), 2)

    def test_a_replica_that_does_not_come_back_takes_no_other_down(self):
        with tempfile.TemporaryDirectory() as folder:
            broken, program = Path(folder) / "broken", Path(folder) / "backend"
            program.write_text(
                f"#!/bin/sh\n[ ! -e {broken} ] || exit 70\nexec {os.path.abspath(BACKEND)} \"$@\"\n")
            program.chmod(0o755)
            cluster = Cluster("--members", "1", "--replicas", "2", SAMPLE_BACKEND=str(program))
            try:
                nginx, = cluster.found(r"nginx: (http\S+) ")
                publish(nginx)
                broken.touch()
                cluster.process.send_signal(signal.SIGUSR1)
                cluster.read_until("replica 1 is not back")
                cluster.read_until("replica 1 has ended")
                self.await_version([nginx, cluster.found(r"replica 2: (http\S+) ")[0]], 1)
                broken.unlink()
                self.restart(cluster, nginx)
                self.assertEqual(cluster.end(signal.SIGTERM), 0)
            finally:
                cluster.process.kill()
                cluster.process.wait()
                cluster.process.stdout.close()

    def test_one_member_is_enough_and_an_interrupt_ends_it(self):
        cluster = Cluster("--members", "1", "--replicas", "1")
        self.assertEqual(len(cluster.processes()), 3)
        publish(cluster.found(r"nginx: (http\S+) ")[0])
        self.assertEqual(cluster.end(signal.SIGINT), 0)
        cluster.process.stdout.close()

    def test_wrong_usage_is_refused(self):
        for arguments in (["--members"], ["--members", "0"], ["--replicas", "x"], ["--port", "65536"], ["more"]):
            with self.subTest(arguments):
                result = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stdout), (64, ""))
                self.assertIn(arguments[0], result.stderr)

    def test_help_is_shown(self):
        result = subprocess.run([SCRIPT, "--help"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout[:6]), (0, "USAGE:"))


if __name__ == "__main__":
    unittest.main()

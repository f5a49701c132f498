#!/usr/bin/env python3
"""A cluster of etcd members in a temporary folder on loopback, whose connections pass through a relay that breaks them.

USAGE: members.py [--members N] [--self-test]

Starts the members, prints their client URLs and stops them on Ctrl-C. --self-test kills, stops, terminates and
partitions them, fills their quota, and checks the behavior of etcd. Members are m1, m2 …; a link is named by its
ends, such as m1-m2 (m1 has connected to m2) and r1-m2 (replica 1 to m2). Exit codes: 0, 1 a check failed,
64 wrong arguments, 69 etcd is missing.
"""

import argparse
import base64
import http.client
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from copy import copy

from processes import Program, free_ports, wait_until

QUOTA = 32 << 20
MINUTE = 60


def encoded(text):
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


class RelayProcess(Program):
    """The program relay.py; its commands are methods."""

    def __init__(self, folder):
        super().__init__("relay", [sys.executable, os.path.join(os.path.dirname(__file__), "relay.py")],
                         os.path.join(folder, "relay.log"))
        self.lock = threading.Lock()

    def ask(self, **command):
        with self.lock:
            print(json.dumps(command), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the relay ended: {self.last_lines()}")
        return json.loads(line)

    def open(self, link, target):
        return self.ask(open=link, target=target)["port"]

    def break_links(self, name, links, mode, **details):
        self.ask(**{"break": name, "links": links, "mode": mode, **details})

    def heal(self, name):
        self.ask(heal=name)


class Member(Program):
    """An etcd server."""

    def __init__(self, name, folder, relay):
        self.relay = relay
        self.client_port, self.peer_port = free_ports(2)
        self.relayed_peer = relay.open(f"*-{name}", self.peer_port)
        self.folder = os.path.join(folder, name)
        super().__init__(name, [], os.path.join(folder, name + ".log"))

    def configure(self, members, quota):
        client, peer = (f"http://127.0.0.1:{port}" for port in (self.client_port, self.peer_port))
        cluster = ",".join(f"{member.name}=http://127.0.0.1:{member.relayed_peer}" for member in members)
        self.command = [
            "etcd", "--name", self.name, "--data-dir", self.folder, "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", f"http://127.0.0.1:{self.relayed_peer}", "--initial-cluster", cluster,
            "--initial-cluster-token", os.path.basename(os.path.dirname(self.folder)), "--pre-vote=true",
            f"--quota-backend-bytes={quota}", "--experimental-watch-progress-notify-interval=2s"]

    def start(self):
        super().start()
        self.relay.ask(pids={self.name: self.pid})
        for port in self.client_port, self.peer_port:
            self.relay.ask(up=port)

    def kill(self):
        """Also refuses connections to it, including those at the relay."""
        super().kill()
        if self.relay.is_running:
            for port in self.client_port, self.peer_port:
                self.relay.ask(down=port)

    def terminate(self):
        status = super().terminate()
        self.kill()
        return status

    def ask(self, path, body, timeout=1.0):
        """Sends a request to this member; returns the response, or None without one or after an error."""
        connection = http.client.HTTPConnection("127.0.0.1", self.client_port, timeout=timeout)
        try:
            connection.request("POST", "/v3/" + path, json.dumps(body))
            answer = connection.getresponse()
            return json.loads(answer.read()) if answer.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()


class Cluster:
    """Members and the relay; a context that stops them all."""

    def __init__(self, count=3, quota=QUOTA, folder=None):
        """`folder` is kept at the end; without it, a temporary one is created and removed."""
        self.removes_folder = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="members-")
        self.relay = RelayProcess(self.folder)
        self.relay.start()
        self.members = [Member(f"m{number + 1}", self.folder, self.relay) for number in range(count)]
        for member in self.members:
            member.configure(self.members, quota)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in [*self.members, self.relay]:
            program.kill()
        if self.removes_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *members):
        """Starts all members, or those given."""
        for member in members or self.members:
            member.start()

    def wait_until_ready(self):
        """Waits until each running member can read with a quorum."""
        for member in self.members:
            if member.is_running:
                wait_until(lambda m=member: m.ask("kv/range", {"key": encoded("ready")}), f"{member.name} is ready")

    @property
    def location(self):
        """The store of replicas that reach the members without the relay."""
        return "etcd:" + ",".join(f"http://127.0.0.1:{member.client_port}" for member in self.members)

    def relayed(self, client):
        """The URLs of the members for a client of this name, such as r1, over separate links."""
        return [f"http://127.0.0.1:{self.relay.open(f'{client}-{member.name}', member.client_port)}"
                for member in self.members]

    def leader(self):
        """The leader that a majority follows, or None."""
        leaders = {}
        for member in self.members:
            if member.is_running and (status := member.ask("maintenance/status", {})) and "leader" in status:
                leaders.setdefault(status["leader"], []).append((member, status["header"]["member_id"]))
        for leader, followers in leaders.items():
            if len(followers) > len(self.members) // 2:
                return next((member for member, own in followers if own == leader), None)
        return None

    def wait_for_leader(self):
        return wait_until(self.leader, "a leader")

    def followers(self):
        leader = self.wait_for_leader()
        return [member for member in self.members if member is not leader]

    def cut_off(self, member, mode="hold"):
        """Cuts a member off from the others; its clients still reach it."""
        self.relay.break_links("cut-off", [f"m?-{member.name}", f"?-{member.name}", f"{member.name}-m?"], mode)

    def is_full(self):
        """Whether an alarm reports an exhausted quota; None without a response."""
        answer = self.wait_for_leader().ask("maintenance/alarm", {"action": "GET"})
        return None if answer is None else bool(answer.get("alarms"))

    def fill(self):
        """Writes until the quota is exhausted."""
        megabyte = encoded(os.urandom(1 << 20))
        number = 0
        while not self.is_full():
            self.wait_for_leader().ask("kv/put", {"key": encoded(f"filler/{number}"), "value": megabyte}, timeout=10)
            number += 1

    def free(self):
        """Frees space: deletes, compacts, defragments each member and disarms the alarms."""
        leader = self.wait_for_leader()
        deleted = leader.ask("kv/deleterange", {"key": encoded("filler/"), "range_end": encoded("filler0")}, MINUTE)
        leader.ask("kv/compaction", {"revision": deleted["header"]["revision"], "physical": True}, MINUTE)
        for member in self.members:
            member.ask("maintenance/defragment", {}, MINUTE)
        alarms = leader.ask("maintenance/alarm", {"action": "GET"}, MINUTE).get("alarms", [])
        for alarm in alarms:
            leader.ask("maintenance/alarm", {"action": "DEACTIVATE", **alarm}, MINUTE)
        wait_until(lambda: self.is_full() is False, "the alarms are taken back")


def check_faults(cluster):
    """Checks that each fault has the intended effect on etcd; yields (description, result)."""
    value = encoded("x")

    def put(member, key, timeout=2.0):
        return member.ask("kv/put", {"key": encoded(key), "value": value}, timeout) is not None

    def has(key):
        return "kvs" in (cluster.wait_for_leader().ask("kv/range", {"key": encoded(key)}) or {})

    def put_when_possible(key):
        return wait_until(lambda: put(cluster.wait_for_leader(), key), "a put")

    leader = cluster.wait_for_leader()
    yield "a put is stored", put(leader, "first") and has("first")
    leader.kill()
    yield "killed leader: another one", put_when_possible("second") and cluster.leader() is not leader
    cluster.start(leader)
    cluster.wait_until_ready()
    one, other = cluster.followers()
    leader = cluster.leader()
    one.kill(), other.kill()
    yield "majority killed: no put", not put(leader, "third", 8) and cluster.leader() is None
    cluster.start(one, other)
    yield "majority back: a put", put_when_possible("fourth")
    cluster.wait_until_ready()
    leader = cluster.wait_for_leader()
    cluster.cut_off(leader)
    follower = next(member for member in cluster.members if member is not leader)
    yield "leader cut off: the others have another", wait_until(
        lambda: cluster.leader() not in (None, leader), "another leader") and put_when_possible("fifth")
    yield "leader cut off: its own put fails", not put(leader, "sixth", 8)
    cluster.relay.heal("cut-off")
    yield "leader back: it follows", wait_until(lambda: put(leader, "seventh"), "a put")
    member = copy(cluster.members[0])
    member.client_port = int(cluster.relayed("r1")[0].rsplit(":", 1)[1])
    yield "relayed: a put", put(member, "eighth")
    cluster.relay.break_links("slow", ["r1-*"], "hold")
    yield "held: no answer", not put(member, "held", 0.5) and not has("held")
    late = threading.Thread(target=put, args=(member, "late", MINUTE))
    late.start()
    cluster.relay.heal("slow")
    late.join()
    yield "healed: a client that still waits is answered", has("late")
    cluster.relay.break_links("half", ["r1-*"], "hold", direction="down")
    yield "half-open: done, no answer", not put(member, "half", 0.5) and wait_until(lambda: has("half"), "the put")
    cluster.relay.heal("half")
    cluster.relay.break_links("cut", ["r1-*"], "cut", bytes=60)
    yield "cut: no put", not put(member, "cut") and not has("cut")
    cluster.relay.heal("cut")
    cluster.relay.break_links("refused", ["r1-*"], "refuse")
    yield "refused: no put", not put(member, "refused") and not has("refused")
    cluster.relay.heal("refused")
    follower.pause()
    yield "a stopped follower: a put", put_when_possible("ninth")
    follower.resume()
    cluster.fill()
    yield "full: no put", not put(cluster.wait_for_leader(), "tenth")
    cluster.free()
    yield "space given back: a put", put_when_possible("eleventh")
    leader = cluster.wait_for_leader()
    yield "a member that is terminated exits with 0, or by SIGTERM", leader.terminate() in (0, -signal.SIGTERM)


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--members", type=int, default=3)
    parser.add_argument("--self-test", action="store_true")
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return 0
    try:
        arguments = parser.parse_args()
    except SystemExit:
        return 64
    if shutil.which("etcd") is None:
        print("members.py: etcd is missing; install it with: apt-get install etcd-server", file=sys.stderr)
        return 69
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    failures = 0
    with Cluster(arguments.members) as cluster:
        cluster.start()
        cluster.wait_until_ready()
        if not arguments.self_test:
            print(*(f"http://127.0.0.1:{member.client_port}" for member in cluster.members), flush=True)
            try:
                signal.pause()
            except KeyboardInterrupt:
                return 0
        began = time.monotonic()
        for what, is_right in check_faults(cluster):
            print(f"{'ok  ' if is_right else 'FAIL'} {time.monotonic() - began:5.1f} s  {what}", flush=True)
            failures += not is_right
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

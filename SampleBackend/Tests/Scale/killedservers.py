"""The frame of tests that kill servers while administrators work: arguments, servers, requests that must succeed, kills."""

import argparse
import json
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack

from members import Cluster
from processes import LIMIT
from registers import TemplateRegister
from replicas import start_replicas


class KilledServers:
    """One server on SQLite, or three replicas on three members of etcd, as a context."""

    def __init__(self, options, prefix):
        self.options, self.random = options, random.Random(options.seed)
        self.stack, self.cluster, self.replicas = ExitStack(), None, []
        self.folder, self.keeps_files = tempfile.mkdtemp(prefix=prefix), False
        self.kills = Counter()

    def __enter__(self):
        self.stack.callback(self.remove_files)
        try:
            self.start()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def remove_files(self):
        if not self.keeps_files:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        self.token = os.environ["ACTIVECONFIG_ADMIN_TOKEN"] = secrets.token_hex(24)
        store, count = "sqlite:" + os.path.join(self.folder, "store.sqlite"), 1
        if self.options.store == "etcd":
            self.cluster = self.stack.enter_context(Cluster(folder=self.folder))
            self.cluster.start()
            self.cluster.wait_until_ready()
            store, count = self.cluster.location, 3
        self.replicas = start_replicas(self.stack, self.options.binary, store, self.folder, count)
        self.register = TemplateRegister("end", self.replicas[0].port, self.token)

    def administer(self, method, path, body=None, tag=None, token=None):
        """A request that must succeed, while no server is killed; by default of the token of the environment."""
        fields = {"Authorization": "Bearer " + (token or self.token)} | ({"If-Match": tag} if tag else {})
        answer = self.register.link.ask(method, path, body and json.dumps(body), fields, LIMIT)
        if answer is None or answer[0] not in (200, 201):
            raise RuntimeError(f"{method} {path} was answered with {answer}")
        return json.loads(answer[2])

    def kill_leader(self, pause):
        """Kills the leader of etcd, and starts it again after a pause in seconds."""
        self.kills["leader of etcd"] += 1
        member = self.cluster.wait_for_leader()
        member.kill()
        time.sleep(pause)
        self.cluster.start(member)
        self.cluster.wait_until_ready()

    def kill_replicas(self, count, pause):
        """Kills replicas, and starts them again after a pause in seconds."""
        killed = self.random.sample(self.replicas, count)
        self.kills["server"] += count
        for replica in killed:
            replica.kill()
        time.sleep(pause)
        for replica in killed:
            replica.start()
        for replica in killed:
            replica.wait_until_ready()

    def kill_texts(self):
        return "kills: " + ", ".join(f"{count} of a {what}" for what, count in self.kills.items())


def options_of(doc, name, more=lambda parser: None):
    """The options of a command line, or its exit code; the signals that end a test are handled from here on."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(doc.strip())
        return 0
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--binary", default=os.environ.get("SAMPLE_BACKEND"))
    parser.add_argument("--store", choices=["etcd", "sqlite"], default="etcd")
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    more(parser)
    try:
        options = parser.parse_args()
    except SystemExit:
        return 64
    if options.binary is None:
        print(f"{name}: --binary is missing; see --help", file=sys.stderr)
        return 64
    for program in [options.binary, *(["etcd"] if options.store == "etcd" else [])]:
        if shutil.which(program) is None:
            print(f"{name}: {program} is missing", file=sys.stderr)
            return 69
    for number in signal.SIGTERM, signal.SIGINT:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    print(f"seed {options.seed}", flush=True)
    return options

"""Replicas of the backend on one store, and their responses with documents."""

import json
import os
import re
import subprocess
import threading
import time
from collections import defaultdict

from history import Operation
from processes import LIMIT, Program, wait_until
from registers import GROUPS, Link, Unanswered, settings as settings_for
from listeners import settings_of


class Replica(Program):
    """A process `serve`; it keeps its port across restarts."""

    def __init__(self, name, binary, store, folder, offset=None):
        environment = {}
        if offset:
            environment = {"LD_PRELOAD": moved_clock(folder), "CLOCK_OFFSET": str(offset)}
        super().__init__(name, [], os.path.join(folder, name + ".log"), environment)
        self.binary, self.store, self.port = binary, store, 0

    def start(self):
        self.command = [self.binary, "serve", "--port", str(self.port), "--store", self.store,
                        "--log-level", "warning"]
        super().start()
        line = self.process.stdout.readline()
        found = re.match(r"listening on http://127\.0\.0\.1:(\d+)$", line)
        if not found:
            raise RuntimeError(f"{self.name} did not start: {line}{self.last_lines()}")
        self.port = int(found[1])

    def wait_until_ready(self):
        def is_ready():
            try:
                answer = Link(self.port).ask("GET", "/health/ready", timeout=LIMIT)
            except Unanswered:
                return False
            return answer is not None and answer[0] == 200
        wait_until(is_ready, f"{self.name} is ready")


def start_replicas(stack, binary, store, folder, count):
    """Replicas on one store, which are ready, and stop with the exit stack."""
    replicas = [Replica(f"r{number + 1}", binary, store, folder) for number in range(count)]
    for replica in replicas:
        stack.callback(replica.kill)
        replica.start()
        replica.wait_until_ready()
    return replicas


def moved_clock(folder):
    """The library that moves a process's clock, built with the compiler that comes with Swift."""
    library = os.path.join(folder, "clock.so")
    if not os.path.exists(library):
        source = os.path.join(os.path.dirname(__file__), "clock.c")
        subprocess.run(["clang", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


class Documents:
    """Continuously reads some users' documents at all replicas; one thread per replica."""

    USERS = 4

    def __init__(self, replicas, recorder):
        self.replicas, self.recorder = replicas, recorder
        self.newest = [0] * len(replicas)
        self.tags = defaultdict(set)  # By version and user, with the settings.
        self.failures = []  # (time in ns, replica, reason)
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.read, args=(number,), daemon=True)
                        for number in range(len(replicas))]

    def start(self):
        for thread in self.threads:
            thread.start()

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def read(self, number):
        replica = self.replicas[number]
        link, turn = Link(replica.port), 0
        while not self.is_over.wait(0.1):
            turn += 1
            user = turn % self.USERS
            invoked = time.monotonic_ns()
            try:
                answer = link.ask("GET", f"/activeconfig/user/u{user}?signal.group={user % GROUPS}")
            except Unanswered as error:
                self.failures.append((invoked, replica.name, str(error)))
                continue
            if answer is None or answer[0] != 200:
                self.failures.append((invoked, replica.name, answer and answer[0]))
                continue
            document = json.loads(answer[2])
            version = document["meta"]["template_version"]
            settings = json.dumps(settings_of(document["config_sections"]), sort_keys=True)
            self.tags[version, user].add((answer[1]["ETag"], settings))
            self.recorder.add(Operation("document", invoked, time.monotonic_ns(), f"d{number + 1}", replica.name,
                                        version=version))
            self.newest[number] = max(self.newest[number], version)

    def check(self, truth):
        """Checks that replicas agree, and the documents are those of their versions."""
        for (version, user), answers in sorted(self.tags.items()):
            if len(answers) > 1:
                yield f"the replicas do not agree on version {version} for user {user}: {answers}"
            wanted = truth.get(version)
            if wanted is None:
                yield f"a replica has the unknown version {version}"
                continue
            found = json.loads(next(iter(answers))[1])
            if found != settings_for(wanted, str(user % GROUPS)):
                yield f"the document of version {version} for user {user} is {found}"

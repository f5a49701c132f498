#!/usr/bin/env python3
"""Copies settings of one project into another one while servers are killed with SIGKILL, and checks the history.

USAGE: promotions.py [--binary SAMPLE-BACKEND] [--store etcd|sqlite] [OPTIONS]

On etcd: three members and three replicas, of which one or two are killed at a time, and the leader. On SQLite: one
server, which is killed. Promoters compare the projects staging and shop, ask for the merge of some settings, store it
as their draft and as a change request of shop; others approve and publish it. Beside them, people publish, delete
and pin settings in staging, and programs publish settings in shop; both undo versions (promoters.py). Then the
versions of both projects, the requests, the drafts and the audit trail are checked against what was answered
(promoted.py), and the checks themselves by faults that are planted in the history.

  --binary PATH     the program of the servers (default: the one that SAMPLE_BACKEND names)
  --store NAME      etcd or sqlite (default: etcd)
  --minutes N       duration (default 2)
  --seed N          seed of the random choices (default: from the clock; printed)

After a violation, it prints the acts concerned, and keeps the logs.
Exit codes: 0 no violation, 1 a violation, or a planted fault that was not found, 64 wrong arguments, 69 a program is
missing.
"""

import json
import sys
import time
from collections import Counter

from killedservers import KilledServers, options_of
from processes import LIMIT, wait_until
from promoted import Faults, History, Version, Violation, check
from promoters import (
    CONDITIONS, OWN, PINNED, SHARED, SOURCE, TARGET, Approver, Operator, Promoter, Publisher, cells_of, conditions_of,
    template_of)
from registers import Unanswered
from reviewers import Desk

STEPS = ["promote", "draft", "create", "approve", "publish", "publish", "stage", "ops", "express", "undo", "close"]


class Run(KilledServers):
    """The servers, the people and what is read of the store, as a context."""

    def __init__(self, options):
        super().__init__(options, "promotions-")
        self.desk, self.people, self.in_flight, self.tokens = Desk(), [], Counter(), {}
        self.history = History(self.desk.acts)

    def start(self):
        super().start()
        shared = {(key, "default"): f"start {key}" for key in SHARED}
        own = {(key, "default"): f"start {key}" for key in OWN}
        self.administer("PUT", SOURCE + "/remoteConfig", template_of(shared, list(CONDITIONS), "start"), "*")
        self.administer("PUT", TARGET + "/remoteConfig", template_of(shared | own, ["beta"], "start"), "*")
        self.administer("PUT", TARGET + "/protection", {"requiredApprovals": 1}, "*")
        both = {"staging": "viewer", "shop": "editor"}
        for number in range(3):
            self.hire(Promoter, f"promoter{number}", f"Promoter {number}", both)
        self.hire(Promoter, "express0", None, both | {"shop": "publisher"}, bypasses=True)
        for number in range(4):
            role = "publisher" if number % 2 else "editor"
            self.hire(Approver, f"approver{number}", f"Approver {number}", {"shop": role}, role)
        for number in range(2):
            self.hire(Publisher, f"source{number}", None, {"staging": "publisher"}, project=SOURCE)
        self.hire(Operator, "ops0", None, {"shop": "publisher"}, bypasses=True)
        self.stack.callback(lambda: [person.is_over.set() for person in self.people])
        for person in self.people:
            person.start()

    def hire(self, kind, name, person, projects, role="", bypasses=False, **options):
        body = {"name": name, "projects": projects, "bypass": bypasses} | ({"owner": person} if person else {})
        self.tokens[name] = self.administer("POST", "/v1/tokens", body)["token"]
        ports = [replica.port for replica in self.replicas]
        self.people.append(kind(name, person, self.tokens[name], role, ports, self.desk, self.options.seed, bypasses,
                                **options))

    # Kills.

    def work_and_kill(self):
        end, round_ = time.monotonic() + 60 * self.options.minutes, 0
        while time.monotonic() < end:
            time.sleep(self.random.uniform(0.3, 3))
            self.kill_something()
            if round_ % 5 == 4:
                self.collect_versions()
            round_ += 1
            if sys.stderr.isatty():
                print(f"\r\033[K{end - time.monotonic():4.0f} s left, {len(self.desk.acts)} acts",
                      end="", file=sys.stderr, flush=True)
            if failed := [person for person in self.people if person.error]:
                raise RuntimeError(f"{failed[0].name} failed") from failed[0].error

    def kill_something(self):
        """Kills a server, or the leader, shortly after an act of some kind was sent."""
        kind, limit = self.random.choice(STEPS), time.monotonic() + 2
        while kind not in list(self.desk.in_flight.values()) and time.monotonic() < limit:
            time.sleep(0.001)
        time.sleep(self.random.choice([0, self.random.uniform(0, 0.02), self.random.uniform(0, 0.2)]))
        self.in_flight.update(list(self.desk.in_flight.values()))
        if self.cluster is not None and self.random.random() < 0.3:
            return self.kill_leader(self.random.uniform(0.2, 3))
        count = 2 if len(self.replicas) > 1 and self.random.random() < 0.25 else 1
        return self.kill_replicas(count, self.random.uniform(0, 1))

    # What the store has.

    def collect_versions(self, again=False):
        """Reads the versions that were not read yet, since a project keeps a limited number."""
        for project, versions in self.history.versions.items():
            path = project + "/remoteConfig"
            for one in self.patiently(self.register.list, path + ":listVersions", "versions", 300):
                number = int(one["versionNumber"])
                if number in versions and not again:
                    continue
                template = self.patiently(self.administer, "GET", f"{path}?versionNumber={number}")
                version = Version(number, cells_of(template), conditions_of(template), one.get("description", ""),
                                  int(one.get("undoneVersionNumber", 0)))
                if versions.setdefault(number, version) != version:
                    self.history.changed.append((project, number))

    def patiently(self, function, *arguments):
        """The result of a request, which is sent again until it succeeds."""
        def call():
            try:
                return function(*arguments)
            except (Unanswered, RuntimeError):
                return None
        return wait_until(call, f"an answer to {arguments}", pause=0.2)

    def end(self):
        for person in self.people:
            person.is_over.set()
        for person in self.people:
            person.join(2 * LIMIT)
            if person.error or person.is_alive():
                raise RuntimeError(f"{person.name} failed: {person.error!r}") from person.error
        time.sleep(2)  # A write without a response may still be on its way.
        self.collect_versions(again=True)
        requests = TARGET + "/changeRequests"
        for one in self.register.list(requests, "changeRequests", 50):
            self.history.requests[one["id"]] = self.administer("GET", f"{requests}/{one['id']}")
        for project in SOURCE, TARGET:
            self.history.audit[project] = self.register.list(project + "/audit", "entries", 1000)
        for name in self.tokens:
            if draft := self.found(TARGET + "/draft", self.tokens[name]):
                self.history.drafts[name] = cells_of(draft["template"])
        self.history.pins = self.found(f"{TARGET}/users/{PINNED}/overrides", self.token) or {}

    def found(self, path, token):
        """What a path answers, or None if there is nothing, or it is not the token's."""
        status, _, body = self.register.link.ask("GET", path, fields={"Authorization": "Bearer " + token})
        return json.loads(body) if status == 200 else None


def report(run, violations):
    """Prints the figures, and the violations with the acts concerned; returns the exit code."""
    history = run.history
    outcomes = Counter((act.kind, act.outcome) for act in history.acts)
    print(f"{'act':16}{'done':>7}{'refused':>9}{'unknown':>9}{'repeated':>10}{'at a kill':>11}")
    for kind in sorted({act.kind for act in history.acts}):
        repeated = sum(len(act.answers) > 1 for act in history.acts if act.kind == kind)
        counts = [outcomes[kind, outcome] for outcome in ("done", "refused", "unknown")]
        print(f"{kind:16}{counts[0]:7}{counts[1]:9}{counts[2]:9}{repeated:10}{run.in_flight[kind]:11}")
    states = Counter(request["state"] for request in history.requests.values())
    print(f"{len(history.requests)} requests:", ", ".join(f"{states[state]} {state}" for state in sorted(states)))
    print(run.kill_texts())
    missed = []
    if not violations:
        found = dict(Faults(history, run.options.seed).found())
        missed = [name for name, is_found in found.items() if not is_found]
        print(f"faults planted in the history: {len(found) - len(missed)} of {len(found)} found")
    for number, violation in enumerate(violations[:20]):
        print(f"WRONG {violation}")
        for line in history.about(violation) if number < 3 else []:
            print("   ", line)
    for name in missed:
        print(f"WRONG the planted fault {name} was not found")
    counts = [len(versions) for versions in history.versions.values()]
    print(f"{len(history.acts)} acts, {counts[0]} versions of the source and {counts[1]} of the target, "
          f"{len(violations)} violations; store {run.options.store}, seed {run.options.seed}")
    return 1 if violations or missed else 0


def main():
    options = options_of(__doc__, "promotions.py")
    if isinstance(options, int):
        return options
    with Run(options) as run:
        run.work_and_kill()
        run.end()
        violations = list(check(run.history))
        violations += [Violation("answer", problem) for problem in run.desk.problems]
        run.keeps_files = bool(violations)
        code = report(run, violations)
    if run.keeps_files:
        print(f"promotions.py: the logs are in {run.folder}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

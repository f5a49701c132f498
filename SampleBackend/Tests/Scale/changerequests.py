#!/usr/bin/env python3
"""Makes, reviews and publishes change requests while servers are killed with SIGKILL, and checks the history.

USAGE: changerequests.py [--binary SAMPLE-BACKEND] [--store etcd|sqlite] [OPTIONS]

On etcd: three members and three replicas, of which one or two are killed at a time, and the leader. On SQLite: one
server, which is killed. Nine people, of whom one has two tokens, and a program that may bypass approvals work on
the requests of a project that needs two approvals (reviewers.py). Then the versions, the requests, the audit trail and
all responses are checked against what was answered (reviews.py), and the checks themselves by faults that are planted
in the history (reviewfaults.py).

  --binary PATH     the program of the servers (default: the one that SAMPLE_BACKEND names)
  --store NAME      etcd or sqlite (default: etcd)
  --minutes N       duration (default 2)
  --required N      number of approvals that the check demands, to see it fail (default: those of the project, 2)
  --seed N          seed of the random choices (default: from the clock; printed)

After a violation, it prints the acts of the request concerned, and keeps the logs.
Exit codes: 0 no violation, 1 a violation, or a planted fault that was not found, 64 wrong arguments, 69 a program is
missing.
"""

import sys
import time
from collections import Counter

from killedservers import KilledServers, options_of
from processes import LIMIT, wait_until
from registers import Unanswered
from reviewers import PATH, REQUESTS, SETTINGS, TEMPLATE, Desk, Reviewer, template_of, values_of
from reviewfaults import Faults
from reviews import History, Version, Violation, check

REQUIRED = 2
PEOPLE = 9


class Run(KilledServers):
    """The servers, the people and what is read of the store, as a context."""

    def __init__(self, options):
        super().__init__(options, "changerequests-")
        self.desk, self.people, self.in_flight = Desk(), [], Counter()
        self.history = History(self.desk.acts, self.desk.reads)

    def start(self):
        super().start()
        self.administer("PUT", TEMPLATE, template_of({key: "start" for key in SETTINGS}), "*")
        for number in range(PEOPLE):
            self.hire(f"p{number}", f"Person {number}", "publisher" if number % 2 else "editor")
        self.hire("q0", "Person 0", "publisher")  # The second token of the first person.
        self.hire("ci", None, "publisher", bypass=True)
        self.administer("PUT", PATH + "/protection", {"requiredApprovals": REQUIRED}, "*")
        self.stack.callback(lambda: [person.is_over.set() for person in self.people])
        for person in self.people:
            person.start()

    def hire(self, name, person, role, bypass=False):
        body = {"name": name, "role": role, "bypass": bypass} | ({"owner": person} if person else {})
        token = self.administer("POST", "/v1/tokens", body)["token"]
        ports = [replica.port for replica in self.replicas]
        self.people.append(Reviewer(name, person, token, role, ports, self.desk, self.options.seed, bypass))

    # Kills.

    def work_and_kill(self):
        end, round_ = time.monotonic() + 60 * self.options.minutes, 0
        while time.monotonic() < end:
            time.sleep(self.random.uniform(0.3, 3))
            self.kill_something()
            if self.options.minutes < 1 or round_ % 5 == 4:
                self.collect_versions()
            round_ += 1
            if sys.stderr.isatty():
                print(f"\r\033[K{end - time.monotonic():4.0f} s left, {len(self.desk.acts)} acts, "
                      f"{len(self.history.versions)} versions", end="", file=sys.stderr, flush=True)
            if failed := [person for person in self.people if person.error]:
                raise RuntimeError(f"{failed[0].name} failed") from failed[0].error

    def kill_something(self):
        """Kills a server, or the leader, shortly after an act of some kind was sent."""
        kind = self.random.choice(["approve", "publish", "approve", "publish", "close", "edit", "create", "comment",
                                   "requestChanges", "bypass"])
        limit = time.monotonic() + 2
        while kind not in list(self.desk.in_flight.values()) and time.monotonic() < limit:
            time.sleep(0.001)
        time.sleep(self.random.choice([0, self.random.uniform(0, 0.02), self.random.uniform(0, 0.2)]))
        self.in_flight.update(list(self.desk.in_flight.values()))
        if self.cluster is not None and self.random.random() < 0.3:
            return self.kill_leader(self.random.uniform(0.2, 3))
        count = 2 if len(self.replicas) > 1 and self.random.random() < 0.25 else 1
        return self.kill_replicas(count, self.random.uniform(0, 1))

    # What the store has.

    def collect_versions(self):
        """Reads the versions that were not read yet, since a project keeps a limited number."""
        for one in self.patiently(self.register.list, TEMPLATE + ":listVersions", "versions", 300):
            number = int(one["versionNumber"])
            if number not in self.history.versions:
                template = self.patiently(self.administer, "GET", f"{TEMPLATE}?versionNumber={number}")
                self.history.versions[number] = Version(number, values_of(template), one.get("description", ""))

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
        earlier, self.history.versions = self.history.versions, {}
        self.collect_versions()
        self.history.changed = [number for number, version in self.history.versions.items()
                                if earlier.get(number, version) != version]
        self.history.versions = earlier | self.history.versions
        listed = self.register.list(REQUESTS, "changeRequests", 50)
        for one in listed:
            self.history.requests[one["id"]] = self.administer("GET", f"{REQUESTS}/{one['id']}")
        self.history.audit = self.register.list(PATH + "/audit", "entries", 1000)


def report(run, violations):
    """Prints the figures, and the violations with the acts concerned; returns the exit code."""
    history = run.history
    outcomes = Counter((act.kind, act.outcome) for act in history.acts)
    kinds = sorted({act.kind for act in history.acts})
    print(f"{'act':16}{'done':>7}{'refused':>9}{'unknown':>9}{'repeated':>10}{'at a kill':>11}")
    for kind in kinds:
        repeated = sum(len(act.answers) > 1 for act in history.acts if act.kind == kind)
        counts = [outcomes[kind, outcome] for outcome in ("done", "refused", "unknown")]
        print(f"{kind:16}{counts[0]:>7}{counts[1]:>9}{counts[2]:>9}{repeated:>10}{run.in_flight[kind]:>11}")
    states = Counter(request["state"] for request in history.requests.values())
    print(f"{len(history.requests)} requests:", ", ".join(f"{states[state]} {state}" for state in sorted(states)))
    print(run.kill_texts())
    missed = []
    if not violations:
        found = dict(Faults(history, REQUIRED, run.options.seed).found())
        missed = [name for name, is_found in found.items() if not is_found]
        print(f"faults planted in the history: {len(found) - len(missed)} of {len(found)} found")
    for number, violation in enumerate(violations[:20]):
        print(f"WRONG {violation}")
        for line in history.about(violation) if number < 3 else []:
            print("   ", line)
    for name in missed:
        print(f"WRONG the planted fault {name} was not found")
    print(f"{len(history.acts)} acts, {len(history.reads)} reads, {len(history.versions)} versions, "
          f"{len(violations)} violations; store {run.options.store}, seed {run.options.seed}")
    return 1 if violations or missed else 0


def main():
    options = options_of(__doc__, "changerequests.py",
                         lambda parser: parser.add_argument("--required", type=int, default=REQUIRED))
    if isinstance(options, int):
        return options
    with Run(options) as run:
        run.work_and_kill()
        run.end()
        violations = list(check(run.history, options.required))
        violations += [Violation("answer", problem) for problem in run.desk.problems]
        run.keeps_files = bool(violations) and options.required == REQUIRED
    code = report(run, violations)
    if run.keeps_files:
        print(f"changerequests.py: the logs are in {run.folder}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Takes the steps of rollouts while the servers that are to publish them are killed with SIGKILL, and checks them.

USAGE: rollouts.py [--binary SAMPLE-BACKEND] [--store etcd|sqlite] [OPTIONS]

In a project that needs an approval, rollouts of conditions are planned some seconds ahead: most are approved, some
are not. Once they have started, administrators hold and resume them, which makes their next step due at once, or take
the last step back; others publish. Meanwhile servers are killed: the only one on SQLite, one to all three replicas on
etcd, or the leader of etcd. Then each step has to be published by exactly one version that changes the percentage
of this condition and nothing else, the steps go up or down by one, a rollout that nobody approved has published
nothing, and each version has one entry in the audit trail.

  --binary PATH     the program of the servers (default: the one that SAMPLE_BACKEND names)
  --store NAME      etcd or sqlite (default: etcd)
  --minutes N       duration (default 2)
  --seed N          seed of the random choices (default: from the clock; printed)

Exit codes: 0 all is right, 1 something is wrong, 64 wrong arguments, 69 a program is missing.
"""

import json
import sys
import time
from collections import Counter
from datetime import datetime, timedelta, timezone

from killedservers import KilledServers, options_of
from processes import wait_until
from registers import Unanswered
from reviewers import PATH, REQUESTS, TEMPLATE

ROLLOUTS = PATH + "/rollouts"
PERCENTS = [1, 5, 25, 50, 100]
CONDITIONS = [f"c{number}" for number in range(6)]
LATE = 60  # Seconds within which a step must be taken, servers being up again.


def template_of(percents, other):
    """A template with a condition for each percentage, and a setting that others change."""
    conditions = [{"name": name, "expression": f"percent('{name}') <= {percent}"} for name, percent in percents.items()]
    parameters = {name: {"defaultValue": {"value": "off"}, "conditionalValues": {name: {"value": "on"}}}
                  for name in percents}
    return {"conditions": conditions, "parameters": parameters | {"other": {"defaultValue": {"value": other}}}}


def percents_of(template):
    return {one["name"]: int(one["expression"].split("<= ")[1]) for one in template["conditions"]}


class Run(KilledServers):
    """The servers, and the rollouts, as a context."""

    def __init__(self, options):
        super().__init__(options, "rollouts-")
        self.approved, self.unapproved, self.asked, self.others = [], [], Counter(), 0

    def start(self):
        super().start()
        self.administer("PUT", TEMPLATE, template_of({name: 0 for name in CONDITIONS}, "start"), "*")
        self.planner, self.approver = self.hire("publisher", "Ada"), self.hire("editor", "Bob")
        self.administer("PUT", PATH + "/protection", {"requiredApprovals": 1}, "*")

    def hire(self, role, person):
        body = {"name": person, "role": role, "owner": person}
        return self.administer("POST", "/v1/tokens", body)["token"]

    # Rounds.

    def plan(self, condition):
        moment = datetime.now(timezone.utc) + timedelta(seconds=self.random.uniform(1, 3))
        body = {"condition": condition, "percents": PERCENTS, "intervalMinutes": 60, "at": moment.isoformat()}
        request = self.administer("POST", ROLLOUTS, body, token=self.planner)["id"]
        if self.random.random() < 0.2:
            self.unapproved.append(request)
            return None
        tag = f'"{self.administer("GET", f"{REQUESTS}/{request}")["etag"]}"'
        self.administer("POST", f"{REQUESTS}/{request}:approve", {}, tag, self.approver)
        self.approved.append(request)
        return request

    def work_and_kill(self):
        end = time.monotonic() + 60 * self.options.minutes
        while time.monotonic() < end:
            # All begin at 0 again, by a publish of others.
            self.publish({name: 0 for name in CONDITIONS})
            running = [request for name in CONDITIONS if (request := self.plan(name))]
            self.kill_something()
            wanted = {request: 1 for request in running}
            self.wait_for_steps(wanted)
            for _ in range(6):
                # No step is due now, which it would take back.
                if self.random.random() < 0.3:
                    self.publish(percents_of(self.administer("GET", TEMPLATE)))
                for request in running:
                    self.move(request, wanted)
                self.kill_something()
                self.wait_for_steps(wanted)
            for request in running:
                self.administer("DELETE", f"{PATH}/scheduledPublishes/{request}", None, "*", self.planner)
            if sys.stderr.isatty():
                print(f"\r\033[K{end - time.monotonic():4.0f} s left, {sum(self.asked.values())} steps",
                      end="", file=sys.stderr, flush=True)

    def publish(self, percents):
        self.others += 1
        body = template_of(percents, str(self.others))
        self.administer("PUT", f"{TEMPLATE}?bypass=others", body, "*")

    def move(self, request, wanted):
        """Takes a step up or down, or none."""
        rollout = self.rollout(request)
        place, target = PERCENTS.index(rollout["percent"]), f"{ROLLOUTS}/{request}"
        if place > 0 and self.random.random() < 0.25:
            self.administer("POST", target + ":takeBack", {}, "*", self.planner)
        elif place + 1 < len(PERCENTS):
            if rollout["state"] == "running":
                self.administer("POST", target + ":hold", {}, "*", self.planner)
            self.administer("POST", target + ":resume", {"now": True}, "*")
        else:
            return
        wanted[request] += 1
        self.asked[request] += 1

    def rollout(self, request):
        return self.administer("GET", f"{ROLLOUTS}/{request}")["schedule"]["rollout"]

    def kill_something(self):
        time.sleep(self.random.uniform(0, 0.3))
        if self.cluster is not None and self.random.random() < 0.3:
            return self.kill_leader(self.random.uniform(0.1, 1))
        return self.kill_replicas(self.random.randint(1, len(self.replicas)), self.random.uniform(0, 0.5))

    def wait_for_steps(self, wanted):
        def is_done():
            try:
                found = self.register.list(ROLLOUTS, "rollouts", 50)
            except Unanswered:
                return False
            taken = {one["id"]: sum("versionNumber" in step for step in one["schedule"]["rollout"]["steps"])
                     for one in found}
            return all(taken.get(request) == count for request, count in wanted.items())
        wait_until(is_done, "the steps are taken", limit=LATE, pause=0.2)

    # What was published.

    def problems(self):
        versions = self.register.list(TEMPLATE + ":listVersions", "versions", 300)
        publishes = Counter(entry["subject"] for entry in self.register.list(PATH + "/audit", "entries", 1000)
                            if entry["action"] == "PUBLISH")
        kept = {int(version["versionNumber"]): version for version in versions}
        for number in kept:
            if publishes[str(number)] != 1:
                yield f"version {number} has {publishes[str(number)]} entries in the audit trail"
        for request in self.unapproved:
            state = self.administer("GET", f"{ROLLOUTS}/{request}")["schedule"]
            if state["state"] != "notApproved" or self.versions_of(request, kept):
                yield f"rollout {request} that nobody approved is {state['state']}: {self.versions_of(request, kept)}"
        for request in self.approved:
            yield from self.problems_of(request, kept)

    def versions_of(self, request, kept):
        return sorted(number for number, version in kept.items()
                      if version.get("description", "").startswith(f"Change request {request}: "))

    def problems_of(self, request, kept):
        rollout = self.rollout(request)
        steps = [step for step in rollout["steps"] if "versionNumber" in step]
        if len(steps) != self.asked[request] + 1:
            yield f"rollout {request} took {len(steps)} steps of {self.asked[request] + 1}"
        numbers = [int(step["versionNumber"]) for step in steps]
        published = self.versions_of(request, kept)
        if published != [number for number in numbers if number in kept]:
            yield f"rollout {request} has the versions {published}, and says {numbers}"
        for before, step in zip([None, *steps], steps):
            number, place = int(step["versionNumber"]), PERCENTS.index(step["percent"])
            expected = 0 if before is None else PERCENTS.index(before["percent"]) + (-1 if "isTakenBack" in step else 1)
            if place != expected:
                yield f"rollout {request} went to {step['percent']} % from {before}"
            if number in kept and number - 1 in kept:
                old, new = (self.administer("GET", f"{TEMPLATE}?versionNumber={one}") for one in (number - 1, number))
                for one in old, new:
                    one.pop("version")
                changed = percents_of(old) | {rollout["condition"]: step["percent"]}
                for condition in old["conditions"]:
                    condition["expression"] = f"percent('{condition['name']}') <= {changed[condition['name']]}"
                if json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True):
                    yield f"version {number} of rollout {request} changes more than its percentage"


def main():
    options = options_of(__doc__, "rollouts.py")
    if isinstance(options, int):
        return options
    with Run(options) as run:
        run.work_and_kill()
        problems = list(run.problems())
    for problem in problems[:20]:
        print(f"WRONG {problem}")
    print(f"{len(run.approved)} rollouts with {sum(run.asked.values())} steps after their start, "
          f"{len(run.unapproved)} without approval")
    print(run.kill_texts())
    print(f"{len(problems)} problems; store {options.store}, seed {options.seed}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Schedules publishes while the servers that are to publish them are killed with SIGKILL, and checks what was published.

USAGE: scheduledpublishes.py [--binary SAMPLE-BACKEND] [--store etcd|sqlite] [OPTIONS]

In a project that needs an approval, requests are scheduled some seconds ahead, each for a setting of its own: most
are approved, some are not, some are moved or cancelled before their time, and some come after another one. Around
their times, servers are killed: the only one on SQLite, one to all three replicas on etcd, or the leader of etcd.
Then each request that was approved has to be published by exactly one version, not before its time, with its values;
every other request by none; and each version has one entry in the audit trail (T27).

  --binary PATH     the program of the servers (default: the one that SAMPLE_BACKEND names)
  --store NAME      etcd or sqlite (default: etcd)
  --minutes N       duration (default 2)
  --seed N          seed of the random choices (default: from the clock; printed)

Exit codes: 0 all is right, 1 something is wrong, 64 wrong arguments, 69 a program is missing.
"""

import sys
import time
from collections import Counter
from datetime import datetime, timedelta, timezone

from killedservers import KilledServers, options_of
from processes import wait_until
from registers import Unanswered
from reviewers import PATH, REQUESTS, SETTINGS, TEMPLATE, template_of, values_of

SCHEDULED = PATH + "/scheduledPublishes"
LATE = 60  # Seconds after the last time within which all must be done, servers being up again.


def text_of(moment):
    return moment.isoformat(timespec="milliseconds")


class Run(KilledServers):
    """The servers, and what was scheduled, as a context."""

    def __init__(self, options):
        super().__init__(options, "scheduledpublishes-")
        self.expected, self.live = {}, {key: "start" for key in SETTINGS}

    def start(self):
        super().start()
        self.administer("PUT", TEMPLATE, template_of(self.live), "*")
        self.scheduler, self.approver = self.hire("publisher", "Ada"), self.hire("editor", "Bob")
        self.administer("PUT", PATH + "/protection", {"requiredApprovals": 1}, "*")

    def hire(self, role, person):
        body = {"name": person, "role": role, "owner": person}
        return self.administer("POST", "/v1/tokens", body)["token"]

    # Rounds.

    def schedule(self, settings):
        """Schedules a publish for each setting; returns the last time."""
        base = f"etag-default-{self.administer('GET', TEMPLATE)['version']['versionNumber']}"
        moments, earlier = [], None
        for number, key in enumerate(settings):
            moment = datetime.now(timezone.utc) + timedelta(seconds=self.random.uniform(1.5, 4))
            values = {key: f"{self.round}.{number}"}
            body = {"title": key, "at": text_of(moment), "template": template_of(self.live | values), "base": base}
            kind = self.random.choice(["approved"] * 6 + ["unapproved", "cancelled", "moved", "after"])
            if kind == "after" and earlier:
                moment = max(moment, earlier[1])
                body |= {"at": text_of(moment), "after": earlier[0]}
            request = self.administer("POST", SCHEDULED, body, token=self.scheduler)["id"]
            if kind == "moved":
                moment += timedelta(seconds=1)
                self.administer("PATCH", f"{SCHEDULED}/{request}", {"at": text_of(moment)}, "*", self.scheduler)
            if kind == "cancelled":
                self.administer("DELETE", f"{SCHEDULED}/{request}", None, "*", self.scheduler)
            if kind != "unapproved":
                tag = f'"{self.administer("GET", f"{REQUESTS}/{request}")["etag"]}"'
                self.administer("POST", f"{REQUESTS}/{request}:approve", {"comment": "yes"}, tag, self.approver)
            is_published = kind not in ("unapproved", "cancelled")
            self.expected[request] = (kind, moment, values if is_published else None)
            if is_published and kind != "after":
                earlier = request, moment
            moments.append(moment)
        return max(moments)

    def work_and_kill(self):
        end, self.round = time.monotonic() + 60 * self.options.minutes, 0
        while time.monotonic() < end:
            self.round += 1
            last = self.schedule(self.random.sample(SETTINGS, 8))
            while datetime.now(timezone.utc) < last:
                self.kill_something()
            self.wait_until_over(last)
            self.live = values_of(self.administer("GET", TEMPLATE))
            if sys.stderr.isatty():
                print(f"\r\033[K{end - time.monotonic():4.0f} s left, {len(self.expected)} scheduled",
                      end="", file=sys.stderr, flush=True)

    def kill_something(self):
        time.sleep(self.random.uniform(0, 0.6))
        if self.cluster is not None and self.random.random() < 0.3:
            return self.kill_leader(self.random.uniform(0.1, 1))
        return self.kill_replicas(self.random.randint(1, len(self.replicas)), self.random.uniform(0, 0.5))

    def wait_until_over(self, last):
        def waiting():
            try:
                found = self.register.list(SCHEDULED, "scheduledPublishes", 50)
            except Unanswered:
                return True
            return any(one["schedule"]["state"] == "waiting" for one in found)
        pause = max(0, (last - datetime.now(timezone.utc)).total_seconds())
        wait_until(lambda: not waiting(), "all is published", limit=pause + LATE, pause=0.3)

    # What was published.

    def problems(self):
        versions = self.register.list(TEMPLATE + ":listVersions", "versions", 300)
        publishes = Counter(entry["subject"] for entry in self.register.list(PATH + "/audit", "entries", 1000)
                            if entry["action"] == "PUBLISH")
        kept = {version["versionNumber"]: version for version in versions}
        for number in kept:
            if publishes[number] != 1:
                yield f"version {number} has {publishes[number]} entries in the audit trail"
        oldest = min(int(number) for number in kept)
        for request, (kind, moment, values) in self.expected.items():
            found = self.administer("GET", f"{REQUESTS}/{request}")
            schedule, of_request = found["schedule"], [
                number for number, version in kept.items()
                if version.get("description", "").startswith(f"Change request {request}: ")]
            state = "published" if values else "cancelled" if kind == "cancelled" else "notApproved"
            if schedule["state"] != state:
                yield f"{kind} request {request} is {schedule['state']}: {schedule.get('reason')}"
                continue
            if values is None:
                if of_request:
                    yield f"{kind} request {request} was published as {of_request}"
                continue
            number = schedule["versionNumber"]
            if int(number) < oldest:
                continue
            if of_request != [number]:
                yield f"{kind} request {request} was published as {of_request}, and says {number}"
                continue
            time_ = datetime.fromisoformat(kept[number]["updateTime"].replace("Z", "+00:00"))
            if time_ < moment.replace(microsecond=moment.microsecond // 1000 * 1000):
                yield f"{kind} request {request} was published at {time_}, before {moment}"
            template = values_of(self.administer("GET", f"{TEMPLATE}?versionNumber={number}"))
            if not values.items() <= template.items():
                yield f"version {number} of request {request} has not its values {values}"


def main():
    options = options_of(__doc__, "scheduledpublishes.py")
    if isinstance(options, int):
        return options
    with Run(options) as run:
        run.work_and_kill()
        problems = list(run.problems())
    for problem in problems[:20]:
        print(f"WRONG {problem}")
    kinds = Counter(kind for kind, _, _ in run.expected.values())
    print(f"{len(run.expected)} scheduled:", ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    print(run.kill_texts())
    print(f"{len(problems)} problems; store {options.store}, seed {options.seed}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

"""Measures streams: streams.py DIRECTORY-OF-PROGRAMS WORK CONNECTIONS ROUNDS TARGETS [BACKEND] > FILE

Starts a backend, holds CONNECTIONS streams open with StreamLoad, publishes, stops and kills the backend
and restarts it; TARGETS are some of B5,B6,B7,B9. The baseline of B6 is a bare epoll loop
(epoll.c), which writes the same bytes to as many clients of its own, alternating with the backend.
StreamLoad checks each event; this script checks that each client received the events that concern it, and
no others. BACKEND replaces the sample-backend of the directory. Writes JSON: figures,
details, and failures. The token of the administrator is in ACTIVECONFIG_ADMIN_TOKEN.
"""

import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import time

from backend import LIMIT, Backend
from bare_loop import BareLoop, Listener

HEARTBEAT = 15  # Seconds (PROTOCOL 2).
FILES = 300  # What a process has open, or keeps free, besides the connections.


class Clients:
    """The clients: StreamLoad, which responds to each line with a line of JSON."""

    def __init__(self, programs, wrong):
        self.program = os.path.join(programs, "StreamLoad")
        self.process = None
        self.wrong = wrong

    def start(self, port):
        """Starts the program, which has no clients yet."""
        sources = 8 if sys.platform == "linux" else 1
        self.process = subprocess.Popen(
            [self.program, str(port), str(sources)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        """Sends a command; returns the response."""
        print(*words, file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline() or '{"error": "StreamLoad ended"}')
        if "error" in answer:
            sys.exit(f"streams.py: {answer['error']}")
        return answer

    def wait(self, *words):
        """Waits until all clients meet a condition; returns the times at which they did."""
        answer = self.ask(*words, LIMIT)
        if answer["reached"] < answer["awaited"]:
            self.wrong.append(f"{' '.join(map(str, words))}: {answer['reached']} of {answer['awaited']} clients")
        return answer.get("times") or dict.fromkeys(["first", "p50", "p99", "last"], time.monotonic_ns())

    def report(self, name, cohorts):
        """The report of the events since the mark, recording its faults."""
        answer = self.ask("report", cohorts)
        counts = answer["counts"]
        if counts["faults"]:
            self.wrong.append(f"{name}: {counts['faults']} faults, such as {counts['faultExamples']}")
        return answer

    def end(self):
        if self.process is None:
            return
        self.process.stdin.close()
        try:
            self.process.wait(LIMIT)
        finally:
            self.process.kill()


class Run:
    """All measurements, with their figures and failures."""

    def __init__(self, programs, work, count, rounds, backend):
        self.count, self.rounds = count, rounds
        self.figures, self.details, self.wrong = [], [], []
        self.template = self.make_template("same")
        self.template["conditions"].append(
            {"name": "tenth", "expression": "app.customSignal['cohort'].exactlyMatches(['0'])"})
        self.values = {"all": 0, "tenth": 0}
        self.work = work
        self.backend = Backend(backend, work)
        self.clients = Clients(programs, self.wrong)
        self.bare_clients = Clients(programs, self.wrong)
        self.bare_loop = None

    @staticmethod
    def make_template(seeds):
        return json.loads(subprocess.check_output(
            [sys.executable, os.path.join(os.path.dirname(__file__), "template.py"), "2000", seeds]))

    def changed(self, whose):
        """The template with another value for all users ("all") or for a tenth of the users."""
        self.values[whose] += 1
        self.template["parameterGroups"]["Section0"]["parameters"]["told"] = {
            "defaultValue": {"value": f"News {self.values['all']}"}, "valueType": "STRING"}
        self.template["parameterGroups"]["Section1"]["parameters"]["told_to_a_tenth"] = {
            "defaultValue": {"value": "No news"},
            "conditionalValues": {"tenth": {"value": f"News {self.values['tenth']}"}},
            "valueType": "STRING"}
        return self.template

    def figure(self, name, what, value, target):
        self.figures.append({"name": name, "what": what, "value": value, "sign": "<=", "target": target})

    def connect(self):
        """B5: the memory that an idle stream takes."""
        self.backend.start()
        self.backend.publish(self.changed("all"))
        self.clients.start(self.backend.port)
        before = self.backend.memory()
        start = time.monotonic_ns()
        self.clients.ask("connect", self.count)
        took = (self.clients.wait("opened")["last"] - start) / 1e9
        # The memory includes that of a whole round of heartbeats.
        self.clients.ask("mark")
        time.sleep(HEARTBEAT + 2)
        report = self.clients.report("B5", 10)
        for key, count in (("open", report["open"]), ("heartbeats", report["heartbeats"])):
            if count != self.count:
                self.wrong.append(f"B5: {key}: {count} of {self.count} clients")
        if report["counts"]["lost"]:
            self.wrong.append(f"B5: {report['counts']['lost']} streams were lost")
        each = (self.backend.memory() - before) / self.count
        self.figure("B5", f"{self.count} idle streams, KiB of memory each", each, 5.0)
        self.details.append(f"B5 connected in {took:.1f} s; the backend had {before} KiB before")

    def tell(self, name, whose, cohorts, what):
        """The times until a change reaches the affected clients, and those of the bare loop, if it runs."""
        rounds, bare = [], []
        for _ in range(self.rounds):
            self.clients.ask("mark")
            sent, answered, version = self.backend.publish(self.changed(whose))
            times = self.clients.wait("told", version, cohorts)
            # Gives updates that should not have been sent the time to arrive.
            time.sleep(1)
            report = self.clients.report(name, cohorts)
            # Encoded as {"updates": clients}.
            told, others = report["updatesOfNamed"], report["updatesOfOthers"]
            if set(told) != {"1"} or not set(others) <= {"0"} or report["counts"]["lost"]:
                self.wrong.append(f"{name}, {what}: updates by clients {told}, of others {others}, {report['counts']}")
            rounds.append({key: (time_ - sent) / 1e6 for key, time_ in times.items()} | {
                "answered": (answered - sent) / 1e6,
                "last from answer": (times["last"] - answered) / 1e6})
            if self.bare_loop is not None:
                bare.append(self.tell_by_bare_loop(self.listener.read(b"event: update\n"), version))
        middle = {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
        self.details.append(
            f"{name} {what}: p50 {middle['p50']:.0f}, p99 {middle['p99']:.0f}, last {middle['last']:.0f} ms, "
            f"{middle['last from answer']:.0f} ms after the response to the publish; first received after "
            f"{middle['first']:.0f} ms; last at best and worst after {min(each['last'] for each in rounds):.0f} and "
            f"{max(each['last'] for each in rounds):.0f} ms; the backend had {self.backend.memory()} KiB afterwards")
        return middle, {key: statistics.median(each[key] for each in bare) for key in bare[0]} if bare else None

    def connect_bare_loop(self):
        """Connects as many clients to the bare loop, which responds to each as the backend does."""
        self.listener = Listener(self.backend.port)
        self.bare_loop = BareLoop(self.work)
        self.bare_loop.command("head", self.listener.opening)
        self.bare_clients.start(self.bare_loop.port)
        self.bare_clients.ask("connect", self.count)
        self.bare_clients.wait("opened")

    def tell_by_bare_loop(self, data, version):
        """The times until an event that the backend has sent reaches all clients of the bare loop."""
        self.bare_clients.ask("mark")
        sent = time.monotonic_ns()
        count = self.bare_loop.send(data)
        times = self.bare_clients.wait("told", version, 10)
        report = self.bare_clients.report("B6, bare loop", 10)
        if count != self.count or report["updatesOfNamed"] != {"1": self.count}:
            self.wrong.append(f"B6: the bare loop wrote {count} events, updates by clients {report['updatesOfNamed']}")
        return {key: (time_ - sent) / 1e6 for key, time_ in times.items()}

    def tell_all(self):
        """B6: the time until a change reaches all clients, and, without a target, until one reaches a tenth."""
        self.connect_bare_loop()
        middle, bare = self.tell("B6", "all", 10, "all")
        self.figure("B6", "publish to all, last, to a bare loop's", middle["last"] / bare["last"], 2.0)
        self.details.append(
            f"B6 bare loop: p50 {bare['p50']:.0f}, p99 {bare['p99']:.0f}, last {bare['last']:.0f} ms; the backend's p50 "
            f"to its {middle['p50'] / bare['p50']:.2f}, p99 {middle['p99'] / bare['p99']:.2f}")
        self.end_bare_loop()
        self.tell("B6", "tenth", 1, "a tenth")

    def tell_each(self):
        """B9: the same with events that hardly two clients share."""
        self.template["conditions"][:-1] = self.make_template("different")["conditions"]
        self.template["parameterGroups"]["Section0"]["parameters"]["own"] = {
            "defaultValue": {"value": "The value of ${user.id}"}, "valueType": "STRING"}
        # Once without a measurement: this publish changes conditions and a section's keys too.
        version = self.backend.publish(self.changed("all"))[2]
        self.clients.wait("told", version, 10)
        middle, _ = self.tell("B9", "all", 10, "all, each an event of its own")
        self.figure("B9", "publish to all, each an event of its own, last, ms", middle["last"], 800.0)

    def lose(self):
        """B7: the time until all clients have reconnected and received the newest version."""
        worst = {}
        for number, name in ((signal.SIGTERM, "SIGTERM"), (signal.SIGKILL, "kill -9")):
            for is_down in (True, False):
                self.clients.ask("mark")
                status, took = self.backend.end(number)
                if status != (0 if number == signal.SIGTERM else -number) or took > 10:
                    self.wrong.append(f"B7: after {name} the backend ended with {status} after {took:.1f} s")
                version = self.backend.publish_to_store(self.changed("all")) if is_down else 0
                listening = self.backend.start()
                if not is_down:
                    version = self.backend.publish(self.changed("all"))[2]
                back = (self.clients.wait("opened")["last"] - listening) / 1e9
                self.clients.wait("told", version, 10)
                time.sleep(1)
                report = self.clients.report("B7", 10)
                counts, told = report["counts"], report["updatesOfNamed"]
                once = told.get("1", 0) + counts["resets"]
                if once != self.count or report["versions"] != {str(version): self.count}:
                    self.wrong.append(f"B7 {name}: updates by clients {told}, versions {report['versions']}")
                if counts["goodbyes"] != (self.count if number == signal.SIGTERM else 0):
                    self.wrong.append(f"B7 {name}: {counts['goodbyes']} received a reconnection delay")
                worst[name] = max(worst.get(name, 0), back)
                self.details.append(
                    f"B7 {name}, published {'while down' if is_down else 'after'}: ended after {took:.2f} s, all "
                    f"back {back:.1f} s after listening, {counts['failed']} attempts failed, {counts['resets']} resets"
                    + (f", refused by status: {counts['refused']}" if counts["refused"] else ""))
        for name, back in worst.items():
            self.figure("B7", f"{self.count} clients back after {name}, s", back, 15.0)

    def end_bare_loop(self):
        if self.bare_loop is None:
            return
        self.listener.connection.close()
        self.bare_clients.end()
        self.bare_loop.end()
        self.bare_loop = None

    def end(self):
        self.end_bare_loop()
        self.clients.end()
        self.backend.end(signal.SIGTERM)


def main():
    programs, work, count, rounds, targets, *backend = sys.argv[1:]
    count, targets = int(count), targets.split(",")
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if allowed < count + FILES:
        sys.exit(f"streams.py: {count} connections need {count + FILES} open files, and {allowed} are allowed; "
                 "raise the limit (ulimit -n), or use --connections")
    # The exit runs the `finally` below, which ends the processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    run = Run(programs, work, count, int(rounds), *backend or [os.path.join(programs, "sample-backend")])
    try:
        run.connect()
        if "B6" in targets:
            run.tell_all()
        if "B9" in targets:
            run.tell_each()
        if "B7" in targets:
            run.lose()
    finally:
        run.end()
    if "B5" not in targets:
        run.figures = [figure for figure in run.figures if figure["name"] != "B5"]
    json.dump({"figures": run.figures, "details": run.details, "wrong": run.wrong}, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()

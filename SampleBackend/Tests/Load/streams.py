"""Measures streams: streams.py DIRECTORY-OF-PROGRAMS WORK CONNECTIONS ROUNDS TARGETS > FILE

Starts a backend, holds so many streams open with StreamLoad, publishes, stops and kills the backend
and starts it again; TARGETS are some of B5,B6,B7. StreamLoad checks each event; here it is checked
that everybody was told what they had to be told, and nobody anything else. Writes JSON: figures,
details, and what was wrong. The token of the administrator is in ACTIVECONFIG_ADMIN_TOKEN.
"""

import http.client
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import time

HEARTBEAT = 15  # Seconds (HTTP 2).
LIMIT = 60  # Seconds that anything may take.
FILES = 300  # What a process has open, or keeps free, besides the connections.


class Backend:
    """The backend on one store and one port, which it keeps when it is started again."""

    def __init__(self, programs, work):
        self.program = os.path.join(programs, "sample-backend")
        self.store = "sqlite:" + os.path.join(work, "streams.sqlite")
        self.port = 0
        self.process = None

    def start(self):
        """Starts the backend; returns the time at which it listens, in nanoseconds."""
        self.process = subprocess.Popen(
            [self.program, "serve", "--port", str(self.port), "--store", self.store, "--log-level", "warning"],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        listening = time.monotonic_ns()
        found = re.match(r"listening on http://127\.0\.0\.1:(\d+)$", line)
        if not found:
            sys.exit(f"streams.py: the backend did not start: {line}")
        self.port = int(found.group(1))
        return listening

    def end(self, number):
        """Ends the backend by a signal; returns its status and the seconds it took."""
        if self.process is None:
            return None, 0
        start = time.monotonic()
        self.process.send_signal(number)
        try:
            status = self.process.wait(LIMIT)
        finally:
            self.process.kill()
        return status, time.monotonic() - start

    def memory(self):
        """The resident memory of the backend, in KiB."""
        return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(self.process.pid)]))

    def publish(self, template):
        """Publishes; returns the times of the request and of its answer, and the version."""
        body = json.dumps(template)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        connection.connect()
        sent = time.monotonic_ns()
        connection.request("PUT", "/v1/projects/default/remoteConfig", body, {
            "Authorization": "Bearer " + os.environ["ACTIVECONFIG_ADMIN_TOKEN"], "If-Match": "*"})
        response = connection.getresponse()
        answer = response.read()
        answered = time.monotonic_ns()
        connection.close()
        if response.status != 200:
            sys.exit(f"streams.py: a publish was answered with {response.status}: {answer}")
        return sent, answered, int(json.loads(answer)["version"]["versionNumber"])

    def publish_to_store(self, template):
        """Publishes while the backend is not running; returns the version."""
        command = [self.program, "publish", "-", "--force", "--json", "--store", self.store]
        answer = json.loads(subprocess.run(
            command, input=json.dumps(template), text=True, check=True, stdout=subprocess.PIPE).stdout)
        return int(answer["versionNumber"])


class Clients:
    """The clients: StreamLoad, which answers each line with one of JSON."""

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
        """Sends a command; returns the answer."""
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
        """The report of the events since the mark, whose faults are recorded."""
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
    """All measurements, with their figures and what was wrong."""

    def __init__(self, programs, work, count, rounds):
        self.count, self.rounds = count, rounds
        self.figures, self.details, self.wrong = [], [], []
        template = subprocess.check_output(
            [sys.executable, os.path.join(os.path.dirname(__file__), "template.py"), "2000", "same"])
        self.template = json.loads(template)
        self.template["conditions"].append(
            {"name": "tenth", "expression": "app.customSignal['cohort'].exactlyMatches(['0'])"})
        self.values = {"all": 0, "tenth": 0}
        self.backend = Backend(programs, work)
        self.clients = Clients(programs, self.wrong)

    def changed(self, whose):
        """The template with another value for everybody ("all") or for a tenth of the users."""
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
        self.figure("B5", f"{self.count} idle streams, KiB of memory each", each, 12.0)
        self.details.append(f"B5 connected in {took:.1f} s; the backend had {before} KiB before")

    def tell(self, whose, cohorts, what):
        """B6: the time until a change reaches the clients that it concerns."""
        rounds = []
        for _ in range(self.rounds):
            self.clients.ask("mark")
            sent, answered, version = self.backend.publish(self.changed(whose))
            times = self.clients.wait("told", version, cohorts)
            # Updates that arrive now should not have been sent.
            time.sleep(1)
            report = self.clients.report("B6", cohorts)
            # Encoded as {"updates": clients}.
            told, others = report["updatesOfNamed"], report["updatesOfOthers"]
            if set(told) != {"1"} or not set(others) <= {"0"} or report["counts"]["lost"]:
                self.wrong.append(f"B6, {what}: updates by clients {told}, of others {others}, {report['counts']}")
            rounds.append({key: (time_ - sent) / 1e6 for key, time_ in times.items()} | {
                "answered": (answered - sent) / 1e6,
                "p50 from answer": (times["p50"] - answered) / 1e6,
                "p99 from answer": (times["p99"] - answered) / 1e6,
                "last from answer": (times["last"] - answered) / 1e6})
        middle = {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
        for key, target in (("p50", 300.0), ("p99", 700.0), ("last", 1000.0)):
            self.figure("B6", f"publish to {what}, {key}, ms", middle[key], target)
        self.details.append(
            f"B6 {what}: first told after {middle['first']:.0f} ms, publish answered after {middle['answered']:.0f} "
            f"ms, from the answer p50 {middle['p50 from answer']:.0f}, p99 {middle['p99 from answer']:.0f}, last "
            f"{middle['last from answer']:.0f} ms; last at worst after {max(each['last'] for each in rounds):.0f} "
            f"ms; the backend had {self.backend.memory()} KiB afterwards")

    def lose(self):
        """B7: the time until all clients are back, and have the newest version."""
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
                    self.wrong.append(f"B7 {name}: {counts['goodbyes']} were told when to come back")
                worst[name] = max(worst.get(name, 0), back)
                self.details.append(
                    f"B7 {name}, published {'while down' if is_down else 'after'}: ended after {took:.2f} s, all "
                    f"back {back:.1f} s after listening, {counts['failed']} attempts failed, {counts['resets']} resets"
                    + (f", refused by status: {counts['refused']}" if counts["refused"] else ""))
        for name, back in worst.items():
            self.figure("B7", f"{self.count} clients back after {name}, s", back, 15.0)

    def end(self):
        self.clients.end()
        self.backend.end(signal.SIGTERM)


def main():
    programs, work, count, rounds, targets = sys.argv[1:]
    count, targets = int(count), targets.split(",")
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if allowed < count + FILES:
        sys.exit(f"streams.py: {count} connections need {count + FILES} open files, and {allowed} are allowed; "
                 "raise the limit (ulimit -n), or use --connections")
    # The exit runs the `finally` below, which ends the processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    run = Run(programs, work, count, int(rounds))
    try:
        run.connect()
        if "B6" in targets:
            run.tell("all", 10, "all")
            run.tell("tenth", 1, "a tenth")
        if "B7" in targets:
            run.lose()
    finally:
        run.end()
    if "B5" not in targets:
        run.figures = [figure for figure in run.figures if figure["name"] != "B5"]
    json.dump({"figures": run.figures, "details": run.details, "wrong": run.wrong}, sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()

"""Runs the test classes side by side, in processes with a browser each.

run_classes.py PROCESSES [--gate] [NAME …], with names as for `python -m unittest`. With --gate only
the tests of the gate, which together have to open every page, dialog and menu.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import opened
from class_worker import UNLOADED, name_of, place_of

# A test that takes longer than this, in seconds, hangs.
TIME_LIMIT = 900


def tests(suite):
    """The tests of a suite; an error of loading counts as one."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests(test)
        else:
            yield test


def is_of_gate(test):
    """True if the class of a test itself marks it: its subclasses repeat it at another size."""
    if test.id().startswith(UNLOADED):
        return True
    method = vars(type(test)).get(test.id().rsplit(".", 1)[1])
    return getattr(method, "is_of_gate", False)


def groups(names, is_gate):
    """The names of the tests of each class, by its name, those with most tests first."""
    loader = unittest.defaultTestLoader
    classes = {}
    for test in tests(loader.loadTestsFromNames(names) if names else loader.discover(".")):
        if not is_gate or is_of_gate(test):
            name = name_of(test)
            classes.setdefault(name.rsplit(".", 1)[0], []).append(name)
    return sorted(classes.items(), key=lambda item: -len(item[1]))


class Worker:
    """A process that runs classes, and can be ended with all that it has started."""

    def __init__(self):
        self.process = None
        self.events = None

    def start(self):
        """Starts the process, unless it runs."""
        if self.process:
            return
        # In a process group of its own, so that its browsers and backends can be ended.
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("class_worker.py"))], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.events = queue.Queue()
        threading.Thread(
            target=self._read, args=(self.process, self.events), daemon=True).start()

    @staticmethod
    def _read(process, events):
        for line in process.stdout:
            events.put(json.loads(line))
        events.put({"kind": "lost"})

    def run(self, names):
        """Runs tests of a class; yields the events of the process.

        The last is "done", "lost" for a process that ended, or "late" for a test that hangs.
        """
        self.start()
        self.process.stdin.write(json.dumps(names) + "\n")
        self.process.stdin.flush()
        kind = ""
        while kind not in ("done", "lost", "late"):
            try:
                event = self.events.get(timeout=TIME_LIMIT)
            except queue.Empty:
                event = {"kind": "late"}
            kind = event["kind"]
            if kind in ("lost", "late"):
                self.kill()
            yield event

    def kill(self):
        """Ends the process and what it has started at once."""
        if not self.process:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process = None

    def close(self):
        """Lets the process end its browser, and ends it."""
        if self.process:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired:
                pass
            self.kill()


class Outcome:
    """What came of the tests of a class."""

    def __init__(self, name):
        self.name = name
        self.passed = 0
        # A line for each failed test.
        self.failures = []
        self.texts = []
        self.seen = []

    def fail(self, test, place, message, text=""):
        """Notes that a test failed."""
        self.failures.append(f"failed: {place}: {'.'.join(test.split('.')[-2:])}: {message}")
        self.texts.append(f"{self.failures[-1]}\n{text}")


def run(name, names, workers):
    """Runs the tests of a class in the next free worker; returns their outcome and the seconds."""
    worker = workers.get()
    start = time.monotonic()
    outcome = Outcome(name)
    left = list(names)
    while left:
        running = left[0]
        broken = None
        for event in worker.run(left):
            match event:
                case {"kind": "started", "name": running}:
                    pass
                case {"kind": "ended", "name": ended, "failure": failure}:
                    left.remove(ended)
                    if failure:
                        outcome.fail(ended, **failure)
                    else:
                        outcome.passed += 1
                case {"kind": "broken", "failure": broken}:
                    pass
                case {"kind": "done", "seen": seen}:
                    outcome.seen += seen
                    if broken:
                        for test in left or [name]:
                            outcome.fail(test, **broken)
                    left = []
                case {"kind": "lost" | "late" as kind}:
                    left.remove(running)
                    outcome.fail(
                        running, place_of(*tests(unittest.defaultTestLoader.loadTestsFromName(running))),
                        "its process ended" if kind == "lost" else f"it did not end in {TIME_LIMIT} s")
    workers.put(worker)
    return outcome, time.monotonic() - start


def main(processes, names, is_gate):
    """Runs all tests, and returns the exit code."""
    start = time.monotonic()
    passed, failures, seen = 0, [], set()
    workers = queue.Queue()
    all_workers = [Worker() for _ in range(processes)]
    for worker in all_workers:
        workers.put(worker)
    with ThreadPoolExecutor(processes) as pool:
        futures = [pool.submit(run, *group, workers) for group in groups(names, is_gate)]
        try:
            for future in as_completed(futures):
                outcome, seconds = future.result()
                passed += outcome.passed
                failures += outcome.failures
                seen.update(outcome.seen)
                state = "failed" if outcome.failures else "ok"
                print(f"{outcome.name}: {state} in {seconds:.0f} s", flush=True)
                print(*outcome.texts, sep="\n", end="", flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in all_workers:
                worker.kill()
            raise
    for worker in all_workers:
        worker.close()
    if is_gate and not names:
        # Counts as one test more.
        problems = opened.missing(seen)
        failures += [f"failed: {place}: the gate: {text}" for place, text in problems]
        passed += not problems
    for line in failures:
        print(line)
    count = passed + len(failures)
    print(f"{count} tests in {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {len(failures)} failed", flush=True)
    return 1 if failures or not count else 0


if __name__ == "__main__":
    arguments = sys.argv[2:]
    sys.exit(main(int(sys.argv[1]), [each for each in arguments if each != "--gate"],
                  "--gate" in arguments))

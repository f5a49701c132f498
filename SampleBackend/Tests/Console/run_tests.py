"""Runs tests in parallel, in processes with a browser each.

run_tests.py PROCESSES [--gate] [NAME …], with names as for `python -m unittest`. With --gate, only
the tests of the gate, which together must open every page, dialog and menu.
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
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import opened
from worker import UNLOADED, name_of, place_of

# Time limit of a test, in seconds.
TIME_LIMIT = 900

# Failures after which the run stops, in the gate and otherwise: each takes the time limit of a wait.
FAILURE_LIMITS = (10, 40)


def tests(suite):
    """The tests of a suite; an error while loading counts as one."""
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


def wanted(names, is_gate):
    """The tests to run, those of the slowest classes first."""
    loader = unittest.defaultTestLoader
    found = [test for test in tests(
        loader.loadTestsFromNames(names) if names else loader.discover("."))
        if not is_gate or is_of_gate(test)]
    return sorted(found, key=lambda test: not getattr(test, "is_long", False))


def class_of(test):
    """The name of the class of a test, with its module."""
    return name_of(test).rsplit(".", 1)[0]


class Worker:
    """A process that runs tests, and can be ended with all of its children."""

    def __init__(self):
        self.process = None
        self.answers = None

    def start(self):
        """Starts the process unless it is running."""
        if self.process:
            return
        # In a process group of its own, so that its browsers and backends can be ended.
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("worker.py"))], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.answers = queue.Queue()
        threading.Thread(
            target=self._read, args=(self.process, self.answers), daemon=True).start()

    @staticmethod
    def _read(process, answers):
        for line in process.stdout:
            answers.put(json.loads(line))
        answers.put(None)

    def run(self, test):
        """Runs a test; returns its failure or None, and the places that it has opened."""
        self.start()
        problem = "its process ended"
        try:
            self.process.stdin.write(name_of(test) + "\n")
            self.process.stdin.flush()
            answer = self.answers.get(timeout=TIME_LIMIT)
            if answer:
                return answer["failure"], answer["seen"]
        except BrokenPipeError:
            pass
        except queue.Empty:
            problem = f"it did not end in {TIME_LIMIT} s"
        self.kill()
        return {"place": place_of(test), "message": problem, "text": ""}, []

    def kill(self):
        """Kills the process and its children."""
        if not self.process:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process = None

    def close(self):
        """Ends the process after it has closed its browser."""
        if self.process:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired:
                pass
            self.kill()


def run(test, workers):
    """Runs a test in the next free worker; returns the result and the duration."""
    worker = workers.get()
    start = time.monotonic()
    failure, seen = worker.run(test)
    workers.put(worker)
    return failure, seen, time.monotonic() - start


def main(processes, names, is_gate):
    """Runs all tests, and returns the exit code."""
    start = time.monotonic()
    all_workers = [Worker() for _ in range(processes)]
    workers = queue.Queue()
    for worker in all_workers:
        workers.put(worker)
    chosen = wanted(names, is_gate)
    # The unfinished tests of each class, and the durations of the finished ones.
    left = Counter(class_of(test) for test in chosen)
    took = Counter()
    failed = set()
    failures, seen = [], set()
    with ThreadPoolExecutor(processes) as pool:
        futures = {pool.submit(run, test, workers): test for test in chosen}
        try:
            for future in as_completed(futures):
                if future.cancelled():
                    continue
                failure, opened_by_test, seconds = future.result()
                name = class_of(futures[future])
                seen.update(opened_by_test)
                if failure:
                    failed.add(name)
                    short = ".".join(name_of(futures[future]).split(".")[-2:])
                    failures.append(f"failed: {failure['place']}: {short}: {failure['message']}")
                    print(failures[-1], failure["text"], sep="\n", flush=True)
                    if len(failures) == FAILURE_LIMITS[0 if is_gate else 1]:
                        # `shutdown` would make `as_completed` wait forever.
                        for each in futures:
                            each.cancel()
                left[name] -= 1
                took[name] += seconds
                if not left[name]:
                    state = "failed" if name in failed else "ok"
                    print(f"{name}: {state} in {took[name]:.0f} s", flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in all_workers:
                worker.kill()
            raise
    for worker in all_workers:
        worker.close()
    skipped = sum(future.cancelled() for future in futures)
    count, failed_count = len(chosen) - skipped, len(failures)
    if is_gate and not names and not skipped:
        # Counts as one further test, however many places are missing.
        missing = [f"failed: {place}: the gate: {text}" for place, text in opened.missing(seen)]
        failures += missing
        count += 1
        failed_count += bool(missing)
    for line in failures:
        print(line)
    if skipped:
        print(f"failed: {skipped} tests did not run, as so many failed")
    print(f"{count} tests in {time.monotonic() - start:.0f} s")
    print(f"{count - failed_count} passed, {failed_count} failed", flush=True)
    return 1 if failed_count or not chosen else 0


if __name__ == "__main__":
    arguments = sys.argv[2:]
    sys.exit(main(int(sys.argv[1]), [each for each in arguments if each != "--gate"],
                  "--gate" in arguments))

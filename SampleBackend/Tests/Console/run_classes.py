"""Runs the test classes side by side, each in a process and with a browser of its own.

run_classes.py PROCESSES [NAME …], with names as for `python -m unittest`.
"""

import os
import re
import signal
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor, as_completed

# A class that takes longer than this, in seconds, hangs.
TIME_LIMIT = 600


def tests(suite):
    """The IDs of a suite's tests; an error of loading counts as one."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests(test)
        else:
            yield test.id()


def groups(names):
    """The tests of each class, by its name, those with most tests first."""
    loader = unittest.defaultTestLoader
    classes = {}
    for test in tests(loader.loadTestsFromNames(names) if names else loader.discover(".")):
        classes.setdefault(test.rsplit(".", 1)[0], []).append(test)
    return sorted(classes.items(), key=lambda item: -len(item[1]))


def end(process):
    """Ends a process and what it has started, such as browsers and backends."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(name, ids, running):
    """Runs tests; returns the name of their class, the exit code, the output and the seconds.

    Their process is in the set `running` until it has ended.
    """
    start = time.monotonic()
    command = [sys.executable, "-m", "unittest", "--verbose", *ids]
    # In a process group of its own, so that all it has started can be ended.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    running.add(process)
    try:
        output, _ = process.communicate(timeout=TIME_LIMIT)
        code, note = process.returncode, ""
    except subprocess.TimeoutExpired:
        end(process)
        output, _ = process.communicate()
        code, note = 1, f"\nstopped after {TIME_LIMIT} s"
    running.discard(process)
    output = output.decode("utf-8", "replace") + note
    return name, code, output, time.monotonic() - start


def main(processes, names):
    """Runs all tests, and returns the exit code."""
    start = time.monotonic()
    count, failed = 0, []
    running = set()
    with ThreadPoolExecutor(processes) as pool:
        futures = [pool.submit(run, *group, running) for group in groups(names)]
        try:
            for future in as_completed(futures):
                name, code, output, seconds = future.result()
                found = re.findall(r"^Ran (\d+) tests?", output, re.MULTILINE)
                count += int(found[-1]) if found else 0
                print(f"{name}: {'failed' if code else 'ok'} in {seconds:.0f} s", flush=True)
                # `unittest` ends with 5 when it has run nothing.
                if code or not found or found[-1] == "0":
                    failed.append(name)
                    print(output, flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                end(process)
            raise
    print(f"{count} tests in {time.monotonic() - start:.0f} s", flush=True)
    if failed:
        print(f"failed: {' '.join(failed)}", flush=True)
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))

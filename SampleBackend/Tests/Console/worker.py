"""Runs tests one after the other for `run_tests.py`, all with one browser.

Reads the name of a test per line, and responds with a line of JSON: its failure or null, and the
places that it has opened.
"""

import json
import os
import sys
import traceback
import unittest
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]

# Prefix of the tests that stand for modules that cannot be loaded.
UNLOADED = "unittest.loader._FailedTest."


def name_of(test):
    """The name by which a test is loaded."""
    return test.id().removeprefix(UNLOADED)


def place_of(test):
    """The file of a test, and its first line."""
    name = name_of(test).split(".")
    method = getattr(test, name[-1], None)
    line = method.__code__.co_firstlineno if name[1:] and method else 1
    return f"{(FOLDER / name[0]).relative_to(ROOT)}.py:{line}"


def failure_of(test, error):
    """The location of a failure, the first line of its message, and the whole message with our calls."""
    kind, exception, trace = error
    message = str(exception).strip()
    if test.id().startswith(UNLOADED):
        # The loader puts the traceback before the error.
        message = message.split("\n")[-1]
    elif not isinstance(exception, AssertionError):
        message = f"{kind.__name__}: {message}"
    files = [Path(frame.f_code.co_filename) for frame, _ in traceback.walk_tb(trace)]
    for file in files:
        if file.parent == FOLDER and file != Path(__file__):
            break
        trace = trace.tb_next
    ours = [(Path(frame.f_code.co_filename), line) for frame, line in traceback.walk_tb(trace)]
    # The line of the test is more useful than that of the method that it calls.
    own = [(file, line) for file, line in ours if file.stem == name_of(test).split(".")[0]]
    place = place_of(test)
    if ours:
        file, line = (own or ours)[0]
        place = f"{file.relative_to(ROOT)}:{line}"
    return {"place": place, "message": message.split("\n")[0],
            "text": "".join(traceback.format_exception(kind, exception, trace))}


class Result(unittest.TestResult):
    """The failure of one test, or of a fixture of its class."""

    def __init__(self):
        super().__init__()
        self.failure = None

    def note(self, test, error):
        """Collects failures: the location of the first one, and the texts of all."""
        failure = failure_of(test, error)
        if self.failure:
            self.failure["text"] += failure["text"]
        else:
            self.failure = failure

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.note(test, err)


def main():
    """Runs the tests whose names arrive, until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # Output of a test must not mix with the responses.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        result = Result()
        unittest.TestSuite([unittest.defaultTestLoader.loadTestsFromName(line.strip())]).run(result)
        # Loaded by the tests, if they use a browser.
        opened = sys.modules.get("opened")
        print(json.dumps({"failure": result.failure, "seen": opened.take() if opened else []}),
              file=answers, flush=True)


if __name__ == "__main__":
    main()

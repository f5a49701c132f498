#!/usr/bin/env python3
"""Prints what failed in a log of the checks, a line each: PLACE: NAME: MESSAGE.

USAGE: Tests/failures.py LOG
       Tests/failures.py --self-test

Knows the output of Swift Testing, the compiler, the formatter, sanitizers, fuzzers, and the lines
"failed: …" and "run.sh: …" of the project's scripts. Of a log without any it prints the end.
"""

import os
import re
import sys

MOST = 60
# Lines of the end that are printed of a log in which nothing is recognized.
END = 15

PATTERNS = [
    # ✘ Test name() recorded an issue at File.swift:12:3: Expectation failed: …
    (re.compile(r"✘ Test (?P<name>.+?) recorded an issue"
                r"(?: with \d+ arguments?(?P<arguments>.*?))? at (?P<place>\S+?:\d+:\d+): (?P<message>.*)"),
     "{place}: {name}{arguments}: {message}"),
    (re.compile(r"^(?P<place>\S+?:\d+(?::\d+)?): error: (?P<message>.*)"), "{place}: {message}"),
    (re.compile(r"^error: (?P<message>.*)"), "{message}"),
    (re.compile(r"^failed: (?P<message>.*)"), "{message}"),
    (re.compile(r"^(?P<place>[\w.-]+\.sh): (?P<message>.*)"), "{place}: {message}"),
    (re.compile(r"^SUMMARY: (?P<message>.*)"), "{message}"),
    (re.compile(r"(?P<message>Fatal error: .*)"), "{message}"),
    (re.compile(r"(?P<message>.*unexpected signal code \d+.*)"), "{message}"),
]


def failures(text, folder=""):
    """The failures in a log, each once, in their order."""
    found = {}
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines():
        for pattern, format in PATTERNS:
            if match := pattern.search(line):
                values = {name: value or "" for name, value in match.groupdict().items()}
                found.setdefault(format.format(**values).replace(folder, "").strip())
                break
    # SwiftPM names the program of the tests, which says nothing when a test is named.
    return [line for line in found if line != "fatalError"] or text.splitlines()[-END:]


def self_test():
    log = """\
Building for debugging...
/clone/Sources/A/B.swift:12:3: error: cannot find 'c' in scope
◇ Test passes() started.
✘ Test aFileIsKept() recorded an issue at StoreTests.swift:71:9: Expectation failed: (a → 1) == 2
✘ Test rows(_:) recorded an issue with 1 argument row → "x" at RowTests.swift:5:3: Caught error: y
✘ Test aFileIsKept() failed after 0.1 seconds with 1 issue.
failed: test_pages.py:42: PageTests.test_opens: waited 60 s for the page
run.sh: these top-level folders do not belong here: Extra
SUMMARY: ThreadSanitizer: data race Locked.swift:30 in Locked.set
"""
    expected = [
        "Sources/A/B.swift:12:3: cannot find 'c' in scope",
        "StoreTests.swift:71:9: aFileIsKept(): Expectation failed: (a → 1) == 2",
        'RowTests.swift:5:3: rows(_:) row → "x": Caught error: y',
        "test_pages.py:42: PageTests.test_opens: waited 60 s for the page",
        "run.sh: these top-level folders do not belong here: Extra",
        "ThreadSanitizer: data race Locked.swift:30 in Locked.set",
    ]
    assert failures(log, "/clone/") == expected, failures(log, "/clone/")
    assert failures("one\ntwo\n") == ["one", "two"]


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    with open(arguments[0], encoding="utf-8", errors="replace") as log:
        lines = failures(log.read(), os.getcwd() + "/")
    print("\n".join(lines[:MOST]))
    if len(lines) > MOST:
        print(f"and {len(lines) - MOST} more, in the output above")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

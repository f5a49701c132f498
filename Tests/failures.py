#!/usr/bin/env python3
"""Prints the failures in a log of the checks, one per line: PLACE: NAME: MESSAGE.

USAGE: Tests/failures.py LOG
       Tests/failures.py --self-test

Recognizes the output of Swift Testing, the compilers of Swift, TypeScript and documentation, the formatter,
sanitizers and fuzzers, and the lines "failed: …" and "SCRIPT.sh: …" of the project's scripts. If it
recognizes nothing, it prints the end of the log.
"""

import os
import re
import sys

MOST = 60
# Number of lines that are printed from the end of a log without a recognized failure.
END = 15
# Limit on the characters of a line: the patterns take quadratic time, and a test may print a document.
LONGEST = 4_000

PATTERNS = [
    # ✘ Test name() recorded an issue at File.swift:12:3: Expectation failed: …
    (re.compile(r"✘ (?:Test|Suite) (?P<name>.+?) recorded an issue"
                r"(?: with \d+ arguments?(?P<arguments>.*?))?(?: at (?P<place>[^\s:]+:\d+:\d+))?: (?P<message>.*)"),
     "{place}: {name}{arguments}: {message}"),
    (re.compile(r"(?P<place>[^\s:]+:\d+): (?P<message>Fatal error: .*)"), "{place}: {message}"),
    (re.compile(r"(?P<message>Fatal error: .*)"), "{message}"),
    (re.compile(r"^(?P<place>/?[^:]+?:\d+(?::\d+)?): error: (?P<message>.*)"), "{place}: {message}"),
    # page.js(12,3): error TS2322: …
    (re.compile(r"^(?P<place>[^(\s]+\(\d+,\d+\)): error (?P<message>TS\d+: .*)"), "{place}: {message}"),
    (re.compile(r"^(?P<message>.*: undefined reference to .*)"), "{message}"),
    (re.compile(r"^failed: (?P<message>.*)"), "{message}"),
    (re.compile(r"^(?P<place>[\w./-]+\.sh): (?P<message>.*)"), "{place}: {message}"),
    (re.compile(r"^SUMMARY: (?P<message>.*)"), "{message}"),
    (re.compile(r"(?P<message>.*unexpected signal code \d+.*)"), "{message}"),
    (re.compile(r"^error: (?P<message>.*)"), "{message}"),
]
STARTED = re.compile(r"^◇ Test (?!run |case )(?P<name>.+?) started\.")
ENDED = re.compile(r"^[✔✘→➜] Test (?P<name>.+?) (?:with \d+ test cases? )?(?:passed|failed|skipped)\b")


def failures(text, folder=""):
    """The failures in a log, each once: those of tests first, then others, then tests that a crash ended."""
    of_tests, others, running, comments = {}, {}, {}, None
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines():
        line = line[:LONGEST]
        if match := STARTED.match(line):
            running[match["name"]] = None
        elif match := ENDED.match(line):
            running.pop(match["name"], None)
        # A comment on an issue, or the place of a docc diagnostic.
        if comments is not None and (comment := re.match(r"^\s*(?:↳ |(?=--> ))(.*)", line)):
            comments[comment[1].replace(folder, "")] = None
            continue
        comments = None
        for pattern, format in PATTERNS:
            if match := pattern.search(line):
                values = {name: value or "" for name, value in match.groupdict().items()}
                failure = format.format(**values).replace(folder, "").strip().removeprefix(": ")
                # SwiftPM's message when the test program fails.
                if failure != "fatalError":
                    found = of_tests if line.startswith("✘") else others
                    comments = found.setdefault(failure, {})
                break
    lines = [" ".join([line, *said]) for line, said in [*of_tests.items(), *others.items()]]
    if "unexpected signal code" in text or "Fatal error" in text:
        lines += [f"{name}: had started and did not end" for name in running]
    return lines or text.splitlines()[-END:]


def self_test():
    log = """\
Building for debugging...
/clone/Sources/A/B.swift:12:3: error: cannot find 'c' in scope
◇ Test passes() started.
✘ Test aFileIsKept() recorded an issue at StoreTests.swift:71:9: Expectation failed: (a → 1) == 2
↳ It is kept: "a"
✘ Test rows(_:) recorded an issue with 1 argument row → "x" at RowTests.swift:5:3: Caught error: y
✘ Suite "Stores" recorded an issue: Time limit was exceeded
◇ Test dies() started.
✔ Test passes() passed after 0.1 seconds.
A/Main.swift:3: Fatal error: Index out of range
error: Process '/clone/.build/debug/xctest' exited with unexpected signal code 4
page.js(12,3): error TS2322: Type 'string' is not assignable.
error: 'Store' doesn't exist
 --> /clone/Sources/A/A.docc/Start.md:3:5-3:9
✘ Test aFileIsKept() failed after 0.1 seconds with 1 issue.
failed: test_pages.py:42: PageTests.test_opens: waited 60 s for the page
Tests/run.sh: these top-level folders do not belong here: Extra
SUMMARY: ThreadSanitizer: data race Locked.swift:30 in Locked.set
"""
    expected = [
        'StoreTests.swift:71:9: aFileIsKept(): Expectation failed: (a → 1) == 2 It is kept: "a"',
        'RowTests.swift:5:3: rows(_:) row → "x": Caught error: y',
        '"Stores": Time limit was exceeded',
        "Sources/A/B.swift:12:3: cannot find 'c' in scope",
        "A/Main.swift:3: Fatal error: Index out of range",
        "error: Process '.build/debug/xctest' exited with unexpected signal code 4",
        "page.js(12,3): TS2322: Type 'string' is not assignable.",
        "'Store' doesn't exist --> Sources/A/A.docc/Start.md:3:5-3:9",
        "test_pages.py:42: PageTests.test_opens: waited 60 s for the page",
        "Tests/run.sh: these top-level folders do not belong here: Extra",
        "ThreadSanitizer: data race Locked.swift:30 in Locked.set",
        "dies(): had started and did not end",
    ]
    assert failures(log, "/clone/") == expected, failures(log, "/clone/")
    assert failures("one\ntwo\n") == ["one", "two"]
    # Takes minutes if the whole line is searched.
    long = failures("✘ Test a() recorded an issue at A.swift:1:2: " + 1_000_000 * "x")
    assert long[0].startswith("A.swift:1:2: a(): xx"), long


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

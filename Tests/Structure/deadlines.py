#!/usr/bin/env python3
"""Fails if a test waits for a clock or relies on speed, unless a comment gives the reason.

USAGE: Tests/Structure/deadlines.py [FOLDER ...]     default: Tests SampleBackend/Tests
       Tests/Structure/deadlines.py --self-test

Reads the Swift files of the folders, except builds, and those that are about time or load (LEFT_OUT), and lists

  time limit  a `.timeLimit` other than `.minutes(2)`, or `.minutes(Rounds.minutes)` for nightly rounds
  deadline    a wait of less than 60 s: a timeout, a patience, a limit of a server or a client
  sleep       a task or a thread that sleeps, or work that is scheduled for later
  poll        a loop that only repeats a question or a pause until a condition is met
  count       a guessed number of pauses or attempts
  clock       a real clock that is compared, or read for a comparison

Comments and string literals are ignored, and so are manual clocks and durations that are compared. A
place that cannot fail on a slow machine gives the reason in its line or directly above it:

    try await Task.sleep(for: delay)  // deadline: the fault comes at a random moment

Prints FILE:LINE, the kind and the code. Exit codes: 0 each place has a reason, 1 a place has none, 64 wrong
arguments.
"""

import math
import re
import sys
import tempfile
from pathlib import Path

from check import TOKEN, end_of_block_comment, end_of_string

LEFT_OUT = {
    # Other packages' tests are in the builds of packages below these folders.
    ".build", "AppleStubs", "Benchmarks", "EvaluationBenchmark", "Examples", "Fixtures", "Fuzzing", "Load", "StreamLoad",
    "TargetingBenchmark", "UpdaterLoad",
}
MARKER = re.compile(r"// deadline: \w+ \w")
MINIMUM = 60  # seconds
UNITS = {"nanoseconds": 1e-9, "microseconds": 1e-6, "milliseconds": 1e-3, "seconds": 1, "minutes": 60}

# Labels and names of timeouts and other limits on waits.
NAME = (
    r"\b(?:timeout\w*|\w+Timeout|patience|\w+Patience|limit|deadline|\w+Deadline|maximumPause|maximumSilence"
    r"|\w*[a-z](?:Time|Wait|Interval|MaximumAge))"
)
DURATION = rf"(?:\b[A-Z]\w+)?\.(?P<unit>{'|'.join(UNITS)})\((?P<count>[^()]*)\)"
PLAIN = r"(?P<plain>\d[\d_]*(?:\.\d+)?)"
CLOCK = r"\b(?:ContinuousClock|SuspendingClock|DispatchTime|Date)(?:\(\)|\.now\b)+(?:\(\))?(?:\.timeIntervalSince1970)?"
PLACES = [
    (kind, re.compile(pattern))
    for kind, pattern in [
        ("time limit", r"\.timeLimit\((?!\.minutes\((?:2|Rounds\.minutes)\)\))"),
        ("sleep", r"\b(?:Task|Thread)\.sleep\b|\b(?:u|nano)sleep\(|(?<![.\w])sleep\(|\.asyncAfter\(|\.scheduleTask\(in:"),
        ("deadline", rf"{NAME}(?:: Duration)?\s*[:=]\s*(?:[\w.]+\s*\?\s*)?{DURATION}"),
        ("deadline", rf"\b(?:timeoutInterval\w*|lifetime|busyTimeout)\s*[:=]\s*{PLAIN}"),
        ("deadline", rf"\.now(?:\(\))?\s*\+\s*(?:{DURATION}|{PLAIN})"),
        ("clock", r"(?<!clock\.now)\.duration\(to: (?!clock\b)|\.measure\s*\{|\.timeIntervalSinceNow\b|\bclock_gettime\(|\.systemUptime\b"),
        ("clock", rf"{CLOCK} (?:[<>]=?|-) [a-z]|\s(?:[<>]=?|-) {CLOCK}|(?<![\w)])\.now - [a-z]"),
    ]
]
# A manual clock that is passed with a duration, or advanced by one.
MANUAL = re.compile(r"\bManualClock\b|\bclock: (?!ContinuousClock|SuspendingClock)|\bclock\.(?:now|deadlines|advance)\b")
LOOP = re.compile(r"\b(?:while|repeat|for _ in (?:0\.\.<|1\.\.\.))\b")
PAUSE = re.compile(
    r"(?:try\??\s+)?(?:await\s+)?(?:Task\.yield\(\)|(?:Task|Thread)\.sleep\([^\n]*\)|usleep\([^\n]*\))"
    r"|try Task\.checkCancellation\(\)"
)
# A repeated question: an assignment of an answer, or a call of a helper that waits.
QUESTION = re.compile(r"(?:\w+ = )?(?:try )?await \S[^\n]*")


def code(text):
    """The text with blanked comments and string literals, and the comment at the end of each line."""
    blanked, comments = list(text), {}
    position = 0
    while match := TOKEN.search(text, position):
        position = match.end()
        if match.lastgroup == "block":
            position = end_of_block_comment(text, position)
        elif match.lastgroup == "string":
            position = end_of_string(text, match, [])
        elif match.lastgroup == "line":
            comments[text.count("\n", 0, match.start())] = match.group()
        else:
            continue
        for index in range(match.start(), position):
            if blanked[index] != "\n":
                blanked[index] = " "
    return "".join(blanked), comments


def block(text, start):
    """The range of the first block after an offset, outside of parentheses; None if there is none."""
    parentheses = braces = 0
    begin = None
    for index in range(start, len(text)):
        character = text[index]
        if begin is None:
            parentheses += {"(": 1, ")": -1}.get(character, 0)
            if character == "{" and parentheses == 0:
                begin = index
            elif parentheses < 0 or index - start > 400:
                return None
        if begin is not None:
            braces += {"{": 1, "}": -1}.get(character, 0)
            if braces == 0:
                return begin, index + 1
    return None


def around(text, offset):
    """The line of an offset, with the previous line and the next two."""
    start = text.rfind("\n", 0, max(text.rfind("\n", 0, offset), 0)) + 1
    end = offset
    for _ in range(3):
        end = text.find("\n", end + 1)
        if end < 0:
            return text[start:]
    return text[start:end]


def seconds(match):
    """The shortest time of a match; 0 if it is not a literal."""
    fields = match.groupdict()
    text = fields.get("plain") or fields["count"]
    if text.endswith(".max"):
        return float("inf")
    # A product counts as a whole.
    counts = [
        math.prod(float(factor.replace("_", "")) for factor in product.split("*"))
        for product in re.findall(r"(?<![\w.])\d[\d_.]*(?: \* \d[\d_.]*)*", text)
    ]
    return min(counts, default=0) * (UNITS[fields["unit"]] if fields.get("unit") else 1)


def is_waiting(text, loop):
    """True for a loop that only pauses and repeats a question."""
    found = block(text, loop.end())
    if not found:
        return False
    head, inside = text[loop.start():found[0]], text[found[0] + 1:found[1] - 1]
    rest = PAUSE.sub("", inside).strip()
    if head.startswith("for") and " where " in head:
        return True
    if not rest:
        # An empty loop waits if it asks for a value; one that reads to the end of a sequence does not.
        return bool(inside.strip()) or ("await" in head and bool(re.search(r"[<>=!]=?\s", head.replace("!= nil", ""))))
    if head.startswith(("for", "while true")):
        return False
    lines = [line.strip() for line in rest.split("\n") if line.strip()]
    return all(QUESTION.fullmatch(line) for line in lines) and (
        PAUSE.search(inside) is not None or any(" = " in line for line in lines)
    )


def places(text):
    """The kinds of the places in the code of a file, by zero-based line."""
    found = {}
    for loop in LOOP.finditer(text):
        if ".random(" in text[loop.start():loop.end() + 80].split("\n")[0]:
            continue
        if is_waiting(text, loop):
            found.setdefault(text.count("\n", 0, loop.start()), "count" if loop.group().startswith("for") else "poll")
    for kind, pattern in PLACES:
        for match in pattern.finditer(text):
            line_start = text.rfind("\n", 0, match.start()) + 1
            if kind == "deadline" and (
                seconds(match) >= MINIMUM
                or MANUAL.search(around(text, match.start()))
                or re.search(r"==\s[^\n]*$", text[line_start:match.start()])
            ):
                continue
            found.setdefault(text.count("\n", 0, match.start()), kind)
    return found


def check(folder):
    """Prints the places without a reason; returns their number."""
    count = 0
    for path in sorted(folder.rglob("*.swift")):
        if LEFT_OUT.intersection(path.relative_to(folder).parts):
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        blanked, comments = code(text)
        for line, kind in sorted(places(blanked).items()):
            is_alone = line > 0 and lines[line - 1].lstrip().startswith("//")
            reasons = comments.get(line, "") + (comments.get(line - 1, "") if is_alone else "")
            if MARKER.search(reasons):
                continue
            print(f"{path}:{line + 1}: {kind}: {lines[line].strip()}")
            count += 1
    return count


CLEAN = {
    "A.swift": """
        @Suite(.timeLimit(.minutes(2))) struct A { @Test(.timeLimit(.minutes(Rounds.minutes))) func a() {} }
        // try await Task.sleep(for: .seconds(1))
        let text = "while true { usleep(5) }"
        let config = make(timeout: .seconds(5), clock: clock)
        clock.advance(by: .seconds(5)); let waited = clock.now - start
        let policy = make(minimumInterval: .seconds(12 * 3_600), timeout: .seconds(Int64.max))
        clock.sleep(for: .seconds(5))
        let fixture = make(timeout: .seconds(60), downloadTimeout: .seconds(300))
        #expect(error.retryAfter == .seconds(5))
        #expect(requests == [.document(wait: .seconds(5))])
        #expect(options.idleTime == .seconds(5))
        semaphore.wait(timeout: .now() + 60)
        while let line = await lines.next() { all.append(line) }
        while await readMore() {}
        while try await connection.nextEvent() != nil {}
        while isReading { reads += 1; await Task.yield() }
        for _ in 0..<Int.random(in: 0..<9, using: &random) { await Task.yield() }
        for _ in 0..<100 { try await publish() }
        while isChanging.withLock({ $0 }) { try await config.downloadNewConfig() }
        while true { try await channel.write(requests) }
        let date = Date(), start = ContinuousClock.now, time = Date(timeIntervalSinceNow: 60)
        try await Task.sleep(for: delay)  // deadline: the fault comes at a random moment
        // deadline: a lower bound
        #expect(start.duration(to: .now) >= .seconds(1))
        """,
}
PLANTED = {
    "a time limit": "@Suite(.timeLimit(.minutes(15))) struct B {}",
    "a test's own time limit": "@Test(.timeLimit(.minutes(1))) func b() {}",
    "a task that sleeps": "try await Task.sleep(for: delay)",
    "a thread that sleeps": "Thread.sleep(forTimeInterval: 1)",
    "usleep": "usleep(20_000)",
    "a timer": "queue.asyncAfter(deadline: .now() + 100) {}",
    "a time-out": "let downloader = JSONURLDownloader(timeout: .seconds(20)) { _ in request }",
    "a time-out by default": "func make(timeout: Duration = .milliseconds(200)) {}",
    "a limit of the server": "limits.idleTime = .milliseconds(100)",
    "a limit by a condition": "limits.idleTime = Sanitizer.isOn ? .seconds(30) : .seconds(90)",
    "a time by a condition": "static let patience: Duration = .seconds(Sanitizer.isOn ? 60 : 5)",
    "a time of a variable": "semaphore.wait(timeout: .now() + .seconds(seconds))",
    "a semaphore": "semaphore.wait(timeout: .now() + 30)",
    "an end": "let end = ContinuousClock.now + .seconds(20)",
    "a request": "URLRequest(url: url, timeoutInterval: 5)",
    "a poll": "while try await server.count() != 1 { await Task.yield() }",
    "a poll without a pause": "while try await status() != 401 {}",
    "a poll of a flag": "while !isDone.withLock({ $0 }) {\n  await Task.yield()\n}",
    "a poll that asks": "while found != 1 {\n  found = try await count()\n  await Task.yield()\n}",
    "a poll in a line": "while found == nil { found = try await listed(on: other) }",
    "a poll by a helper": "while isEmpty {\n  await settle(config)\n  await Task.yield()\n}",
    "counted yields": "for _ in 0..<1_000 { await Task.yield() }",
    "counted attempts": "for _ in 0..<1_000 where status != 429 {\n  status = try await ask()\n}",
    "an upper bound": "#expect(start.duration(to: .now) < .seconds(50))",
    "the time taken": "let time = ContinuousClock.now - start",
    "the time taken since": "return (value, .now - start)",
    "a date": "#expect(Date() < end)",
    "a measurement": "let time = clock.measure { work() }",
    "a marker without a reason": "usleep(5)  // deadline: yes",
    "a marker in a string": 'usleep(5); let a = "// deadline: a lower bound"',
}


def self_test():
    """Checks files without a place and files with a planted one; returns the number of wrong results."""
    faults = 0
    for name, planted in {"a clean file": None, **PLANTED}.items():
        with tempfile.TemporaryDirectory() as folder:
            files = dict(CLEAN) if planted is None else {**CLEAN, "B.swift": planted + "\n"}
            for path, text in files.items():
                Path(folder, path).write_text(text, encoding="utf-8")
            count = check(Path(folder))
        passes = count == (planted is not None)
        print(f"{'ok' if passes else 'FAILED'}: {name}, {count} places found\n")
        faults += not passes
    return faults


def main(arguments):
    if arguments in (["--help"], ["-h"]):
        print(__doc__.strip())
        return 0
    if arguments == ["--self-test"]:
        return 1 if self_test() else 0
    folders = [Path(argument) for argument in arguments or ["Tests", "SampleBackend/Tests"]]
    for folder in folders:
        if not folder.is_dir():
            print(f"deadlines.py: {folder} is no folder of tests; see --help", file=sys.stderr)
            return 64
    return 1 if sum(check(folder) for folder in folders) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

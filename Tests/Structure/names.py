#!/usr/bin/env python3
"""Fails if the backend compares a name from data as a Swift string, unless a comment gives the reason.

USAGE: Tests/Structure/names.py [SOURCES]     default: SampleBackend/Sources
       Tests/Structure/names.py --self-test

Names in data (users, sections, settings, conditions, signals, keys of JSON objects) are bytes. Swift takes
canonically equivalent strings for one: "é" and "e" with an accent, "K" and the Kelvin sign. Lists, in the
modules through which such names flow (MODULES),

  table     a variable with a set or dictionary of strings: use `Set<ExactText>`, `[ExactText: …]` or `NamedValues<…>`
  set       a set made of a member that is a name: use `exactNames`
  equality  `==` or `!=` of a member that is a name: use `hasSameBytes(as:)`

Comments and string literals are ignored, and so are comparisons with a literal or nil. A place whose strings
are our own, or ASCII, gives the reason in its line or directly above it:

    private static let tagColors: Set<String> = [  // names: our own literals

Prints FILE:LINE, the kind and the code. Exit codes: 0 each place has a reason, 1 a place has none, 64 wrong
arguments.
"""

import re
import sys
import tempfile
from pathlib import Path

from deadlines import code

MODULES = (
    "AdminAPI", "ClientAPI", "Console", "EtcdTemplateStore", "InMemoryTemplateStore", "JSONTree", "Rendering",
    "OpenIDConnect", "SampleBackend", "SQLiteTemplateStore", "Targeting", "Templates", "TemplateStore",
    "WebhookDelivery",
)
MARKER = re.compile(r"// names: \w+ \w")
NAME = r"(?:name|key|section|group|condition|userID|user|setting|signal)"
TABLE = r"\b(?:Set|OrderedSet)<String>|\b(?:Ordered)?Dictionary<String\b|\[String: ?[\w\[(.]"
PLACES = [
    (kind, re.compile(pattern))
    for kind, pattern in [
        ("table", rf"\b(?:let|var) [^\n]*(?:{TABLE})|<(?:{TABLE})|(?:{TABLE})[^\n(){{}}]*\]?\(\)"),
        ("set", rf"\bSet\([^\n]*\\\.{NAME}\b\)|\bSet\([^\n]*\$0\.{NAME} \}}"),
        ("equality", rf"\.{NAME} [=!]= (?!nil\b|[\s.(])|[\w)] [=!]= \$?\w+(?:\.\w+)*\.{NAME}\b(?![.?(])"),
    ]
]


def check(sources):
    """Prints the places without a reason; returns their number."""
    count = 0
    for path in sorted(path for module in MODULES for path in (sources / module).rglob("*.swift")):
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        blanked, comments = code(text)
        for number, line in enumerate(blanked.split("\n")):
            kind = next((kind for kind, pattern in PLACES if pattern.search(line)), None)
            is_alone = number > 0 and lines[number - 1].lstrip().startswith("//")
            reasons = comments.get(number, "") + (comments.get(number - 1, "") if is_alone else "")
            if kind is None or MARKER.search(reasons):
                continue
            print(f"{path}:{number + 1}: {kind}: {lines[number].strip()}")
            count += 1
    return count


CLEAN = """
    // var names: Set<String> = []
    let text = "[String: Int]"
    var names: Set<ExactText> = [], places: [ExactText: Int] = [:], members: NamedValues<JSONNode> = [:]
    if part.name == "position" || signal.name != nil {}
    if left.name.hasSameBytes(as: right.name) {}
    let colors: Set<String> = ["RED"]  // names: our own literals
    // names: our own literals
    let options: [String: Int] = [:]
"""
PLANTED = {
    "a set": "var names: Set<String> = []",
    "a set without a reason": "var names: Set<String> = []  // names:",
    "an ordered set": "let keys: OrderedSet<String> = []",
    "a locked dictionary": "let counts = Locked<[String: Int]>([:])",
    "a dictionary": "var sections: [String: JSONNode] = [:]",
    "a dictionary of dictionaries": "let all: [String: [String: JSONNode]]",
    "an ordered dictionary": "var members: OrderedDictionary<String, JSONNode> = [:]",
    "a dictionary by its type": "let table = Dictionary<String, Int>()",
    "a set of members": "let gone = Set(conditions.map(\\.name))",
    "a set by a closure": "let gone = Set(conditions.map { $0.name })",
    "a comparison": "let found = all.first { $0.section == section }",
    "a comparison from the left": "let found = all.first { key == $0.key }",
    "a difference": "guard old.name != new.name else { return }",
}


def self_test():
    """The names of the plants that are not found."""
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "Templates" / "A.swift"
        file.parent.mkdir()
        file.write_text(CLEAN, encoding="utf-8")
        if check(Path(folder)) != 0:
            missed.append("nothing in what is clean")
        for name, text in PLANTED.items():
            file.write_text(text + "\n", encoding="utf-8")
            if check(Path(folder)) != 1:
                missed.append(name)
    for name in missed:
        print(f"not found: {name}", file=sys.stderr)
    return missed


def main(arguments):
    if arguments == ["--self-test"]:
        return 1 if self_test() else 0
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        print(__doc__, file=sys.stderr)
        return 64
    sources = Path(arguments[0] if arguments else "SampleBackend/Sources")
    return 1 if check(sources) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

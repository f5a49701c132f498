#!/usr/bin/env python3
"""Fails if a public type of the framework cannot be named in an app that has a type of the same name.

USAGE: Tests/Structure/type_names.py
       Tests/Structure/type_names.py --self-test

The module ActiveConfig and its class have the same name, so `ActiveConfig.DownloadError` resolves only if
the class has a member with that name. `ActiveConfig+TypeNames.swift` declares such a member for each public
type, as an alias of a name in `ActiveConfigTypes.swift`. Public extensions of other types are ignored.

Prints missing names, and names without a public type. Exit codes: 0 no findings, 1 findings, 64 wrong
arguments.
"""

import re
import sys
from pathlib import Path

SOURCES = Path("Sources/ActiveConfig")
NAMES = SOURCES / "TypeNames"
# A type inside a condition is indented like a nested one.
TYPE = re.compile(
    r"^(?P<indent> *)public (?:final |indirect )?(?:class|struct|enum|protocol|actor) (?P<name>\w+)",
    re.MULTILINE)
CONDITION = re.compile(r"^ *#(if|endif)\b")
NAME = re.compile(r"public typealias (\w+) = ActiveConfigTypes\.(\w+)Type$", re.MULTILINE)
UNIQUE_NAME = re.compile(r"public typealias (\w+)Type = (\w+)$", re.MULTILINE)
UNNAMED = {"ActiveConfig", "ActiveConfigTypes"}


def public_types(text):
    """The public types that a file declares at the top level."""
    types, depth = set(), 0
    for line in text.splitlines():
        if condition := CONDITION.match(line):
            depth += 1 if condition[1] == "if" else -1
        elif (match := TYPE.match(line)) and len(match["indent"]) == 4 * depth:
            types.add(match["name"])
    return types


def faults(types, unique, members):
    """A sentence for each missing and each surplus name."""
    types = types - UNNAMED
    unique = {name for alias, name in UNIQUE_NAME.findall(unique) if alias == name}
    members = {name for name, alias in NAME.findall(members) if alias == name}
    found = [f"ActiveConfig.{name} is missing in ActiveConfig+TypeNames.swift" for name in types - members]
    found += [f"{name}Type is missing in ActiveConfigTypes.swift" for name in types - unique]
    found += [f"{name} is not a public type" for name in (members | unique) - types]
    return sorted(found)


def self_test():
    text = (
        "public struct A {\n    public enum Nested {}\n}\npublic final class B {}\nstruct C {}\n"
        "#if canImport(X)\n    public protocol D {\n        public struct E {}\n    }\n#endif\n"
        "extension A {\n    public struct F {}\n}\n")
    assert public_types(text) == {"A", "B", "D"}, public_types(text)
    unique = "    public typealias AType = A\n    public typealias GType = G\n"
    members = "    public typealias B = ActiveConfigTypes.BType\n"
    assert faults({"A", "B"}, unique, members) == [
        "ActiveConfig.A is missing in ActiveConfig+TypeNames.swift",
        "BType is missing in ActiveConfigTypes.swift",
        "G is not a public type",
    ], faults({"A", "B"}, unique, members)
    print("The planted faults are found.")


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments:
        print(__doc__, file=sys.stderr)
        return 64
    types = set()
    for path in SOURCES.rglob("*.swift"):
        types |= public_types(path.read_text())
    found = faults(
        types, (NAMES / "ActiveConfigTypes.swift").read_text(),
        (NAMES / "ActiveConfig+TypeNames.swift").read_text())
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

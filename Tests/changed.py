#!/usr/bin/env python3
"""Finds the tests of what differs from a commit, also in files that are not committed.

USAGE: Tests/changed.py COMMIT

A file of tests is run itself. For any other file of Swift these run, of the test targets that depend on
its module: files named after it, files in a folder of the same name, and files that use a type which it
declares, unless many files do; if there are none, all tests of the module. For a file of the console's
pages the tests of its logic run.

Prints what to run, a line each: PACKAGE FILTER with a filter for `swift test`, "logic", or
"browser TEST …"; and on standard error, why. Exit codes: 0, 64 wrong arguments.
"""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

PACKAGES = ("SampleBackend", "Tests/Benchmarks", ".")
DECLARATION = re.compile(r"^\s*(?:\w+(?:\(\w+\))? )*(?:struct|class|enum|protocol|actor|typealias) (\w+)", re.M)
SUITE = re.compile(r"^(?:@\w+.*\n)*(?:\w+ )*(?:struct|class) (\w+)", re.M)
# A type that more of a target's files use says nothing about what tests it.
MOST_USERS = 0.3


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def changed_files(commit):
    """Paths of what differs from a commit and still exists."""
    names = run("git", "diff", "--name-only", "-z", commit) + run(
        "git", "ls-files", "-z", "--others", "--exclude-standard")
    return sorted(path for name in set(names.split("\0")) if name and (path := Path(name)).is_file())


def package_of(path):
    return next(package for package in PACKAGES if package == "." or path.is_relative_to(package))


@cache
def targets(package):
    """The targets of a package as (name, folder, names of what it depends on, whether it is a test)."""
    manifest = json.loads(run("swift", "package", "--package-path", package, "dump-package"))
    found = []
    for target in manifest["targets"]:
        kind = "Tests" if target["type"] == "test" else "Sources"
        folder = Path(package, target.get("path") or f"{kind}/{target['name']}")
        uses = {next(iter(dependency.values()))[0] for dependency in target["dependencies"]}
        found.append((target["name"], folder, uses, target["type"] == "test"))
    return found


@cache
def test_files(folder):
    """The files of a test target that have tests, with their text."""
    texts = {path: path.read_text("utf-8") for path in sorted(Path(folder).rglob("*.swift"))}
    return {path: text for path, text in texts.items() if "@Test" in text}


def tests_of(path):
    """The files of tests to run for a file of Swift, and why."""
    package = package_of(path)
    owner = next((t for t in targets(package) if path.is_relative_to(t[1])), None)
    if owner is None:
        return [], "of no target"
    name, folder, _, is_test = owner
    if is_test and path in test_files(folder):
        return [path], "a test"
    users = [folder] if is_test else [t[1] for t in targets(package) if t[3] and name in t[2]]
    candidates = {file: text for user in users for file, text in test_files(user).items()}
    types = DECLARATION.findall(path.read_text("utf-8"))
    room, base = path.relative_to(folder).parts[0], path.stem.split("+")[0]
    found = set()
    for file in candidates:
        is_named_after = file.name.startswith((path.stem, base)) and base != name
        if is_named_after or (file.parent.name == room and room != path.name):
            found.add(file)
    for type in types:
        using = [file for file, text in candidates.items() if re.search(rf"\b{type}\b", text)]
        if len(using) <= MOST_USERS * len(candidates):
            found.update(using)
    if found:
        return sorted(found), f"of {name}"
    own = [file for file in candidates if f"{name}Tests" in file.parts]
    return sorted(own or candidates), f"all tests of {name}"


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    suites, browser, logic, others = {}, set(), False, []
    for path in changed_files(arguments[0]):
        if path.suffix == ".swift" and path.name != "Package.swift":
            files, why = tests_of(path)
            print(f"{path}: {len(files)} files ({why})", file=sys.stderr)
            for file in files:
                suites.setdefault(package_of(file), set()).update(SUITE.findall(file.read_text("utf-8")))
        elif path.suffix in (".js", ".mjs") and "codemirror" not in path.name:
            logic = True
            print(f"{path}: the console's logic", file=sys.stderr)
        elif path.match("SampleBackend/Tests/Console/test_*.py"):
            browser.add(path.stem)
            print(f"{path}: a test", file=sys.stderr)
        else:
            others.append(path)
    if others:
        print(f"Not looked at: {' '.join(map(str, others))}", file=sys.stderr)
    for package in sorted(suites):
        print(package, r"\.(" + "|".join(sorted(suites[package])) + r")(/|$)")
    if logic:
        print("logic")
    if browser:
        print("browser", *sorted(browser))
    return 0


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent.parent)
    sys.exit(main(sys.argv[1:]))

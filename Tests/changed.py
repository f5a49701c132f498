#!/usr/bin/env python3
"""Finds the tests for the differences from a commit, including uncommitted ones.

USAGE: Tests/changed.py COMMIT
       Tests/changed.py --self-test

A changed test file selects itself. Any other file of a target selects, in the test targets that depend on
it, the files named after it, the files in a folder of the same name, and the files that name it or a type
that it declares; if there are none, or if most files name the type, it selects all tests of the module. A
deleted file also selects all tests of the module. Files outside of targets have their own checks (RULES).

Prints what to run, one per line:

  tests PACKAGE FILTER  a filter for `swift test`
  build PACKAGE         a build of the package and its tests
  backend SCRIPT …      a script that uses the backend
  script SCRIPT …       another script
  part NAME             a part of run.sh

and on standard error the reasons, and the files without a known test. Exit codes: 0 success, 1 git or swift
failed, 64 wrong arguments.
"""

import json
import os
import re
import subprocess
import sys
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

PACKAGES = ("SampleBackend", "Tests/Benchmarks", "Tests/SwiftConfiguration", ".")
DECLARATION = re.compile(r"^\s*(?:\w+(?:\(\w+\))? )*(?:struct|class|enum|protocol|actor|typealias) (\w+)", re.M)
# A type that may be a suite, with attributes on its line or on the lines before it.
SUITE = re.compile(r"^[ \t]*(?:@\w+(?:\([^\n]*\))?\s+)*(?:\w+ )*(?:struct|class|enum|actor) (\w+)", re.M)
# A type that a larger share of the files names does not indicate which of them test it.
MOST_USERS = 0.5

LOGIC = "script SampleBackend/Tests/ConsoleLogic/run.sh"
PAGES = "backend SampleBackend/Tests/Console/run.sh test_pages.PageTests"
ARTICLES = r"tests Tests/SwiftConfiguration \.(ArticleTests)(\(|/|$)"
# Checks for files outside of targets, by path; the first matching pattern counts.
RULES = [
    ("SampleBackend/Tests/ConsoleLogic/*", [LOGIC]),
    ("SampleBackend/Tests/Console/test_*.py", ["backend SampleBackend/Tests/Console/run.sh {stem}"]),
    ("SampleBackend/Tests/Console/*", [PAGES]),
    ("SampleBackend/Sources/Console/Pages/app-lines.swift.txt", ["part docs", PAGES]),
    ("SampleBackend/Sources/Console/Pages/*.js", [LOGIC, PAGES]),
    ("SampleBackend/Sources/Console/Pages/*", [PAGES]),
    ("SampleBackend/Tests/Allocations/*", ["backend SampleBackend/Tests/Allocations/run.sh"]),
    ("SampleBackend/Tests/EventStreams/*", ["backend SampleBackend/Tests/EventStreams/run.sh"]),
    ("SampleBackend/Tests/OpenIDConnect/*", ["backend SampleBackend/Tests/OpenIDConnect/run.sh"]),
    ("SampleBackend/Operations/Monitoring.md", ["backend SampleBackend/Tests/Operations/run.sh"]),
    ("SampleBackend/*.md", ["backend SampleBackend/Tests/Operations/pages.py"]),
    ("SampleBackend/Operations/Pictures/*", []),
    ("SampleBackend/Operations/cluster.sh", ["backend SampleBackend/Tests/Operations/cluster.py"]),
    ("SampleBackend/Tests/Operations/cluster.py", ["backend SampleBackend/Tests/Operations/cluster.py"]),
    ("SampleBackend/Tests/Operations/pages.py", ["backend SampleBackend/Tests/Operations/pages.py"]),
    ("SampleBackend/Operations/*", ["backend SampleBackend/Tests/Operations/run.sh"]),
    ("SampleBackend/Tests/Operations/*", ["backend SampleBackend/Tests/Operations/run.sh"]),
    ("SampleBackend/Tests/Readme/*", ["backend SampleBackend/Tests/Readme/run.sh"]),
    ("SampleBackend/Tests/OpenFeature/*", ["backend SampleBackend/Tests/OpenFeature/run.sh"]),
    ("SampleBackend/Tests/FirebaseAdmin/*", ["backend SampleBackend/Tests/FirebaseAdmin/run.sh"]),
    ("SampleBackend/Tests/Scale/change*.py", ["backend SampleBackend/Tests/Scale/changerequests.py"]),
    ("SampleBackend/Tests/Scale/promot*.py", ["backend SampleBackend/Tests/Scale/promotions.py"]),
    ("SampleBackend/Tests/Scale/review*.py",
     ["backend SampleBackend/Tests/Scale/changerequests.py", "backend SampleBackend/Tests/Scale/promotions.py"]),
    ("SampleBackend/Tests/Scale/*",
     ["script SampleBackend/Tests/Scale/linearizability.py --self-test", "backend SampleBackend/Tests/Scale/run.sh"]),
    ("SampleBackend/Tests/Simulation/*",
     ["script SampleBackend/Tests/Simulation/simulate.py --check SampleBackend/Tests/Simulation/points.json"]),
    ("SampleBackend/Tests/Peers/*", ["build SampleBackend/Tests/Peers"]),
    ("SampleBackend/Tests/Schema/*", ["backend SampleBackend/Tests/Schema/run.sh"]),
    ("Tests/Benchmarks/Sources/AllocationCount/*",
     ["build Tests/Benchmarks", "backend SampleBackend/Tests/Allocations/run.sh"]),
    ("Tests/SwiftConfiguration/Sources/Shop/*", [ARTICLES, "part docs"]),
    ("Tests/AppleStubs/*", ["part apple"]),
    ("Tests/Generation/*", ["part generation"]),
    # These targets are only in the manifest with the plug-in.
    ("Sources/GenerateSettings/*", ["part generation"]),
    ("Sources/ActiveConfigGenerator/*", ["part generation"]),
    ("Sources/ActiveConfigSampleApp/*", ["part generation"]),
    ("SampleBackend/Plugins/*", ["build SampleBackend"]),
    ("SampleBackend/Package.versions", ["build SampleBackend"]),
    ("SampleBackend/pin-versions.sh", ["build SampleBackend"]),
    ("Tests/ThirtyTwoBit/*", ["script Tests/ThirtyTwoBit/check.sh"]),
    ("Tests/Examples/*", ["part docs"]),
    ("Tests/Misuses/*", ["script Tests/Misuses/check.sh"]),
    ("Tests/PublicAPI/*", ["part docs"]),
    ("Sources/*.docc/*", ["part docs"]),
    ("README.md", ["part docs", "backend SampleBackend/Tests/Readme/run.sh"]),
    ("Tests/PlantedFaults/*", ["script Tests/PlantedFaults/check.py"]),
    ("Tests/Structure/links.py", ["part docs"]),
    ("Tests/Structure/*", ["part format"]),
    ("Tests/*.py", ["part checks"]),
    ("Tests/*.sh", ["part checks"]),
    ("Package.swift", ["build ."]),
    ("*/Package.swift", ["build {parent}"]),
]


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def changed_files(commit):
    """Paths of the files that differ from a commit, including deleted files."""
    names = run("git", "diff", "--no-ext-diff", "--name-only", "-z", commit) + run(
        "git", "ls-files", "-z", "--others", "--exclude-standard")
    return sorted(Path(name) for name in set(names.split("\0")) if name)


def package_of(path):
    return next(package for package in PACKAGES if package == "." or path.is_relative_to(package))


@cache
def targets(package):
    """The targets of a package as (name, folder, names of dependencies, type)."""
    manifest = json.loads(run("swift", "package", "--package-path", package, "dump-package"))
    found = []
    for target in manifest["targets"]:
        kind = {"test": "Tests", "plugin": "Plugins"}.get(target["type"], "Sources")
        folder = Path(package, target.get("path") or f"{kind}/{target['name']}")
        uses = {next(iter(dependency.values()))[0] for dependency in target["dependencies"]}
        found.append((target["name"], folder, uses, target["type"]))
    return found


@cache
def test_files(folder):
    """The files of a test target that contain tests, with their text."""
    texts = {path: path.read_text("utf-8") for path in sorted(Path(folder).rglob("*.swift"))}
    return {path: text for path, text in texts.items() if "@Test" in text}


def filter_of(files):
    """Filter for the suites of files, and for tests outside of suites."""
    names = set()
    for file in files:
        text = file.read_text("utf-8")
        names.update(SUITE.findall(text))
        names.update(re.findall(r"^@Test.*?\bfunc (\w+)", text, re.M | re.S))
    return r"\.(" + "|".join(sorted(names)) + r")(\(|/|$)"


def other_packages_tests(name):
    """Test files for the libraries of other packages that use a product of the root package."""
    for package in PACKAGES[:-1]:
        using = {
            f"{target}Tests" for target, _, uses, kind in targets(package)
            if name in uses and kind == "regular"}
        testing = [(target, folder) for target, folder, _, kind in targets(package) if kind == "test"]
        for target, folder in testing:
            # The only test target of a package tests all its libraries.
            if target in using or (using and len(testing) == 1):
                yield from test_files(folder)


def tests_of(path):
    """The test files to run for a file of a target, and the reason; None for a file outside of targets."""
    package = package_of(path)
    owner = next((t for t in targets(package) if path.is_relative_to(t[1])), None)
    if owner is None:
        return None
    name, folder, _, kind = owner
    is_test, is_gone = kind == "test", not path.is_file()
    if is_test and path in test_files(folder):
        return [path], "a test"
    users = [folder] if is_test else [t[1] for t in targets(package) if t[3] == "test" and name in t[2]]
    candidates = {file: text for user in users for file, text in test_files(user).items()}
    if not any(f"import {name}\n" in text for text in candidates.values()) and not is_test:
        # Tests run the program with that name.
        return [file for file in candidates if f"{name}Process" in candidates[file]], f"of {name}"
    found = set(other_packages_tests(name) if package == "." and not is_test else ())
    words = [path.name] if path.suffix != ".swift" else []
    if path.suffix == ".swift" and not is_gone:
        words += DECLARATION.findall(path.read_text("utf-8"))
        room, base = path.relative_to(folder).parts[0], path.stem.split("+")[0]
        for file in candidates:
            is_named_after = file.name.startswith((path.stem, base)) and base != name
            if is_named_after or (file.parent.name == room and room != path.name):
                found.add(file)
    is_common = False
    for word in words:
        using = [file for file, text in candidates.items() if re.search(rf"\b{re.escape(word)}\b", text)]
        found.update(using)
        is_common = is_common or len(using) > MOST_USERS * len(candidates)
    if found and not is_common and not is_gone:
        return sorted(found), f"of {name}"
    own = {file for file in candidates if f"{name}Tests" in file.parts} or set(candidates)
    return sorted(found | own), f"all tests of {name}"


def rule_of(path):
    """The checks for a file outside of targets; None if there is no rule for it."""
    for pattern, lines in RULES:
        if fnmatch(str(path), pattern):
            return [line.format(stem=path.stem, parent=path.parent) for line in lines]
    return None


def plan(paths, tell=lambda line: None):
    """What to run for files, in order."""
    suites, lines, unknown = {}, {}, []
    for path in paths:
        if (rule := rule_of(path)) is not None:
            if path.is_file() or not path.match("test_*.py"):
                lines.update(dict.fromkeys(rule))
            tell(f"{path}: {', '.join(rule)}")
        elif found := tests_of(path):
            files, why = found
            tell(f"{path}: {len(files)} files ({why})")
            for file in files:
                suites.setdefault(package_of(file), set()).add(file)
            if not files:
                lines[f"build {package_of(path)}"] = None
        else:
            unknown.append(str(path))
    if unknown:
        tell(f"No test is known for these files; the gate may test them: {' '.join(unknown)}")
    return [f"tests {package} {filter_of(suites[package])}" for package in sorted(suites)] + list(lines)


def self_test():
    """Checks that each test file is found by its suites, and that files of each kind have their checks."""
    for package in PACKAGES:
        for _, folder, _, kind in targets(package):
            for file in test_files(folder) if kind == "test" else ():
                names = re.findall(r"\w+", filter_of([file]))
                assert names, f"{file} has no suite"
                assert set(names) & {file.stem.split("+")[0], *DECLARATION.findall(file.read_text())}, file
    for path, expected in {
        "README.md": "part docs", "Package.swift": "build .", "Tests/builds.sh": "part checks",
        "SampleBackend/Package.swift": "build SampleBackend",
        "SampleBackend/Sources/Console/Pages/base.css": PAGES,
        "SampleBackend/Sources/Console/Pages/main.js": LOGIC,
        "SampleBackend/Sources/Console/Pages/deleted.js": LOGIC,
        "SampleBackend/Tests/Console/test_forms.py": "backend SampleBackend/Tests/Console/run.sh test_forms",
        "Sources/ActiveConfigJSON/JSONReader.swift": "JSONNodeReadingTests",
        "Sources/ActiveConfig/Concurrency/Locked.swift": "UserTableTests",
        "Sources/ActiveConfig/Deleted.swift": "FileDefaultsStoreTests",
        "Tests/StoreProbe/StoreProbe.swift": "FileDefaultsStoreProcessTests",
        "SampleBackend/Tests/TemplatesTests/Fixtures/merged-orders.json": "tests SampleBackend",
        "Sources/ActiveConfigSampleApp/SampleApp.swift": "part generation",
        "Sources/ActiveConfig/SectionObserving.swift": "ActiveConfigProviderTests",
        "Tests/SwiftConfiguration/Sources/Shop/Checkout.swift": ARTICLES,
    }.items():
        lines = plan([Path(path)])
        assert any(expected in line for line in lines), f"{path}: {expected} is not in {lines}"
    assert plan([Path("LICENSE")]) == []


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    try:
        for line in plan(changed_files(arguments[0]), lambda line: print(line, file=sys.stderr)):
            print(line)
    except subprocess.CalledProcessError as error:
        print(f"Tests/changed.py: {' '.join(error.cmd)} failed; see above", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent.parent)
    sys.exit(main(sys.argv[1:]))

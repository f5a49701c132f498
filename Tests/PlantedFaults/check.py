#!/usr/bin/env python3
"""Fails if the random models of users do not find a fault planted in the framework.

USAGE: Tests/PlantedFaults/check.py [--in FOLDER] [--minutes NUMBER]
       Tests/PlantedFaults/check.py --anchors

Plants the faults in a copy of the package, each selected by the value of an environment variable, builds
the copy once with its tests, and runs the models without a fault and with each one.

--in FOLDER       plants them in this checkout of the package, and leaves them there
--minutes NUMBER  begins with no further fault after this time, and prints those that were not run; another
                  fault is the first one each day
--anchors         only checks that each fault can be planted, without a build

Exit codes: 0 all faults are found, 1 a fault is not found, or the models fail without a fault, 2 a fault
can no longer be planted.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = "UserDocumentsModelTests|UsersModelTests|UsersFaultsModelTests|CrashGuardRacesTests"
VARIABLE = "ACTIVECONFIG_PLANTED_FAULT"
# How many times as long as without a fault the models may take with one.
PATIENCE = 4
SWITCH = f"""import Foundation

/// The fault that is selected for this run.
enum PlantedFault {{
    static let name = ProcessInfo.processInfo.environment["{VARIABLE}"]
}}
"""
STATE = "Users/UserDocuments.swift"

# By name: the file, the code, and the code with the fault, in which FAULT is true if it is selected.
PLANTED = {
    "an older document replaces a later one": (
        STATE,
        "document != storedOwn && own?.document.isLater(than: document) != true",
        "document != storedOwn && (FAULT || own?.document.isLater(than: document) != true)",
    ),
    "a new fallback is ignored": (
        STATE,
        "case .fallbackChanged: return isFollower",
        "case .fallbackChanged: return isFollower && !FAULT",
    ),
    "a forgotten document stays active": (
        STATE,
        "if case .forgotten = event, active == nil { return true }",
        "if case .forgotten = event, active == nil || FAULT { return true }",
    ),
    "an own document counts as a fallback": (
        STATE,
        "own.map { KnownConfiguration($0.document, source: $0.source, isOwn: true) }",
        "own.map { KnownConfiguration($0.document, source: $0.source, isOwn: !FAULT) }",
    ),
    "no section of a document is held back": (
        "Model/ActivationPolicy.swift",
        "if isImmediate { return false }",
        "if isImmediate || FAULT { return false }",
    ),
    "a pending document is not loaded": (
        STATE,
        "own?.document.isLater(than: storedPending) != true\n        else {",
        "own?.document.isLater(than: storedPending) != true, !FAULT\n        else {",
    ),
    "a newer pending document takes back what a launch has activated": (
        STATE,
        "if let pending, pending.isOfEarlierLaunch { launched = pending.document }",
        "if let pending, pending.isOfEarlierLaunch, !FAULT { launched = pending.document }",
    ),
    "an own document is not stored": (
        "UserStorage+Writing.swift",
        "guard let store else { return .stored }",
        "guard let store, !FAULT else { return .stored }",
    ),
    "a pending document is not stored": (
        "UserStorage+Writing.swift",
        ": savePending(complete, of: userID, documents)",
        ": FAULT ? .stored : savePending(complete, of: userID, documents)",
    ),
    "a fallback is not passed on": (
        "Front.swift",
        "if entry === generic, after.active !== before.active {",
        "if entry === generic, after.active !== before.active, !FAULT {",
    ),
    "a stored document is not forgotten": (
        "UserStorage+Writing.swift",
        "try store?.persistConfiguration(nil, forUserID: userID.string)",
        "if !FAULT { try store?.persistConfiguration(nil, forUserID: userID.string) }",
    ),
    "readers of the current user keep a former snapshot": (
        "Front.swift",
        "            readers.show(snapshot, scalars, replicas)\n",
        "            if !FAULT || readers.snapshot == nil { readers.show(snapshot, scalars, replicas) }\n",
    ),
    "the crash guard does not watch a fallback": (
        "Coordinator/ConfigurationActivation+Documents.swift",
        "generic.flatMap { $0.isOwn ? $0.configuration : nil }, userID: nil)",
        "generic.flatMap { $0.isOwn && !FAULT ? $0.configuration : nil }, userID: nil)",
    ),
}


def plant(folder):
    sources = folder / "Sources/ActiveConfig"
    is_planted = True
    for name, (path, code, fault) in PLANTED.items():
        file = sources / path
        text = file.read_text()
        if text.count(code) != 1:
            print(f"{path}: the code of \"{name}\" occurs {text.count(code)} times", file=sys.stderr)
            is_planted = False
            continue
        condition = f'(PlantedFault.name == "{name}")'
        file.write_text(text.replace(code, fault.replace("FAULT", condition)))
    (sources / "Model/PlantedFault.swift").write_text(SWITCH)
    return is_planted


def models_fail(folder, name, patience=None):
    """True if the models fail or do not end, since they may wait for the effect that a fault omits."""
    environment = dict(os.environ, **({VARIABLE: name} if name else {}))
    command = ["swift", "test", "--package-path", folder, "--skip-build", "--filter", MODELS]
    with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True) as run:
        try:
            output, _ = run.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            # The tests run in their own session.
            subprocess.run(["pkill", "-KILL", "-s", str(run.pid)], check=False)
            return True
    # A filter without matches passes, too.
    if " passed after " not in output and " failed after " not in output:
        sys.exit(f"The models did not run.\n{output[-2000:]}")
    return run.returncode != 0


def check(folder, minutes):
    began = time.monotonic()
    if not plant(folder):
        return 2
    build = ["swift", "build", "--package-path", folder, "--build-tests"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    built = time.monotonic()
    if models_fail(folder, None):
        print("The models fail without a planted fault.", file=sys.stderr)
        return 1
    patience = PATIENCE * (time.monotonic() - built)
    first = date.today().toordinal() % len(PLANTED)
    names = [*PLANTED][first:] + [*PLANTED][:first]
    found, missed = 0, 0
    while names and time.monotonic() - began < minutes * 60:
        name = names.pop(0)
        if models_fail(folder, name, patience):
            found += 1
        else:
            missed += 1
            print(f"Not found: {name}.", file=sys.stderr)
    for name in names:
        print(f"Not run: {name}.")
    print(f"{found} of {found + missed} planted faults are found.")
    return 1 if missed or not found else 0


def main(arguments):
    if arguments == ["--anchors"]:
        with tempfile.TemporaryDirectory() as temporary:
            sources = Path(temporary) / "Sources/ActiveConfig"
            shutil.copytree(ROOT / "Sources/ActiveConfig", sources)
            return 0 if plant(Path(temporary)) else 2
    options = dict(zip(arguments[::2], arguments[1::2]))
    if len(arguments) % 2 or not options.keys() <= {"--in", "--minutes"}:
        print(__doc__, file=sys.stderr)
        return 64
    minutes = float(options.get("--minutes", "inf"))
    if "--in" in options:
        return check(Path(options["--in"]).resolve(), minutes)
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / "package"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".build", ".git", "SampleBackend"))
        return check(copy, minutes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

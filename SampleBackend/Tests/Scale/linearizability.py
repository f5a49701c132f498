#!/usr/bin/env python3
"""Checks a history of publishes and reads against a register with compare-and-set.

USAGE: linearizability.py FILE [--json]
       linearizability.py --self-test [--seed N] [--histories N]

FILE has the lines that history.py describes. A history is correct if each operation took effect at one
moment between its call and its response, a publish of unknown outcome at any moment after its call or never, so
that each publish was stored exactly if its expected version was current, and each read returned the current version
("order"). The other checks are named after the violation: "fork", "lost", "twice", "refused" (stored in spite of
its response), "audit", and "replica" for documents, which may be old, but never older than before.

The check of the order is exact, and linear in the number of operations. In general one has to search the
orders of concurrent operations (Wing and Gong 1993, Lowe 2017); here the versions are numbered, and contents
are unique, so there is one order of the publishes, and it remains to find the moments. The latest possible
ones are found in one pass over the calls and responses: a version is replaced only when a response needs a later
one. If any other choice is correct, so is this one: it keeps every version current for longer, until a
response rules that out. The self-test compares this with a search over all orders.

Prints the violations; --self-test how many planted ones of each kind were found. Exit codes: 0 none (or all
planted ones found), 1 violations (or a wrong verdict), 64 wrong arguments, 65 no history.
"""

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass

from history import History, Operation


@dataclass(frozen=True)
class Violation:
    kind: str
    message: str


def check(history):
    """All violations of a history."""
    return [*check_contents(history), *check_audit(history), *check_order(history), *check_replicas(history)]


def evidence(history):
    """The contents observed for each version, with the observers."""
    seen = defaultdict(dict)
    seen[history.start[0]][history.start[1]] = "the start"
    for operation in history.operations:
        if operation.op == "read" or operation.outcome == "stored":
            seen[operation.version].setdefault(operation.content, str(operation))
    for name in "stored", "audit":
        for version, content in getattr(history, name):
            seen[version].setdefault(content, "the versions at the end" if name == "stored" else "the audit")
    return seen


def check_contents(history):
    """Checks that each version has one content, each content at most one version, and that nothing is lost."""
    seen = evidence(history)
    for version, contents in sorted(seen.items()):
        if len(contents) > 1:
            yield Violation("fork", f"version {version} has {len(contents)} contents: "
                            + "; ".join(f"{content} by {who}" for content, who in contents.items()))
    versions = defaultdict(set)
    for version, contents in seen.items():
        for content in contents:
            versions[content].add(version)
    for content, numbers in versions.items():
        if len(numbers) > 1:
            yield Violation("twice", f"{content} was stored {len(numbers)} times, as versions {sorted(numbers)}")
    publishes = [operation for operation in history.operations if operation.op == "publish"]
    for publish in publishes:
        if publish.outcome in ("mismatch", "refused") and publish.content in versions:
            yield Violation("refused", f"{publish} is version {sorted(versions[publish.content])} nevertheless")
    if not history.stored:
        return
    numbers = [version for version, _ in history.stored]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        yield Violation("lost", f"the versions at the end have gaps, or are out of order: {numbers}")
    kept = dict(history.stored)
    for publish in publishes:
        if publish.outcome == "stored" and publish.version >= numbers[0] and publish.version not in kept:
            yield Violation("lost", f"{publish} is not among the versions at the end, the newest is {numbers[-1]}")


def check_audit(history):
    """Checks that the audit has one entry for each version, and no other."""
    if not history.stored:
        return
    first = history.start[0] + 1
    wanted = range(first, history.stored[-1][0] + 1)
    entries = [version for version, _ in history.audit if version >= first]
    for version in sorted(set(entries) | set(wanted)):
        if entries.count(version) != (version in wanted):
            yield Violation("audit", f"version {version} has {entries.count(version)} entries in the audit, "
                            + ("and is no version" if version not in wanted else "not one"))
    if entries != sorted(entries):
        yield Violation("audit", f"the entries of the audit are out of order: {entries}")


class Register:
    """The state of the pass: the current version, and the pending operations."""

    def __init__(self, history):
        self.version = history.start[0]
        self.contents = {version: next(iter(contents)) for version, contents in evidence(history).items()}
        self.assigned = set(self.contents.values())
        self.pending = {}  # By id: operations that were called and took no effect yet.
        self.maker = {self.version: "the start"}

    def call(self, operation):
        self.pending[id(operation)] = operation
        self.settle()

    def settle(self):
        """Completes the operations that are consistent with the current version."""
        for operation in list(self.pending.values()):
            if operation.op == "read":
                suits = (operation.version, operation.content) == (self.version, self.contents.get(self.version))
            else:
                suits = (operation.outcome == "mismatch" and operation.expected != self.version
                         and operation.version in (None, self.version))
            if suits:
                del self.pending[id(operation)]

    def can_make(self, operation, version):
        """Whether a publish may have created a version."""
        if operation.op != "publish" or operation.expected != version - 1:
            return False
        if operation.outcome == "stored":
            return operation.version == version and operation.content == self.contents[version]
        # Of several whose contents were never observed, any one will do: the others can never be stored later.
        return operation.outcome == "unknown" and (
            operation.content == self.contents[version] if version in self.contents
            else operation.content not in self.assigned)

    def advance(self):
        """Replaces the current version by the next; false if it has not been published yet."""
        version = self.version + 1
        maker = next((found for found in self.pending.values() if self.can_make(found, version)), None)
        if maker is None:
            return False
        del self.pending[id(maker)]
        self.version, self.maker[version] = version, maker
        self.contents.setdefault(version, maker.content)
        self.settle()
        return True

    def answer(self, operation):
        """The reason why an operation that completes now cannot have taken effect; None if it can."""
        if operation.op == "publish" and operation.outcome == "unknown":
            return None
        while id(operation) in self.pending:
            if operation.op == "read" or operation.outcome == "stored" or operation.version is not None:
                if operation.version < self.version + (operation.outcome == "stored"):
                    return f"{operation}: version {self.version} was already there, by {self.maker[self.version]}"
                if operation.version == self.version:
                    return f"{operation}: version {self.version} is {self.contents.get(self.version)}"
            if not self.advance():
                return (f"{operation}: version {self.version} was still current, "
                        f"version {self.version + 1} had not been published by then")
        return None


def check_order(history):
    """Checks that an order of the operations explains their responses; yields the first one without a place."""
    operations = [operation for operation in history.operations
                  if operation.op == "read" or (operation.op == "publish" and operation.outcome != "refused")]
    if history.stored:
        end = max([0, *(moment for o in operations for moment in (o.invoked, o.returned or 0))]) + 1
        version, content = history.stored[-1]
        operations.append(Operation("read", end, end + 1, "the end", "the store", content=content, version=version))
    # Calls before responses of the same time: such operations count as concurrent.
    moments = [(operation.invoked, 0, operation) for operation in operations]
    moments += [(operation.returned, 1, operation) for operation in operations if operation.returned is not None]
    register = Register(history)
    for _, is_answer, operation in sorted(moments, key=lambda moment: moment[:2]):
        if not is_answer:
            register.call(operation)
        elif problem := register.answer(operation):
            yield Violation("order", problem)
            return
    newest = max(register.contents)
    while register.version < newest:
        if not register.advance():
            yield Violation("order", f"version {register.version + 1} was observed, but never published")
            return


def check_replicas(history):
    """Checks that documents of a replica never go back, and have no version before it was published."""
    published = {}
    for operation in history.operations:
        if operation.op == "publish":
            published.setdefault(operation.content, operation.invoked)
    contents = {version: next(iter(contents)) for version, contents in evidence(history).items()}
    documents = [operation for operation in history.operations if operation.op == "document"]
    moments = [(document.invoked, 0, document) for document in documents]
    moments += [(document.returned, 1, document) for document in documents]
    newest, before = defaultdict(lambda: history.start[0]), {}
    for moment, is_answer, document in sorted(moments, key=lambda moment: moment[:2]):
        if not is_answer:
            before[id(document)] = newest[document.via]
            continue
        if document.version < before[id(document)]:
            yield Violation("replica", f"{document}: {document.via} had version {before[id(document)]} before")
        newest[document.via] = max(newest[document.via], document.version)
        if document.version > history.start[0] and published.get(contents.get(document.version), moment) >= moment:
            yield Violation("replica", f"{document}: version {document.version} had not been published by then")


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--histories", type=int, default=4000)
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return 0
    try:
        arguments = parser.parse_args()
    except SystemExit:
        return 64
    if arguments.self_test:
        from planted import self_test
        return 0 if self_test(check, arguments.seed, arguments.histories) else 1
    if arguments.file is None:
        print("linearizability.py: name the file of a history; see --help", file=sys.stderr)
        return 64
    try:
        with open(arguments.file, encoding="utf-8") as file:
            history = History.read(file)
    except (OSError, ValueError, TypeError, KeyError) as error:
        print(f"linearizability.py: {arguments.file} has no history: {error}", file=sys.stderr)
        return 65
    violations = check(history)
    if arguments.json:
        print(json.dumps([asdict(violation) for violation in violations]))
    else:
        for violation in violations:
            print(f"{violation.kind}: {violation.message}")
        print(f"{len(history.operations)} operations, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())

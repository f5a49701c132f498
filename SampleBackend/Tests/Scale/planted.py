"""Self-test of the checker: random histories of a correct register, and of registers with a planted fault."""

import random
import time
from collections import Counter
from dataclasses import replace

from history import History, Operation


class Simulation:
    """A history of a simulated register with random clients, which receive responses late, or never."""

    def __init__(self, generator, count, fault=None):
        self.random, self.fault = generator, fault
        self.versions = [None]  # The content of each version.
        self.audit, self.history = [], History()
        self.planted = False
        known, free = Counter(), Counter()
        clients = [f"c{number}" for number in range(generator.randint(2, 5))]
        calls = []
        for _ in range(count):
            client = generator.choice(clients)
            invoked = free[client] + generator.randint(0, 6)
            moment = invoked + generator.randint(1, 10)
            free[client] = moment + generator.randint(1, 10)
            calls.append((moment, invoked, free[client], client))
        late = []
        for number, (moment, invoked, returned, client) in enumerate(sorted(calls)):
            while late and late[0][0] <= moment:
                self.store(*late.pop(0)[1:])
            operation = Operation("read", invoked, returned, client, f"r{number % 3}")
            if generator.random() < 0.5:
                operation = replace(operation, op="publish", content=f"p{number}", expected=known[client])
                if generator.random() < 0.25:
                    operation.returned, operation.outcome = None, "unknown"
                    late.append((moment + generator.choice([0, 3, 30]), operation.content, operation.expected))
                    late.sort()
                else:
                    self.publish(operation)
            else:
                operation.version = len(self.versions) - 1
                operation.content = self.versions[-1]
            known[client] = operation.version or known[client]
            self.history.operations.append(operation)
        for document in [o for o in self.history.operations if o.op == "read" and generator.random() < 0.3]:
            self.history.operations.append(replace(document, op="document", content=None, client=""))
        self.random.shuffle(self.history.operations)
        self.history.stored = list(enumerate(self.versions))[1:]
        self.history.audit = list(self.audit)

    def plants(self, fault):
        """Whether the fault of this name happens now: once, at a random moment."""
        if self.planted or self.fault != fault or self.random.random() > 0.3:
            return False
        self.planted = True
        return True

    def store(self, content, expected):
        """Stores a content if the expected version is current; returns the version, or None."""
        if expected != len(self.versions) - 1:
            return None
        for _ in range(2 if self.plants("twice") else 1):
            self.versions.append(content)
            self.audit.append((len(self.versions) - 1, content))
        return expected + 1

    def publish(self, operation):
        if len(self.versions) > 1 and self.plants("fork"):
            # Another member still has the version before, and accepts the publish.
            operation.expected, operation.version = len(self.versions) - 2, len(self.versions) - 1
            operation.outcome = "stored"
            return
        operation.version = self.store(operation.content, operation.expected)
        operation.outcome = "mismatch" if operation.version is None else "stored"
        if operation.outcome == "stored" and self.plants("lost"):
            self.versions.pop()
            self.audit.pop()
        elif operation.outcome == "stored" and self.plants("refused"):
            operation.outcome, operation.version = self.random.choice(["mismatch", "refused"]), None
        elif operation.outcome == "mismatch" and self.random.random() < 0.5:
            operation.version = len(self.versions) - 1


def change_stale(history, generator):
    """A read returns a version that an acknowledged publish had replaced before the call."""
    pairs = [(read, publish) for read in history.operations if read.op == "read" for publish in history.operations
             if publish.outcome == "stored" and publish.returned < read.invoked]
    if pairs:
        read, publish = generator.choice(pairs)
        read.version = publish.expected
        read.content = dict([history.start, *history.stored])[read.version]
    return bool(pairs)


def change_order(history, generator):
    """Of two publishes, the one that completed before the other was called has the later version."""
    stored = [operation for operation in history.operations if operation.outcome == "stored"]
    pairs = [(one, other) for one in stored for other in stored if one.returned < other.invoked]
    if pairs:
        one, other = generator.choice(pairs)
        one.invoked, one.returned, other.invoked, other.returned = (
            other.invoked, other.returned, one.invoked, one.returned)
    return bool(pairs)


def change_mismatch(history, generator):
    """A publish is refused for a mismatch while its expected version is current, before and after it."""
    end = max(max(o.invoked, o.returned or 0) for o in history.operations) + 1
    version, content = [history.start, *history.stored][-1]
    history.operations += [
        Operation("read", end, end + 1, version=version, content=content),
        Operation("publish", end + 2, end + 4, "c0", "r0", version, "wrongly refused", "mismatch"),
        Operation("read", end + 5, end + 6, version=version, content=content)]
    return True


def change_early(history, generator):
    """A read returns a version before it was published."""
    reads = [operation for operation in history.operations if operation.op == "read" and operation.version]
    if reads:
        read = generator.choice(reads)
        read.invoked, read.returned = -5, -1
    return bool(reads)


def change_audit(history, generator):
    """The audit has an entry too few, too many, or in the wrong place."""
    if len(history.audit) < 2:
        return False
    index = generator.randrange(len(history.audit))
    match generator.randrange(4):
        case 0: del history.audit[index]
        case 1: history.audit.insert(index, history.audit[index])
        case 2: history.audit.append((len(history.stored) + 1, "nobody's"))
        case 3: history.audit.reverse()
    return True


def change_replica(history, generator):
    """A replica shows an older document than before."""
    documents = [operation for operation in history.operations if operation.op == "document" and operation.version]
    if documents:
        newer = generator.choice(documents)
        history.operations.append(replace(newer, invoked=newer.returned + 1, returned=newer.returned + 3,
                                          version=newer.version - 1))
    return bool(documents)


# By planted fault: how it is planted, in the register or in a correct history, and the kinds of its violation.
FAULTS = {
    "lost": (None, {"lost", "fork", "order", "twice"}), "twice": (None, {"twice"}), "fork": (None, {"fork", "lost"}),
    "refused": (None, {"refused"}), "stale read": (change_stale, {"order"}), "wrong order": (change_order, {"order"}),
    "wrong mismatch": (change_mismatch, {"order"}), "early read": (change_early, {"order"}),
    "audit": (change_audit, {"audit"}), "replica goes back": (change_replica, {"replica"}),
}


def has_order(history):
    """Whether there is an order of reads and publishes that explains the responses: a search over all of them."""
    operations = [o for o in history.operations if o.op == "read" or (o.op == "publish" and o.outcome != "refused")]
    end = max([0, *(o.invoked for o in operations), *(o.returned or 0 for o in operations)]) + 1
    if history.stored:
        version, content = history.stored[-1]
        operations.append(Operation("read", end, end + 1, version=version, content=content))
    visited = set()

    def states(operation, version, content):
        """The states that an operation may leave."""
        if operation.op == "read":
            if (operation.version, operation.content) == (version, content):
                yield version, content
        elif operation.outcome == "mismatch":
            if operation.expected != version and operation.version in (None, version):
                yield version, content
        elif operation.expected == version and operation.version in (None, version + 1):
            yield version + 1, operation.content

    def search(left, version, content):
        if (left, version, content) in visited:
            return False
        visited.add((left, version, content))
        if all(operations[index].outcome == "unknown" for index in left):
            return True
        end = min(operations[index].returned for index in left if operations[index].returned is not None)
        return any(search(left - {index}, *state) for index in left if operations[index].invoked <= end
                   for state in states(operations[index], version, content))

    return search(frozenset(range(len(operations))), *history.start)


def change_anything(history, generator):
    """Changes a part of a history, which may still be correct."""
    operation = generator.choice(history.operations)
    match generator.randrange(5):
        case 0: operation.invoked -= generator.randint(1, 20)
        case 1:
            if operation.returned is not None:
                operation.returned += generator.randint(1, 20)
        case 2:
            if operation.version:
                operation.version += generator.choice([-1, 1])
        case 3:
            if operation.outcome == "stored":
                operation.outcome, operation.version, operation.returned = "unknown", None, None
        case 4:
            other = generator.choice(history.operations)
            if operation.returned is not None and other.returned is not None:
                operation.invoked, operation.returned, other.invoked, other.returned = (
                    other.invoked, other.returned, operation.invoked, operation.returned)


def self_test(check, seed, count):
    """Prints how many planted faults were found; returns whether all were, and nothing else."""
    began = time.monotonic()
    generator = random.Random(seed)
    wrong, found, planted, orders = [], Counter(), Counter(), Counter()
    for number in range(count):
        violations = check(Simulation(generator, generator.randint(1, 60)).history)
        if violations:
            wrong.append(f"right history {number} of seed {seed}: {violations[0]}")
        simulation = Simulation(generator, generator.randint(1, 8))
        history = simulation.history
        for _ in range(generator.randint(0, 3)):
            change_anything(history, generator)
        del history.stored[:-1], history.audit[:]
        violations = [v for v in check(history) if v.kind not in ("audit", "replica")]
        is_right = has_order(history)
        orders[is_right] += 1
        if is_right == bool(violations):
            wrong.append(f"history {number} of seed {seed}: {violations or 'no violation'}, a search finds otherwise:\n"
                         + "\n".join(history.lines()))
        fault = list(FAULTS)[number % len(FAULTS)]
        change, kinds = FAULTS[fault]
        simulation = Simulation(generator, generator.randint(20, 60), fault)
        if not (change(simulation.history, generator) if change else simulation.planted):
            continue
        planted[fault] += 1
        violations = check(simulation.history)
        if any(violation.kind in kinds for violation in violations):
            found[fault] += 1
        else:
            wrong.append(f"planted {fault}, history {number} of seed {seed}: {violations}\n"
                         + "\n".join(simulation.history.lines()))
    large = Simulation(generator, 4000)
    start = time.monotonic()
    if violations := check(large.history):
        wrong.append(f"right history of 4000: {violations[0]}")
    print(f"{count} right histories; one of 4,000 operations in {time.monotonic() - start:.2f} s")
    print(f"{count} small ones changed at random: {orders[True]} right, {orders[False]} wrong, "
          "by a search over all orders too")
    for fault in FAULTS:
        print(f"planted {fault}: {found[fault]} of {planted[fault]} found")
        if planted[fault] < count / len(FAULTS) / 4:
            wrong.append(f"{fault} was planted only {planted[fault]} times")
    for problem in wrong[:5]:
        print(f"FAILED: {problem}")
    print(f"{len(wrong)} wrong verdicts, {time.monotonic() - began:.1f} s")
    return not wrong
